use super::*;
use crate::kafka::batch::{BatchId, NewRow, RecordBatch};

fn sample() -> RecordBatch {
    let mut batch = RecordBatch::new(BatchId(0));
    let topic = batch.topic("t").unwrap();
    batch.push_copy(topic, None, None).unwrap();
    batch.push_copy(topic, Some(b""), Some(&[7; 300])).unwrap();
    batch.header("h", None).unwrap();
    batch.buffer_mut().extend_from_slice(b"v");
    let at = batch.buffer_mut().len();
    batch.header("h", Some(at - 1..at)).unwrap();
    let row = NewRow {
        timestamp: Some(-5),
        value: Some(at - 1..at),
        ..NewRow::to(topic)
    };
    batch.push(row).unwrap();
    batch
}

fn blob(batch: &RecordBatch) -> (u32, Vec<u8>) {
    let mut builder = BlobBuilder::default();
    batch.rows().for_each(|row| builder.push(&row, 1_000));
    (builder.count(), builder.seal().to_vec())
}

fn place() -> TopicPartition {
    TopicPartition::new("t", 2)
}

#[test]
fn records_come_back_as_they_went_in() {
    let (count, bytes) = blob(&sample());
    let mut cursor = Cursor::open(&place(), 40, count, bytes.into()).unwrap();
    let first = cursor.next_record().unwrap().unwrap();
    assert_eq!(
        (first.offset, first.timestamp, first.key, first.value),
        (40, 1_000, None, None)
    );
    let second = cursor.next_record().unwrap().unwrap();
    assert_eq!(second.key.as_deref(), Some(&b""[..]));
    assert_eq!(second.value.as_deref(), Some(&[7; 300][..]));
    let third = cursor.next_record().unwrap().unwrap();
    assert_eq!((third.offset, third.timestamp), (42, -5));
    let headers: Vec<_> = third
        .headers
        .iter()
        .map(|header| (&*header.name, header.value.as_deref()))
        .collect();
    assert_eq!(headers, [("h", None), ("h", Some(&b"v"[..]))]);
    assert!(cursor.next_record().unwrap().is_none());
    assert!(cursor.is_done());
}

#[test]
fn every_damaged_byte_and_every_cut_is_an_error_that_names_the_place() {
    let (count, bytes) = blob(&sample());
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        let error = Cursor::open(&place(), 7, count, damaged.into()).unwrap_err();
        assert_eq!(error.class(), Class::Fatal, "byte {at}");
        assert_eq!(
            (error.topic_partition(), error.offset()),
            (Some(&place()), Some(7))
        );
        let cut = bytes[..at].to_vec();
        assert!(
            Cursor::open(&place(), 7, count, cut.into()).is_err(),
            "cut at {at}"
        );
    }
}

/// A correct checksum does not make the content right: counts and lengths are still checked.
#[test]
fn a_count_beyond_the_bytes_is_an_error_not_a_panic() {
    let (count, bytes) = blob(&sample());
    let mut cursor = Cursor::open(&place(), 0, count + 1, bytes.into()).unwrap();
    cursor.skip_to(i64::from(count)).unwrap();
    let error = cursor.next_record().unwrap_err();
    assert_eq!(
        (error.class(), error.offset()),
        (Class::Fatal, Some(i64::from(count)))
    );
}

#[test]
fn arbitrary_bytes_behind_a_correct_checksum_never_panic() {
    let mut state = 1_u64;
    for length in 0..400 {
        let mut body = vec![VERSION];
        body.extend((0..length).map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        }));
        let mut bytes = crc32fast::hash(&body).to_le_bytes().to_vec();
        bytes.extend(body);
        if let Ok(mut cursor) = Cursor::open(&place(), 0, 1_000, bytes.into()) {
            while let Ok(Some(_)) = cursor.next_record() {}
        }
    }
}
