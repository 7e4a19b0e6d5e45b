use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use ferroconnect_runtime::task::{TaskState, TaskStatus};
use ferroconnect_runtime::time::{Clock, Mono, SystemClock};

use crate::log::Format;
use crate::voice::Voice;

/// One line that is kept up to date on a terminal, or a line now and then elsewhere.
#[derive(Debug)]
pub(crate) struct Progress {
    is_terminal: bool,
    voice: Voice,
    clock: SystemClock,
    before: Totals,
    at: Mono,
    said_idle: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    written: u64,
    delivered: u64,
    lag: u64,
    skipped: u64,
    running: usize,
    paused: usize,
    failed: usize,
}

impl Progress {
    /// A program that reads the log gets no line that is written over.
    pub(crate) fn new(is_terminal: bool, voice: Voice) -> Self {
        let clock = SystemClock::new();
        Self {
            is_terminal: is_terminal && voice.0 == Format::Text,
            voice,
            at: clock.now(),
            clock,
            before: Totals::default(),
            said_idle: false,
        }
    }

    /// Time until the next line.
    pub(crate) fn interval(&self) -> Duration {
        if self.is_terminal {
            Duration::from_millis(500)
        } else {
            Duration::from_secs(5)
        }
    }

    pub(crate) fn show(&mut self, tasks: &[TaskStatus]) {
        let now = self.clock.now();
        let millis = now.since(self.at).as_millis().max(1);
        let totals = totals(tasks);
        let line = line(totals, self.before, millis);
        if self.is_terminal {
            let mut stderr = std::io::stderr().lock();
            // Nobody looks at a closed terminal; the work goes on.
            let _ = write!(stderr, "\r\x1b[K{line}").and_then(|()| stderr.flush());
        } else if totals != self.before {
            self.voice.say(&line);
        }
        let nothing_runs = !tasks.is_empty() && totals.running + totals.paused == 0;
        if nothing_runs && !std::mem::replace(&mut self.said_idle, true) {
            let end = if self.is_terminal { "\r\x1b[K" } else { "" };
            self.voice.say(&format!(
                "{end}No task runs any more. The worker stays, as Kafka's does; correct the cause and start it again."
            ));
        }
        (self.before, self.at) = (totals, now);
    }

    /// Leaves the line.
    pub(crate) fn end(&self) {
        if self.is_terminal {
            let _ = writeln!(std::io::stderr().lock());
        }
    }
}

fn totals(tasks: &[TaskStatus]) -> Totals {
    let mut totals = Totals::default();
    for task in tasks {
        let counters = task.counters();
        // A task that wrote to the log is a source: sinks only deliver.
        if task.is_source() {
            totals.written += counters.delivered();
        } else {
            totals.delivered += counters.delivered();
            totals.lag += counters.lag();
        }
        totals.skipped += counters.skipped();
        match task.state() {
            TaskState::Running => totals.running += 1,
            TaskState::Paused => totals.paused += 1,
            TaskState::Failed(_) => totals.failed += 1,
            TaskState::Unassigned => {}
        }
    }
    totals
}

fn line(now: Totals, before: Totals, millis: u64) -> String {
    let rate = |now: u64, before: u64| number(now.saturating_sub(before) * 1_000 / millis);
    let mut line = format!(
        "sources {} records ({}/s) | sinks {} records ({}/s), lag {} | tasks {} running",
        number(now.written),
        rate(now.written, before.written),
        number(now.delivered),
        rate(now.delivered, before.delivered),
        number(now.lag),
        now.running
    );
    for (count, what) in [(now.paused, "paused"), (now.failed, "FAILED")] {
        if count > 0 {
            let _ = write!(line, ", {count} {what}");
        }
    }
    if now.skipped > 0 {
        let _ = write!(line, " | {} records skipped", number(now.skipped));
    }
    line
}

/// What was delivered, and how every task ended.
pub(crate) fn summary(tasks: &[TaskStatus]) -> String {
    let mut text = String::from("Stopped.");
    for task in tasks {
        let counters = task.counters();
        let (taken, delivered) = (number(counters.taken()), number(counters.delivered()));
        let what = if task.is_source() {
            "written to the log"
        } else {
            "delivered"
        };
        let _ = write!(
            text,
            "\n  {}: {taken} records read, {delivered} {what}",
            task.id()
        );
        if counters.skipped() > 0 {
            let _ = write!(text, ", {} skipped", number(counters.skipped()));
        }
        if let TaskState::Failed(why) = task.state() {
            let _ = write!(text, "; FAILED: {why}");
        }
    }
    text
}

/// Digits in groups of three.
fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (value, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn the_line_says_rates_and_trouble() {
        let before = Totals {
            written: 1_000,
            ..Totals::default()
        };
        let now = Totals {
            written: 3_000,
            delivered: 10,
            lag: 5,
            failed: 1,
            running: 2,
            ..Totals::default()
        };
        assert_eq!(
            line(now, before, 500),
            "sources 3,000 records (4,000/s) | sinks 10 records (20/s), lag 5 | tasks 2 running, 1 FAILED"
        );
    }
}
