//! `cargo xtask soak kill`: SIGKILL at random moments.

use std::fs::File;
use std::io::Read;
use std::time::Duration;

use clap::Args;

use super::feed::Feed;
use super::tally::{Counts, Tally};
use crate::clock::{self, Stopwatch};
use crate::random::Random;
use crate::steps::{Outcome, Steps, Trouble, Trying};
use crate::worker::{Bench, Worker};

#[derive(Args)]
pub(crate) struct KillArguments {
    /// How often the worker is killed.
    #[arg(long, default_value_t = 20)]
    kills: u32,
    /// Lines of the input.
    #[arg(long, default_value_t = 200_000)]
    lines: usize,
    /// The moments of the kills follow from it; a failed run prints it.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(steps: &Steps, arguments: &KillArguments) -> Outcome {
    let program = Bench::build(steps)?;
    let folder = tempfile::tempdir_in(steps.target()).trying("make a folder for the run")?;
    let bench = Bench::lay_out(&program, folder.path(), FLUSH_INTERVAL_MS)?;
    let KillArguments { kills, lines, seed } = *arguments;
    steps.say(&format!("copy {lines} lines, {kills} kills, seed {seed}"));
    let mut soak = Soak {
        feed: Feed::create(&bench.input(), lines)?,
        tally: Tally::new(lines),
        read: 0,
        random: Random::new(seed),
        committed: Counts::default(),
        bound: 0,
        bench: &bench,
    };
    let end = soak.go(steps, kills, lines);
    if end.is_err() {
        let kept = folder.keep();
        steps.say(&format!(
            "kept for a look: {} (seed {seed})",
            kept.display()
        ));
    }
    end
}

/// One run: the growing input, what was seen of the output, and what may come again.
struct Soak<'a> {
    bench: &'a Bench,
    feed: Feed,
    tally: Tally,
    /// Bytes of the output that were counted.
    read: u64,
    random: Random,
    /// What had certainly been committed by now, on both sides.
    committed: Counts,
    /// Lines that may come again after the kills so far.
    bound: u64,
}

impl Soak<'_> {
    fn go(&mut self, steps: &Steps, kills: u32, lines: usize) -> Outcome {
        let share = lines / (kills as usize + 1);
        for kill in 1..=kills {
            let round = self
                .round(share)
                .map_err(|trouble| self.bench.explain(trouble))?;
            let Counts {
                lines, distinct, ..
            } = self.tally.counts;
            let ms = round.as_millis();
            println!(
                "kill {kill:>3} after {ms:>5} ms: {distinct} lines arrived, {lines} with repeats"
            );
        }
        steps.say("write the rest of the input, let the worker finish, stop it");
        self.feed.finish()?;
        // A run that does not finish has a count too: what is missing then is lost.
        let finished = self.finish().map_err(|trouble| self.bench.explain(trouble));
        self.verdict(u64::from(kills)).and(finished)
    }

    /// Starts the worker, feeds it, and kills it at a random moment; every other time, on average, the moment is
    /// then put off until output is just being written.
    fn round(&mut self, share: usize) -> Outcome<Duration> {
        let now = share / 2;
        self.feed.write(now, 0)?;
        let length = Duration::from_millis(1 + self.random.below(ROUND_MS_MAX));
        let in_a_write = self.random.below(2) == 0;
        let (mut fed, later) = (0, share - now);

        let mut worker = self.bench.start()?;
        let started = Stopwatch::start();
        let mut samples = vec![(Duration::ZERO, self.tally.counts)];
        loop {
            worker.expect_running()?;
            let elapsed = started.elapsed();
            let due = due(later, elapsed, length);
            let cut = usize::try_from(self.random.below(30)).unwrap_or(0);
            self.feed.write(due.saturating_sub(fed), cut)?;
            fed = due.max(fed);
            let before = self.read;
            self.look()?;
            samples.push((elapsed, self.tally.counts));
            let writing = !in_a_write || self.read > before || elapsed > length + ROUND_EXTRA;
            if elapsed >= length && writing {
                break;
            }
            clock::pause(SAMPLE_PAUSE);
        }
        self.end_round(worker, started, &samples)
    }

    fn end_round(
        &mut self,
        worker: Worker,
        started: Stopwatch,
        samples: &[(Duration, Counts)],
    ) -> Outcome<Duration> {
        worker.kill()?;
        let length = started.elapsed();
        self.look()?;
        // What had arrived one commit before the end has been committed; what came later may come again:
        // read again by the source, and delivered again by the sink.
        let commits_until = length.saturating_sub(COMMIT_AGE_MAX);
        let began = samples.first().map_or(0, |(_, counts)| counts.lines);
        let committed = samples
            .iter()
            .rev()
            .find(|(at, counts)| *at <= commits_until && counts.lines > began);
        if let Some((_, counts)) = committed {
            self.committed = *counts;
        }
        let read_again = self.feed.begun() as u64 - self.committed.distinct;
        let delivered_again = self.tally.counts.lines - self.committed.lines;
        self.bound += read_again + delivered_again;
        Ok(length)
    }

    /// Counts what is new in the output.
    fn look(&mut self) -> Outcome {
        use std::io::Seek;
        let Ok(mut output) = File::open(self.bench.output()) else {
            return Ok(());
        };
        output
            .seek(std::io::SeekFrom::Start(self.read))
            .trying("find the end of the output")?;
        let mut bytes = Vec::new();
        output.read_to_end(&mut bytes).trying("read the output")?;
        self.read += bytes.len() as u64;
        self.tally.read(&bytes);
        Ok(())
    }

    fn finish(&mut self) -> Outcome {
        let mut worker = self.bench.start()?;
        clock::wait_for("waiting for the last line", PATIENCE, || {
            worker.expect_running()?;
            self.look()?;
            Ok(((self.tally.lost() == 0).then_some(()), self.read))
        })?;
        worker.stop()?;
        self.look()
    }

    /// The last line, and whether it is a good one.
    fn verdict(&self, kills: u64) -> Outcome {
        let counts = self.tally.counts;
        let (lost, reordered, duplicated) =
            (self.tally.lost(), counts.reordered, counts.duplicated());
        println!("torn lines: {} (at most one per kill)", counts.torn);
        println!(
            "lost {lost}, reordered {reordered}, duplicated {duplicated} (bound {})",
            self.bound
        );
        let good = lost == 0 && reordered == 0 && duplicated <= self.bound && counts.torn <= kills;
        if good {
            Ok(())
        } else {
            Err(Trouble::new("the copy is not what was promised"))
        }
    }
}

/// Of `later` lines that come evenly over a round, those that are due by now.
fn due(later: usize, elapsed: Duration, length: Duration) -> usize {
    let passed = elapsed.as_millis().min(length.as_millis());
    let due = later as u128 * passed / length.as_millis().max(1);
    usize::try_from(due).unwrap_or(later)
}

/// `offset.flush.interval.ms` of the worker.
const FLUSH_INTERVAL_MS: u64 = 50;

/// How old a delivery can be and not be committed: the interval, and the time a commit may take on a busy
/// machine.
const COMMIT_AGE_MAX: Duration = Duration::from_millis(FLUSH_INTERVAL_MS + 450);

/// The longest round, in milliseconds: long enough for a few dozen commits.
const ROUND_MS_MAX: u64 = 2_500;

/// How long a kill is put off to wait for output.
const ROUND_EXTRA: Duration = Duration::from_millis(500);

const SAMPLE_PAUSE: Duration = Duration::from_millis(2);

/// Without any new output for this long, the worker is stuck.
const PATIENCE: Duration = Duration::from_secs(30);
