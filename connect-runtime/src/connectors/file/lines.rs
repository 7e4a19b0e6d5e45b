use std::ops::Range;

/// Cuts bytes into lines that end in `\n`, `\r` or `\r\n`. A last line without an end is kept back until its end arrives.
///
/// Positions count bytes, up to and including the end of the line given last.
#[derive(Debug)]
pub(super) struct Lines {
    buffer: Vec<u8>,
    /// What was given out lies before this.
    start: usize,
    /// Bytes before this hold no line end.
    scanned: usize,
    /// Bytes read lie before this.
    end: usize,
    /// Position in the file of `start`.
    position: u64,
}

/// The line is longer than [`LINE_BYTES_MAX`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LineTooLong {
    /// Where it starts.
    pub(super) position: u64,
}

impl Lines {
    /// Reading starts at this position of the file.
    pub(super) fn at(position: u64) -> Self {
        Self {
            buffer: vec![0; CHUNK_BYTES],
            start: 0,
            scanned: 0,
            end: 0,
            position,
        }
    }

    /// Bytes of the file that were given out as lines.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Bytes read that do not make a whole line yet.
    pub(super) fn held_back(&self) -> usize {
        self.end - self.start
    }

    /// Room for the next read. Moves the incomplete line to the front, and grows only for a line that fills everything; what a long line
    /// needed is given back once it is out.
    pub(super) fn space(&mut self) -> Result<&mut [u8], LineTooLong> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.scanned -= self.start;
            self.start = 0;
        }
        if self.buffer.len() > CHUNK_BYTES && self.end < CHUNK_BYTES {
            self.buffer.truncate(CHUNK_BYTES);
            self.buffer.shrink_to_fit();
        }
        if self.end == self.buffer.len() {
            if self.buffer.len() >= LINE_BYTES_MAX {
                return Err(LineTooLong {
                    position: self.position,
                });
            }
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        Ok(self.buffer.get_mut(self.end..).unwrap_or_default())
    }

    /// So many bytes were read into the space.
    pub(super) fn filled(&mut self, bytes: usize) {
        self.end = (self.end + bytes).min(self.buffer.len());
    }

    /// The next whole line without its end, as a range for [`bytes`](Self::bytes); valid until [`space`](Self::space) is called.
    pub(super) fn next_line(&mut self) -> Option<Range<usize>> {
        let unread = self.buffer.get(self.scanned..self.end)?;
        let Some(found) = find_line_end(unread) else {
            self.scanned = self.end;
            return None;
        };
        let at = self.scanned + found;
        let ends_in_return = self.buffer.get(at) == Some(&b'\r');
        let next = match (
            ends_in_return,
            self.buffer.get(at + 1).filter(|_| at + 1 < self.end),
        ) {
            // Whether a line feed belongs to it shows with the next byte.
            (true, None) => {
                self.scanned = at;
                return None;
            }
            (true, Some(b'\n')) => at + 2,
            (true, Some(_)) | (false, _) => at + 1,
        };
        let line = self.start..at;
        self.position += u64::try_from(next - self.start).unwrap_or(u64::MAX);
        self.start = next;
        self.scanned = next;
        Some(line)
    }

    /// What is left as a line, when nothing will follow. A carriage return at its end is its end.
    pub(super) fn last_line(&mut self) -> Option<Range<usize>> {
        let left = self.buffer.get(self.start..self.end)?;
        let length = left.strip_suffix(b"\r").unwrap_or(left).len();
        if left.is_empty() {
            return None;
        }
        let line = self.start..self.start + length;
        self.position += u64::try_from(self.end - self.start).unwrap_or(u64::MAX);
        self.start = self.end;
        self.scanned = self.end;
        Some(line)
    }

    /// The bytes of a line.
    pub(super) fn bytes(&self, line: Range<usize>) -> &[u8] {
        self.buffer.get(line).unwrap_or_default()
    }
}

/// Position of the first `\n` or `\r`. Steps of 32 bytes without a branch inside become vector code.
fn find_line_end(bytes: &[u8]) -> Option<usize> {
    const STEP: usize = 32;
    let is_end = |byte: &u8| *byte == b'\n' || *byte == b'\r';
    let (steps, rest) = bytes.as_chunks::<STEP>();
    for (nth, step) in steps.iter().enumerate() {
        if step.iter().fold(false, |any, byte| any | is_end(byte)) {
            return step.iter().position(is_end).map(|at| nth * STEP + at);
        }
    }
    rest.iter()
        .position(is_end)
        .map(|at| steps.len() * STEP + at)
}

/// Bytes per read. Larger reads are not faster (measured: 64 KiB to 1 MiB within 2 %), smaller ones cost calls.
const CHUNK_BYTES: usize = 256 << 10;
/// Length of one line, at most. Kafka refuses far shorter records.
pub(super) const LINE_BYTES_MAX: usize = 256 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds `text` in pieces of `piece` bytes.
    fn lines(text: &[u8], piece: usize) -> (Vec<String>, u64, usize) {
        let mut reader = Lines::at(0);
        let mut found = vec![];
        for part in text.chunks(piece) {
            reader.space().unwrap()[..part.len()].copy_from_slice(part);
            reader.filled(part.len());
            while let Some(line) = reader.next_line() {
                found.push(String::from_utf8_lossy(reader.bytes(line)).into_owned());
            }
        }
        (found, reader.position(), reader.held_back())
    }

    #[test]
    fn three_line_ends_count_and_the_last_line_waits_for_its_end() {
        for piece in 1..12 {
            let (found, position, held) = lines(b"a\nbc\r\nd\r\re\n\nlast", piece);
            assert_eq!(found, ["a", "bc", "d", "", "e", ""], "pieces of {piece}");
            assert_eq!((position, held), (12, 4));
        }
    }

    #[test]
    fn a_return_at_the_end_waits_for_the_next_byte() {
        assert_eq!(lines(b"a\r", 9), (vec![], 0, 2));
        assert_eq!(lines(b"a\rb", 9).0, ["a"]);
    }

    #[test]
    fn what_is_left_is_a_line_when_nothing_follows() {
        for (text, last, position) in [
            ("a\nbc", Some("bc"), 4),
            ("a\nb\r", Some("b"), 4),
            ("a\n", None, 2),
        ] {
            let mut reader = Lines::at(0);
            reader.space().unwrap()[..text.len()].copy_from_slice(text.as_bytes());
            reader.filled(text.len());
            while reader.next_line().is_some() {}
            let line = reader.last_line();
            assert_eq!(
                line.map(|line| reader.bytes(line)),
                last.map(str::as_bytes),
                "{text:?}"
            );
            assert_eq!(
                (reader.position(), reader.held_back(), reader.last_line()),
                (position, 0, None)
            );
        }
    }

    #[test]
    fn positions_count_bytes() {
        assert_eq!(
            lines("é\u{1f600}\n".as_bytes(), 3),
            (vec!["é\u{1f600}".into()], 7, 0)
        );
    }

    #[test]
    fn a_line_longer_than_a_chunk_is_whole() {
        let mut text = vec![b'x'; 3 * CHUNK_BYTES];
        text.push(b'\n');
        let (found, position, _) = lines(&text, CHUNK_BYTES / 2);
        assert_eq!(found[0].len(), 3 * CHUNK_BYTES);
        assert_eq!(position, u64::try_from(text.len()).unwrap());
    }

    #[test]
    fn what_a_long_line_needed_is_given_back() {
        let mut reader = Lines::at(0);
        let mut left = 3 * CHUNK_BYTES;
        while left > 0 {
            let space = reader.space().unwrap();
            let read = space.len().min(left);
            space[..read].fill(b'x');
            reader.filled(read);
            assert_eq!(reader.next_line(), None);
            left -= read;
        }
        assert!(reader.buffer.capacity() > 3 * CHUNK_BYTES);
        reader.space().unwrap()[..2].copy_from_slice(b"\na");
        reader.filled(2);
        assert_eq!(
            reader.next_line().map(|line| line.len()),
            Some(3 * CHUNK_BYTES)
        );
        assert_eq!(reader.space().unwrap().len(), CHUNK_BYTES - 1);
        assert_eq!(reader.buffer.capacity(), CHUNK_BYTES);
        assert_eq!(reader.held_back(), 1);
    }

    #[test]
    fn a_line_end_is_found_at_every_distance() {
        for at in 0..100 {
            let mut text = vec![b'.'; 100];
            assert_eq!(find_line_end(&text), None);
            text[at] = if at % 2 == 0 { b'\n' } else { b'\r' };
            assert_eq!(find_line_end(&text), Some(at));
        }
    }
}
