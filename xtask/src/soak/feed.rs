//! The input: numbered lines that are written piece by piece, not always up to the end of a line.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::tally;
use crate::steps::{Outcome, Trying};

/// A growing input file.
pub(super) struct Feed {
    file: File,
    lines: usize,
    next: usize,
    /// The part of the last line that is not written yet.
    held_back: Vec<u8>,
}

impl Feed {
    pub(super) fn create(path: &Path, lines: usize) -> Outcome<Self> {
        let file = File::create(path).trying("create the input")?;
        Ok(Self {
            file,
            lines,
            next: 0,
            held_back: Vec::new(),
        })
    }

    /// Lines that were begun so far.
    pub(super) const fn begun(&self) -> usize {
        self.next
    }

    /// Writes the next `count` lines and stops inside the last one, `cut` bytes before its end.
    pub(super) fn write(&mut self, count: usize, cut: usize) -> Outcome {
        let mut bytes = std::mem::take(&mut self.held_back);
        let end = self.lines.min(self.next + count);
        for number in self.next..end {
            bytes.extend_from_slice(tally::line(number).as_bytes());
            bytes.push(b'\n');
        }
        self.next = end;
        let cut = if end == self.lines {
            0
        } else {
            cut.min(bytes.len())
        };
        self.held_back = bytes.split_off(bytes.len() - cut);
        self.file.write_all(&bytes).trying("write the input")
    }

    /// Writes everything that is left.
    pub(super) fn finish(&mut self) -> Outcome {
        self.write(self.lines, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_add_up_to_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("input");
        let mut feed = Feed::create(&path, 10).unwrap();
        for cut in [3, 0, 1, 9] {
            feed.write(2, cut).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.ends_with('\n'), "the last piece stops inside a line");
        feed.finish().unwrap();
        let whole: String = (0..10).map(|number| tally::line(number) + "\n").collect();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
    }
}
