//! `kill -9`: a child process appends and says what was acknowledged; everything it said is there.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use crate::table::{Case, batch_of, read_all, run, values};
use ferroconnect_runtime::ids::TopicPartition;
use ferroconnect_runtime::kafka::embedded::{EmbeddedConfig, EmbeddedLog};
use ferroconnect_runtime::kafka::{AdminConfig, Cluster, Isolation, OffsetSpec, ProducerConfig};
use ferroconnect_runtime::time::Span;

/// Names the folder of the log to the child.
const FOLDER: &str = "FERROCONNECT_KILL_TEST_FOLDER";
const LONG: Span = Span::secs(20);
const KILLS: u64 = 10;
/// Records of one transaction of the child.
const TRANSACTION: usize = 7;

fn open(folder: &Path) -> Result<Arc<dyn Cluster>, ferroconnect_runtime::kafka::Error> {
    Ok(Arc::new(EmbeddedLog::open(EmbeddedConfig::new(folder))?))
}

fn plain() -> TopicPartition {
    TopicPartition::new("plain", 0)
}

fn transactional() -> TopicPartition {
    TopicPartition::new("transactional", 0)
}

/// The child: counts on from what is in the log until it is killed. A test without its variable.
#[test]
fn child() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        run(append_for_ever(folder.as_ref()));
    }
}

async fn append_for_ever(folder: &Path) -> Case {
    let log = open(folder)?;
    let admin = log.admin(AdminConfig::default(), LONG).await?;
    let level = Isolation::ReadCommitted;
    let mut next = [0, 0];
    for (next, place) in next.iter_mut().zip([plain(), transactional()]) {
        if !admin
            .describe_topics(&[&place.topic], LONG)
            .await?
            .is_empty()
        {
            let ends = admin
                .list_offsets(
                    std::slice::from_ref(&place),
                    OffsetSpec::Latest,
                    level,
                    LONG,
                )
                .await?;
            *next = ends[&place];
        }
    }
    let producer = log.producer(ProducerConfig::default(), LONG).await?;
    let txn = log
        .txn_producer(ProducerConfig::default(), "kill", LONG)
        .await?;
    for round in 0_u64.. {
        // Several batches in flight, of growing size, so that kills meet group commits.
        for id in 0..3 {
            let numbers: Vec<String> = (0..=round % 50)
                .map(|n| (next[0] + n.cast_signed()).to_string())
                .collect();
            let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
            producer
                .send(&mut batch_of(id, &plain(), &numbers)?, LONG)
                .await?;
            next[0] += i64::try_from(numbers.len())?;
        }
        txn.begin()?;
        for _ in 0..TRANSACTION {
            let number = next[1].to_string();
            txn.send(&mut batch_of(0, &transactional(), &[&number])?, LONG)
                .await?;
            next[1] += 1;
        }
        txn.commit(LONG).await?;
        producer.flush(LONG).await?;
        for outcome in [
            producer.acknowledged(LONG).await?,
            txn.acknowledged(LONG).await?,
        ]
        .concat()
        {
            outcome.outcome?;
        }
        let mut out = std::io::stdout().lock();
        writeln!(out, "acknowledged {} {}", next[0], next[1])?;
        out.flush()?;
    }
    Ok(())
}

fn spawn(folder: &Path) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["--exact", "kill::child", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
}

/// Lets a child run until it has said `lines` lines, kills it, and gives what it said last.
fn run_and_kill(folder: &Path, lines: u64) -> Result<(usize, usize), Box<dyn std::error::Error>> {
    let mut child = spawn(folder)?;
    let mut output = BufReader::new(child.stdout.take().ok_or("no output")?);
    let mut last = (0, 0);
    let mut seen = 0;
    let mut killed = false;
    let mut line = String::new();
    // Lines that were on their way when the kill came count too: they were acknowledged.
    while output.read_line(&mut line)? > 0 {
        // The first line may follow libtest's own words without a line break.
        if let Some((_, said)) = line.trim_end().split_once("acknowledged ")
            && let Some((plain, transactional)) = said.split_once(' ')
        {
            last = (plain.parse()?, transactional.parse()?);
            seen += 1;
        }
        line.clear();
        if seen >= lines && !killed {
            child.kill()?;
            killed = true;
        }
    }
    child.wait()?;
    if killed {
        Ok(last)
    } else {
        Err("the child ended by itself".into())
    }
}

#[test]
fn every_acknowledged_record_survives_kill_9_in_order() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let mut seed = 0x00f3_22c0_44ec_7000_u64;
    for kill in 0..KILLS {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let lines = 1 + (seed >> 33) % 40;
        let (plain_said, transactional_said) = run_and_kill(folder.path(), lines)?;
        run(async {
            let log = open(folder.path())?;
            let places = [plain(), transactional()];
            let read = read_all(&log, Isolation::ReadCommitted, &places).await?;
            for (place, said) in places.iter().zip([plain_said, transactional_said]) {
                let numbers = values(&read[place]);
                let expected: Vec<String> = (0..numbers.len()).map(|n| n.to_string()).collect();
                assert_eq!(numbers, expected, "kill {kill}: {place} is not in order");
                assert!(
                    numbers.len() >= said,
                    "kill {kill}: {place} lost records before {said}"
                );
            }
            let whole = read[&transactional()].len() % TRANSACTION;
            assert_eq!(whole, 0, "kill {kill}: half a transaction");
            Ok(())
        });
    }
    Ok(())
}
