//! What the embedded log promises beyond the ports.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::table::{Embedded, batch_of, read_all, reader, run, values};
use ferroconnect_runtime::ids::TopicPartition;
use ferroconnect_runtime::kafka::embedded::{EmbeddedConfig, EmbeddedLog};
use ferroconnect_runtime::kafka::{
    AdminConfig, Class, Cluster, Error, IgnoreRebalance, Isolation, NewTopic, OffsetAndMetadata,
    OffsetSpec, Offsets, Producer, ProducerConfig,
};
use ferroconnect_runtime::time::Span;

const LONG: Span = Span::secs(20);
const LEVEL: Isolation = Isolation::ReadCommitted;

fn open(folder: &Path) -> Result<Arc<dyn Cluster>, Error> {
    Ok(Arc::new(EmbeddedLog::open(EmbeddedConfig::new(folder))?))
}

fn place() -> TopicPartition {
    TopicPartition::new("t", 0)
}

async fn append(producer: &dyn Producer, values: &[&str]) -> Result<(), Error> {
    producer
        .send(&mut batch_of(1, &place(), values)?, LONG)
        .await?;
    producer.flush(LONG).await?;
    for outcome in producer.acknowledged(Span::ZERO).await? {
        outcome.outcome?;
    }
    Ok(())
}

/// The error of opening `folder`, which must be fatal and name what is wrong.
fn refusal(folder: &Path, says: &[&str]) {
    let error = open(folder).expect_err("the folder must be refused");
    assert_eq!(error.class(), Class::Fatal);
    let text = error.to_string();
    for part in says {
        assert!(text.contains(part), "{part:?} is missing in: {text}");
    }
}

#[test]
fn everything_acknowledged_survives_a_reopen() {
    run(async {
        let folder = tempfile::tempdir()?;
        let offsets = Offsets::from([(
            place(),
            OffsetAndMetadata {
                offset: 2,
                metadata: "note".to_owned(),
            },
        )]);
        let id = {
            let log = open(folder.path())?;
            let admin = log.admin(AdminConfig::default(), LONG).await?;
            let mut topic = NewTopic::new("t", 2);
            topic
                .configs
                .insert("retention.ms".to_owned(), "-1".to_owned());
            admin.create_topic(&topic, LONG).await?;
            let producer = log.producer(ProducerConfig::default(), LONG).await?;
            append(&*producer, &["a", "b"]).await?;
            append(&*producer, &["c"]).await?;
            admin.alter_group_offsets("g", &offsets, LONG).await?;
            admin
                .delete_records(&BTreeMap::from([(place(), 1)]), LONG)
                .await?;
            let txn = log
                .txn_producer(ProducerConfig::default(), "id", LONG)
                .await?;
            txn.begin()?;
            txn.send(&mut batch_of(1, &place(), &["never committed"])?, LONG)
                .await?;
            admin.describe_cluster(LONG).await?.id
        };
        let log = open(folder.path())?;
        let admin = log.admin(AdminConfig::default(), LONG).await?;
        assert_eq!(admin.describe_cluster(LONG).await?.id, id);
        assert_eq!(admin.describe_topics(&["t"], LONG).await?[0].partitions, 2);
        assert_eq!(
            admin.describe_configs("t", LONG).await?["retention.ms"],
            "-1"
        );
        assert_eq!(admin.group_offsets("g", LONG).await?, offsets);
        let read = read_all(&log, LEVEL, &[place()]).await?;
        assert_eq!(values(&read[&place()]), ["b", "c"]);
        let producer = log.producer(ProducerConfig::default(), LONG).await?;
        append(&*producer, &["d"]).await?;
        assert_eq!(
            read_all(&log, LEVEL, &[place()]).await?[&place()][2].offset,
            3
        );
        Ok(())
    });
}

#[test]
fn offsets_are_not_used_again_after_everything_was_deleted_and_reopened() {
    run(async {
        let folder = tempfile::tempdir()?;
        {
            let log = open(folder.path())?;
            let producer = log.producer(ProducerConfig::default(), LONG).await?;
            append(&*producer, &["a", "b"]).await?;
            let admin = log.admin(AdminConfig::default(), LONG).await?;
            admin
                .delete_records(&BTreeMap::from([(place(), 2)]), LONG)
                .await?;
        }
        let log = open(folder.path())?;
        let producer = log.producer(ProducerConfig::default(), LONG).await?;
        append(&*producer, &["c"]).await?;
        assert_eq!(
            read_all(&log, LEVEL, &[place()]).await?[&place()][0].offset,
            2
        );
        Ok(())
    });
}

#[test]
fn both_levels_see_the_same_end_while_a_transaction_is_open() {
    run(async {
        let folder = tempfile::tempdir()?;
        let log = open(folder.path())?;
        let producer = log.producer(ProducerConfig::default(), LONG).await?;
        append(&*producer, &["a"]).await?;
        let txn = log
            .txn_producer(ProducerConfig::default(), "id", LONG)
            .await?;
        txn.begin()?;
        txn.send(&mut batch_of(1, &place(), &["open"])?, LONG)
            .await?;
        let admin = log.admin(AdminConfig::default(), LONG).await?;
        for isolation in [Isolation::ReadCommitted, Isolation::ReadUncommitted] {
            let end = admin
                .list_offsets(&[place()], OffsetSpec::Latest, isolation, LONG)
                .await?;
            assert_eq!(end[&place()], 1);
        }
        Ok(())
    });
}

/// A transaction waits in the producer's buffer, so one that is larger cannot be had.
#[test]
fn a_transaction_larger_than_the_buffer_is_refused_with_advice() {
    run(async {
        let folder = tempfile::tempdir()?;
        let log = open(folder.path())?;
        let config = ProducerConfig {
            buffer_bytes: 500,
            ..ProducerConfig::default()
        };
        let txn = log.txn_producer(config, "id", LONG).await?;
        txn.begin()?;
        let mut sent = 0;
        let error = loop {
            match txn
                .send(&mut batch_of(sent, &place(), &["0123456789"])?, LONG)
                .await
            {
                Ok(()) => sent += 1,
                Err(error) => break error,
            }
        };
        assert_eq!(error.class(), Class::InvalidRequest);
        assert!(error.to_string().contains("buffer.memory"), "{error}");
        txn.abort(LONG).await?;
        txn.begin()?;
        txn.send(&mut batch_of(0, &place(), &["fits"])?, LONG)
            .await?;
        txn.commit(LONG).await?;
        assert_eq!(
            values(&read_all(&log, LEVEL, &[place()]).await?[&place()]),
            ["fits"]
        );
        Ok(())
    });
}

/// A record that cannot be written makes the whole transaction fail; aborting it helps.
#[test]
fn a_transaction_with_an_unwritable_record_writes_nothing() {
    run(async {
        let folder = tempfile::tempdir()?;
        let log = open(folder.path())?;
        let config = ProducerConfig {
            record_bytes_max: 10,
            ..ProducerConfig::default()
        };
        let txn = log.txn_producer(config, "id", LONG).await?;
        txn.begin()?;
        txn.send(&mut batch_of(1, &place(), &["good"])?, LONG)
            .await?;
        txn.send(&mut batch_of(2, &place(), &["much too large"])?, LONG)
            .await?;
        assert_eq!(
            txn.commit(LONG).await.unwrap_err().class(),
            Class::Abortable
        );
        txn.abort(LONG).await?;
        txn.begin()?;
        txn.send(&mut batch_of(3, &place(), &["next"])?, LONG)
            .await?;
        txn.commit(LONG).await?;
        assert_eq!(
            values(&read_all(&log, LEVEL, &[place()]).await?[&place()]),
            ["next"]
        );
        Ok(())
    });
}

#[test]
fn a_second_owner_is_refused_until_the_first_is_gone() {
    run(async {
        let folder = tempfile::tempdir()?;
        let first = open(folder.path())?;
        let name = folder.path().display().to_string();
        refusal(
            folder.path(),
            &["another process", &name, "stop the other process"],
        );
        // A client keeps the folder as long as it lives.
        let producer = first.producer(ProducerConfig::default(), LONG).await?;
        drop(first);
        refusal(folder.path(), &["another process"]);
        drop(producer);
        open(folder.path())?;
        Ok(())
    });
}

#[test]
fn what_is_no_folder_of_ours_is_refused_with_its_name() {
    run(async {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("a-file");
        std::fs::write(&file, "text")?;
        refusal(&file, &["a-file", "name a folder"]);
        refusal(&file.join("below"), &["below"]);

        let garbage = folder.path().join("garbage");
        std::fs::create_dir(&garbage)?;
        std::fs::write(
            garbage.join("log.db"),
            "certainly not a database file".repeat(100),
        )?;
        refusal(&garbage, &["garbage", "damaged or is no log"]);

        let foreign = folder.path().join("foreign");
        std::fs::create_dir(&foreign)?;
        Embedded::connect(&foreign).execute_batch("CREATE TABLE other (x)")?;
        refusal(&foreign, &["foreign", "another program"]);

        let newer = folder.path().join("newer");
        drop(open(&newer)?);
        Embedded::connect(&newer).execute_batch("PRAGMA user_version = 99")?;
        refusal(&newer, &["newer", "format 99", "use the version"]);
        Ok(())
    });
}

/// Nothing is acknowledged that is not on the disk, and everything acknowledged is still there.
#[test]
fn a_full_disk_is_a_clear_error_and_loses_nothing_acknowledged() {
    run(async {
        let folder = tempfile::tempdir()?;
        let mut config = EmbeddedConfig::new(folder.path());
        config.bytes_max = Some(1 << 20);
        let log: Arc<dyn Cluster> = Arc::new(EmbeddedLog::open(config)?);
        let producer = log.producer(ProducerConfig::default(), LONG).await?;
        let value = "x".repeat(50_000);
        let mut acknowledged = 0;
        let error = loop {
            match append(&*producer, &[&value]).await {
                Ok(()) => acknowledged += 1,
                Err(error) => break error,
            }
            assert!(acknowledged < 100, "the limit does not hold");
        };
        assert_eq!(error.class(), Class::Fatal);
        let (text, name) = (error.to_string(), folder.path().display().to_string());
        assert!(text.contains(&name) && text.contains("full"), "{text}");
        assert!(text.contains("free space"), "{text}");
        assert!(acknowledged > 5);
        let read = read_all(&log, LEVEL, &[place()]).await?;
        assert_eq!(read[&place()].len(), acknowledged);
        let mut next = batch_of(9, &place(), &["later"])?;
        assert_eq!(
            producer.send(&mut next, LONG).await.unwrap_err().class(),
            Class::Fatal
        );
        drop((log, producer));
        let log = open(folder.path())?;
        assert_eq!(
            read_all(&log, LEVEL, &[place()]).await?[&place()].len(),
            acknowledged
        );
        Ok(())
    });
}

#[test]
fn topics_are_not_made_on_demand_when_that_is_off() {
    run(async {
        let folder = tempfile::tempdir()?;
        let mut config = EmbeddedConfig::new(folder.path());
        config.auto_create_partitions = None;
        let log = EmbeddedLog::open(config)?;
        let producer = log.producer(ProducerConfig::default(), LONG).await?;
        let error = append(&*producer, &["a"]).await.unwrap_err();
        assert_eq!(error.class(), Class::NotFound);
        let admin = log.admin(AdminConfig::default(), LONG).await?;
        assert!(admin.describe_topics(&[], LONG).await?.is_empty());
        admin.create_topic(&NewTopic::new("t", 1), LONG).await?;
        append(&*producer, &["a"]).await?;
        Ok(())
    });
}

/// A missing row of the table is damage too, not an endless wait.
#[test]
fn a_missing_batch_is_a_fatal_error_with_its_place() {
    run(async {
        let folder = tempfile::tempdir()?;
        let log = open(folder.path())?;
        let producer = log.producer(ProducerConfig::default(), LONG).await?;
        append(&*producer, &["a"]).await?;
        append(&*producer, &["b"]).await?;
        Embedded::connect(folder.path())
            .execute_batch("DELETE FROM batch WHERE base_offset = 0")?;
        let error = read_all(&log, LEVEL, &[place()]).await.unwrap_err();
        assert_eq!(error.class(), Class::Fatal);
        assert_eq!(
            (error.topic_partition(), error.offset()),
            (Some(&place()), Some(0))
        );
        Ok(())
    });
}

/// One fetch brings many small batches. Those before a gap or a damage come out, the error names the first offset that does not, and it
/// comes again with every poll.
#[test]
fn batches_before_a_damage_are_read() {
    for (damage, says) in [
        ("DELETE FROM batch WHERE base_offset = 2", "missing"),
        (
            "UPDATE batch SET blob = substr(blob, 1, length(blob) - 1) WHERE base_offset = 2",
            "damaged",
        ),
    ] {
        run(async {
            let folder = tempfile::tempdir()?;
            let log = open(folder.path())?;
            let producer = log.producer(ProducerConfig::default(), LONG).await?;
            for value in ["a", "b", "c", "d"] {
                append(&*producer, &[value]).await?;
            }
            Embedded::connect(folder.path()).execute_batch(damage)?;
            let consumer = reader(&log, LEVEL, &[place()]).await?;
            let batches = consumer.poll(500, LONG, &mut IgnoreRebalance).await?;
            assert_eq!(batches.len(), 1, "{batches:?}");
            assert_eq!(values(&batches[0].records), ["a", "b"]);
            for _ in 0..2 {
                let polled = consumer.poll(500, LONG, &mut IgnoreRebalance).await;
                let error = polled.unwrap_err();
                assert_eq!((error.class(), error.offset()), (Class::Fatal, Some(2)));
                assert!(error.to_string().contains(says), "{error}");
            }
            consumer.seek(&place(), 3)?;
            let batches = consumer.poll(500, LONG, &mut IgnoreRebalance).await?;
            assert_eq!(values(&batches[0].records), ["d"]);
            Ok(())
        });
    }
}
