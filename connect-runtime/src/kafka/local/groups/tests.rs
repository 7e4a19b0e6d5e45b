use super::*;

const INTERVAL: Span = Span::millis(1_000);

fn at(millis: u64) -> Mono {
    Mono::from_millis(millis)
}

fn topics(list: &[(&str, u32)]) -> Wanted {
    list.iter()
        .map(|(name, partitions)| ((*name).into(), *partitions))
        .collect()
}

fn names(step: Step) -> Vec<String> {
    let Step::Assigned(partitions) = step else {
        panic!("not assigned: {step:?}")
    };
    partitions.iter().map(ToString::to_string).collect()
}

/// Takes `id` through its steps until it has nothing to do or must wait.
fn settle(groups: &mut Groups, id: MemberId, wanted: &Wanted, now: Mono) -> Option<Vec<String>> {
    let mut assigned = None;
    loop {
        match groups.step("g", id, wanted, now).0 {
            Step::Rejoin => groups.rejoin("g", id, now),
            step @ Step::Assigned(_) => {
                assigned = Some(names(step));
                groups.accepted("g", id);
            }
            Step::Keep | Step::Wait(_) | Step::Lost => return assigned,
        }
    }
}

#[test]
fn partitions_are_dealt_in_ranges_topic_by_topic() {
    let mut groups = Groups::default();
    let wanted = topics(&[("a", 3), ("b", 2)]);
    let first = groups.join("g", wanted.clone(), INTERVAL, at(0));
    assert_eq!(settle(&mut groups, first, &wanted, at(0)).unwrap().len(), 5);
    let second = groups.join("g", wanted.clone(), INTERVAL, at(1));
    assert_eq!(settle(&mut groups, second, &wanted, at(1)), None);
    assert_eq!(
        settle(&mut groups, first, &wanted, at(2)).unwrap(),
        ["a-0", "a-1", "b-0"]
    );
    assert_eq!(
        settle(&mut groups, second, &wanted, at(3)).unwrap(),
        ["a-2", "b-1"]
    );
}

#[test]
fn more_members_than_partitions_leave_some_with_nothing() {
    let mut groups = Groups::default();
    let wanted = topics(&[("a", 1)]);
    let first = groups.join("g", wanted.clone(), INTERVAL, at(0));
    let second = groups.join("g", wanted.clone(), INTERVAL, at(0));
    settle(&mut groups, first, &wanted, at(0));
    assert_eq!(
        settle(&mut groups, second, &wanted, at(0)).unwrap(),
        [""; 0]
    );
    assert_eq!(settle(&mut groups, first, &wanted, at(0)).unwrap(), ["a-0"]);
}

#[test]
fn a_silent_member_is_thrown_out_and_the_others_take_over() {
    let mut groups = Groups::default();
    let wanted = topics(&[("a", 2)]);
    let silent = groups.join("g", wanted.clone(), INTERVAL, at(0));
    settle(&mut groups, silent, &wanted, at(0));
    groups.polling("g", silent, false, at(0));
    let other = groups.join("g", wanted.clone(), INTERVAL, at(500));
    groups.polling("g", other, true, at(500));
    groups.rejoin("g", other, at(500));
    assert_eq!(
        groups.step("g", other, &wanted, at(900)).0,
        Step::Wait(at(1_500))
    );
    assert_eq!(
        settle(&mut groups, other, &wanted, at(1_500)).unwrap(),
        ["a-0", "a-1"]
    );
    assert_eq!(groups.step("g", silent, &wanted, at(1_600)).0, Step::Lost);
    let refused = groups.may_commit("g", Some(silent), at(1_600)).unwrap_err();
    assert_eq!(refused.class(), Class::Fenced);
    groups.may_commit("g", Some(other), at(1_600)).unwrap();
}

#[test]
fn a_member_inside_a_poll_is_not_silent() {
    let mut groups = Groups::default();
    let wanted = topics(&[("a", 1)]);
    let member = groups.join("g", wanted.clone(), INTERVAL, at(0));
    settle(&mut groups, member, &wanted, at(0));
    groups.polling("g", member, true, at(0));
    assert!(groups.in_use("g", at(60_000)));
    groups.polling("g", member, false, at(60_000));
    assert!(groups.in_use("g", at(60_999)));
    assert!(!groups.in_use("g", at(61_000)));
}

#[test]
fn strangers_commit_only_for_groups_without_members() {
    let mut groups = Groups::default();
    groups.may_commit("g", None, at(0)).unwrap();
    let member = groups.join("g", Wanted::new(), INTERVAL, at(0));
    let refused = groups.may_commit("g", None, at(0)).unwrap_err();
    assert_eq!(refused.class(), Class::GroupInUse);
    groups.leave("g", member, at(0));
    groups.may_commit("g", None, at(0)).unwrap();
}

#[test]
fn new_partitions_start_a_rebalance() {
    let mut groups = Groups::default();
    let old = topics(&[("a", 1)]);
    let member = groups.join("g", old.clone(), INTERVAL, at(0));
    settle(&mut groups, member, &old, at(0));
    let new = topics(&[("a", 2)]);
    assert_eq!(
        settle(&mut groups, member, &new, at(1)).unwrap(),
        ["a-0", "a-1"]
    );
    assert_eq!(settle(&mut groups, member, &new, at(1)), None);
}
