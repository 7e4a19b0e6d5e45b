//! Cases about consumer groups, for each way to deal partitions out.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use ferroconnect_runtime::ids::TopicPartition;
use ferroconnect_runtime::kafka::client::{Assignor, GroupProtocol};
use ferroconnect_runtime::kafka::{
    AdminConfig, Class, Consumer, ConsumerConfig, Error, OffsetAndMetadata, Offsets,
    PartitionBatch, RebalanceListener, Subscription,
};
use ferroconnect_runtime::time::Span;

use super::tools::{LONG, create, produce, producer, refused};
use super::{Case, Stage};

/// How often members are polled while a rebalance settles.
const TICK: Span = Span::millis(20);

/// Who deals partitions out, and whether members keep theirs meanwhile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dealing {
    /// A member; everybody gives up everything first.
    Eager,
    /// A member; only what moves is given up (KIP-429).
    Cooperative,
    /// The broker; only what moves is given up (KIP-848).
    Broker,
}

impl Dealing {
    fn protocol(self) -> GroupProtocol {
        let classic = |assignors| GroupProtocol::Classic {
            assignors,
            heartbeat: Span::millis(200),
        };
        match self {
            // The default of Kafka's consumer.
            Self::Eager => classic(vec![Assignor::Range, Assignor::CooperativeSticky]),
            Self::Cooperative => classic(vec![Assignor::CooperativeSticky]),
            Self::Broker => GroupProtocol::Consumer { assignor: None },
        }
    }

    const fn keeps_what_stays(self) -> bool {
        match self {
            Self::Eager => false,
            Self::Cooperative | Self::Broker => true,
        }
    }
}

/// Writes down what it is told; commits offset 1 of what is revoked.
#[derive(Debug, Default)]
pub(crate) struct Diary {
    pub(crate) lines: Vec<String>,
    revoked: Vec<TopicPartition>,
    commit_revoked: bool,
    commit_error: Option<Class>,
}

impl Diary {
    fn write(&mut self, what: &str, partitions: &[TopicPartition]) {
        if !partitions.is_empty() {
            let numbers = partitions.iter();
            let numbers: Vec<_> = numbers.map(|place| place.partition.to_string()).collect();
            self.lines.push(format!("{what} {}", numbers.join(" ")));
        }
    }
}

#[async_trait]
impl RebalanceListener for Diary {
    async fn assigned(&mut self, consumer: &dyn Consumer, partitions: &[TopicPartition]) {
        self.write("assigned", partitions);
        for partition in partitions {
            let position = consumer.position(partition, LONG).await;
            assert!(
                position.is_ok(),
                "the listener can ask for positions: {position:?}"
            );
        }
    }

    async fn revoked(&mut self, consumer: &dyn Consumer, partitions: &[TopicPartition]) {
        self.write("revoked", partitions);
        self.revoked.extend(partitions.iter().cloned());
        for partition in partitions {
            assert!(consumer.assignment().contains(partition), "still there");
        }
        if self.commit_revoked {
            let next = |partition: &TopicPartition| (partition.clone(), OffsetAndMetadata::new(1));
            let offsets: Offsets = partitions.iter().map(next).collect();
            let committed = consumer.commit(&offsets, LONG).await;
            self.commit_error = committed.err().map(|error| error.class());
        }
    }

    async fn lost(&mut self, consumer: &dyn Consumer, partitions: &[TopicPartition]) {
        self.write("lost", partitions);
        for partition in partitions {
            assert!(!consumer.assignment().contains(partition), "gone already");
        }
    }
}

/// How a case makes members.
pub(crate) struct Club<'a> {
    stage: &'a dyn Stage,
    group: String,
    protocol: GroupProtocol,
}

impl<'a> Club<'a> {
    pub(crate) fn new(stage: &'a impl Stage, group: &str, dealing: Dealing) -> Self {
        Self {
            stage,
            group: stage.name(group),
            protocol: dealing.protocol(),
        }
    }

    pub(crate) async fn join_with(
        &self,
        subscription: Subscription,
        change: impl FnOnce(&mut ConsumerConfig),
    ) -> Result<Member, Error> {
        let mut config = ConsumerConfig {
            group: Some(self.group.clone()),
            ..ConsumerConfig::default()
        };
        config.settings.protocol = self.protocol.clone();
        change(&mut config);
        let consumer = self.stage.cluster().consumer(config, LONG).await?;
        consumer.subscribe(subscription, LONG).await?;
        Ok(Member {
            consumer,
            diary: Diary::default(),
            read: Vec::new(),
        })
    }

    /// A member that reads the topic that is called `topic` for this run.
    pub(crate) async fn join(&self, topic: &str) -> Result<Member, Error> {
        let topics = Subscription::Topics(vec![self.stage.name(topic)]);
        self.join_with(topics, |_| {}).await
    }

    /// Ticks `members` until each owns as many partitions as given, and no two the same.
    pub(crate) async fn settle(&self, members: &mut [&mut Member], owned: &[usize]) -> Case {
        let start = tokio::time::Instant::now();
        while start.elapsed() < self.stage.patience().to_duration() {
            for member in &mut *members {
                member.tick().await?;
            }
            let now: Vec<usize> = members.iter().map(|member| member.owns().len()).collect();
            if now == owned {
                let all: Vec<_> = members.iter().flat_map(|member| member.owns()).collect();
                let distinct: BTreeSet<_> = all.iter().collect();
                assert_eq!(distinct.len(), all.len(), "two owners: {all:?}");
                return Ok(());
            }
        }
        let diaries = members.iter();
        let diaries: Vec<_> = diaries.map(|member| &member.diary.lines).collect();
        Err(format!("the group does not settle at {owned:?}: {diaries:?}").into())
    }
}

pub(crate) struct Member {
    pub(crate) consumer: Arc<dyn Consumer>,
    pub(crate) diary: Diary,
    read: Vec<PartitionBatch>,
}

impl Member {
    pub(crate) async fn tick(&mut self) -> Result<(), Error> {
        let polled = self.consumer.poll(500, TICK, &mut self.diary).await;
        match polled {
            Ok(batches) => self.read.extend(batches),
            Err(error) if error.is_retriable() => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    pub(crate) fn owns(&self) -> Vec<TopicPartition> {
        self.consumer.assignment()
    }

    /// Whether the diary says of every partition it owns that it was assigned, and not since revoked.
    fn was_told(&self) -> bool {
        self.owns().iter().all(|place| {
            let number = place.partition.to_string();
            let about = |line: &&String| line.split(' ').any(|word| word == number);
            let last = self.diary.lines.iter().rfind(about);
            last.is_some_and(|line| line.starts_with("assigned"))
        })
    }

    /// Offsets that were read from `partition`, in order.
    pub(crate) fn offsets_of(&self, partition: &TopicPartition) -> Vec<i64> {
        let batches = self.read.iter();
        let of_it = batches.filter(|batch| batch.partition == *partition);
        let records = of_it.flat_map(|batch| &batch.records);
        records.map(|record| record.offset).collect()
    }
}

fn offsets(partition: &TopicPartition, offset: i64) -> Offsets {
    Offsets::from([(partition.clone(), OffsetAndMetadata::new(offset))])
}

/// One member gets everything and reads it; what it commits, it finds again, notes included.
async fn a_lone_member_gets_everything(stage: &impl Stage, dealing: Dealing) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("lone"), 2).await?;
    let place = stage.place("lone", 1);
    let producer = producer(&cluster).await?;
    produce(&*producer, &place, &["a"]).await?;
    let club = Club::new(stage, "lone", dealing);
    let mut member = club.join("lone").await?;
    club.settle(&mut [&mut member], &[2]).await?;
    assert_eq!(member.diary.lines, ["assigned 0 1"]);
    while member.read.is_empty() {
        member.tick().await?;
    }
    assert_eq!(member.offsets_of(&place), [0]);
    let note = OffsetAndMetadata {
        offset: 1,
        metadata: "so far".to_owned(),
    };
    let noted = Offsets::from([(place.clone(), note)]);
    member.consumer.commit(&noted, LONG).await?;
    let places = std::slice::from_ref(&place);
    assert_eq!(member.consumer.committed(places, LONG).await?, noted);
    member.consumer.close(LONG).await?;
    let mut next = club.join("lone").await?;
    club.settle(&mut [&mut next], &[2]).await?;
    assert_eq!(next.consumer.position(&place, LONG).await?, 1);
    next.consumer.close(LONG).await?;
    Ok(())
}

/// A second member takes half; the first is told before, may commit inside, and the second starts
/// from there. Where members keep what stays, nothing else is revoked and reading goes on. When one
/// leaves, the other gets everything back.
async fn two_members_share_and_hand_over(stage: &impl Stage, dealing: Dealing) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("share"), 2).await?;
    let producer = producer(&cluster).await?;
    for partition in 0..2 {
        produce(&*producer, &stage.place("share", partition), &["a", "b"]).await?;
    }
    let club = Club::new(stage, "share", dealing);
    let mut first = club.join("share").await?;
    first.diary.commit_revoked = true;
    club.settle(&mut [&mut first], &[2]).await?;
    while first
        .read
        .iter()
        .map(|batch| batch.records.len())
        .sum::<usize>()
        < 4
    {
        first.tick().await?;
    }
    let mut second = club.join("share").await?;
    club.settle(&mut [&mut second, &mut first], &[1, 1]).await?;
    let error = first.diary.commit_error;
    assert_eq!(error, None, "a commit inside the revocation works");
    let moved = second.owns().remove(0);
    let kept = first.owns().remove(0);
    while second.offsets_of(&moved).is_empty() {
        second.tick().await?;
        first.tick().await?;
    }
    let goes_on = second.offsets_of(&moved).first().copied();
    assert_eq!(goes_on, Some(1), "behind the commit");
    assert_eq!(first.diary.lines[0], "assigned 0 1");
    if dealing.keeps_what_stays() {
        assert_eq!(first.diary.revoked, [moved]);
        assert_eq!(first.offsets_of(&kept), [0, 1], "reading went on");
    } else {
        assert_eq!(first.diary.lines[1], "revoked 0 1");
    }
    let start = tokio::time::Instant::now();
    second.consumer.close(LONG).await?;
    assert!(
        second
            .diary
            .lines
            .iter()
            .all(|line| !line.starts_with("revoked"))
    );
    club.settle(&mut [&mut first], &[2]).await?;
    let session = ConsumerConfig::default().session_timeout;
    assert!(
        start.elapsed() < session.to_duration() / 2,
        "it said that it leaves"
    );
    first.consumer.close(LONG).await?;
    Ok(())
}

/// Three members come one by one and leave one by one; everything has one owner each time, and where
/// members keep what stays, as little as possible moves.
async fn three_members_join_and_leave(stage: &impl Stage, dealing: Dealing) -> Case {
    create(&stage.cluster(), &stage.name("three"), 6).await?;
    let club = Club::new(stage, "three", dealing);
    let mut first = club.join("three").await?;
    club.settle(&mut [&mut first], &[6]).await?;
    let mut second = club.join("three").await?;
    club.settle(&mut [&mut first, &mut second], &[3, 3]).await?;
    let mut third = club.join("three").await?;
    let mut all = [&mut first, &mut second, &mut third];
    club.settle(&mut all, &[2, 2, 2]).await?;
    if dealing.keeps_what_stays() {
        let moved = all.map(|member| member.diary.revoked.len());
        assert_eq!(moved, [4, 1, 0], "three to the second, two to the third");
    }
    second.consumer.close(LONG).await?;
    club.settle(&mut [&mut first, &mut third], &[3, 3]).await?;
    first.consumer.close(LONG).await?;
    club.settle(&mut [&mut third], &[6]).await?;
    let lost = |member: &Member| {
        member
            .diary
            .lines
            .iter()
            .any(|line| line.starts_with("lost"))
    };
    assert!(!lost(&first) && !lost(&second) && !lost(&third));
    third.consumer.close(LONG).await?;
    Ok(())
}

/// A member that does not poll in time loses its partitions: the others go on, its commit is
/// refused, it is told at its next poll and joins again.
async fn a_silent_member_loses_its_partitions_and_comes_back(
    stage: &impl Stage,
    dealing: Dealing,
) -> Case {
    create(&stage.cluster(), &stage.name("silent"), 2).await?;
    let club = Club::new(stage, "silent", dealing);
    let topics = Subscription::Topics(vec![stage.name("silent")]);
    let often = |config: &mut ConsumerConfig| config.poll_interval_max = Span::secs(1);
    let mut silent = club.join_with(topics, often).await?;
    club.settle(&mut [&mut silent], &[2]).await?;
    let mut other = club.join("silent").await?;
    club.settle(&mut [&mut other], &[2]).await?;
    let place = stage.place("silent", 0);
    let late = silent.consumer.commit(&offsets(&place, 0), LONG).await;
    assert_eq!(refused(late), Class::Fenced);
    silent.tick().await?;
    let lines = &silent.diary.lines;
    assert!(lines.contains(&"lost 0 1".to_owned()), "{lines:?}");
    club.settle(&mut [&mut silent, &mut other], &[1, 1]).await?;
    silent.consumer.close(LONG).await?;
    other.consumer.close(LONG).await?;
    Ok(())
}

/// A member whose process dies says nothing; others take over all the same. Who joins meanwhile makes
/// the others wait until the dead one is given up, and costs them nothing.
async fn a_member_that_is_gone_without_a_word_is_replaced(
    stage: &impl Stage,
    dealing: Dealing,
) -> Case {
    create(&stage.cluster(), &stage.name("gone"), 4).await?;
    let club = Club::new(stage, "gone", dealing);
    let topics = || Subscription::Topics(vec![stage.name("gone")]);
    let short = |config: &mut ConsumerConfig| config.session_timeout = Span::secs(3);
    let mut gone = club.join_with(topics(), short).await?;
    club.settle(&mut [&mut gone], &[4]).await?;
    let mut heir = club.join_with(topics(), short).await?;
    club.settle(&mut [&mut gone, &mut heir], &[2, 2]).await?;
    drop(gone);
    let mut newcomer = club.join_with(topics(), short).await?;
    club.settle(&mut [&mut heir, &mut newcomer], &[2, 2])
        .await?;
    // Whoever waited in the join for the dead one is no less a member for it.
    for _ in 0..25 {
        heir.tick().await?;
        newcomer.tick().await?;
    }
    for member in [&heir, &newcomer] {
        let is_loss = |line: &String| line.starts_with("lost");
        assert!(
            !member.diary.lines.iter().any(is_loss),
            "{:?}",
            member.diary.lines
        );
        let place = member.owns().remove(0);
        member.consumer.commit(&offsets(&place, 0), LONG).await?;
    }
    heir.consumer.close(LONG).await?;
    newcomer.consumer.close(LONG).await?;
    Ok(())
}

/// A commit while others join is taken, or refused in a way that another one repairs; committed
/// offsets never go back (C074).
async fn a_commit_during_a_rebalance_is_taken_or_repeated(
    stage: &impl Stage,
    dealing: Dealing,
) -> Case {
    create(&stage.cluster(), &stage.name("during"), 2).await?;
    let places = [stage.place("during", 0), stage.place("during", 1)];
    let producer = producer(&stage.cluster()).await?;
    for place in &places {
        produce(&*producer, place, &["a", "b", "c"]).await?;
    }
    let club = Club::new(stage, "during", dealing);
    let mut first = club.join("during").await?;
    club.settle(&mut [&mut first], &[2]).await?;
    let both = |offset| -> Offsets {
        let mark = |place: &TopicPartition| (place.clone(), OffsetAndMetadata::new(offset));
        places.iter().map(mark).collect()
    };
    first.consumer.commit(&both(1), LONG).await?;
    let mut second = club.join("during").await?;
    // The second is in the middle of its join while the first commits, again and again.
    for _ in 0..25 {
        second.tick().await?;
        if let Err(error) = first.consumer.commit(&both(2), Span::secs(2)).await {
            let class = error.class();
            let passes = [Class::Retriable, Class::TimedOut, Class::Fenced].contains(&class);
            assert!(passes, "{error}");
        }
        let committed = second.consumer.committed(&places, LONG).await?;
        for place in &places {
            let offset = committed.get(place).map_or(0, |mark| mark.offset);
            assert!((1..=2).contains(&offset), "{place} is at {offset}");
        }
    }
    club.settle(&mut [&mut first, &mut second], &[1, 1]).await?;
    for member in [&first, &second] {
        let own: Offsets = member
            .owns()
            .iter()
            .map(|place| (place.clone(), OffsetAndMetadata::new(3)))
            .collect();
        member.consumer.commit(&own, LONG).await?;
    }
    assert_eq!(first.consumer.committed(&places, LONG).await?, both(3));
    first.consumer.close(LONG).await?;
    second.consumer.close(LONG).await?;
    Ok(())
}

/// What a member that was thrown out commits late does not count: the next owner's offsets stay.
async fn a_late_commit_never_moves_offsets_back(stage: &impl Stage, dealing: Dealing) -> Case {
    create(&stage.cluster(), &stage.name("late"), 1).await?;
    let place = stage.place("late", 0);
    let producer = producer(&stage.cluster()).await?;
    produce(&*producer, &place, &["a", "b", "c"]).await?;
    let club = Club::new(stage, "late", dealing);
    let topics = Subscription::Topics(vec![stage.name("late")]);
    let often = |config: &mut ConsumerConfig| config.poll_interval_max = Span::secs(1);
    let mut late = club.join_with(topics, often).await?;
    club.settle(&mut [&mut late], &[1]).await?;
    late.consumer.commit(&offsets(&place, 1), LONG).await?;
    let mut owner = club.join("late").await?;
    club.settle(&mut [&mut owner], &[1]).await?;
    while owner.offsets_of(&place).is_empty() {
        owner.tick().await?;
    }
    assert_eq!(owner.offsets_of(&place), [1, 2], "behind the commit");
    owner.consumer.commit(&offsets(&place, 3), LONG).await?;
    let refusal = refused(late.consumer.commit(&offsets(&place, 2), LONG).await);
    assert_eq!(refusal, Class::Fenced);
    let places = std::slice::from_ref(&place);
    let committed = owner.consumer.committed(places, LONG).await?;
    assert_eq!(committed, offsets(&place, 3));
    late.consumer.close(LONG).await?;
    let committed = owner.consumer.committed(places, LONG).await?;
    assert_eq!(committed, offsets(&place, 3));
    owner.consumer.close(LONG).await?;
    Ok(())
}

/// Polls that are dropped at any point, in the middle of a rebalance and of what the listener does,
/// lose no assignment and no record.
async fn dropped_polls_lose_nothing(stage: &impl Stage, dealing: Dealing) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("dropped"), 2).await?;
    let producer = producer(&cluster).await?;
    for partition in 0..2 {
        produce(&*producer, &stage.place("dropped", partition), &["a", "b"]).await?;
    }
    let club = Club::new(stage, "dropped", dealing);
    let (mut first, mut second) = (club.join("dropped").await?, club.join("dropped").await?);
    let start = tokio::time::Instant::now();
    for round in 0.. {
        for member in [&mut first, &mut second] {
            let poll = member.consumer.poll(500, LONG, &mut member.diary);
            let limit = std::time::Duration::from_millis(round % 60);
            if let Ok(polled) = tokio::time::timeout(limit, poll).await {
                member.read.extend(polled?);
            }
        }
        let owned = [first.owns().len(), second.owns().len()];
        let mut read = BTreeSet::new();
        for place in [stage.place("dropped", 0), stage.place("dropped", 1)] {
            let offsets = [first.offsets_of(&place), second.offsets_of(&place)].concat();
            read.extend(offsets.into_iter().map(|offset| (place.partition, offset)));
        }
        if owned == [1, 1] && read.len() == 4 && first.was_told() && second.was_told() {
            break;
        }
        let diaries = (&first.diary.lines, &second.diary.lines);
        let is_late = start.elapsed() > stage.patience().to_duration();
        assert!(!is_late, "{owned:?}, {read:?}, {diaries:?}");
    }
    first.consumer.close(LONG).await?;
    second.consumer.close(LONG).await?;
    Ok(())
}

/// A pattern means whole names, and finds topics that are made later.
async fn a_pattern_finds_new_topics(stage: &impl Stage, dealing: Dealing) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("pattern-a"), 1).await?;
    create(&cluster, &format!("a-{}", stage.name("pattern-b")), 1).await?;
    let club = Club::new(stage, "pattern", dealing);
    let pattern = Subscription::pattern(&format!("{}.*", stage.name("pattern-")))?;
    let soon = |config: &mut ConsumerConfig| {
        config.connection.metadata_max_age = Span::millis(300);
    };
    let mut member = club.join_with(pattern, soon).await?;
    club.settle(&mut [&mut member], &[1]).await?;
    assert_eq!(member.owns(), [stage.place("pattern-a", 0)]);
    create(&cluster, &stage.name("pattern-c"), 2).await?;
    club.settle(&mut [&mut member], &[3]).await?;
    let c = |partition| stage.place("pattern-c", partition);
    assert_eq!(member.owns(), [stage.place("pattern-a", 0), c(0), c(1)]);
    member.consumer.close(LONG).await?;
    Ok(())
}

/// While a group has members, nobody changes its offsets from outside; afterwards anybody may.
async fn a_group_in_use_is_protected(stage: &impl Stage, dealing: Dealing) -> Case {
    let cluster = stage.cluster();
    create(&cluster, &stage.name("in-use"), 1).await?;
    let place = stage.place("in-use", 0);
    let club = Club::new(stage, "in-use", dealing);
    let mut member = club.join("in-use").await?;
    club.settle(&mut [&mut member], &[1]).await?;
    let mark = offsets(&place, 0);
    member.consumer.commit(&mark, LONG).await?;
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    let group = club.group.as_str();
    let places = std::slice::from_ref(&place);
    let in_use = Class::GroupInUse;
    let altered = admin.alter_group_offsets(group, &mark, LONG).await;
    assert_eq!(refused(altered), in_use);
    let deleted = admin.delete_group_offsets(group, places, LONG).await;
    assert_eq!(refused(deleted), in_use);
    assert_eq!(refused(admin.delete_group(group, LONG).await), in_use);
    let config = ConsumerConfig {
        group: Some(group.to_owned()),
        ..ConsumerConfig::default()
    };
    let stranger = cluster.consumer(config, LONG).await?;
    stranger.assign(places, LONG).await?;
    assert_eq!(refused(stranger.commit(&mark, LONG).await), in_use);
    assert_eq!(admin.group_offsets(group, LONG).await?, mark);
    member.consumer.close(LONG).await?;
    stranger.commit(&mark, LONG).await?;
    admin.delete_group(group, LONG).await?;
    assert!(admin.group_offsets(group, LONG).await?.is_empty());
    Ok(())
}

/// The cases above as an area of the table, for one way to deal.
macro_rules! area {
    ($name:ident, $dealing:ident: $($case:ident)*) => {
        pub(crate) mod $name {
            use super::{Case, Dealing, Stage};
            $(pub(crate) async fn $case(stage: impl Stage) -> Case {
                super::$case(&stage, Dealing::$dealing).await
            })*
        }
    };
    ($($name:ident = $dealing:ident),*) => {
        $(area! { $name, $dealing:
            a_lone_member_gets_everything
            two_members_share_and_hand_over
            three_members_join_and_leave
            a_silent_member_loses_its_partitions_and_comes_back
            a_member_that_is_gone_without_a_word_is_replaced
            a_commit_during_a_rebalance_is_taken_or_repeated
            a_late_commit_never_moves_offsets_back
            dropped_polls_lose_nothing
            a_pattern_finds_new_topics
            a_group_in_use_is_protected
        })*
    };
}

area!(
    eager_groups = Eager,
    cooperative_groups = Cooperative,
    broker_groups = Broker
);
