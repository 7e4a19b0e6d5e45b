//! Groups on a Kafka cluster: what a cluster in the process has not.

use std::time::Duration;

use ferroconnect_runtime::kafka::krafka::KrafkaCluster;
use ferroconnect_runtime::kafka::{
    AdminConfig, Class, Cluster, ConsumerConfig, NewTopic, OffsetAndMetadata, Offsets,
    ProducerConfig, Subscription,
};
use ferroconnect_runtime::time::Span;
use krafka::admin::CreatePartitionsOptions;

use crate::table::{Case, Club, Dealing, Kafka, LONG, OwnNode, Stage, produce, run};

const ALL: [Dealing; 3] = [Dealing::Eager, Dealing::Cooperative, Dealing::Broker];

async fn create(cluster: &dyn Cluster, name: &str, partitions: u32) -> Case {
    let admin = cluster.admin(AdminConfig::default(), LONG).await?;
    Ok(admin
        .create_topic(&NewTopic::new(name, partitions), LONG)
        .await?)
}

/// A member with a name of its own goes and comes back: it gets what it had, and the other is not
/// disturbed (KIP-345).
#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn a_static_member_comes_back_without_a_rebalance() {
    run(async {
        for dealing in ALL {
            let stage = Kafka::for_case("a_static_member_comes_back_without_a_rebalance");
            create(&*stage.cluster(), &stage.name("static"), 4).await?;
            let club = Club::new(&stage, "static", dealing);
            let join = async |name: &str| {
                let topics = Subscription::Topics(vec![stage.name("static")]);
                let named = |config: &mut ConsumerConfig| {
                    config.settings.instance_id = Some(name.to_owned());
                };
                club.join_with(topics, named).await
            };
            let (mut first, mut second) = (join("first").await?, join("second").await?);
            club.settle(&mut [&mut first, &mut second], &[2, 2]).await?;
            let (had, told) = (first.owns(), second.diary.lines.len());
            first.consumer.close(LONG).await?;
            let mut first = join("first").await?;
            club.settle(&mut [&mut first, &mut second], &[2, 2]).await?;
            assert_eq!(first.owns(), had, "{dealing:?}");
            assert_eq!(
                second.diary.lines.len(),
                told,
                "{dealing:?}: {:?}",
                second.diary.lines
            );
            first.consumer.close(LONG).await?;
            second.consumer.close(LONG).await?;
        }
        Ok(())
    });
}

/// Partitions that are added to a topic are read, within the age that metadata may have.
#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn added_partitions_are_read() {
    run(async {
        for dealing in ALL {
            let stage = Kafka::for_case("added_partitions_are_read");
            let topic = stage.name("grows");
            create(&*stage.cluster(), &topic, 1).await?;
            let club = Club::new(&stage, "grows", dealing);
            let join = || {
                let topics = Subscription::Topics(vec![topic.clone()]);
                club.join_with(topics, |config| {
                    config.connection.metadata_max_age = Span::millis(300);
                })
            };
            let (mut first, mut second) = (join().await?, join().await?);
            while first.owns().len() + second.owns().len() == 0 {
                first.tick().await?;
                second.tick().await?;
            }
            let library = krafka::Kafka::builder(crate::table::shared())
                .connect()
                .await?;
            let options = CreatePartitionsOptions::default();
            let grown = library
                .admin()
                .create_partitions([(&topic, 4)], options)
                .await?;
            assert!(grown.values().all(Result::is_ok), "{grown:?}");
            club.settle(&mut [&mut first, &mut second], &[2, 2]).await?;
            first.consumer.close(LONG).await?;
            second.consumer.close(LONG).await?;
        }
        Ok(())
    });
}

/// A broker that is killed costs a member time: no poll is late, and after it came back reading goes on
/// where it was, and commits count (at the latest when a member that was given up has joined again).
#[test]
#[ignore = "needs a Kafka node: cargo xtask test"]
fn members_read_on_after_the_broker_was_killed() {
    run(async {
        let mut node = OwnNode::take();
        let cluster = KrafkaCluster::new(node.bootstrap());
        for dealing in [Dealing::Cooperative, Dealing::Broker] {
            let stage = Kafka::at(&node.bootstrap(), "members_read_on");
            create(&cluster, &stage.name("killed"), 1).await?;
            let place = stage.place("killed", 0);
            let producer = cluster.producer(ProducerConfig::default(), LONG).await?;
            produce(&*producer, &place, &["a", "b"]).await?;
            let club = Club::new(&stage, "killed", dealing);
            let mut member = club.join("killed").await?;
            while member.offsets_of(&place).len() < 2 {
                member.tick().await?;
            }
            node.kill();
            for _ in 0..20 {
                let start = tokio::time::Instant::now();
                member.tick().await?;
                assert!(start.elapsed() < Duration::from_secs(1), "{dealing:?}");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            node.start();
            produce(&*producer, &place, &["c", "d"]).await?;
            let start = tokio::time::Instant::now();
            while member.offsets_of(&place).len() < 4 {
                member.tick().await?;
                let lines = &member.diary.lines;
                assert!(
                    start.elapsed() < stage.patience().to_duration(),
                    "{dealing:?}: {lines:?}"
                );
            }
            let read = member.offsets_of(&place);
            assert!(read.ends_with(&[2, 3]), "{dealing:?}: {read:?}");
            let mark = Offsets::from([(place.clone(), OffsetAndMetadata::new(4))]);
            while let Err(error) = member.consumer.commit(&mark, LONG).await {
                assert!(
                    error.class() == Class::Fenced || error.is_retriable(),
                    "{error}"
                );
                member.tick().await?;
                assert!(start.elapsed() < stage.patience().to_duration(), "{error}");
            }
            let places = std::slice::from_ref(&place);
            assert_eq!(member.consumer.committed(places, LONG).await?, mark);
            member.consumer.close(LONG).await?;
        }
        Ok(())
    });
}
