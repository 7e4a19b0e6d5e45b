//! Cases about transactions.

use std::sync::Arc;

use ferroconnect_runtime::kafka::{
    AdminConfig, Class, Cluster, Error, Isolation, OffsetAndMetadata, OffsetSpec, Offsets,
    ProducerConfig, TxnProducer,
};

use super::tools::{
    LONG, batch_of, collect_outcomes, create, offsets_settled, poll, produce, producer, read_all,
    read_settled, reader, refused, take, values,
};
use super::{Case, Stage};

async fn transactional(
    cluster: &Arc<dyn Cluster>,
    id: &str,
) -> Result<Arc<dyn TxnProducer>, Error> {
    cluster
        .txn_producer(ProducerConfig::default(), id, LONG)
        .await
}

/// A producer that was replaced is told so when it ends its transaction, at the latest by `abort`.
async fn finds_out(stage: &impl Stage, replaced: &dyn TxnProducer) {
    let class = refused(replaced.commit(LONG).await);
    let must_abort = class == Class::Abortable && !stage.tells_fencing_at_once();
    assert!(class == Class::Fenced || must_abort, "{class:?}");
    assert_eq!(refused(replaced.abort(LONG).await), Class::Fenced);
}

/// Records and offsets of a transaction become visible together, at the commit.
pub(crate) async fn a_commit_shows_everything_at_once(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("txn-commit"), 2).await?;
    let places = [stage.place("txn-commit", 0), stage.place("txn-commit", 1)];
    let producer = transactional(&cluster, &stage.name("txn-commit-id")).await?;
    let consumer = reader(&cluster, Isolation::ReadCommitted, &places).await?;
    producer.begin()?;
    for place in &places {
        producer
            .send(&mut batch_of(1, place, &["a", "b"])?, LONG)
            .await?;
    }
    let group = stage.name("txn-commit-group");
    let offsets = Offsets::from([(places[0].clone(), OffsetAndMetadata::new(7))]);
    producer.send_offsets(&group, &offsets, LONG).await?;
    assert!(
        poll(&*consumer, super::tools::SHORT).await?.is_empty(),
        "nothing is visible yet"
    );
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    assert!(admin.group_offsets(&group, LONG).await?.is_empty());
    producer.commit(LONG).await?;
    let outcomes = collect_outcomes(&*producer, 4).await?;
    assert!(
        outcomes.iter().all(|outcome| outcome.outcome.is_ok()),
        "{outcomes:?}"
    );
    assert_eq!(values(&take(&*consumer, 4).await?), ["a", "b", "a", "b"]);
    assert_eq!(offsets_settled(&cluster, &group, &offsets).await?, offsets);
    Ok(())
}

/// Records and offsets of an aborted transaction are never seen, and the producer goes on.
pub(crate) async fn an_abort_shows_nothing(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("txn-abort", 0));
    create(&cluster, &stage.name("txn-abort"), 1).await?;
    let producer = transactional(&cluster, &stage.name("txn-abort-id")).await?;
    let group = stage.name("txn-abort-group");
    for (value, commit) in [("kept 1", true), ("dropped", false), ("kept 2", true)] {
        producer.begin()?;
        producer
            .send(&mut batch_of(1, &place, &[value])?, LONG)
            .await?;
        let offsets = Offsets::from([(place.clone(), OffsetAndMetadata::new(i64::from(commit)))]);
        producer.send_offsets(&group, &offsets, LONG).await?;
        if commit {
            producer.commit(LONG).await?
        } else {
            producer.abort(LONG).await?
        }
    }
    let read = read_settled(&cluster, &place).await?;
    assert_eq!(values(&read), ["kept 1", "kept 2"]);
    let kept = Offsets::from([(place, OffsetAndMetadata::new(1))]);
    assert_eq!(offsets_settled(&cluster, &group, &kept).await?, kept);
    Ok(())
}

/// By the time a transaction has ended, every row has an outcome.
pub(crate) async fn outcomes_are_there_when_a_transaction_ends(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("txn-outcomes", 0));
    let producer = transactional(&cluster, &stage.name("txn-outcomes-id")).await?;
    for commit in [true, false] {
        producer.begin()?;
        producer
            .send(&mut batch_of(1, &place, &["a", "b"])?, LONG)
            .await?;
        producer
            .send(&mut batch_of(2, &place, &["c"])?, LONG)
            .await?;
        if commit {
            producer.commit(LONG).await?
        } else {
            producer.abort(LONG).await?
        }
        let outcomes = producer
            .acknowledged(ferroconnect_runtime::time::Span::ZERO)
            .await?;
        let rows: usize = outcomes.iter().map(|outcome| outcome.rows.len()).sum();
        assert_eq!(rows, 3, "{outcomes:?}");
    }
    Ok(())
}

/// Both isolation levels read to the end that they are told, past whatever is not for them.
pub(crate) async fn reading_to_the_end_works_for_both_levels(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("txn-end", 0));
    let places = std::slice::from_ref(&place);
    let plain = producer(&cluster).await?;
    produce(&*plain, &place, &["plain"]).await?;
    let producer = transactional(&cluster, &stage.name("txn-end-id")).await?;
    for (value, commit) in [
        ("aborted", false),
        ("committed", true),
        ("aborted last", false),
    ] {
        producer.begin()?;
        producer
            .send(&mut batch_of(1, &place, &[value])?, LONG)
            .await?;
        if commit {
            producer.commit(LONG).await?
        } else {
            producer.abort(LONG).await?
        }
    }
    let committed = read_all(&cluster, Isolation::ReadCommitted, places).await?;
    assert_eq!(values(&committed[&place]), ["plain", "committed"]);
    let seen = values(&read_all(&cluster, Isolation::ReadUncommitted, places).await?[&place]);
    let kept: Vec<_> = seen
        .iter()
        .filter(|value| !value.starts_with("aborted"))
        .collect();
    assert_eq!(kept, ["plain", "committed"]);

    producer.begin()?;
    producer
        .send(&mut batch_of(2, &place, &["open"])?, LONG)
        .await?;
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    let latest = OffsetSpec::Latest;
    let stable = admin
        .list_offsets(places, latest, Isolation::ReadCommitted, LONG)
        .await?;
    let high = admin
        .list_offsets(places, latest, Isolation::ReadUncommitted, LONG)
        .await?;
    assert!(stable[&place] <= high[&place]);
    let committed = read_all(&cluster, Isolation::ReadCommitted, places).await?;
    assert_eq!(values(&committed[&place]), ["plain", "committed"]);
    Ok(())
}

/// A newer producer with the same id fences the older, whose open transaction is gone.
pub(crate) async fn a_newer_producer_fences_the_older(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("txn-fence", 0));
    create(&cluster, &stage.name("txn-fence"), 1).await?;
    let old = transactional(&cluster, &stage.name("txn-fence-id")).await?;
    old.begin()?;
    old.send(&mut batch_of(1, &place, &["old"])?, LONG).await?;
    let new = transactional(&cluster, &stage.name("txn-fence-id")).await?;
    let mut late = batch_of(2, &place, &["late"])?;
    if stage.tells_fencing_at_once() {
        assert_eq!(refused(old.send(&mut late, LONG).await), Class::Fenced);
    } else {
        old.send(&mut late, LONG).await?;
    }
    finds_out(&stage, &*old).await;
    assert_eq!(refused(old.begin()), Class::Fenced);
    let mut later = batch_of(3, &place, &["later"])?;
    assert_eq!(refused(old.send(&mut later, LONG).await), Class::Fenced);
    new.begin()?;
    new.send(&mut batch_of(1, &place, &["new"])?, LONG).await?;
    new.commit(LONG).await?;
    let read = read_settled(&cluster, &place).await?;
    assert_eq!(values(&read), ["new"]);
    Ok(())
}

/// The administrator can fence producers by id; other ids are left alone.
pub(crate) async fn an_administrator_fences_by_id(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("txn-admin-fence", 0));
    let zombie = transactional(&cluster, &stage.name("zombie")).await?;
    let other = transactional(&cluster, &stage.name("bystander")).await?;
    zombie.begin()?;
    zombie
        .send(&mut batch_of(1, &place, &["zombie"])?, LONG)
        .await?;
    cluster
        .admin(AdminConfig::default(), LONG)
        .await?
        .fence(&[&stage.name("zombie"), &stage.name("never-seen")], LONG)
        .await?;
    finds_out(&stage, &*zombie).await;
    other.begin()?;
    other
        .send(&mut batch_of(1, &place, &["other"])?, LONG)
        .await?;
    other.commit(LONG).await?;
    let read = read_settled(&cluster, &place).await?;
    assert_eq!(values(&read), ["other"]);
    Ok(())
}

/// Sending outside a transaction, beginning twice and ending nothing are refused.
pub(crate) async fn transaction_calls_out_of_order_are_refused(stage: impl Stage) -> Case {
    let (cluster, place) = (stage.cluster(), stage.place("txn-order", 0));
    let producer = transactional(&cluster, &stage.name("txn-order-id")).await?;
    let invalid = Class::InvalidRequest;
    let mut batch = batch_of(1, &place, &["a"])?;
    assert_eq!(refused(producer.send(&mut batch, LONG).await), invalid);
    assert_eq!(batch.len(), 1);
    assert_eq!(refused(producer.commit(LONG).await), invalid);
    assert_eq!(refused(producer.abort(LONG).await), invalid);
    assert_eq!(
        refused(producer.send_offsets("g", &Offsets::new(), LONG).await),
        invalid
    );
    producer.begin()?;
    assert_eq!(refused(producer.begin()), invalid);
    producer.commit(LONG).await?;
    Ok(())
}
