//! The output as it grows, and the verdict over it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::tally::{Counts, Tally};
use crate::steps::{Outcome, Trouble, Trying};

/// The file that the worker writes to, and what was seen of it.
pub(super) struct Output {
    path: PathBuf,
    tally: Tally,
    /// Bytes that were counted.
    read: u64,
}

impl Output {
    pub(super) fn new(path: &Path, lines: usize) -> Self {
        Self {
            path: path.to_path_buf(),
            tally: Tally::new(lines),
            read: 0,
        }
    }

    /// Counts what is new; says whether there was anything.
    pub(super) fn look(&mut self) -> Outcome<bool> {
        let Ok(mut output) = File::open(&self.path) else {
            return Ok(false);
        };
        output
            .seek(SeekFrom::Start(self.read))
            .trying("find the end of the output")?;
        let mut bytes = Vec::new();
        output.read_to_end(&mut bytes).trying("read the output")?;
        self.read += bytes.len() as u64;
        self.tally.read(&bytes);
        Ok(!bytes.is_empty())
    }

    pub(super) const fn counts(&self) -> Counts {
        self.tally.counts
    }

    /// Lines of the input that did not arrive yet.
    pub(super) fn missing(&self) -> u64 {
        self.tally.lost()
    }

    /// Grows with the output.
    pub(super) const fn bytes(&self) -> u64 {
        self.read
    }

    /// The last line, and whether it is a good one: `torn_max` lines may be cut, `bound` may have come again.
    pub(super) fn verdict(&self, bound: u64, torn_max: u64) -> Outcome {
        let counts = self.counts();
        let (lost, reordered) = (self.tally.lost(), counts.reordered);
        let duplicated = counts.duplicated();
        println!("torn lines: {} (at most {torn_max})", counts.torn);
        println!("lost {lost}, reordered {reordered}, duplicated {duplicated} (bound {bound})");
        let good = lost == 0 && reordered == 0 && duplicated <= bound && counts.torn <= torn_max;
        match good {
            true => Ok(()),
            false => Err(Trouble::new("the copy is not what was promised")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::tally;
    use super::*;

    #[test]
    fn a_growing_output_is_counted_once_and_judged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("output");
        let mut output = Output::new(&path, 2);
        assert!(!output.look().unwrap(), "no file yet");
        let mut file = File::create(&path).unwrap();
        let line = |number| tally::line(number) + "\n";
        file.write_all(line(0).as_bytes()).unwrap();
        assert!(output.look().unwrap());
        assert!(!output.look().unwrap());
        assert!(output.verdict(0, 0).is_err(), "one is missing");
        file.write_all((line(0) + &line(1)).as_bytes()).unwrap();
        output.look().unwrap();
        assert!(output.verdict(0, 0).is_err(), "one came again");
        assert!(output.verdict(1, 0).is_ok());
    }
}
