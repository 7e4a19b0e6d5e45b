use super::*;

fn claim(topics: &[&str], owned: &[(&str, i32)], generation: i32) -> Claim {
    let owned = owned.iter();
    Claim {
        topics: topics.iter().map(|topic| (*topic).to_owned()).collect(),
        owned: owned
            .map(|(topic, number)| TopicPartition::new(*topic, *number))
            .collect(),
        generation,
    }
}

fn dealt(assignor: Assignor, claims: &[(&str, Claim)], counts: &[(&str, u32)]) -> Vec<String> {
    let claims = claims.iter();
    let claims = claims.map(|(id, claim)| ((*id).to_owned(), claim.clone()));
    let counts = counts
        .iter()
        .map(|(topic, count)| (Arc::from(*topic), *count));
    let shares = shares(assignor, &claims.collect(), &counts.collect());
    let text = |(id, share): (String, Vec<TopicPartition>)| {
        let names: Vec<String> = share.iter().map(ToString::to_string).collect();
        format!("{id}: {}", names.join(" "))
    };
    shares.into_iter().map(text).collect()
}

#[test]
fn a_leader_deals_what_exists_to_those_who_want_it() {
    let both = claim(&["a", "b", "missing"], &[], -1);
    let one = claim(&["b"], &[], -1);
    assert_eq!(
        dealt(
            Assignor::Range,
            &[("m1", both), ("m2", one)],
            &[("a", 2), ("b", 2)]
        ),
        ["m1: a-0 a-1 b-0", "m2: b-1"]
    );
}

#[test]
fn what_moves_is_left_out_until_its_owner_gave_it_up() {
    let cooperative = Assignor::CooperativeSticky;
    let has_all = claim(&["a"], &[("a", 0), ("a", 1)], 3);
    let new = claim(&["a"], &[], -1);
    assert_eq!(
        dealt(cooperative, &[("m1", has_all), ("m2", new)], &[("a", 2)]),
        ["m1: a-0", "m2: "]
    );
    let has_one = claim(&["a"], &[("a", 0)], 4);
    let waits = claim(&["a"], &[], 4);
    assert_eq!(
        dealt(cooperative, &[("m1", has_one), ("m2", waits)], &[("a", 2)]),
        ["m1: a-0", "m2: a-1"]
    );
}

#[test]
fn of_two_claims_the_newer_counts() {
    let missed_a_round = claim(&["a"], &[("a", 0), ("a", 1)], 3);
    let owner = claim(&["a"], &[("a", 1)], 5);
    assert_eq!(
        dealt(
            Assignor::CooperativeSticky,
            &[("m1", missed_a_round), ("m2", owner)],
            &[("a", 2)]
        ),
        ["m1: a-0", "m2: a-1"]
    );
}

fn core(phase: Phase, assignor: Assignor, owned: &[TopicPartition]) -> Core {
    Core {
        phase,
        identity: Identity {
            id: "m".to_owned(),
            generation: 4,
        },
        assignor: Some(assignor),
        topics: vec!["t".to_owned()],
        owned: owned.iter().cloned().collect(),
        again: false,
        polled: Instant::now(),
        is_polling: false,
        contact: Contact::Held,
    }
}

#[test]
fn the_end_of_an_outage_is_told_once() {
    let mut contact = Contact::Held;
    contact.heard(true);
    assert!(!contact.take_return(), "there was none");
    contact.heard(false);
    contact.heard(false);
    assert!(!contact.take_return(), "it lasts");
    contact.heard(true);
    contact.heard(true);
    assert!(contact.take_return());
    assert!(!contact.take_return());
    contact.heard(false);
    contact.heard(true);
    contact.heard(false);
    assert!(!contact.take_return(), "it is away again");
}

#[test]
fn a_round_begins_at_once_or_after_everything_was_given_up() {
    let owned = [TopicPartition::new("t", 0)];
    let after = |phase, assignor, owned: &[TopicPartition]| {
        let mut core = core(phase, assignor, owned);
        core.rejoin();
        (format!("{:?}", core.phase), core.again)
    };
    let (range, cooperative) = (Assignor::Range, Assignor::CooperativeSticky);
    let is = |phase: &str, again| (phase.to_owned(), again);
    assert_eq!(after(Phase::Stable, range, &owned), is("Due", false));
    assert_eq!(after(Phase::Stable, range, &[]), is("Joining", false));
    assert_eq!(
        after(Phase::Stable, cooperative, &owned),
        is("Joining", false)
    );
    assert_eq!(after(Phase::Out, range, &[]), is("Joining", false));
    assert_eq!(after(Phase::Joining, range, &[]), is("Joining", true));
    assert_eq!(after(Phase::Due, range, &owned), is("Due", false));
    assert_eq!(after(Phase::Closed, range, &owned), is("Closed", false));
}

#[test]
fn who_is_thrown_out_commits_nothing_more_and_tells_what_is_lost() {
    let owned = [TopicPartition::new("t", 0)];
    let mut out = core(Phase::Stable, Assignor::Range, &owned);
    out.expel(false);
    assert!(matches!(out.phase, Phase::Lost));
    assert_eq!(out.identity, Identity::default());
    let mut behind = core(Phase::Joining, Assignor::Range, &[]);
    behind.expel(true);
    assert!(matches!(behind.phase, Phase::Joining), "nothing to tell");
    assert_eq!(
        (behind.identity.id.as_str(), behind.identity.generation),
        ("m", -1)
    );
}
