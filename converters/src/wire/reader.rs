//! A cursor over foreign bytes. Every read checks, and every error says where.

use std::fmt;

/// A cursor: what is left, and how far it is from the start of the record.
///
/// ```
/// use ferroconnect_converters::wire::Reader;
/// let mut reader = Reader::new(&[1, 0, 0, 0, 7, 9]);
/// assert_eq!(reader.byte()?, 1);
/// assert_eq!(reader.i32_be()?, 7);
/// assert_eq!((reader.at(), reader.left()), (5, 1));
/// let short = reader.take(2).unwrap_err();
/// assert_eq!((short.at, short.wanted, short.left), (5, 2, 1));
/// assert_eq!(reader.left(), 1); // a failed read consumes nothing
/// # Ok::<(), ferroconnect_converters::wire::ShortRead>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// A cursor at the start of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, at: 0 }
    }

    /// Bytes consumed since the start of the record.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Bytes that are left.
    pub const fn left(&self) -> usize {
        self.rest.len()
    }

    /// Whether nothing is left.
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// What is left, without consuming it.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `wanted` bytes.
    ///
    /// # Errors
    /// [`ShortRead`] when fewer are left; nothing is consumed then.
    pub fn take(&mut self, wanted: usize) -> Result<&'a [u8], ShortRead> {
        let (head, tail) = self
            .rest
            .split_at_checked(wanted)
            .ok_or_else(|| self.short(wanted))?;
        self.advance(wanted, tail);
        Ok(head)
    }

    /// The next `N` bytes as an array.
    ///
    /// # Errors
    /// As [`Reader::take`].
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], ShortRead> {
        let (head, tail) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or_else(|| self.short(N))?;
        let head = *head;
        self.advance(N, tail);
        Ok(head)
    }

    /// The next byte.
    ///
    /// # Errors
    /// As [`Reader::take`].
    pub fn byte(&mut self) -> Result<u8, ShortRead> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    /// The next four bytes as a signed big-endian number.
    ///
    /// # Errors
    /// As [`Reader::take`].
    pub fn i32_be(&mut self) -> Result<i32, ShortRead> {
        self.array().map(i32::from_be_bytes)
    }

    /// The next eight bytes as a signed big-endian number.
    ///
    /// # Errors
    /// As [`Reader::take`].
    pub fn i64_be(&mut self) -> Result<i64, ShortRead> {
        self.array().map(i64::from_be_bytes)
    }

    /// A cursor over the next `wanted` bytes alone, which are consumed here; its offsets still count from
    /// the start of the record.
    ///
    /// # Errors
    /// As [`Reader::take`].
    pub fn part(&mut self, wanted: usize) -> Result<Self, ShortRead> {
        let at = self.at;
        self.take(wanted).map(|rest| Self { rest, at })
    }

    fn advance(&mut self, by: usize, tail: &'a [u8]) {
        // Offsets cannot wrap: `at` never exceeds the length of a slice in memory.
        self.at = self.at.saturating_add(by);
        self.rest = tail;
    }

    #[cold]
    const fn short(&self, wanted: usize) -> ShortRead {
        ShortRead {
            at: self.at,
            wanted,
            left: self.rest.len(),
        }
    }
}

/// The bytes ended too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortRead {
    /// Where the read began, in bytes from the start.
    pub at: usize,
    /// How many bytes it needs.
    pub wanted: usize,
    /// How many there are.
    pub left: usize,
}

impl fmt::Display for ShortRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, wanted, left } = self;
        write!(
            f,
            "the bytes end too early: at byte {at}, {wanted} needed, {left} left"
        )
    }
}

impl std::error::Error for ShortRead {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_big_endian_and_signed() {
        let mut reader = Reader::new(&[0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 0, 0, 0, 1, 0]);
        assert_eq!(reader.i32_be(), Ok(-2));
        assert_eq!(reader.i64_be(), Ok(256));
        assert!(reader.is_empty());
        assert_eq!(
            reader.byte(),
            Err(ShortRead {
                at: 12,
                wanted: 1,
                left: 0
            })
        );
    }

    #[test]
    fn a_part_counts_offsets_from_the_start_of_the_record() {
        let mut reader = Reader::new(&[1, 2, 3, 4]);
        reader.take(1).unwrap();
        let mut part = reader.part(2).unwrap();
        assert_eq!(
            part.take(3),
            Err(ShortRead {
                at: 1,
                wanted: 3,
                left: 2
            })
        );
        assert_eq!(part.take(2), Ok(&[2, 3][..]));
        assert_eq!(reader.rest(), [4]);
    }

    proptest! {
        #[test]
        fn reads_partition_the_input(bytes: Vec<u8>, sizes: Vec<usize>) {
            let mut reader = Reader::new(&bytes);
            let mut seen = Vec::new();
            for size in sizes {
                let before = reader.at();
                match reader.take(size) {
                    Ok(part) => seen.extend_from_slice(part),
                    Err(short) => prop_assert_eq!((short.at, short.left), (before, reader.left())),
                }
                prop_assert_eq!(reader.at().checked_add(reader.left()), Some(bytes.len()));
            }
            seen.extend_from_slice(reader.rest());
            prop_assert_eq!(seen, bytes);
        }
    }
}
