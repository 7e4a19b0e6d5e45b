//! Measures the embedded log: appends records and reads them back, and prints records per second,
//! CPU seconds and the largest resident memory.
//!
//! ```text
//! cargo run --release -p ferroconnect-runtime --example embedded_log_throughput -- [RECORDS] [BYTES] [ROWS]
//! ```
//!
//! RECORDS of BYTES each (2,000,000 of 100), handed over in batches of ROWS (500).

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;

use ferroconnect_runtime::ids::TopicPartition;
use ferroconnect_runtime::kafka::embedded::{EmbeddedConfig, EmbeddedLog};
use ferroconnect_runtime::kafka::{
    BatchId, Cluster, ConsumerConfig, IgnoreRebalance, NewRow, ProducerConfig, RecordBatch,
};
use ferroconnect_runtime::time::{Clock, Span, SystemClock};

const LIMIT: Span = Span::secs(60);
/// Linux counts CPU time in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers = std::env::args()
        .skip(1)
        .map(|argument| argument.parse::<usize>());
    let mut number = |default| numbers.next().unwrap_or(Ok(default));
    let (records, bytes, rows) = (number(2_000_000)?, number(100)?, number(500)?);
    let folder = std::env::temp_dir().join(format!("embedded-log-{}", std::process::id()));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()?;
    let outcome = runtime.block_on(async {
        let log = EmbeddedLog::open(EmbeddedConfig::new(&folder))?;
        measure("append", records, append(&log, records, bytes, rows)).await?;
        measure("read", records, read(&log, records)).await
    });
    std::fs::remove_dir_all(&folder)?;
    outcome
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
        "{what}: {count} records in {seconds:.2} s = {:.0}/s, CPU {cpu:.2} s = {:.0} ns a record, peak {}",
        count / seconds,
        cpu / count * 1e9,
        peak_memory()
    );
    Ok(())
}

async fn append(
    log: &EmbeddedLog,
    records: usize,
    bytes: usize,
    rows: usize,
) -> Result<(), Box<dyn Error>> {
    let config = ProducerConfig {
        buffer_bytes: 4 << 20,
        ..ProducerConfig::default()
    };
    let producer = log.producer(config, LIMIT).await?;
    let value = vec![b'x'; bytes];
    let (mut sent, mut acknowledged, mut id) = (0, 0, 0);
    while acknowledged < records {
        if sent < records {
            let mut batch = RecordBatch::with_capacity(BatchId(id), rows, rows * bytes);
            let topic = batch.topic("lines")?;
            for _ in 0..rows.min(records - sent) {
                let start = batch.buffer_mut().len();
                batch.buffer_mut().extend_from_slice(&value);
                let value = Some(start..start + bytes);
                batch.push(NewRow {
                    value,
                    ..NewRow::to(topic)
                })?;
            }
            sent += batch.len();
            id += 1;
            producer.send(&mut batch, LIMIT).await?;
        }
        let wait = if sent < records { Span::ZERO } else { LIMIT };
        for outcome in producer.acknowledged(wait).await? {
            outcome.outcome?;
            acknowledged += outcome.rows.len();
        }
    }
    Ok(())
}

async fn read(log: &EmbeddedLog, records: usize) -> Result<(), Box<dyn Error>> {
    let consumer = log.consumer(ConsumerConfig::default(), LIMIT).await?;
    consumer
        .assign(&[TopicPartition::new("lines", 0)], LIMIT)
        .await?;
    let mut seen = 0;
    while seen < records {
        for batch in consumer.poll(500, LIMIT, &mut IgnoreRebalance).await? {
            seen += batch.records.len();
        }
    }
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
