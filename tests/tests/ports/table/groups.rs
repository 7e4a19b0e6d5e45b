//! Cases about consumer groups.

use std::sync::Arc;

use async_trait::async_trait;
use ferroconnect_runtime::ids::TopicPartition;
use ferroconnect_runtime::kafka::{
    AdminConfig, Class, Cluster, Consumer, ConsumerConfig, Error, OffsetAndMetadata, Offsets,
    PartitionBatch, RebalanceListener, Subscription,
};
use ferroconnect_runtime::time::Span;

use super::tools::{LONG, create, produce, producer, refused};
use super::{Case, Stage};

/// How often members are polled while a rebalance settles.
const TICK: Span = Span::millis(20);
/// Rounds of ticks after which a rebalance must have settled.
const ROUNDS: usize = 500;

/// Writes down what it is told; commits offset 1 of what is revoked.
#[derive(Debug, Default)]
struct Diary {
    lines: Vec<String>,
    commit_revoked: bool,
    commit_error: Option<Class>,
}

fn line(what: &str, partitions: &[TopicPartition]) -> String {
    let names: Vec<String> = partitions.iter().map(ToString::to_string).collect();
    format!("{what} {}", names.join(" "))
}

#[async_trait]
impl RebalanceListener for Diary {
    async fn assigned(&mut self, consumer: &dyn Consumer, partitions: &[TopicPartition]) {
        self.lines.push(line("assigned", partitions));
        for partition in partitions {
            let position = consumer.position(partition, LONG).await;
            assert!(
                position.is_ok(),
                "the listener can ask for positions: {position:?}"
            );
        }
    }

    async fn revoked(&mut self, consumer: &dyn Consumer, partitions: &[TopicPartition]) {
        self.lines.push(line("revoked", partitions));
        if self.commit_revoked {
            let next = |partition: &TopicPartition| (partition.clone(), OffsetAndMetadata::new(1));
            let offsets: Offsets = partitions.iter().map(next).collect();
            let committed = consumer.commit(&offsets, LONG).await;
            self.commit_error = committed.err().map(|error| error.class());
        }
    }

    async fn lost(&mut self, _consumer: &dyn Consumer, partitions: &[TopicPartition]) {
        self.lines.push(line("lost", partitions));
    }
}

struct Member {
    consumer: Arc<dyn Consumer>,
    diary: Diary,
    read: Vec<PartitionBatch>,
}

impl Member {
    async fn join(
        cluster: &Arc<dyn Cluster>,
        group: &str,
        subscription: Subscription,
        poll_interval_max: Span,
    ) -> Result<Self, Error> {
        let group = Some(group.to_owned());
        let config = ConsumerConfig {
            group,
            poll_interval_max,
            ..ConsumerConfig::default()
        };
        let consumer = cluster.consumer(config, LONG).await?;
        consumer.subscribe(subscription, LONG).await?;
        Ok(Self {
            consumer,
            diary: Diary::default(),
            read: Vec::new(),
        })
    }

    async fn tick(&mut self) -> Result<(), Error> {
        self.read
            .extend(self.consumer.poll(500, TICK, &mut self.diary).await?);
        Ok(())
    }

    fn owns(&self) -> Vec<String> {
        self.consumer
            .assignment()
            .iter()
            .map(ToString::to_string)
            .collect()
    }
}

fn topics(names: &[&str]) -> Subscription {
    Subscription::Topics(names.iter().map(|name| (*name).to_owned()).collect())
}

/// Ticks `members` until each owns as many partitions as given.
async fn settle(members: &mut [&mut Member], owned: &[usize]) -> Case {
    for _ in 0..ROUNDS {
        for member in &mut *members {
            member.tick().await?;
        }
        let now: Vec<usize> = members.iter().map(|member| member.owns().len()).collect();
        if now == owned {
            return Ok(());
        }
    }
    Err("the group does not settle".into())
}

/// One member gets everything and reads it.
pub(crate) async fn a_lone_member_gets_everything(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, "lone", 2).await?;
    let producer = producer(&cluster).await?;
    produce(&*producer, &TopicPartition::new("lone", 1), &["a"]).await?;
    let mut member = Member::join(&cluster, "lone-group", topics(&["lone"]), LONG).await?;
    settle(&mut [&mut member], &[2]).await?;
    assert_eq!(member.diary.lines, ["assigned lone-0 lone-1"]);
    while member.read.is_empty() {
        member.tick().await?;
    }
    assert_eq!(member.read[0].partition, TopicPartition::new("lone", 1));
    Ok(())
}

/// A second member takes half; the first is told before, may commit inside, and the second starts
/// from there. When one leaves, the other gets everything back.
pub(crate) async fn two_members_share_and_hand_over(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, "share", 2).await?;
    let producer = producer(&cluster).await?;
    for partition in 0..2 {
        produce(
            &*producer,
            &TopicPartition::new("share", partition),
            &["a", "b"],
        )
        .await?;
    }
    let mut first = Member::join(&cluster, "share-group", topics(&["share"]), LONG).await?;
    first.diary.commit_revoked = true;
    settle(&mut [&mut first], &[2]).await?;
    let mut second = Member::join(&cluster, "share-group", topics(&["share"]), LONG).await?;
    settle(&mut [&mut second, &mut first], &[1, 1]).await?;
    assert_eq!(
        first.diary.commit_error, None,
        "a commit inside the revocation works"
    );
    assert_eq!(
        first.diary.lines[..2],
        ["assigned share-0 share-1", "revoked share-0 share-1"]
    );
    let mut owned = [first.owns(), second.owns()].concat();
    owned.sort();
    assert_eq!(owned, ["share-0", "share-1"]);
    while second.read.is_empty() {
        second.tick().await?;
    }
    assert_eq!(
        second.read[0].records[0].offset, 1,
        "goes on behind the commit"
    );
    second.consumer.close(LONG).await?;
    settle(&mut [&mut first], &[2]).await?;
    Ok(())
}

/// A member that does not poll in time loses its partitions: the others go on, its commit is
/// refused, it is told at its next poll and may join again.
pub(crate) async fn a_silent_member_loses_its_partitions(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, "silent", 1).await?;
    let interval = Span::millis(300);
    let mut silent = Member::join(&cluster, "silent-group", topics(&["silent"]), interval).await?;
    settle(&mut [&mut silent], &[1]).await?;
    let mut other = Member::join(&cluster, "silent-group", topics(&["silent"]), LONG).await?;
    settle(&mut [&mut other], &[1]).await?;
    let place = TopicPartition::new("silent", 0);
    let offsets = Offsets::from([(place, OffsetAndMetadata::new(0))]);
    assert_eq!(
        refused(silent.consumer.commit(&offsets, LONG).await),
        Class::Fenced
    );
    silent.tick().await?;
    assert!(
        silent.diary.lines.contains(&"lost silent-0".to_owned()),
        "{:?}",
        silent.diary.lines
    );
    for _ in 0..ROUNDS {
        silent.tick().await?;
        other.tick().await?;
        if silent.owns().len() + other.owns().len() == 1 && silent.diary.lines.len() > 2 {
            return Ok(());
        }
    }
    Err("the silent member does not get back into the group".into())
}

/// A pattern means whole names, and finds topics that are made later.
pub(crate) async fn a_pattern_finds_new_topics(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, "pattern-a", 1).await?;
    create(&cluster, "a-pattern-b", 1).await?;
    let pattern = Subscription::Pattern(regex::Regex::new("pattern-.*")?);
    let mut member = Member::join(&cluster, "pattern-group", pattern, LONG).await?;
    settle(&mut [&mut member], &[1]).await?;
    assert_eq!(member.owns(), ["pattern-a-0"]);
    create(&cluster, "pattern-c", 2).await?;
    settle(&mut [&mut member], &[3]).await?;
    assert_eq!(member.owns(), ["pattern-a-0", "pattern-c-0", "pattern-c-1"]);
    Ok(())
}

/// While a group has members, nobody changes its offsets from outside; afterwards anybody may.
pub(crate) async fn a_group_in_use_is_protected(stage: impl Stage) -> Case {
    let cluster = stage.cluster();
    create(&cluster, "in-use", 1).await?;
    let place = TopicPartition::new("in-use", 0);
    let mut member = Member::join(&cluster, "in-use-group", topics(&["in-use"]), LONG).await?;
    settle(&mut [&mut member], &[1]).await?;
    let offsets = Offsets::from([(place.clone(), OffsetAndMetadata::new(0))]);
    member.consumer.commit(&offsets, LONG).await?;
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    let group = "in-use-group";
    let places = std::slice::from_ref(&place);
    let in_use = Class::GroupInUse;
    assert_eq!(
        refused(admin.alter_group_offsets(group, &offsets, LONG).await),
        in_use
    );
    assert_eq!(
        refused(admin.delete_group_offsets(group, places, LONG).await),
        in_use
    );
    assert_eq!(refused(admin.delete_group(group, LONG).await), in_use);
    assert_eq!(admin.group_offsets(group, LONG).await?, offsets);
    member.consumer.close(LONG).await?;
    admin.delete_group(group, LONG).await?;
    assert!(admin.group_offsets(group, LONG).await?.is_empty());
    Ok(())
}
