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

const RANGE: &[Assignor] = &[Assignor::Range];
const COOPERATIVE: &[Assignor] = &[Assignor::CooperativeSticky];

fn application(assignors: &[Assignor], wanted: &Wanted) -> Application {
    Application {
        wanted: wanted.clone(),
        protocol: GroupProtocol::Classic {
            assignors: assignors.to_vec(),
            heartbeat: Span::ZERO,
        },
        interval: INTERVAL,
    }
}

fn join(groups: &mut Groups, assignors: &[Assignor], wanted: &Wanted, now: Mono) -> MemberId {
    groups
        .join("g", application(assignors, wanted), now)
        .unwrap()
}

/// Takes `id`, which gives up everything when asked to, through its steps until it has nothing to do
/// or must wait.
fn settle(groups: &mut Groups, id: MemberId, wanted: &Wanted, now: Mono) -> Option<Vec<String>> {
    let mut assigned = None;
    loop {
        match groups.step("g", id, wanted, now).0 {
            Step::Rejoin { keeps } => {
                assert!(!keeps);
                groups.rejoin("g", id, Vec::new(), now);
            }
            step @ Step::Assigned(_) => {
                assigned = Some(names(step));
                groups.accepted("g", id, now);
            }
            Step::Keep | Step::Wait(_) | Step::Lost => return assigned,
        }
    }
}

/// A member that keeps what it may, and what it was told.
#[derive(Debug)]
struct Keeper {
    id: MemberId,
    owned: Vec<TopicPartition>,
    told: Vec<String>,
}

impl Keeper {
    fn join(groups: &mut Groups, wanted: &Wanted, now: Mono) -> Self {
        let id = join(groups, COOPERATIVE, wanted, now);
        let (owned, told) = (Vec::new(), Vec::new());
        Self { id, owned, told }
    }

    /// One step; false when there is nothing to do.
    fn step(&mut self, groups: &mut Groups, wanted: &Wanted, now: Mono) -> bool {
        match groups.step("g", self.id, wanted, now).0 {
            Step::Keep | Step::Wait(_) => return false,
            Step::Rejoin { keeps } => {
                if !keeps {
                    self.tell("-", |_| true);
                    self.owned.clear();
                }
                groups.rejoin("g", self.id, self.owned.clone(), now);
            }
            Step::Assigned(partitions) => {
                self.tell("-", |partition| !partitions.contains(partition));
                let owned = std::mem::replace(&mut self.owned, partitions);
                self.tell("+", |partition| !owned.contains(partition));
                groups.accepted("g", self.id, now);
            }
            Step::Lost => {
                self.tell("lost ", |_| true);
                self.owned.clear();
            }
        }
        true
    }

    fn tell(&mut self, what: &str, which: impl Fn(&TopicPartition) -> bool) {
        let told = self.owned.iter().filter(|partition| which(partition));
        self.told
            .extend(told.map(|partition| format!("{what}{partition}")));
    }

    fn drain(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told)
    }
}

/// Steps members in turn until none has anything to do; nobody ever owns what another owns.
fn settle_all(groups: &mut Groups, members: &mut [&mut Keeper], wanted: &Wanted, now: Mono) {
    for _ in 0..100 {
        let mut is_busy = false;
        for index in 0..members.len() {
            is_busy |= members[index].step(groups, wanted, now);
            let mut owned: Vec<_> = members.iter().flat_map(|member| &member.owned).collect();
            let count = owned.len();
            owned.sort();
            owned.dedup();
            assert_eq!(
                owned.len(),
                count,
                "a partition has two owners: {members:?}"
            );
        }
        if !is_busy {
            return;
        }
    }
    panic!("the group does not settle: {members:?}");
}

#[test]
fn partitions_are_dealt_in_ranges_topic_by_topic() {
    let mut groups = Groups::default();
    let wanted = topics(&[("a", 3), ("b", 2)]);
    let first = join(&mut groups, RANGE, &wanted, at(0));
    assert_eq!(settle(&mut groups, first, &wanted, at(0)).unwrap().len(), 5);
    let second = join(&mut groups, RANGE, &wanted, at(1));
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
    let first = join(&mut groups, RANGE, &wanted, at(0));
    let second = join(&mut groups, RANGE, &wanted, at(0));
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
    let silent = join(&mut groups, RANGE, &wanted, at(0));
    settle(&mut groups, silent, &wanted, at(0));
    groups.polling("g", silent, false, at(0));
    let other = join(&mut groups, RANGE, &wanted, at(500));
    groups.polling("g", other, true, at(500));
    groups.rejoin("g", other, Vec::new(), at(500));
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
    let member = join(&mut groups, RANGE, &wanted, at(0));
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
    let member = join(&mut groups, RANGE, &Wanted::new(), at(0));
    let refused = groups.may_commit("g", None, at(0)).unwrap_err();
    assert_eq!(refused.class(), Class::GroupInUse);
    groups.leave("g", member, at(0));
    groups.may_commit("g", None, at(0)).unwrap();
}

#[test]
fn new_partitions_start_a_rebalance() {
    let mut groups = Groups::default();
    let old = topics(&[("a", 1)]);
    let member = join(&mut groups, RANGE, &old, at(0));
    settle(&mut groups, member, &old, at(0));
    let new = topics(&[("a", 2)]);
    assert_eq!(
        settle(&mut groups, member, &new, at(1)).unwrap(),
        ["a-0", "a-1"]
    );
    assert_eq!(settle(&mut groups, member, &new, at(1)), None);
}

#[test]
fn a_cooperative_newcomer_gets_what_its_owner_gave_up_and_the_rest_stays() {
    let mut groups = Groups::default();
    let wanted = topics(&[("a", 4)]);
    let mut first = Keeper::join(&mut groups, &wanted, at(0));
    settle_all(&mut groups, &mut [&mut first], &wanted, at(0));
    assert_eq!(first.drain(), ["+a-0", "+a-1", "+a-2", "+a-3"]);
    let mut second = Keeper::join(&mut groups, &wanted, at(1));
    settle_all(&mut groups, &mut [&mut first, &mut second], &wanted, at(1));
    assert_eq!(first.drain(), ["-a-2", "-a-3"]);
    assert_eq!(second.drain(), ["+a-2", "+a-3"]);
}

#[test]
fn a_partition_that_moves_is_nobodys_for_one_round() {
    let mut groups = Groups::default();
    let wanted = topics(&[("a", 2)]);
    let mut first = Keeper::join(&mut groups, &wanted, at(0));
    settle_all(&mut groups, &mut [&mut first], &wanted, at(0));
    let mut second = Keeper::join(&mut groups, &wanted, at(1));
    assert!(second.step(&mut groups, &wanted, at(1)), "joins");
    assert!(
        first.step(&mut groups, &wanted, at(1)),
        "joins, keeping both"
    );
    assert_eq!(first.owned.len(), 2);
    assert!(
        second.step(&mut groups, &wanted, at(1)),
        "is given nothing yet"
    );
    assert!(second.owned.is_empty());
    assert!(first.step(&mut groups, &wanted, at(1)), "gives one up");
    assert_eq!(first.owned.len(), 1);
    assert!(
        second.step(&mut groups, &wanted, at(1)),
        "joins the second round"
    );
    assert!(second.owned.is_empty());
    settle_all(&mut groups, &mut [&mut first, &mut second], &wanted, at(1));
    assert_eq!(second.drain(), ["+a-1"]);
}

#[test]
fn cooperative_members_take_over_from_one_that_left_without_giving_anything_up() {
    let mut groups = Groups::default();
    let wanted = topics(&[("a", 6)]);
    let [mut first, mut second, mut third] =
        [0, 1, 2].map(|_| Keeper::join(&mut groups, &wanted, at(0)));
    let mut all = [&mut first, &mut second, &mut third];
    settle_all(&mut groups, &mut all, &wanted, at(0));
    all.iter_mut().for_each(|member| drop(member.drain()));
    groups.leave("g", second.id, at(1));
    settle_all(&mut groups, &mut [&mut first, &mut third], &wanted, at(1));
    assert!(
        first
            .drain()
            .iter()
            .chain(&third.drain())
            .all(|told| told.starts_with('+'))
    );
    assert_eq!((first.owned.len(), third.owned.len()), (3, 3));
}

#[test]
fn a_silent_cooperative_member_loses_everything_and_comes_back() {
    let mut groups = Groups::default();
    let wanted = topics(&[("a", 2)]);
    let mut silent = Keeper::join(&mut groups, &wanted, at(0));
    settle_all(&mut groups, &mut [&mut silent], &wanted, at(0));
    groups.polling("g", silent.id, false, at(0));
    let mut other = Keeper::join(&mut groups, &wanted, at(10));
    groups.polling("g", other.id, true, at(10));
    settle_all(&mut groups, &mut [&mut other], &wanted, at(10));
    assert!(
        other.owned.is_empty(),
        "the silent one may still be at work"
    );
    settle_all(&mut groups, &mut [&mut other], &wanted, at(1_010));
    assert_eq!(other.drain(), ["+a-0", "+a-1"]);
    silent.drain();
    assert!(silent.step(&mut groups, &wanted, at(1_011)));
    assert_eq!(silent.drain(), ["lost a-0", "lost a-1"]);
}

#[test]
fn members_deal_by_what_they_all_know() {
    let mut groups = Groups::default();
    let wanted = topics(&[("a", 2)]);
    let both = [Assignor::Range, Assignor::CooperativeSticky];
    let mut first = Keeper {
        id: join(&mut groups, &both, &wanted, at(0)),
        owned: Vec::new(),
        told: Vec::new(),
    };
    settle_all(&mut groups, &mut [&mut first], &wanted, at(0));
    first.drain();
    // The first dealt in ranges, so it gives everything up before the group becomes cooperative.
    let mut second = Keeper::join(&mut groups, &wanted, at(1));
    settle_all(&mut groups, &mut [&mut first, &mut second], &wanted, at(1));
    assert_eq!(first.drain(), ["-a-0", "-a-1", "+a-0"]);
    let refused = groups
        .join("g", application(RANGE, &wanted), at(2))
        .unwrap_err();
    assert_eq!(refused.class(), Class::InvalidRequest);
    assert_eq!(
        groups.step("g", first.id, &wanted, at(2)).0,
        Step::Keep,
        "nobody else is disturbed"
    );
}

/// Members come, go and fall silent at random; partitions never have two owners, and in the end all
/// of them have one.
#[test]
fn no_partition_ever_has_two_owners() {
    let wanted = topics(&[("a", 7), ("b", 2)]);
    for seed in 1..200_u64 {
        let mut state = seed;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        let mut groups = Groups::default();
        let mut members: Vec<Keeper> = Vec::new();
        let mut now = 0;
        for _ in 0..60 {
            now += random(200);
            match random(6) {
                0 if members.len() < 5 => {
                    members.push(Keeper::join(&mut groups, &wanted, at(now)));
                }
                1 if !members.is_empty() => {
                    let index = usize::try_from(random(members.len() as u64)).unwrap();
                    groups.leave("g", members.swap_remove(index).id, at(now));
                }
                _ if !members.is_empty() => {
                    let index = usize::try_from(random(members.len() as u64)).unwrap();
                    let member = &mut members[index];
                    groups.polling("g", member.id, true, at(now));
                    member.step(&mut groups, &wanted, at(now));
                    groups.polling("g", member.id, false, at(now));
                    // Who was thrown out does not know it yet, as with a real coordinator.
                    let live = members
                        .iter()
                        .filter(|member| groups.may_commit("g", Some(member.id), at(now)).is_ok());
                    let live: Vec<_> = live.flat_map(|member| &member.owned).collect();
                    let distinct: std::collections::BTreeSet<_> = live.iter().collect();
                    assert_eq!(distinct.len(), live.len(), "seed {seed} at {now}");
                }
                _ => {}
            }
        }
        members.retain(|member| groups.may_commit("g", Some(member.id), at(now)).is_ok());
        if members.is_empty() {
            continue;
        }
        for member in &members {
            groups.polling("g", member.id, true, at(now));
        }
        let mut all: Vec<&mut Keeper> = members.iter_mut().collect();
        settle_all(&mut groups, &mut all, &wanted, at(now));
        let owned: usize = members.iter().map(|member| member.owned.len()).sum();
        assert_eq!(owned, 9, "seed {seed}");
    }
}
