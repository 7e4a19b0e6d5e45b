//! What arrived: a count over the lines of the output, in the order in which they stand there.

/// Counts as lines come in.
pub(super) struct Tally {
    seen: Vec<bool>,
    /// One more than the highest number that was seen.
    front: usize,
    rest: Vec<u8>,
    pub(super) counts: Counts,
}

/// The numbers so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Complete lines, torn ones left out.
    pub(super) lines: u64,
    /// Different lines.
    pub(super) distinct: u64,
    /// Lines that came for the first time after a later one.
    pub(super) reordered: u64,
    /// Lines that are none of the input: a kill in the middle of a write leaves at most one.
    pub(super) torn: u64,
}

impl Counts {
    /// Lines that came again.
    pub(super) const fn duplicated(&self) -> u64 {
        self.lines - self.distinct
    }
}

impl Tally {
    pub(super) fn new(lines: usize) -> Self {
        let (seen, rest) = (vec![false; lines], Vec::new());
        Self {
            seen,
            front: 0,
            rest,
            counts: Counts::default(),
        }
    }

    /// More bytes of the output.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let rest = std::mem::take(&mut self.rest);
        let mut lines = rest.split(|byte| *byte == b'\n');
        self.rest = lines.next_back().unwrap_or_default().to_vec();
        lines.for_each(|text| self.line(text));
    }

    /// Lines of the input that did not arrive.
    pub(super) fn lost(&self) -> u64 {
        self.seen.len() as u64 - self.counts.distinct
    }

    fn line(&mut self, text: &[u8]) {
        let number = number_of(text).filter(|number| *number < self.seen.len());
        let Some(number) = number else {
            self.counts.torn += 1;
            return;
        };
        self.counts.lines += 1;
        if !self.seen[number] {
            self.seen[number] = true;
            self.counts.distinct += 1;
            self.counts.reordered += u64::from(number < self.front);
            self.front = self.front.max(number + 1);
        }
    }
}

/// The line with this number, without its end. Its length varies, so that a cut line is never another one.
pub(super) fn line(number: usize) -> String {
    let filler = "abcdefghijklmnopqrstuvwxyz"
        .get(..number % 27)
        .unwrap_or_default();
    format!("line {number:09} {filler}.")
}

/// The number of a whole, unharmed line.
fn number_of(text: &[u8]) -> Option<usize> {
    let text = str::from_utf8(text).ok()?;
    let number = text.strip_prefix("line ")?.get(..9)?.parse().ok()?;
    (line(number) == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(lines: usize, numbers: &[usize]) -> Tally {
        let mut tally = Tally::new(lines);
        numbers
            .iter()
            .for_each(|number| tally.read(format!("{}\n", line(*number)).as_bytes()));
        tally
    }

    #[test]
    fn everything_once_and_in_order_is_perfect() {
        let tally = tally(100, &(0..100).collect::<Vec<_>>());
        let perfect = Counts {
            lines: 100,
            distinct: 100,
            reordered: 0,
            torn: 0,
        };
        assert_eq!((tally.counts, tally.lost()), (perfect, 0));
    }

    #[test]
    fn a_repeated_stretch_is_duplicated_and_not_reordered() {
        let tally = tally(5, &[0, 1, 2, 1, 2, 3, 4]);
        let counts = (
            tally.counts.duplicated(),
            tally.counts.reordered,
            tally.lost(),
        );
        assert_eq!(counts, (2, 0, 0));
    }

    #[test]
    fn a_gap_is_lost_and_a_late_line_is_reordered() {
        assert_eq!(tally(4, &[0, 1, 3]).lost(), 1);
        let late = tally(4, &[0, 2, 1, 3]);
        assert_eq!((late.counts.reordered, late.lost()), (1, 0));
    }

    #[test]
    fn a_cut_line_is_torn_and_never_another_line() {
        let mut tally = Tally::new(20);
        let whole = line(12);
        tally.read(&whole.as_bytes()[..whole.len() - 3]);
        assert_eq!(tally.counts.torn, 0, "it may still be completed");
        tally.read(format!("{}\n{}\n", line(12), line(13)).as_bytes());
        assert_eq!((tally.counts.torn, tally.counts.lines), (1, 1));
        for cut in 0..whole.len() {
            assert_eq!(number_of(&whole.as_bytes()[..cut]), None);
        }
        assert_eq!(number_of(b"line 000000099 x"), None);
    }
}
