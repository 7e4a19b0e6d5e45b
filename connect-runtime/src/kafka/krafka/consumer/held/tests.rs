use bytes::Bytes;
use krafka::consumer::ConsumerRecord;

use super::*;

fn record(topic: &str, partition: i32, offset: i64, value: &str) -> ConsumerRecord {
    let value = Some(Bytes::copy_from_slice(value.as_bytes()));
    ConsumerRecord::new(topic, partition, offset, None, value)
}

fn offsets(batches: &[PartitionBatch]) -> Vec<(String, Vec<i64>)> {
    let text = |batch: &PartitionBatch| {
        let offsets = batch.records.iter().map(|record| record.offset);
        (batch.partition.to_string(), offsets.collect())
    };
    batches.iter().map(text).collect()
}

fn some() -> Vec<PartitionBatch> {
    group(vec![
        record("a", 0, 7, "12345"),
        record("a", 0, 9, "12345"),
        record("a", 1, 0, "12345"),
        record("b", 1, 3, "12345"),
    ])
}

const ALL: Room = Room {
    records: 100,
    bytes: 100,
};

#[test]
fn records_come_in_one_batch_per_partition() {
    let batches = some();
    let expected = [
        ("a-0".to_owned(), vec![7, 9]),
        ("a-1".to_owned(), vec![0]),
        ("b-1".to_owned(), vec![3]),
    ];
    assert_eq!(offsets(&batches), expected);
    assert!(ALL.fits(&batches));
    assert!(!Room { records: 3, ..ALL }.fits(&batches));
    assert!(!Room { bytes: 19, ..ALL }.fits(&batches));
    assert!(group(Vec::new()).is_empty());
}

#[test]
fn header_names_are_shared_between_records() {
    let mut records = vec![record("a", 0, 0, ""), record("a", 0, 1, "")];
    for record in &mut records {
        record.headers = vec![("h".to_owned(), None), ("h".to_owned(), Some(Bytes::new()))];
    }
    let batches = group(records);
    let [first, second] = [0, 1].map(|at| &batches[0].records[at].headers);
    assert_eq!(first, second);
    assert!(Arc::ptr_eq(&first[0].name, &second[0].name));
}

#[test]
fn what_there_is_no_room_for_comes_later_and_nothing_is_lost() {
    let nobody = BTreeSet::new();
    for room in [
        Room { records: 1, ..ALL },
        Room { records: 2, ..ALL },
        Room { bytes: 1, ..ALL },
        Room { bytes: 11, ..ALL },
        ALL,
    ] {
        let mut held = Held::default();
        held.push(some());
        let mut taken: Vec<(String, i64)> = Vec::new();
        while held.is_ready(&nobody) {
            let batches = held.take(room, &nobody);
            let count: usize = batches.iter().map(|batch| batch.records.len()).sum();
            assert!(count >= 1 && count <= room.records, "{room:?}: {count}");
            assert!(room.fits(&batches) || count == 1, "{room:?}");
            for (partition, offsets) in offsets(&batches) {
                taken.extend(
                    offsets
                        .into_iter()
                        .map(|offset| (partition.clone(), offset)),
                );
            }
        }
        taken.sort();
        let expected = [("a-0", 7), ("a-0", 9), ("a-1", 0), ("b-1", 3)];
        assert_eq!(
            taken,
            expected.map(|(name, offset)| (name.to_owned(), offset))
        );
    }
}

#[test]
fn paused_partitions_stay_and_forgotten_ones_go() {
    let [a0, b1] = [TopicPartition::new("a", 0), TopicPartition::new("b", 1)];
    let mut held = Held::default();
    held.push(some());
    assert_eq!(held.first_offset(&a0), Some(7));
    let paused = BTreeSet::from([a0]);
    held.forget(&b1);
    assert_eq!(
        offsets(&held.take(ALL, &paused)),
        [("a-1".to_owned(), vec![0])]
    );
    assert!(!held.is_ready(&paused));
    assert_eq!(held.first_offset(&b1), None);
    held.push(group(vec![record("a", 0, 10, "")]));
    let nobody = BTreeSet::new();
    assert_eq!(
        offsets(&held.take(ALL, &nobody)),
        [("a-0".to_owned(), vec![7, 9, 10])]
    );
}
