use super::*;

fn wants(list: &[(&str, u32)]) -> Wanted {
    list.iter()
        .map(|(name, partitions)| ((*name).into(), *partitions))
        .collect()
}

fn partitions(names: &[(&str, i32)]) -> Vec<TopicPartition> {
    names
        .iter()
        .map(|(topic, number)| TopicPartition::new(*topic, *number))
        .collect()
}

/// Shares in the order of the members, as text.
fn shares(assignor: Assignor, members: &[(&Wanted, &[TopicPartition])]) -> Vec<Vec<String>> {
    let candidates: Vec<_> = members
        .iter()
        .map(|(wanted, had)| Candidate { wanted, had })
        .collect();
    let text = |share: Vec<TopicPartition>| share.iter().map(ToString::to_string).collect();
    deal(assignor, &candidates).into_iter().map(text).collect()
}

#[test]
fn ranges_go_topic_by_topic() {
    let both = wants(&[("a", 3), ("b", 2)]);
    assert_eq!(
        shares(Assignor::Range, &[(&both, &[]), (&both, &[])]),
        [vec!["a-0", "a-1", "b-0"], vec!["a-2", "b-1"]]
    );
}

#[test]
fn round_robin_goes_on_over_topics_and_passes_over_who_wants_none() {
    let both = wants(&[("a", 3), ("b", 2)]);
    assert_eq!(
        shares(Assignor::RoundRobin, &[(&both, &[]), (&both, &[])]),
        [vec!["a-0", "a-2", "b-1"], vec!["a-1", "b-0"]]
    );
    let one = wants(&[("b", 2)]);
    assert_eq!(
        shares(Assignor::RoundRobin, &[(&both, &[]), (&one, &[])]),
        [vec!["a-0", "a-1", "a-2", "b-1"], vec!["b-0"]]
    );
}

#[test]
fn sticky_moves_as_few_as_it_can() {
    let six = wants(&[("a", 6)]);
    let first = partitions(&[("a", 0), ("a", 1), ("a", 4)]);
    let second = partitions(&[("a", 2), ("a", 3), ("a", 5)]);
    let sticky = Assignor::CooperativeSticky;
    assert_eq!(
        shares(sticky, &[(&six, &first), (&six, &second), (&six, &[])]),
        [vec!["a-0", "a-1"], vec!["a-2", "a-3"], vec!["a-4", "a-5"]]
    );
    assert_eq!(
        shares(sticky, &[(&six, &first)]),
        [vec!["a-0", "a-1", "a-2", "a-3", "a-4", "a-5"]]
    );
}

#[test]
fn sticky_forgets_what_is_gone_or_claimed_twice() {
    let two = wants(&[("a", 2)]);
    let stale = partitions(&[("a", 0), ("a", 5), ("gone", 0)]);
    let twice = partitions(&[("a", 0), ("a", 1)]);
    assert_eq!(
        shares(
            Assignor::CooperativeSticky,
            &[(&two, &stale), (&two, &twice)]
        ),
        [vec!["a-0"], vec!["a-1"]]
    );
}

/// Over many random groups: everything wanted is dealt once, to somebody who wants it, and nobody
/// has two more than another who could take one.
#[test]
fn every_assignor_deals_everything_once() {
    let mut seed = 7_u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    for _ in 0..300 {
        let members = random(5) + 1;
        let counts: Vec<u32> = (0..3).map(|_| u32::try_from(random(6)).unwrap()).collect();
        let wanted: Vec<Wanted> = (0..members)
            .map(|_| {
                let topics = (0..3_usize).filter(|_| random(3) > 0);
                let topics: Vec<usize> = topics.collect();
                topics
                    .into_iter()
                    .map(|topic| (Arc::from(format!("t{topic}")), counts[topic]))
                    .collect()
            })
            .collect();
        let candidates: Vec<_> = wanted
            .iter()
            .map(|wanted| Candidate { wanted, had: &[] })
            .collect();
        for assignor in [
            Assignor::Range,
            Assignor::RoundRobin,
            Assignor::CooperativeSticky,
        ] {
            let shares = deal(assignor, &candidates);
            let mut dealt = BTreeSet::new();
            for (candidate, share) in candidates.iter().zip(&shares) {
                for partition in share {
                    assert!(candidate.wanted.contains_key(&partition.topic));
                    assert!(dealt.insert(partition.clone()), "{partition} twice");
                }
            }
            let expected: BTreeSet<_> = wanted
                .iter()
                .flatten()
                .flat_map(|(topic, count)| {
                    (0..*count)
                        .map(|number| TopicPartition::new(Arc::clone(topic), number.cast_signed()))
                })
                .collect();
            assert_eq!(dealt, expected, "{assignor:?}");
        }
    }
}
