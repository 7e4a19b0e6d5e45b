//! The cache in front of a registry: what a known answer costs, by itself and with many tasks that ask at once.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use ferroconnect_registry_client::cache::CachingRegistry;
use ferroconnect_registry_client::client::config::CacheConfig;
use ferroconnect_registry_client::{
    Answer, AsyncRegistry, Error, Question, RegisteredSchema, SchemaId, SchemaText, SchemaType,
    Subject,
};

use crate::measure::{clock_ns, process_ns};
use crate::{Benchmark, Trouble};

/// Numbers of tasks that ask at once.
const TASKS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// Questions that each task asks in a round.
const QUESTIONS: usize = 100_000;

/// Rounds of which the fastest counts.
const ROUNDS: usize = 5;

/// Schemas that are known: half by id, half as registrations.
const KNOWN: usize = 64;

/// A hit: by id, and of a registration with its text.
pub(crate) fn benchmarks() -> Result<Vec<Benchmark>, Trouble> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let known = questions()?;
    let cache = runtime.block_on(filled(&known))?;
    let mut list = Vec::new();
    for (name, question) in [("by-id", &known[0]), ("register", &known[KNOWN / 2])] {
        let benchmark = |way: &str, allocations, run| Benchmark {
            name: format!("cache/{name}/{way}"),
            peer: None,
            target_ns: None,
            recorded_jvm_ns: None,
            bytes: 0,
            allocations_max: Some(allocations),
            run,
        };
        let (asked, peeked) = (cache.clone(), cache.clone());
        let (to_ask, to_peek) = (question.clone(), question.clone());
        // The future that an object-safe port returns lies on the heap.
        list.push(benchmark(
            "ask",
            1,
            Box::new(move || {
                let mut context = Context::from_waker(Waker::noop());
                std::hint::black_box(pin!(asked.ask(&to_ask)).poll(&mut context).is_ready());
            }),
        ));
        list.push(benchmark(
            "peek",
            0,
            Box::new(move || {
                std::hint::black_box(peeked.peek(&to_peek).is_some());
            }),
        ));
    }
    Ok(list)
}

/// How tasks chose their questions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Choice {
    /// Each task has a schema of its own, as connectors have.
    Own,
    /// All tasks go through all schemas.
    All,
    /// All tasks ask for the same schema all the time.
    Same,
}

/// One line of the table.
#[derive(Debug)]
struct Round {
    choice: Choice,
    tasks: usize,
    /// Nanoseconds of the clock that a question took on each core in use.
    clock_ns: f64,
    /// Nanoseconds of CPU time per question, whichever core spent it.
    cpu_ns: f64,
    /// How often a thread gave up its core to wait, in a million questions.
    waits: f64,
    requests: u64,
    misses: u64,
}

/// Many tasks that ask at once for what is known: a line per number of tasks.
#[derive(Debug)]
pub struct ManyTasks {
    cores: usize,
    rounds: Vec<Round>,
}

/// Measures all numbers of tasks, on all cores.
///
/// # Errors
/// No threads are left for a runtime.
pub fn many_tasks() -> Result<ManyTasks, Trouble> {
    let cores = std::thread::available_parallelism()?.get();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores)
        .build()?;
    let known: Arc<[Question]> = questions()?.into();
    let mut rounds = Vec::new();
    for choice in [Choice::Own, Choice::All, Choice::Same] {
        for tasks in TASKS {
            rounds.push(runtime.block_on(best(&known, choice, (tasks, cores)))?);
        }
    }
    Ok(ManyTasks { cores, rounds })
}

/// The least that a round took; what was asked of the registry counts for all rounds.
async fn best(
    known: &Arc<[Question]>,
    choice: Choice,
    (tasks, cores): (usize, usize),
) -> Result<Round, Trouble> {
    let cache = filled(known).await?;
    let before = cache.counts();
    let asked = float((tasks * QUESTIONS) as u64);
    let mut best = Spent {
        clock_ns: f64::INFINITY,
        cpu_ns: f64::INFINITY,
        waits: f64::INFINITY,
    };
    for _ in 0..ROUNDS {
        let spent = round(&cache, known, (choice, tasks)).await?;
        best = Spent {
            clock_ns: best.clock_ns.min(spent.clock_ns),
            cpu_ns: best.cpu_ns.min(spent.cpu_ns),
            waits: best.waits.min(spent.waits),
        };
    }
    let after = cache.counts();
    Ok(Round {
        choice,
        tasks,
        clock_ns: best.clock_ns * float(tasks.min(cores) as u64) / asked,
        cpu_ns: best.cpu_ns / asked,
        waits: best.waits * 1e6 / asked,
        requests: after.requests - before.requests,
        misses: after.misses - before.misses,
    })
}

struct Spent {
    clock_ns: f64,
    cpu_ns: f64,
    waits: f64,
}

async fn round(
    cache: &CachingRegistry<AtOnce>,
    known: &Arc<[Question]>,
    (choice, tasks): (Choice, usize),
) -> Result<Spent, Trouble> {
    let (cpu, waits, start) = (process_ns(), waits(), clock_ns());
    let running: Vec<_> = (0..tasks)
        .map(|task| {
            let (cache, known) = (cache.clone(), Arc::clone(known));
            tokio::spawn(async move {
                for number in 0..QUESTIONS {
                    let at = match choice {
                        Choice::Own => task,
                        Choice::All => task + number,
                        Choice::Same => 0,
                    };
                    std::hint::black_box(cache.ask(&known[at % KNOWN]).await.ok());
                }
            })
        })
        .collect();
    for task in running {
        task.await?;
    }
    Ok(Spent {
        clock_ns: float(clock_ns() - start),
        cpu_ns: float(process_ns() - cpu),
        waits: float(self::waits().saturating_sub(waits)),
    })
}

impl fmt::Display for ManyTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Known answers, asked for by many tasks on {} cores. Ratios are to one task: without contention they stay near 1 (the same \
             schema: its counter of owners goes from core to core). The clock also counts what others do on these cores. Waits: how often a thread gave up its core, per million questions.",
            self.cores
        )?;
        writeln!(
            f,
            "{:<22} {:>5} {:>12} {:>6} {:>12} {:>6} {:>9} {:>8} {:>8}",
            "schemas",
            "tasks",
            "clock ns",
            "ratio",
            "CPU ns",
            "ratio",
            "waits/M",
            "misses",
            "requests"
        )?;
        for round in &self.rounds {
            let alone = self.rounds.iter().find(|r| r.choice == round.choice);
            let (clock, cpu) = alone.map_or((f64::NAN, f64::NAN), |r| (r.clock_ns, r.cpu_ns));
            let schemas = match round.choice {
                Choice::Own => "each task its own",
                Choice::All => "each task all",
                Choice::Same => "all tasks the same",
            };
            writeln!(
                f,
                "{schemas:<22} {:>5} {:>12.1} {:>6.2} {:>12.1} {:>6.2} {:>9.1} {:>8} {:>8}",
                round.tasks,
                round.clock_ns,
                round.clock_ns / clock,
                round.cpu_ns,
                round.cpu_ns / cpu,
                round.waits,
                round.misses,
                round.requests
            )?;
        }
        Ok(())
    }
}

/// A cache over a registry that answers at once, which was asked everything.
async fn filled(known: &[Question]) -> Result<CachingRegistry<AtOnce>, Trouble> {
    let cache = CachingRegistry::new(AtOnce, &CacheConfig::default(), "bench");
    for question in known {
        cache.ask(question).await?;
    }
    Ok(cache)
}

fn questions() -> Result<Vec<Question>, Trouble> {
    let subject = Subject::new("bench-value").ok_or("no subject")?;
    let ids = (1..).map_while(SchemaId::new).take(KNOWN / 2);
    let by_id = ids.map(|id| Question::ById {
        id,
        subject: Some(subject.clone()),
    });
    let registrations = (1..).take(KNOWN / 2).map(|number| Question::Register {
        subject: subject.clone(),
        schema: text(number),
        normalize: false,
        propagate_schema_tags: false,
    });
    Ok(by_id.chain(registrations).collect())
}

/// How often threads of this process gave up their core to wait for something.
fn waits() -> u64 {
    let threads = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    threads
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("status")).ok())
        .filter_map(|status| {
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
            line.trim().parse::<u64>().ok()
        })
        .sum()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts and nanoseconds of seconds"
)]
const fn float(number: u64) -> f64 {
    number as f64
}

/// A registry that answers at once.
#[derive(Debug)]
struct AtOnce;

#[async_trait::async_trait]
impl AsyncRegistry for AtOnce {
    async fn ask(&self, question: &Question) -> Result<Answer, Error> {
        let schema = match question {
            Question::Register { schema, .. } => schema.clone(),
            Question::ById { .. }
            | Question::ByGuid { .. }
            | Question::Find { .. }
            | Question::Latest { .. }
            | Question::LatestWithMetadata { .. }
            | Question::Associated(_)
            | Question::Version { .. } => text(0),
        };
        Ok(Answer::Schema(RegisteredSchema {
            id: SchemaId::new(1).ok_or_else(|| Error::unreachable("1 is an id"))?,
            guid: None,
            subject: None,
            version: None,
            schema,
        }))
    }
}

fn text(number: i32) -> SchemaText {
    let fields: Vec<String> = (0..20)
        .map(|n| format!(r#"{{"name":"field_{n:02}","type":"string"}}"#))
        .collect();
    let fields = fields.join(",");
    SchemaText::new(
        SchemaType::Avro,
        format!(r#"{{"type":"record","name":"R{number}","fields":[{fields}]}}"#),
    )
}
