//! Appending to the caller's buffer, all or nothing.

use std::ops::Range;

/// Runs `write`, which appends to `out`. When it fails, whatever it appended is taken back.
///
/// One buffer serves a whole batch, and a record that cannot be written leaves no half behind.
///
/// ```
/// use ferroconnect_converters::wire::append;
/// let mut out = b"before".to_vec();
/// let range = append(&mut out, |out| { out.extend(b"good"); Ok::<_, ()>(()) });
/// assert_eq!(range, Ok(6..10));
/// let failed = append(&mut out, |out| { out.extend(b"half"); Err("no") });
/// assert_eq!((failed, out.as_slice()), (Err("no"), &b"beforegood"[..]));
/// ```
///
/// # Errors
/// Whatever `write` fails with.
pub fn append<E>(
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<Range<usize>, E> {
    let start = out.len();
    match write(out) {
        Ok(()) => {
            debug_assert!(out.len() >= start, "a writer appends and never cuts");
            Ok(start..out.len())
        }
        Err(error) => {
            out.truncate(start);
            Err(error)
        }
    }
}

/// Pieces of up to this many bytes are copied with one fixed move and cut back: cheaper than a move of variable length.
pub(crate) const SHORT: usize = 32;

/// Appends the first `len` bytes of a chunk; `len` is at most [`SHORT`].
#[inline(always)]
pub(crate) fn copy_short(chunk: &[u8; SHORT], len: usize, out: &mut Vec<u8>) {
    let end = out.len().saturating_add(len);
    out.extend_from_slice(chunk);
    out.truncate(end);
}
