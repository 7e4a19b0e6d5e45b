use super::*;
use crate::kafka::types::{Record, TimestampType};

fn place(number: i32) -> TopicPartition {
    TopicPartition::new("t", number)
}

fn batch(number: i32, offsets: &[i64]) -> PartitionBatch {
    let record = |offset: &i64| Record {
        offset: *offset,
        timestamp: 0,
        timestamp_type: TimestampType::CreateTime,
        key: None,
        value: None,
        headers: Vec::new(),
    };
    PartitionBatch {
        partition: place(number),
        records: offsets.iter().map(record).collect(),
    }
}

const ALL: Room = Room {
    records: 100,
    bytes: 100,
};

/// Two partitions that are placed.
fn view() -> View {
    let mut view = View::default();
    assert_eq!(view.add(&[place(0), place(1)]).len(), 2);
    assert!(view.place(&place(0), None) && view.place(&place(1), None));
    view
}

#[test]
fn a_partition_is_read_when_it_has_a_start_and_is_not_paused() {
    let mut view = View::default();
    view.add(&[place(0), place(1)]);
    assert!(view.fetchable().is_empty());
    assert_eq!(view.position(&place(0)), Err(false));
    view.pause(&[place(0)]).unwrap();
    assert!(view.place(&place(0), None));
    assert!(!view.may_fetch(&place(0)));
    assert_eq!(view.resume(&[place(0), place(1)]).unwrap(), [place(0)]);
    assert_eq!(view.fetchable(), [place(0)]);
    assert_eq!(view.position(&place(0)), Err(true));
}

#[test]
fn a_seek_throws_away_what_was_fetched_before_it_and_what_comes_of_it_still() {
    let mut view = view();
    view.hold(vec![batch(0, &[3, 4]), batch(1, &[7])]);
    assert_eq!(view.position(&place(0)), Ok(3));
    view.seek(&place(0), 1).unwrap();
    assert_eq!(view.position(&place(0)), Ok(1));
    let mut late = vec![batch(0, &[5]), batch(1, &[8])];
    view.sift(&mut late);
    assert_eq!(late, [batch(1, &[8])]);
    assert_eq!(view.take(ALL), [batch(1, &[7])]);
    // Meanwhile it was sought again: the older place does not count.
    view.seek(&place(0), 2).unwrap();
    assert!(!view.place(&place(0), Some(1)));
    assert!(view.place(&place(0), Some(2)));
}

#[test]
fn what_is_taken_away_leaves_nothing_behind() {
    let mut view = view();
    view.pause(&[place(0)]).unwrap();
    view.hold(vec![batch(0, &[3])]);
    assert_eq!(view.replace(&[place(1), place(2)]), [place(2)]);
    assert_eq!(view.assignment(), [place(1), place(2)]);
    let mut late = vec![batch(0, &[4])];
    view.sift(&mut late);
    assert!(late.is_empty());
    for outcome in [
        view.seek(&place(0), 0),
        view.pause(&[place(0)]),
        view.resume(&[place(0)]).map(drop),
    ] {
        assert_eq!(outcome.unwrap_err().class(), Class::InvalidRequest);
    }
    view.add(&[place(0)]);
    assert!(view.place(&place(0), None));
    assert!(
        view.may_fetch(&place(0)),
        "a pause ends with the assignment"
    );
    assert!(!view.is_ready());
}
