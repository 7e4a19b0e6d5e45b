//! `cargo xtask soak kill`: SIGKILL at random moments.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use ferroconnect_node::Node;

use super::feed::Feed;
use super::output::Output;
use super::tally::Counts;
use crate::clock::{self, Stopwatch};
use crate::random::Random;
use crate::steps::{Outcome, Steps, Trying};
use crate::worker::{Bench, Layout, Program, Worker};

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
    /// Copy through a real Kafka node, started for this run, in place of the embedded log.
    #[arg(long)]
    kafka: bool,
    /// Run this build of `ferroconnect` instead of building one.
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
}

pub(crate) fn run(steps: &Steps, arguments: &KillArguments) -> Outcome {
    let program = Program::given_or_built(steps, arguments.program.as_deref())?;
    let folder = tempfile::tempdir_in(steps.target()).trying("make a folder for the run")?;
    let mut layout = Layout::new(&program, folder.path(), FLUSH_INTERVAL_MS);
    let node = match arguments.kafka {
        true => Some(super::start_node(steps)?),
        false => None,
    };
    let address = node.as_ref().map(Node::bootstrap);
    let cluster = match node {
        Some(_) => Cluster::Kafka,
        None => Cluster::Embedded,
    };
    layout.bootstrap = address.as_deref();
    layout.more = cluster.worker_properties();
    let bench = layout.write()?;
    let KillArguments {
        kills, lines, seed, ..
    } = *arguments;
    steps.say(&format!("copy {lines} lines, {kills} kills, seed {seed}"));
    let mut soak = Soak {
        feed: Feed::create(&bench.input(), lines)?,
        output: Output::new(&bench.output(), lines),
        random: Random::new(seed),
        committed: Counts::default(),
        bound: 0,
        bench: &bench,
        cluster,
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

/// Where the topic is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cluster {
    Embedded,
    Kafka,
}

impl Cluster {
    /// The new worker gets the partition of the killed one when the group misses its heartbeats: after 45 s
    /// unless told otherwise, and twenty kills would take a quarter of an hour of waiting.
    const fn worker_properties(self) -> &'static str {
        match self {
            Self::Embedded => "",
            Self::Kafka => "consumer.session.timeout.ms=3000\nconsumer.heartbeat.interval.ms=500",
        }
    }

    /// How old a delivery can be and not be committed: the interval, and the time a commit may take on a busy
    /// machine, which with Kafka holds a round trip.
    const fn commit_age_max(self) -> Duration {
        match self {
            Self::Embedded => Duration::from_millis(FLUSH_INTERVAL_MS + 450),
            Self::Kafka => Duration::from_millis(FLUSH_INTERVAL_MS + 950),
        }
    }
}

/// One run: the growing input, what was seen of the output, and what may come again.
struct Soak<'a> {
    bench: &'a Bench,
    cluster: Cluster,
    feed: Feed,
    output: Output,
    random: Random,
    /// What had certainly been committed by now, on both sides.
    committed: Counts,
    /// Lines that may come again after the kills so far.
    bound: u64,
}

/// What was seen in one round, and when.
type Samples = Vec<(Duration, Counts)>;

impl Soak<'_> {
    fn go(&mut self, steps: &Steps, kills: u32, lines: usize) -> Outcome {
        let share = lines / (kills as usize + 1);
        for kill in 1..=kills {
            let round = self
                .round(share)
                .map_err(|trouble| self.bench.explain(trouble))?;
            let Counts {
                lines, distinct, ..
            } = self.output.counts();
            let ms = round.as_millis();
            println!(
                "kill {kill:>3} after {ms:>5} ms: {distinct} lines arrived, {lines} with repeats"
            );
        }
        steps.say("write the rest of the input, let the worker finish, stop it");
        self.feed.finish()?;
        // A run that does not finish has a count too: what is missing then is lost.
        let finished = self.finish().map_err(|trouble| self.bench.explain(trouble));
        // A kill cuts at most one line.
        self.output
            .verdict(self.bound, u64::from(kills))
            .and(finished)
    }

    /// Starts the worker, feeds it, and kills it at a random moment; every other time, on average, the moment is
    /// then put off until output is just being written.
    fn round(&mut self, share: usize) -> Outcome<Duration> {
        let now = share / 2;
        self.feed.write(now, 0)?;
        let length = Duration::from_millis(1 + self.random.below(ROUND_MS_MAX));
        let in_a_write = self.random.below(2) == 0;
        // A sink on Kafka begins seconds later. Most rounds begin with its first line, some before: those kill
        // a worker that starts, or whose source is already far ahead of its sink.
        let wait_for_output = self.cluster == Cluster::Kafka && self.random.below(4) > 0;
        let (mut fed, later) = (0, share - now);

        let mut worker = self.bench.start()?;
        let started = Stopwatch::start();
        let mut begin = (!wait_for_output).then_some(Duration::ZERO);
        let mut samples = vec![(Duration::ZERO, self.output.counts())];
        loop {
            worker.expect_running()?;
            let elapsed = started.elapsed();
            let in_round = elapsed.saturating_sub(begin.unwrap_or(elapsed));
            let due = due(later, in_round, length);
            let cut = usize::try_from(self.random.below(30)).unwrap_or(0);
            self.feed.write(due.saturating_sub(fed), cut)?;
            fed = due.max(fed);
            let grown = self.output.look()?;
            samples.push((elapsed, self.output.counts()));
            if grown || elapsed > PATIENCE {
                begin.get_or_insert(elapsed);
            }
            let writing = !in_a_write || grown || in_round > length + ROUND_EXTRA;
            if begin.is_some() && in_round >= length && writing {
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
        samples: &Samples,
    ) -> Outcome<Duration> {
        worker.kill()?;
        let length = started.elapsed();
        self.output.look()?;
        // What had arrived one commit before the end has been committed; what came later may come again:
        // read again by the source, and delivered again by the sink.
        let commits_until = length.saturating_sub(self.cluster.commit_age_max());
        let began = samples.first().map_or(0, |(_, counts)| counts.lines);
        let committed = samples
            .iter()
            .rev()
            .find(|(at, counts)| *at <= commits_until && counts.lines > began);
        if let Some((_, counts)) = committed {
            self.committed = *counts;
        }
        let read_again = self.feed.begun() as u64 - self.committed.distinct;
        let delivered_again = self.output.counts().lines - self.committed.lines;
        self.bound += read_again + delivered_again;
        Ok(length)
    }

    fn finish(&mut self) -> Outcome {
        let mut worker = self.bench.start()?;
        clock::wait_for("waiting for the last line", PATIENCE, || {
            worker.expect_running()?;
            self.output.look()?;
            let done = self.output.missing() == 0;
            Ok((done.then_some(()), self.output.bytes()))
        })?;
        worker.stop()?;
        self.output.look().map(|_| ())
    }
}

/// Of `later` lines that come evenly over a round, those that are due by now.
pub(super) fn due(later: usize, elapsed: Duration, length: Duration) -> usize {
    let passed = elapsed.as_millis().min(length.as_millis());
    let due = later as u128 * passed / length.as_millis().max(1);
    usize::try_from(due).unwrap_or(later)
}

/// `offset.flush.interval.ms` of the worker.
const FLUSH_INTERVAL_MS: u64 = 50;

/// The longest round, in milliseconds: long enough for a few dozen commits.
const ROUND_MS_MAX: u64 = 2_500;

/// How long a kill is put off to wait for output.
const ROUND_EXTRA: Duration = Duration::from_millis(500);

const SAMPLE_PAUSE: Duration = Duration::from_millis(2);

/// Without any new output for this long, the worker is stuck.
const PATIENCE: Duration = Duration::from_secs(30);
