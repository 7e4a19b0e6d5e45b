//! How long an answer from memory takes, for one task and for 32 tasks at once, and whether they stand in each other's way.
//!
//! `cargo run --release -p ferroconnect-registry-client --example cache_hits`
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that measures reads the clock and prints"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use ferroconnect_registry_client::cache::CachingRegistry;
use ferroconnect_registry_client::client::config::CacheConfig;
use ferroconnect_registry_client::{
    Answer, AsyncRegistry, Error, Question, RegisteredSchema, SchemaId, SchemaText, SchemaType,
};

const IDS: i32 = 100;
const ASKED: u32 = 200_000;
const TASKS: u32 = 32;

/// Knows every id.
#[derive(Debug)]
struct Everything;

#[async_trait::async_trait]
impl AsyncRegistry for Everything {
    async fn ask(&self, _question: &Question) -> Result<Answer, Error> {
        Ok(Answer::Schema(RegisteredSchema {
            id: SchemaId::new(1).ok_or_else(|| Error::bug("1 is an id"))?,
            guid: None,
            subject: None,
            version: None,
            schema: SchemaText::new(SchemaType::Avro, "x".repeat(2_000)),
        }))
    }
}

fn question(n: i32) -> Option<Question> {
    Some(Question::ById {
        id: SchemaId::new(n)?,
        subject: None,
    })
}

/// Asks so often, and says how long one answer took.
async fn hits(registry: CachingRegistry<Everything>, questions: Arc<[Question]>) -> Duration {
    let start = Instant::now();
    for question in questions.iter().cycle().take(ASKED as usize) {
        // A miss would be in the time, which is what counts.
        let _answer = std::hint::black_box(registry.ask(question).await);
    }
    start.elapsed() / ASKED
}

#[tokio::main]
async fn main() {
    let registry = CachingRegistry::new(Everything, &CacheConfig::default(), "example");
    let questions: Arc<[Question]> = (0..IDS).filter_map(question).collect();
    registry.prefetch(questions.iter().cloned()).await;
    let alone = hits(registry.clone(), Arc::clone(&questions)).await;

    let start = Instant::now();
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| tokio::spawn(hits(registry.clone(), Arc::clone(&questions))))
        .collect();
    for task in tasks {
        // A task that panicked has told so.
        let _took = task.await;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = start.elapsed() / (TASKS * ASKED) * u32::try_from(cores).unwrap_or(1);
    println!("one task:  {} ns for an answer", alone.as_nanos());
    println!(
        "{TASKS} tasks:  {} ns of a core for an answer, on {cores} cores",
        cpu.as_nanos()
    );
    let counts = registry.counts();
    println!("hits {}, requests {}", counts.hits, counts.requests);
}
