//! Cases about producers.

use std::time::Duration;

use ferroconnect_runtime::kafka::{
    BatchId, Class, Isolation, NewRow, Placement, ProducerConfig, RecordBatch,
};
use ferroconnect_runtime::time::Span;

use super::tools::{
    LONG, SHORT, batch_of, collect_outcomes, create, produce, producer, read_all, refused, values,
};
use super::{Case, Stage};

/// Batches of one producer land in the order of the calls, with offsets without gaps.
pub(crate) async fn order_of_sends_is_the_order_in_the_log(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("order", 0));
    let producer = producer(&cluster).await?;
    let sent: Vec<String> = (0..3_000).map(|number| number.to_string()).collect();
    for (id, chunk) in (0..).zip(sent.chunks(100)) {
        let chunk: Vec<&str> = chunk.iter().map(String::as_str).collect();
        producer
            .send(&mut batch_of(id, &place, &chunk)?, LONG)
            .await?;
    }
    collect_outcomes(&*producer, sent.len()).await?;
    let read = read_all(
        &cluster,
        Isolation::ReadCommitted,
        std::slice::from_ref(&place),
    )
    .await?;
    assert_eq!(values(&read[&place]), sent);
    let offsets: Vec<i64> = read[&place].iter().map(|record| record.offset).collect();
    assert_eq!(offsets, (0..3_000).collect::<Vec<i64>>());
    Ok(())
}

/// Acknowledgements name batch and rows, and where runs of rows went.
pub(crate) async fn acknowledgements_are_ranges_with_places(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("ranges"), 2).await?;
    let producer = producer(&cluster).await?;
    let mut batch = RecordBatch::new(BatchId(77));
    let topic = batch.topic(&stage.name("ranges"))?;
    for partition in [0, 0, 1, 0] {
        batch.push(NewRow {
            partition: Some(partition),
            ..NewRow::to(topic)
        })?;
    }
    producer.send(&mut batch, LONG).await?;
    assert!(batch.is_empty(), "an accepted batch is taken over");
    let outcomes = collect_outcomes(&*producer, 4).await?;
    assert!(outcomes.iter().all(|outcome| outcome.batch == BatchId(77)));
    let mut placements = Vec::new();
    for outcome in outcomes {
        placements.extend(outcome.outcome?);
    }
    let run = |rows, partition, base_offset| Placement {
        rows,
        partition: stage.place("ranges", partition),
        base_offset,
    };
    assert_eq!(
        placements,
        [run(0..2, 0, 0), run(2..3, 1, 0), run(3..4, 0, 2)]
    );
    Ok(())
}

/// A record that is too large or names a missing partition fails alone; its neighbours are written.
pub(crate) async fn an_unwritable_record_fails_alone(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("unwritable", 0));
    let config = ProducerConfig {
        record_bytes_max: 100,
        ..ProducerConfig::default()
    };
    let producer = cluster.producer(config, LONG).await?;
    let mut batch = batch_of(1, &place, &["first", &"x".repeat(101), "last"])?;
    let topic = batch.topic(&stage.name("unwritable"))?;
    batch.push(NewRow {
        partition: Some(9),
        ..NewRow::to(topic)
    })?;
    producer.send(&mut batch, LONG).await?;
    let outcomes = collect_outcomes(&*producer, 4).await?;
    let summary: Vec<_> = outcomes
        .iter()
        .map(|outcome| {
            (
                outcome.rows.clone(),
                outcome.outcome.as_ref().err().map(|e| e.class()),
            )
        })
        .collect();
    let bad = Some(Class::InvalidRecord);
    assert_eq!(
        summary,
        [(0..1, None), (1..2, bad), (2..3, None), (3..4, bad)]
    );
    let read = read_all(
        &cluster,
        Isolation::ReadCommitted,
        std::slice::from_ref(&place),
    )
    .await?;
    assert_eq!(values(&read[&place]), ["first", "last"]);
    produce(&*producer, &place, &["the producer goes on"]).await?;
    Ok(())
}

/// Null keys, tombstones, empty values, repeated headers and null header values arrive as they are.
pub(crate) async fn nulls_empties_headers_and_timestamps_survive(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    let producer = producer(&cluster).await?;
    let mut batch = RecordBatch::new(BatchId(1));
    let topic = batch.topic(&stage.name("shapes"))?;
    batch.push_copy(topic, None, Some(b""))?;
    batch.push_copy(topic, Some(b"key"), None)?;
    batch.buffer_mut().extend_from_slice(b"one");
    let end = batch.buffer_mut().len();
    batch.header("h", Some(end - 3..end))?;
    batch.header("h", None)?;
    batch.header("", Some(end..end))?;
    batch.push(NewRow {
        timestamp: Some(1_234),
        key: Some(end..end),
        ..NewRow::to(topic)
    })?;
    producer.send(&mut batch, LONG).await?;
    collect_outcomes(&*producer, 3).await?;

    let place = stage.place("shapes", 0);
    let read = read_all(
        &cluster,
        Isolation::ReadCommitted,
        std::slice::from_ref(&place),
    )
    .await?;
    let [first, second, third] = &read[&place][..] else {
        return Err("three records".into());
    };
    assert_eq!(
        (first.key.as_deref(), first.value.as_deref()),
        (None, Some(&b""[..]))
    );
    assert!(
        first.timestamp > 0,
        "a record without a timestamp gets one: {}",
        first.timestamp
    );
    assert_eq!(
        (second.key.as_deref(), second.value.as_deref()),
        (Some(&b"key"[..]), None)
    );
    assert_eq!(
        (third.key.as_deref(), third.value.as_deref()),
        (Some(&b""[..]), None)
    );
    assert_eq!(third.timestamp, 1_234);
    let headers: Vec<_> = third
        .headers
        .iter()
        .map(|header| (&*header.name, header.value.as_deref()))
        .collect();
    assert_eq!(
        headers,
        [("h", Some(&b"one"[..])), ("h", None), ("", Some(&b""[..]))]
    );
    Ok(())
}

/// Records with a key go where Kafka's Java producer sends them (murmur2).
pub(crate) async fn keys_choose_the_partition_of_java(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("keyed"), 7).await?;
    let producer = producer(&cluster).await?;
    let mut batch = RecordBatch::new(BatchId(1));
    let topic = batch.topic(&stage.name("keyed"))?;
    // murmur2 of these keys is -790332482, -973932308 and 479470107.
    let hashes = [-790_332_482_i32, -973_932_308, 479_470_107];
    for key in [&b"foobar"[..], b"21", b"abc"] {
        batch.push_copy(topic, Some(key), None)?;
    }
    producer.send(&mut batch, LONG).await?;
    let mut partitions = Vec::new();
    for outcome in collect_outcomes(&*producer, 3).await? {
        for placement in outcome.outcome? {
            partitions.extend(placement.rows.map(|_| placement.partition.partition));
        }
    }
    assert_eq!(partitions, hashes.map(|hash| (hash & 0x7fff_ffff) % 7));
    Ok(())
}

/// A full buffer makes `send` wait; giving up or dropping the call leaves the batch with the caller.
pub(crate) async fn a_full_buffer_waits_and_loses_nothing(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("full", 0));
    create(&cluster, &stage.name("full"), 1).await?;
    let config = ProducerConfig {
        buffer_bytes: 100,
        ..ProducerConfig::default()
    };
    let producer = cluster.producer(config, LONG).await?;
    stage.hold();
    let large = "x".repeat(200);
    producer
        .send(&mut batch_of(1, &place, &[&large])?, LONG)
        .await?;
    let mut second = batch_of(2, &place, &["second"])?;
    assert_eq!(
        refused(producer.send(&mut second, SHORT).await),
        Class::TimedOut
    );
    assert_eq!(second.len(), 1, "the refused batch stays with the caller");
    let dropped = tokio::time::timeout(Duration::from_millis(20), producer.send(&mut second, LONG));
    assert!(dropped.await.is_err(), "the buffer is still full");
    assert_eq!(
        second.len(),
        1,
        "the batch of a dropped call stays with the caller"
    );
    stage.release();
    producer.send(&mut second, LONG).await?;
    let outcomes = collect_outcomes(&*producer, 2).await?;
    let batches: Vec<u64> = outcomes.iter().map(|outcome| outcome.batch.0).collect();
    assert_eq!(batches, [1, 2]);
    let read = read_all(
        &cluster,
        Isolation::ReadCommitted,
        std::slice::from_ref(&place),
    )
    .await?;
    assert_eq!(values(&read[&place]), [large.as_str(), "second"]);
    Ok(())
}

/// `flush` waits for outcomes, not for them to be read; `acknowledged` gives up at its deadline.
pub(crate) async fn flush_waits_for_outcomes(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("flush", 0));
    create(&cluster, &stage.name("flush"), 1).await?;
    let producer = producer(&cluster).await?;
    producer.flush(SHORT).await?;
    stage.hold();
    producer
        .send(&mut batch_of(1, &place, &["a"])?, LONG)
        .await?;
    assert_eq!(refused(producer.flush(SHORT).await), Class::TimedOut);
    assert!(producer.acknowledged(Span::ZERO).await?.is_empty());
    assert!(producer.acknowledged(SHORT).await?.is_empty());
    stage.release();
    producer.flush(LONG).await?;
    assert_eq!(producer.acknowledged(Span::ZERO).await?.len(), 1);
    Ok(())
}

/// A closed producer has written what it accepted, tells the outcomes and takes nothing more.
pub(crate) async fn a_closed_producer_takes_nothing_more(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("closed", 0));
    let producer = producer(&cluster).await?;
    producer
        .send(&mut batch_of(1, &place, &["a"])?, LONG)
        .await?;
    producer.close(LONG).await?;
    assert_eq!(collect_outcomes(&*producer, 1).await?.len(), 1);
    let mut late = batch_of(2, &place, &["b"])?;
    assert_eq!(refused(producer.send(&mut late, LONG).await), Class::Fatal);
    assert_eq!(late.len(), 1);
    Ok(())
}

/// A producer whose acknowledgements nobody reads is stopped before they fill the memory.
pub(crate) async fn unread_acknowledgements_stop_the_producer(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("unread", 0));
    let producer = producer(&cluster).await?;
    let mut accepted = 0;
    let stopped = loop {
        match producer
            .send(&mut batch_of(accepted, &place, &["a"])?, Span::millis(500))
            .await
        {
            Ok(()) => accepted += 1,
            Err(error) => break error,
        }
        assert!(accepted < 100_000, "never stopped");
    };
    assert_eq!(stopped.class(), Class::TimedOut);
    let outcomes = collect_outcomes(&*producer, usize::try_from(accepted)?).await?;
    let ids: Vec<u64> = outcomes.iter().map(|outcome| outcome.batch.0).collect();
    assert_eq!(ids, (0..accepted).collect::<Vec<_>>());
    produce(&*producer, &place, &["goes on"]).await?;
    Ok(())
}
