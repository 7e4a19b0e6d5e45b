//! `cargo xtask soak outage`: the broker is away at the start, and killed in mid-run.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use ferroconnect_node::{KAFKA_VERSION, Node};

use super::feed::Feed;
use super::kill::due;
use super::output::Output;
use super::tally::Counts;
use crate::clock::{self, Stopwatch};
use crate::steps::{Outcome, Steps, Trying};
use crate::worker::{Bench, Layout, Program, Worker};

#[derive(Args)]
pub(crate) struct OutageArguments {
    /// How often the broker is killed, besides being away at the start.
    #[arg(long, default_value_t = 2)]
    outages: u32,
    /// How long the broker is away each time.
    #[arg(long, default_value_t = 15)]
    seconds: u32,
    /// Lines of the input.
    #[arg(long, default_value_t = 200_000)]
    lines: usize,
    /// Against a real Kafka node, started for this run: the embedded log has no broker that could be away.
    #[arg(long, required = true)]
    kafka: bool,
    /// Run this build of `ferroconnect` instead of building one.
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
}

pub(crate) fn run(steps: &Steps, arguments: &OutageArguments) -> Outcome {
    let program = Program::given_or_built(steps, arguments.program.as_deref())?;
    let folder = tempfile::tempdir_in(steps.target()).trying("make a folder for the run")?;
    steps.say(&format!(
        "prepare a Kafka {KAFKA_VERSION} node, not started yet"
    ));
    let node = Node::builder().prepare()?;
    let address = node.bootstrap();
    let mut layout = Layout::new(&program, folder.path(), FLUSH_INTERVAL_MS);
    layout.bootstrap = Some(&address);
    let bench = layout.write()?;
    let OutageArguments {
        outages,
        seconds,
        lines,
        ..
    } = *arguments;
    steps.say(&format!(
        "copy {lines} lines; the broker is away for {seconds} s at the start and {outages} times in mid-run"
    ));
    let mut soak = Soak {
        feed: Feed::create(&bench.input(), lines)?,
        output: Output::new(&bench.output(), lines),
        worker: bench.start()?,
        bench: &bench,
        node,
        clock: Stopwatch::start(),
        pace: Pace {
            lines,
            length: AROUND + (Duration::from_secs(seconds.into()) + AROUND) * outages,
            passed: Duration::ZERO,
        },
        samples: Vec::new(),
        bound: 0,
    };
    let went = soak.go(steps, outages, Duration::from_secs(seconds.into()));
    // A run that does not finish has a count too: what is missing then is lost. No line is cut, for the worker
    // is never killed.
    let went = went.map_err(|trouble| bench.explain(trouble));
    let end = soak.output.verdict(soak.bound, 0).and(went);
    if end.is_err() {
        let kept = folder.keep();
        steps.say(&format!("kept for a look: {}", kept.display()));
    }
    end
}

/// One run: a worker that lives through it, and a node that does not.
struct Soak<'a> {
    bench: &'a Bench,
    worker: Worker,
    node: Node,
    feed: Feed,
    output: Output,
    /// Since the node was there for the first time.
    clock: Stopwatch,
    pace: Pace,
    samples: Vec<(Duration, Counts)>,
    /// Lines that may come again after the outages so far.
    bound: u64,
}

/// Lines come evenly over the time that is planned; waiting for the node or for output takes longer on a busy
/// machine, and does not count.
struct Pace {
    lines: usize,
    length: Duration,
    passed: Duration,
}

impl Soak<'_> {
    fn go(&mut self, steps: &Steps, outages: u32, away: Duration) -> Outcome {
        self.away_at_start(steps, away)?;
        for outage in 1..=outages {
            self.run_for(AROUND)?;
            self.outage(outage, away)?;
        }
        self.run_for(AROUND)?;
        steps.say("write the rest of the input, let the worker finish, stop it");
        self.feed.finish()?;
        clock::wait_for("waiting for the last line", PATIENCE, || {
            self.worker.expect_running()?;
            self.output.look()?;
            let done = self.output.missing() == 0;
            Ok((done.then_some(()), self.output.bytes()))
        })?;
        self.worker.interrupt()?;
        self.output.look().map(|_| ())
    }

    /// The worker starts before its broker: it says so within seconds, and goes on when the broker comes.
    fn away_at_start(&mut self, steps: &Steps, away: Duration) -> Outcome {
        let address = self.node.bootstrap();
        let started = Stopwatch::start();
        let said = clock::wait_for("waiting for a word about the broker", SAYS_WITHIN, || {
            self.worker.expect_running()?;
            let said = self.bench.said();
            let line = said.lines().find(|line| complains(line, &address));
            Ok((line.map(str::to_owned), ()))
        })?;
        let after = started.elapsed().as_millis();
        println!("the worker says after {after} ms: {}", said.trim());
        while started.elapsed() < away {
            self.worker.expect_running()?;
            clock::pause(LOOK_PAUSE);
        }
        steps.say("start the Kafka node");
        self.node.start()?;
        self.clock = Stopwatch::start();
        self.feed.write(FIRST_LINES, 0)?;
        let took = self.until_output("the start of the broker")?;
        println!(
            "broker away at the start for {:.0} s: the first line arrived {took:.1} s after it came",
            started.elapsed().as_secs_f64() - took
        );
        Ok(())
    }

    fn outage(&mut self, outage: u32, away: Duration) -> Outcome {
        self.node.kill()?;
        let killed = self.clock.elapsed();
        let at_kill = self.output.counts();
        self.run_for(away)?;
        self.node.start()?;
        let back = self.clock.elapsed();
        self.output.look()?;
        // What had arrived one commit before the kill has been committed. What came after that, until the broker
        // was back and commits could succeed again, may be delivered again.
        let commits_until = killed.saturating_sub(COMMIT_AGE_MAX);
        let samples = self.samples.iter().rev();
        let committed = samples
            .map(|(at, counts)| (*at, counts.lines))
            .find(|(at, _)| *at <= commits_until)
            .map_or(0, |(_, lines)| lines);
        let uncommitted = self.output.counts().lines - committed;
        self.bound += uncommitted + LINES_IN_FLIGHT_MAX;
        let drained = self.output.counts().lines - at_kill.lines;
        let took = self.until_output("the return of the broker")?;
        println!(
            "outage {outage}: away for {:.1} s, {drained} lines came out meanwhile, the next {took:.1} s after it was back",
            (back - killed).as_secs_f64()
        );
        Ok(())
    }

    /// Feeds what is due in this time.
    fn run_for(&mut self, length: Duration) -> Outcome {
        let began = self.clock.elapsed();
        let before = self.pace.passed;
        while self.pace.passed < before + length {
            self.pace.passed = before + length.min(self.clock.elapsed() - began);
            let due = due(self.pace.lines, self.pace.passed, self.pace.length);
            let cut = due % LINE_BYTES_MAX;
            self.feed
                .write(due.saturating_sub(self.feed.begun()), cut)?;
            self.look()?;
            clock::pause(LOOK_PAUSE);
        }
        Ok(())
    }

    /// Seconds until new output.
    fn until_output(&mut self, after: &str) -> Outcome<f64> {
        let waiting = Stopwatch::start();
        let what = format!("waiting for output after {after}");
        clock::wait_for(&what, PATIENCE, || Ok((self.look()?.then_some(()), ())))?;
        Ok(waiting.elapsed().as_secs_f64())
    }

    /// Says whether there was new output.
    fn look(&mut self) -> Outcome<bool> {
        self.worker.expect_running()?;
        let grown = self.output.look()?;
        self.samples
            .push((self.clock.elapsed(), self.output.counts()));
        Ok(grown)
    }
}

/// Whether a line of the worker's log says in plain words that nobody answers at `address`; what the client library
/// reports about each attempt does not count.
fn complains(line: &str, address: &str) -> bool {
    line.contains(address) && line.contains("cannot be reached")
}

/// `offset.flush.interval.ms` of the worker.
const FLUSH_INTERVAL_MS: u64 = 50;

/// As in the kills: the interval, and the time a commit may take on a busy machine.
const COMMIT_AGE_MAX: Duration = Duration::from_millis(FLUSH_INTERVAL_MS + 950);

/// The producer of a connector has one request in flight (`max.in.flight.requests.per.connection=1`), which it
/// sends again when the answer was lost; a request brings one batch of `batch.size` = 16384 bytes for the one
/// partition, and a record of a line of the shortest kind takes more than 20.
const LINES_IN_FLIGHT_MAX: u64 = 16_384 / 20;

/// Enough to see that the copy goes on; the others come evenly.
const FIRST_LINES: usize = 100;

/// "line 000000000 ." and up to 26 letters.
const LINE_BYTES_MAX: usize = 30;

/// Running time before, between and after the outages.
const AROUND: Duration = Duration::from_secs(6);

/// An operator looks at the terminal for about this long; the worker tries for three seconds before it speaks.
const SAYS_WITHIN: Duration = Duration::from_secs(8);

const LOOK_PAUSE: Duration = Duration::from_millis(5);

/// Without any new output for this long, the worker is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::complains;

    #[test]
    fn a_complaint_names_the_address() {
        let complaint = "WARN the Kafka cluster at 127.0.0.1:20001 cannot be reached: timed out";
        assert!(complains(complaint, "127.0.0.1:20001"));
        assert!(!complains(complaint, "127.0.0.1:20002"));
        assert!(!complains(
            "bootstrap.servers 127.0.0.1:20001",
            "127.0.0.1:20001"
        ));
    }
}
