//! Cases about consumers outside rebalances.

use std::time::Duration;

use ferroconnect_runtime::kafka::{
    AdminConfig, Class, ConsumerConfig, IgnoreRebalance, Isolation, OffsetAndMetadata, OffsetReset,
    Offsets, Subscription,
};
use ferroconnect_runtime::time::Span;

use super::tools::{LONG, SHORT, create, poll, produce, producer, reader, refused, take, values};
use super::{Case, Stage};

const LEVEL: Isolation = Isolation::ReadCommitted;

/// `seek` moves ahead and back, also into the middle of a batch; `position` follows.
pub(crate) async fn seek_and_position(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("seek", 0));
    let producer = producer(&cluster).await?;
    produce(&*producer, &place, &["0", "1", "2", "3"]).await?;
    produce(&*producer, &place, &["4", "5"]).await?;
    let consumer = reader(&cluster, LEVEL, std::slice::from_ref(&place)).await?;
    assert_eq!(consumer.position(&place, LONG).await?, 0);
    assert_eq!(
        values(&take(&*consumer, 6).await?),
        ["0", "1", "2", "3", "4", "5"]
    );
    assert_eq!(consumer.position(&place, LONG).await?, 6);
    for (offset, left) in [(2, 4), (5, 1), (0, 6)] {
        consumer.seek(&place, offset)?;
        assert_eq!(consumer.position(&place, LONG).await?, offset);
        let records = take(&*consumer, left).await?;
        assert_eq!(records.first().map(|record| record.offset), Some(offset));
        assert_eq!(records.len(), left);
    }
    let other = stage.place("seek", 1);
    assert_eq!(refused(consumer.seek(&other, 0)), Class::InvalidRequest);
    assert_eq!(refused(consumer.seek(&place, -1)), Class::InvalidRequest);
    Ok(())
}

/// Paused partitions are left out and lose nothing.
pub(crate) async fn pause_and_resume(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("pause"), 2).await?;
    let places = [stage.place("pause", 0), stage.place("pause", 1)];
    let producer = producer(&cluster).await?;
    for place in &places {
        produce(&*producer, place, &["a", "b"]).await?;
    }
    let consumer = reader(&cluster, LEVEL, &places).await?;
    consumer.pause(&places[..1])?;
    let batches = poll(&*consumer, LONG).await?;
    assert!(
        batches.iter().all(|batch| batch.partition == places[1]),
        "{batches:?}"
    );
    assert!(poll(&*consumer, SHORT).await?.is_empty());
    consumer.resume(&places[..1])?;
    assert_eq!(values(&take(&*consumer, 2).await?), ["a", "b"]);
    let foreign = [stage.place("pause", 7)];
    assert_eq!(refused(consumer.pause(&foreign)), Class::InvalidRequest);
    Ok(())
}

/// A poll returns at most as many records as asked for, and the next one goes on behind them.
pub(crate) async fn a_poll_is_limited_and_the_next_goes_on(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("limit", 0));
    let producer = producer(&cluster).await?;
    let sent: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    let sent: Vec<&str> = sent.iter().map(String::as_str).collect();
    produce(&*producer, &place, &sent).await?;
    let consumer = reader(&cluster, LEVEL, std::slice::from_ref(&place)).await?;
    let mut read = Vec::new();
    while read.len() < sent.len() {
        let batches = consumer.poll(7, LONG, &mut IgnoreRebalance).await?;
        let count: usize = batches.iter().map(|batch| batch.records.len()).sum();
        assert!((1..=7).contains(&count), "{count} records");
        batches
            .iter()
            .for_each(|batch| read.extend(values(&batch.records)));
        let position = consumer.position(&place, LONG).await?;
        assert_eq!(usize::try_from(position)?, read.len());
    }
    assert_eq!(read, sent);
    Ok(())
}

/// With room for one batch of the log, a poll brings one: memory does not grow with the number of
/// partitions. They take turns (a broker may let the first go twice before the others).
pub(crate) async fn a_poll_is_limited_in_bytes_and_every_partition_has_its_turn(
    stage: impl Stage,
) -> Case {
    const PARTITIONS: i32 = 4;
    let cluster = stage.cluster();
    create(&cluster, &stage.name("room"), PARTITIONS.unsigned_abs()).await?;
    let places: Vec<_> = (0..PARTITIONS)
        .map(|partition| stage.place("room", partition))
        .collect();
    let producer = producer(&cluster).await?;
    for round in ["first", "second", "third"] {
        for place in &places {
            produce(&*producer, place, &[round, round]).await?;
        }
    }
    let config = ConsumerConfig {
        fetch_bytes_max: 1,
        ..ConsumerConfig::default()
    };
    let consumer = cluster.consumer(config, LONG).await?;
    consumer.assign(&places, LONG).await?;
    let mut turns = vec![0; places.len()];
    for _ in 0..3 * places.len() {
        let batches = poll(&*consumer, LONG).await?;
        assert_eq!(batches.len(), 1, "{batches:?}");
        let index = places
            .iter()
            .position(|place| *place == batches[0].partition);
        let turn = &mut turns[index.ok_or("a foreign partition")?];
        let round = ["first", "second", "third"][*turn];
        assert_eq!(values(&batches[0].records), [round, round]);
        *turn += 1;
        let (most, least) = (turns.iter().max(), turns.iter().min());
        assert!(most <= least.map(|least| least + 2).as_ref(), "{turns:?}");
    }
    assert!(poll(&*consumer, SHORT).await?.is_empty());
    Ok(())
}

/// Without records a poll ends at its deadline; with no time at all it answers at once.
pub(crate) async fn a_poll_ends_at_its_deadline(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("deadline"), 1).await?;
    let place = stage.place("deadline", 0);
    let consumer = reader(&cluster, LEVEL, std::slice::from_ref(&place)).await?;
    assert!(poll(&*consumer, Span::ZERO).await?.is_empty());
    let start = tokio::time::Instant::now();
    assert!(poll(&*consumer, SHORT).await?.is_empty());
    assert!(start.elapsed() >= SHORT.to_duration());
    let producer = producer(&cluster).await?;
    produce(&*producer, &place, &["a"]).await?;
    assert_eq!(poll(&*consumer, Span::secs(1)).await?.len(), 1);
    Ok(())
}

/// A record that lands ends a waiting poll at once, and a dropped poll loses nothing.
pub(crate) async fn a_record_ends_a_waiting_poll(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("wait"), 1).await?;
    let place = stage.place("wait", 0);
    let producer = producer(&cluster).await?;
    let consumer = reader(&cluster, LEVEL, std::slice::from_ref(&place)).await?;
    for round in 0..20 {
        let dropped = tokio::time::timeout(Duration::from_millis(1), poll(&*consumer, LONG)).await;
        assert!(dropped.is_err(), "there is nothing to read yet");
        let value = round.to_string();
        let values_sent = [value.as_str()];
        let (read, sent) = tokio::join!(
            take(&*consumer, 1),
            produce(&*producer, &place, &values_sent)
        );
        sent?;
        assert_eq!(values(&read?), [value]);
    }
    Ok(())
}

/// `wakeup` ends the running poll, or else the next, once.
pub(crate) async fn wakeup_ends_one_poll(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("wakeup"), 1).await?;
    let place = stage.place("wakeup", 0);
    let consumer = reader(&cluster, LEVEL, std::slice::from_ref(&place)).await?;
    consumer.wakeup();
    assert_eq!(refused(poll(&*consumer, LONG).await), Class::Wakeup);
    assert!(poll(&*consumer, Span::ZERO).await?.is_empty());
    let wake = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        consumer.wakeup();
    };
    let (polled, ()) = tokio::join!(poll(&*consumer, LONG), wake);
    assert_eq!(refused(polled), Class::Wakeup);
    Ok(())
}

/// Two polls of one consumer at once are refused.
pub(crate) async fn a_second_poll_at_once_is_refused(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("twice"), 1).await?;
    let place = stage.place("twice", 0);
    let consumer = reader(&cluster, LEVEL, std::slice::from_ref(&place)).await?;
    let (first, second) = tokio::join!(poll(&*consumer, SHORT), poll(&*consumer, SHORT));
    assert!(first?.is_empty());
    assert_eq!(refused(second), Class::InvalidRequest);
    Ok(())
}

/// Committed offsets come back with their note; the next consumer of the group starts there.
pub(crate) async fn commits_keep_their_metadata(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("commit", 0));
    let producer = producer(&cluster).await?;
    produce(&*producer, &place, &["a", "b", "c"]).await?;
    let config = ConsumerConfig {
        group: Some(stage.name("commit-group")),
        ..ConsumerConfig::default()
    };
    let consumer = cluster.consumer(config.clone(), LONG).await?;
    let places = std::slice::from_ref(&place);
    consumer.assign(places, LONG).await?;
    assert!(consumer.committed(places, LONG).await?.is_empty());
    let note = OffsetAndMetadata {
        offset: 2,
        metadata: "née ☃".to_owned(),
    };
    let offsets = Offsets::from([(place.clone(), note)]);
    consumer.commit(&offsets, LONG).await?;
    assert_eq!(consumer.committed(places, LONG).await?, offsets);
    consumer.close(LONG).await?;
    let next = cluster.consumer(config, LONG).await?;
    next.assign(places, LONG).await?;
    assert_eq!(next.position(&place, LONG).await?, 2);
    assert_eq!(values(&take(&*next, 1).await?), ["c"]);
    Ok(())
}

/// Without a group nothing can be committed or subscribed; hand and group do not mix.
pub(crate) async fn calls_that_make_no_sense_are_refused(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("nonsense"), 1).await?;
    let place = stage.place("nonsense", 0);
    let consumer = reader(&cluster, LEVEL, std::slice::from_ref(&place)).await?;
    let offsets = Offsets::from([(place.clone(), OffsetAndMetadata::new(0))]);
    let invalid = Class::InvalidRequest;
    assert_eq!(refused(consumer.commit(&offsets, LONG).await), invalid);
    let topics = || Subscription::Topics(vec![stage.name("nonsense")]);
    assert_eq!(refused(consumer.subscribe(topics(), LONG).await), invalid);
    let config = ConsumerConfig {
        group: Some(stage.name("nonsense")),
        ..ConsumerConfig::default()
    };
    let consumer = cluster.consumer(config, LONG).await?;
    consumer.subscribe(topics(), LONG).await?;
    assert_eq!(refused(consumer.assign(&[place], LONG).await), invalid);
    let missing = stage.place("nonsense", 3);
    let consumer = cluster.consumer(ConsumerConfig::default(), LONG).await?;
    assert_eq!(
        refused(consumer.assign(&[missing], LONG).await),
        Class::NotFound
    );
    consumer.close(LONG).await?;
    assert_eq!(refused(poll(&*consumer, LONG).await), Class::Fatal);
    Ok(())
}

/// Without a committed offset, `auto.offset.reset` decides; likewise for one that is gone.
pub(crate) async fn the_reset_policy_decides_where_to_start(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("reset", 0));
    let producer = producer(&cluster).await?;
    produce(&*producer, &place, &["a", "b"]).await?;
    let places = std::slice::from_ref(&place);
    for (reset, position) in [(OffsetReset::Earliest, 0), (OffsetReset::Latest, 2)] {
        let config = ConsumerConfig {
            reset,
            ..ConsumerConfig::default()
        };
        let consumer = cluster.consumer(config, LONG).await?;
        consumer.assign(places, LONG).await?;
        assert_eq!(consumer.position(&place, LONG).await?, position);
        consumer.seek(&place, 99)?;
        let wait = if position == 2 {
            Span::millis(500)
        } else {
            LONG
        };
        assert_eq!(poll(&*consumer, wait).await?.is_empty(), position == 2);
    }
    let config = ConsumerConfig {
        reset: OffsetReset::Fail,
        ..ConsumerConfig::default()
    };
    let consumer = cluster.consumer(config, LONG).await?;
    consumer.assign(places, LONG).await?;
    assert_eq!(refused(poll(&*consumer, LONG).await), Class::NotFound);
    Ok(())
}

/// A position behind the end, or before the first record that is left, is reset by policy.
pub(crate) async fn a_position_outside_the_log_is_reset(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("outside", 0));
    let producer = producer(&cluster).await?;
    produce(&*producer, &place, &["a", "b"]).await?;
    produce(&*producer, &place, &["c", "d"]).await?;
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    admin
        .delete_records(&[(place.clone(), 2)].into(), LONG)
        .await?;
    let places = std::slice::from_ref(&place);
    for outside in [0, 1, 5, 99] {
        for (reset, position) in [(OffsetReset::Earliest, 2), (OffsetReset::Latest, 4)] {
            let config = ConsumerConfig {
                reset,
                ..ConsumerConfig::default()
            };
            let consumer = cluster.consumer(config, LONG).await?;
            consumer.assign(places, LONG).await?;
            consumer.seek(&place, outside)?;
            assert_eq!(
                consumer.position(&place, LONG).await?,
                outside,
                "until it is polled"
            );
            let (wait, expected): (_, &[&str]) = if position == 2 {
                (LONG, &["c", "d"])
            } else {
                (Span::secs(1), &[])
            };
            let batches = poll(&*consumer, wait).await?;
            let read: Vec<_> = batches
                .iter()
                .flat_map(|batch| values(&batch.records))
                .collect();
            assert_eq!(read, expected, "{reset:?} from {outside}");
            assert_eq!(consumer.position(&place, LONG).await?, 4);
        }
        let reset = OffsetReset::Fail;
        let config = ConsumerConfig {
            reset,
            ..ConsumerConfig::default()
        };
        let consumer = cluster.consumer(config, LONG).await?;
        consumer.assign(places, LONG).await?;
        consumer.seek(&place, outside)?;
        let error = poll(&*consumer, LONG).await.err().ok_or("must fail")?;
        assert_eq!(error.class(), Class::NotFound);
        assert_eq!(error.topic_partition(), Some(&place));
        consumer.seek(&place, 3)?;
        assert_eq!(values(&take(&*consumer, 1).await?), ["d"]);
    }
    Ok(())
}

/// Records that are deleted before they are read are passed over, under the default policy.
pub(crate) async fn records_may_be_deleted_under_the_position(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("under", 0));
    let producer = producer(&cluster).await?;
    for value in ["a", "b", "c", "d"] {
        produce(&*producer, &place, &[value]).await?;
    }
    let group = Some(stage.name("under"));
    let config = ConsumerConfig {
        group,
        ..ConsumerConfig::default()
    };
    let consumer = cluster.consumer(config.clone(), LONG).await?;
    let places = std::slice::from_ref(&place);
    consumer.assign(places, LONG).await?;
    assert_eq!(consumer.position(&place, LONG).await?, 0);
    let start = Offsets::from([(place.clone(), OffsetAndMetadata::new(1))]);
    consumer.commit(&start, LONG).await?;
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    admin
        .delete_records(&[(place.clone(), 2)].into(), LONG)
        .await?;
    assert_eq!(values(&take(&*consumer, 2).await?), ["c", "d"]);
    let heir = cluster.consumer(config, LONG).await?;
    heir.assign(places, LONG).await?;
    assert_eq!(
        values(&take(&*heir, 2).await?),
        ["c", "d"],
        "from a committed offset, too"
    );
    Ok(())
}

/// While the cluster does not answer, polls end in time, with nothing or with an error that passes;
/// then reading goes on by itself where it was.
pub(crate) async fn reading_goes_on_after_a_stall(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("stall", 0));
    let producer = producer(&cluster).await?;
    produce(&*producer, &place, &["a", "b"]).await?;
    let consumer = reader(&cluster, LEVEL, std::slice::from_ref(&place)).await?;
    assert_eq!(values(&take(&*consumer, 2).await?), ["a", "b"]);
    stage.stall();
    for _ in 0..5 {
        let start = tokio::time::Instant::now();
        match poll(&*consumer, Span::millis(200)).await {
            Ok(batches) => assert!(batches.is_empty(), "{batches:?}"),
            Err(error) => assert!(error.is_retriable(), "{error}"),
        }
        assert!(
            start.elapsed() < Duration::from_secs(2),
            "{:?}",
            start.elapsed()
        );
    }
    stage.recover();
    produce(&*producer, &place, &["c"]).await?;
    assert_eq!(values(&take(&*consumer, 1).await?), ["c"]);
    assert_eq!(consumer.position(&place, LONG).await?, 3);
    Ok(())
}

/// Damage in the log is an error that names the place, and no panic.
pub(crate) async fn a_damaged_batch_is_a_fatal_error_with_its_place(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("damage", 0));
    let producer = producer(&cluster).await?;
    produce(&*producer, &place, &["a", "b"]).await?;
    stage.damage(&place);
    let consumer = reader(&cluster, LEVEL, std::slice::from_ref(&place)).await?;
    let error = poll(&*consumer, LONG).await.err().ok_or("must fail")?;
    assert_eq!(error.class(), Class::Fatal);
    assert_eq!(
        (error.topic_partition(), error.offset()),
        (Some(&place), Some(0))
    );
    let text = error.to_string();
    assert!(
        text.contains("damage-0") && text.contains("damaged"),
        "{text}"
    );
    Ok(())
}
