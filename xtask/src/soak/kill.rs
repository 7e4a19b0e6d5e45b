//! `cargo xtask soak kill`: SIGKILL at random moments.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use ferroconnect_node::{Node, create_topic, end_offset};

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
    let cluster = match &address {
        Some(address) => Cluster::Kafka(Topic::create(address, layout.topic)?),
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
        cluster: &cluster,
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
enum Cluster {
    Embedded,
    Kafka(Topic),
}

impl Cluster {
    /// The new worker gets the partition of the killed one when the group misses its heartbeats: after 45 s
    /// unless told otherwise, and twenty kills would take a quarter of an hour of waiting.
    const fn worker_properties(&self) -> &'static str {
        match self {
            Self::Embedded => "",
            Self::Kafka(_) => {
                "consumer.session.timeout.ms=3000\nconsumer.heartbeat.interval.ms=500"
            }
        }
    }

    /// How old a write or a delivery can be and not be committed: the interval, and the time a commit may take on
    /// a busy machine, which with Kafka holds a round trip.
    const fn commit_age_max(&self) -> Duration {
        match self {
            Self::Embedded => Duration::from_millis(FLUSH_INTERVAL_MS + 450),
            Self::Kafka(_) => Duration::from_millis(FLUSH_INTERVAL_MS + 950),
        }
    }

    /// Records in the topic, if that can be seen from outside.
    fn written(&self) -> Outcome<u64> {
        match self {
            Self::Embedded => Ok(0),
            Self::Kafka(topic) => topic.end(),
        }
    }
}

/// A topic of one partition, seen from outside.
struct Topic {
    address: String,
    name: String,
}

impl Topic {
    fn create(address: &str, name: &str) -> Outcome<Self> {
        create_topic(address, name, 1).trying("create the topic")?;
        let (address, name) = (address.to_owned(), name.to_owned());
        Ok(Self { address, name })
    }

    fn end(&self) -> Outcome<u64> {
        let end = end_offset(&self.address, &self.name, 0).trying("ask for the topic's end")?;
        Ok(u64::try_from(end).unwrap_or(0))
    }
}

/// One run: the growing input, what was seen of the output, and what may come again.
struct Soak<'a> {
    bench: &'a Bench,
    cluster: &'a Cluster,
    feed: Feed,
    output: Output,
    random: Random,
    /// What had certainly been committed by now, on both sides.
    committed: Counts,
    /// Lines that may come again after the kills so far.
    bound: u64,
}

/// What was seen in one round, and when.
#[derive(Clone, Copy)]
struct Sample {
    at: Duration,
    counts: Counts,
    /// Records in the topic of a Kafka node.
    written: u64,
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
        let wait_for_output = matches!(self.cluster, Cluster::Kafka(_)) && self.random.below(4) > 0;
        let (mut fed, later) = (0, share - now);

        let mut worker = self.bench.start()?;
        let started = Stopwatch::start();
        let mut begin = (!wait_for_output).then_some(Duration::ZERO);
        let mut sample = Sample {
            at: Duration::ZERO,
            counts: self.output.counts(),
            written: self.cluster.written()?,
        };
        let (mut samples, mut asked) = (vec![sample], Duration::ZERO);
        loop {
            worker.expect_running()?;
            let elapsed = started.elapsed();
            let in_round = elapsed.saturating_sub(begin.unwrap_or(elapsed));
            let due = due(later, in_round, length);
            let cut = usize::try_from(self.random.below(30)).unwrap_or(0);
            self.feed.write(due.saturating_sub(fed), cut)?;
            fed = due.max(fed);
            let grown = self.output.look()?;
            // Questions cost the broker time.
            if elapsed >= asked + ASK_AGAIN {
                (asked, sample.written) = (elapsed, self.cluster.written()?);
            }
            (sample.at, sample.counts) = (elapsed, self.output.counts());
            samples.push(sample);
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
        samples: &[Sample],
    ) -> Outcome<Duration> {
        worker.kill()?;
        let length = started.elapsed();
        self.output.look()?;
        let commits_until = length.saturating_sub(self.cluster.commit_age_max());
        self.bound += match self.cluster {
            Cluster::Embedded => self.behind_the_output(samples, commits_until),
            Cluster::Kafka(topic) => {
                // The last request of the killed worker may still be on its way.
                clock::pause(ASK_AGAIN);
                self.behind_the_topic(samples, commits_until, topic.end()?)
            }
        };
        Ok(length)
    }

    /// Without a look into the log. What had arrived one commit before the end has been committed on both sides;
    /// what came later may come again: read again by the source, and delivered again by the sink.
    fn behind_the_output(&mut self, samples: &[Sample], commits_until: Duration) -> u64 {
        let began = samples.first().map_or(0, |sample| sample.counts.lines);
        let committed = samples
            .iter()
            .rev()
            .find(|sample| sample.at <= commits_until && sample.counts.lines > began);
        if let Some(sample) = committed {
            self.committed = sample.counts;
        }
        let read_again = self.feed.begun() as u64 - self.committed.distinct;
        let delivered_again = self.output.counts().lines - self.committed.lines;
        read_again + delivered_again
    }

    /// Each side by itself. The source commits what is in the topic, so it reads again what it wrote within one
    /// commit before its end, and nothing else; the sink commits what it delivered, so it delivers that much
    /// again. What a worker left uncommitted, its successor can repeat only once: to repeat it a second time it
    /// must be written or delivered a second time, and is counted then.
    fn behind_the_topic(&self, samples: &[Sample], commits_until: Duration, written: u64) -> u64 {
        let committed = samples
            .iter()
            .rev()
            .find(|sample| sample.at <= commits_until)
            .or(samples.first());
        committed.map_or(0, |sample| {
            let delivered = self.output.counts().lines - sample.counts.lines;
            written - sample.written + delivered
        })
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
        self.output.look()?;
        if let Cluster::Kafka(topic) = self.cluster {
            let (written, counts) = (topic.end()?, self.output.counts());
            let twice = written.saturating_sub(counts.distinct);
            let again = counts.lines.saturating_sub(written);
            println!("the source wrote {twice} lines again, the sink delivered {again} again");
        }
        Ok(())
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

/// Between two questions for the end of the topic.
const ASK_AGAIN: Duration = Duration::from_millis(50);

const SAMPLE_PAUSE: Duration = Duration::from_millis(2);

/// Without any new output for this long, the worker is stuck.
const PATIENCE: Duration = Duration::from_secs(30);
