use super::*;

fn batch() -> (RecordBatch, TopicSlot) {
    let mut batch = RecordBatch::new(BatchId(3));
    let topic = batch.topic("t").unwrap();
    (batch, topic)
}

#[test]
fn rows_keep_nulls_empties_headers_and_order() {
    let (mut batch, topic) = batch();
    let other = batch.topic("u").unwrap();
    assert_eq!(batch.topic("t").unwrap(), topic);
    batch.header("h", None).unwrap();
    let start = batch.buffer_mut().len();
    batch.buffer_mut().extend_from_slice(b"x");
    batch.header("h", Some(start..start + 1)).unwrap();
    batch.push_copy(topic, None, Some(b"")).unwrap();
    let row = NewRow {
        partition: Some(4),
        timestamp: Some(-1),
        ..NewRow::to(other)
    };
    batch.push(row).unwrap();

    let rows: Vec<_> = batch.rows().collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(
        (rows[0].topic, rows[0].key, rows[0].value),
        ("t", None, Some(&b""[..]))
    );
    let headers: Vec<_> = rows[0].headers().collect();
    assert_eq!(headers, [("h", None), ("h", Some(&b"x"[..]))]);
    assert_eq!(
        (rows[1].topic, rows[1].partition, rows[1].timestamp),
        ("u", Some(4), Some(-1))
    );
    assert_eq!(rows[1].header_count(), 0);
    assert_eq!(batch.row(1).unwrap().header_count(), 0);
    assert!(batch.row(2).is_none());
}

#[test]
fn a_half_written_row_is_rolled_back() {
    let (mut batch, topic) = batch();
    batch.push_copy(topic, Some(b"k"), Some(b"v")).unwrap();
    batch.buffer_mut().extend_from_slice(b"half");
    batch.header("h", None).unwrap();
    batch.rollback();
    batch.push_copy(topic, None, None).unwrap();
    assert_eq!(batch.row(1).unwrap().header_count(), 0);
    assert_eq!(batch.buffer_mut().len(), 2);
}

#[test]
fn ranges_outside_the_buffer_and_foreign_topics_are_refused() {
    let (mut batch, topic) = batch();
    let error = batch
        .push(NewRow {
            value: Some(0..1),
            ..NewRow::to(topic)
        })
        .unwrap_err();
    assert_eq!(error.class(), Class::InvalidRequest);
    let mut other = RecordBatch::new(BatchId(4));
    assert_eq!(
        other.push(NewRow::to(topic)).unwrap_err().class(),
        Class::InvalidRequest
    );
    let row = NewRow {
        partition: Some(-1),
        ..NewRow::to(topic)
    };
    assert_eq!(batch.push(row).unwrap_err().class(), Class::InvalidRequest);
    assert!(batch.is_empty());
}

#[test]
fn reset_keeps_memory_and_forgets_content() {
    let (mut batch, topic) = batch();
    batch.push_copy(topic, None, Some(&[0; 100])).unwrap();
    batch.reset(BatchId(9));
    assert_eq!(
        (batch.id(), batch.len(), batch.memory_bytes()),
        (BatchId(9), 0, 0)
    );
    assert_eq!(batch.topic_count(), 0);
}

#[test]
fn a_successor_has_room_for_the_same_again_but_not_for_a_giant() {
    let (mut batch, topic) = batch();
    for _ in 0..10 {
        batch.push_copy(topic, None, Some(&[0; 100])).unwrap();
    }
    let next = batch.successor(BatchId(7));
    assert_eq!((next.id(), next.len()), (BatchId(7), 0));
    assert!(next.buffer.capacity() >= 1_000 && next.rows.capacity() >= 10);
    batch.push_copy(topic, None, Some(&[0; 9 << 20])).unwrap();
    let after_giant = batch.successor(BatchId(8)).buffer.capacity();
    assert!(after_giant < 2 * SUCCESSOR_BYTES_MAX, "{after_giant}");
}
