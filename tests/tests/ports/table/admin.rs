//! Cases about administrative calls, and deadlines of all calls.

use std::collections::BTreeMap;

use ferroconnect_runtime::kafka::{
    AdminConfig, Class, ConsumerConfig, Error, Isolation, NewTopic, OffsetAndMetadata, OffsetSpec,
    Offsets, ProducerConfig,
};
use ferroconnect_runtime::time::Span;

use super::tools::{
    LONG, SHORT, batch_of, collect_outcomes, create, produce, producer, read_all, refused, values,
};
use super::{Case, Stage};

/// A topic is created once, as asked for; what is not legal is refused.
pub(crate) async fn topics_are_created_and_described(stage: impl Stage) -> Case {
    let admin = stage.cluster().admin(AdminConfig::default(), LONG).await?;
    let (made, missing) = (stage.name("made"), stage.name("missing"));
    let mut topic = NewTopic::new(&made, 3);
    topic
        .configs
        .insert("cleanup.policy".to_owned(), "compact".to_owned());
    admin.create_topic(&topic, LONG).await?;
    assert_eq!(
        refused(admin.create_topic(&topic, LONG).await),
        Class::AlreadyExists
    );
    for (name, partitions) in [
        ("", 1),
        ("..", 1),
        ("a b", 1),
        (&*"x".repeat(250), 1),
        ("zero", 0),
    ] {
        let outcome = admin
            .create_topic(&NewTopic::new(name, partitions), LONG)
            .await;
        assert_eq!(refused(outcome), Class::InvalidRequest, "{name:?}");
    }
    let described = admin.describe_topics(&[&made, &missing], LONG).await?;
    let names: Vec<_> = described
        .iter()
        .map(|topic| (topic.name.as_str(), topic.partitions))
        .collect();
    assert_eq!(names, [(made.as_str(), 3)]);
    assert!(
        admin
            .describe_topics(&[], LONG)
            .await?
            .iter()
            .any(|topic| topic.name == made)
    );
    let configs = admin.describe_configs(&made, LONG).await?;
    assert_eq!(
        configs.get("cleanup.policy").map(String::as_str),
        Some("compact")
    );
    assert_eq!(
        refused(admin.describe_configs(&missing, LONG).await),
        Class::NotFound
    );
    let cluster = admin.describe_cluster(LONG).await?;
    assert!(
        !cluster.id.is_empty() && !cluster.brokers.is_empty(),
        "{cluster:?}"
    );
    Ok(())
}

/// First, last and by time.
pub(crate) async fn offsets_are_listed(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("listed", 0));
    create(&cluster, &stage.name("listed"), 1).await?;
    let producer = producer(&cluster).await?;
    let mut batch = ferroconnect_runtime::kafka::RecordBatch::new(Default::default());
    let topic = batch.topic(&stage.name("listed"))?;
    for timestamp in [100, 300, 200, 400] {
        let timestamp = Some(timestamp);
        let row = ferroconnect_runtime::kafka::NewRow::to(topic);
        batch.push(ferroconnect_runtime::kafka::NewRow { timestamp, ..row })?;
    }
    producer.send(&mut batch, LONG).await?;
    collect_outcomes(&*producer, 4).await?;
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    let cases = [
        (OffsetSpec::Earliest, 0),
        (OffsetSpec::Latest, 4),
        (OffsetSpec::Timestamp(0), 0),
        (OffsetSpec::Timestamp(101), 1),
        (OffsetSpec::Timestamp(301), 3),
        (OffsetSpec::Timestamp(401), 4),
    ];
    for (spec, offset) in cases {
        for isolation in [Isolation::ReadCommitted, Isolation::ReadUncommitted] {
            let places = std::slice::from_ref(&place);
            let found = admin.list_offsets(places, spec, isolation, LONG).await?;
            assert_eq!(found, BTreeMap::from([(place.clone(), offset)]), "{spec:?}");
        }
    }
    let missing = [stage.place("listed", 1)];
    let level = Isolation::ReadCommitted;
    let outcome = admin
        .list_offsets(&missing, OffsetSpec::Latest, level, LONG)
        .await;
    assert_eq!(refused(outcome), Class::NotFound);
    Ok(())
}

/// Offsets of a group without members can be set, listed and deleted.
pub(crate) async fn group_offsets_are_changed(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("altered"), 2).await?;
    let (first, second) = (stage.place("altered", 0), stage.place("altered", 1));
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    let group = &*stage.name("altered-group");
    assert!(admin.group_offsets(group, LONG).await?.is_empty());
    assert_eq!(
        refused(admin.delete_group(group, LONG).await),
        Class::NotFound
    );
    let mut offsets = Offsets::from([
        (
            first.clone(),
            OffsetAndMetadata {
                offset: 3,
                metadata: "note".to_owned(),
            },
        ),
        (second.clone(), OffsetAndMetadata::new(0)),
    ]);
    admin.alter_group_offsets(group, &offsets, LONG).await?;
    assert_eq!(admin.group_offsets(group, LONG).await?, offsets);
    admin
        .delete_group_offsets(group, std::slice::from_ref(&second), LONG)
        .await?;
    offsets.remove(&second);
    assert_eq!(admin.group_offsets(group, LONG).await?, offsets);
    admin.delete_group(group, LONG).await?;
    assert!(admin.group_offsets(group, LONG).await?.is_empty());
    Ok(())
}

/// Deleted records are gone, also from the middle of a batch; offsets are never used again.
pub(crate) async fn records_are_deleted_from_the_start(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("deleted", 0));
    let producer = producer(&cluster).await?;
    produce(&*producer, &place, &["0", "1", "2"]).await?;
    produce(&*producer, &place, &["3", "4"]).await?;
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    let before = |offset| BTreeMap::from([(place.clone(), offset)]);
    let level = Isolation::ReadCommitted;
    let places = std::slice::from_ref(&place);
    for (offset, left) in [(1, vec!["1", "2", "3", "4"]), (4, vec!["4"])] {
        admin.delete_records(&before(offset), LONG).await?;
        let start = admin
            .list_offsets(places, OffsetSpec::Earliest, level, LONG)
            .await?;
        assert_eq!(start[&place], offset);
        assert_eq!(
            values(&read_all(&cluster, level, places).await?[&place]),
            left
        );
    }
    admin.delete_records(&before(5), LONG).await?;
    assert!(read_all(&cluster, level, places).await?.is_empty());
    produce(&*producer, &place, &["5"]).await?;
    assert_eq!(
        read_all(&cluster, level, places).await?[&place][0].offset,
        5
    );
    assert_eq!(
        refused(admin.delete_records(&before(99), LONG).await),
        Class::InvalidRequest
    );
    let missing = BTreeMap::from([(stage.place("deleted", 9), 0)]);
    assert_eq!(
        refused(admin.delete_records(&missing, LONG).await),
        Class::NotFound
    );
    Ok(())
}

fn assert_retriable<T: std::fmt::Debug>(call: &str, outcome: Result<T, Error>) {
    let passes = outcome.as_ref().is_err_and(Error::is_retriable);
    assert!(passes, "{call} on a stalled cluster: {outcome:?}");
}

/// While the cluster does not answer, every call that needs it ends in time with an error that may
/// be tried again; when it answers, everything goes on.
pub(crate) async fn every_call_ends_in_time(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("stalled", 0));
    create(&cluster, &stage.name("stalled"), 1).await?;
    let places = std::slice::from_ref(&place);
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    let group = Some(stage.name("stalled-group"));
    let config = ConsumerConfig {
        group,
        ..ConsumerConfig::default()
    };
    let consumer = cluster.consumer(config, LONG).await?;
    consumer.assign(places, LONG).await?;
    let id = &*stage.name("stalled-id");
    let txn = cluster
        .txn_producer(ProducerConfig::default(), id, LONG)
        .await?;
    txn.begin()?;
    txn.send(&mut batch_of(1, &place, &["a"])?, LONG).await?;
    let offsets = Offsets::from([(place.clone(), OffsetAndMetadata::new(0))]);
    let topic = NewTopic::new(&stage.name("stalled-2"), 1);
    let level = Isolation::ReadCommitted;

    stage.stall();
    let start = tokio::time::Instant::now();
    assert_retriable("create_topic", admin.create_topic(&topic, SHORT).await);
    assert_retriable(
        "describe_configs",
        admin.describe_configs(&place.topic, SHORT).await,
    );
    let listed = admin
        .list_offsets(places, OffsetSpec::Latest, level, SHORT)
        .await;
    assert_retriable("list_offsets", listed);
    assert_retriable("group_offsets", admin.group_offsets("g", SHORT).await);
    assert_retriable(
        "alter",
        admin.alter_group_offsets("g", &offsets, SHORT).await,
    );
    assert_retriable(
        "delete offsets",
        admin.delete_group_offsets("g", places, SHORT).await,
    );
    assert_retriable("delete_group", admin.delete_group("g", SHORT).await);
    let before = BTreeMap::from([(place.clone(), 0)]);
    assert_retriable("delete_records", admin.delete_records(&before, SHORT).await);
    assert_retriable("fence", admin.fence(&["nobody"], SHORT).await);
    assert_retriable("commit", consumer.commit(&offsets, SHORT).await);
    assert_retriable("committed", consumer.committed(places, SHORT).await);
    assert_retriable("position", consumer.position(&place, SHORT).await);
    let another = cluster
        .txn_producer(ProducerConfig::default(), "another", SHORT)
        .await;
    assert_retriable("txn_producer", another);
    assert_retriable("txn commit", txn.commit(SHORT).await);
    assert!(
        start.elapsed() < Span::secs(4).to_duration(),
        "{:?}",
        start.elapsed()
    );
    stage.recover();

    consumer.commit(&offsets, LONG).await?;
    let producer = producer(&cluster).await?;
    produce(&*producer, &place, &["b"]).await?;
    let read = read_all(&cluster, Isolation::ReadUncommitted, places).await?;
    assert!(values(&read[&place]).contains(&"b".to_owned()));
    Ok(())
}
