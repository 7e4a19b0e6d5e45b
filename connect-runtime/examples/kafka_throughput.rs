//! Measures the Kafka adapter: sends records to a topic of its own and reads them back, and prints
//! records per second and per CPU second, CPU time per record and the largest resident memory.
//!
//! ```text
//! cargo run --release -p ferroconnect-runtime --example kafka_throughput -- HOST:PORT [RECORDS] [BYTES] [ROWS] [BATCH]
//! ```
//!
//! RECORDS of BYTES each (2,000,000 of 100), handed over in batches of ROWS (500), with
//! `batch.size` BATCH (16,384). Only this process is counted, not the broker.

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;

use ferroconnect_runtime::ids::TopicPartition;
use ferroconnect_runtime::kafka::krafka::KrafkaCluster;
use ferroconnect_runtime::kafka::{
    AdminConfig, BatchId, Cluster, ConsumerConfig, IgnoreRebalance, NewRow, NewTopic,
    ProducerConfig, RecordBatch, Subscription,
};
use ferroconnect_runtime::time::{Clock, Span, SystemClock};

const LIMIT: Span = Span::secs(60);
/// Linux counts CPU time in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let bootstrap = arguments
        .next()
        .ok_or("usage: kafka_throughput HOST:PORT")?;
    let mut numbers = arguments.map(|argument| argument.parse::<usize>());
    let mut number = |default| numbers.next().unwrap_or(Ok(default));
    let run = Run {
        records: number(2_000_000)?,
        bytes: number(100)?,
        rows: number(500)?,
        batch_bytes: number(16_384)?,
        topic: format!("throughput-{}", std::process::id()),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let cluster = KrafkaCluster::new(bootstrap);
        let admin = cluster.admin(AdminConfig::default(), LIMIT).await?;
        admin
            .create_topic(&NewTopic::new(&run.topic, 1), LIMIT)
            .await?;
        measure("send", run.records, send(&cluster, &run)).await?;
        measure("read", run.records, read(&cluster, &run, false)).await?;
        measure("read in a group", run.records, read(&cluster, &run, true)).await
    })
}

struct Run {
    records: usize,
    bytes: usize,
    rows: usize,
    batch_bytes: usize,
    topic: String,
}

async fn measure(
    what: &str,
    records: usize,
    work: impl Future<Output = Result<(), Box<dyn Error>>>,
) -> Result<(), Box<dyn Error>> {
    let clock = SystemClock::new();
    let (start, cpu_start) = (clock.now(), cpu_seconds());
    work.await?;
    let seconds = f64::from(u32::try_from(clock.now().since(start).as_millis())?) / 1_000.0;
    let count = f64::from(u32::try_from(records)?);
    let cpu = cpu_seconds() - cpu_start;
    println!(
        "{what}: {count} records in {seconds:.2} s = {:.0}/s, CPU {cpu:.2} s = {:.0} per CPU second = {:.0} ns a record, peak {}",
        count / seconds,
        count / cpu,
        cpu / count * 1e9,
        peak_memory()
    );
    Ok(())
}

async fn send(cluster: &KrafkaCluster, run: &Run) -> Result<(), Box<dyn Error>> {
    let config = ProducerConfig {
        batch_bytes: run.batch_bytes,
        ..ProducerConfig::default()
    };
    let producer = cluster.producer(config, LIMIT).await?;
    let value = vec![b'x'; run.bytes];
    let (mut sent, mut acknowledged, mut id) = (0, 0, 0);
    while acknowledged < run.records {
        if sent < run.records {
            let mut batch = RecordBatch::with_capacity(BatchId(id), run.rows, run.rows * run.bytes);
            let topic = batch.topic(&run.topic)?;
            for _ in 0..run.rows.min(run.records - sent) {
                let start = batch.buffer_mut().len();
                batch.buffer_mut().extend_from_slice(&value);
                let value = Some(start..start + run.bytes);
                batch.push(NewRow {
                    value,
                    ..NewRow::to(topic)
                })?;
            }
            sent += batch.len();
            id += 1;
            producer.send(&mut batch, LIMIT).await?;
        }
        let wait = if sent < run.records {
            Span::ZERO
        } else {
            LIMIT
        };
        for outcome in producer.acknowledged(wait).await? {
            outcome.outcome?;
            acknowledged += outcome.rows.len();
        }
    }
    producer.close(LIMIT).await?;
    Ok(())
}

async fn read(cluster: &KrafkaCluster, run: &Run, as_member: bool) -> Result<(), Box<dyn Error>> {
    let group = as_member.then(|| run.topic.clone());
    let config = ConsumerConfig {
        group,
        ..ConsumerConfig::default()
    };
    let consumer = cluster.consumer(config, LIMIT).await?;
    if as_member {
        let topics = Subscription::Topics(vec![run.topic.clone()]);
        consumer.subscribe(topics, LIMIT).await?;
    } else {
        let all = [TopicPartition::new(&*run.topic, 0)];
        consumer.assign(&all, LIMIT).await?;
    }
    let mut seen = 0;
    while seen < run.records {
        for batch in consumer.poll(500, LIMIT, &mut IgnoreRebalance).await? {
            seen += batch.records.len();
        }
    }
    consumer.close(LIMIT).await?;
    Ok(())
}

/// User and system time of this process so far.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The fields behind the name, which is in brackets and may hold anything.
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let ticks: f64 = fields
        .split(' ')
        .skip(11)
        .take(2)
        .filter_map(|t| t.parse::<f64>().ok())
        .sum();
    ticks / TICKS_PER_SECOND
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |value| value.trim().to_owned())
}
