use super::*;

const B: SourceBatchId = SourceBatchId(0);

fn runs(list: &[(u32, Range<u32>)]) -> Vec<PartitionRun> {
    list.iter()
        .map(|(partition, rows)| PartitionRun {
            partition: PartitionId(*partition),
            rows: rows.clone(),
        })
        .collect()
}

fn offsets(list: &[i64]) -> Vec<SourceOffset> {
    list.iter().map(|n| SourceOffset::of("o", *n)).collect()
}

fn committable(inflight: &mut Inflight) -> Vec<(u32, i64)> {
    inflight
        .take_committable()
        .into_iter()
        .map(|(p, offset)| (p.0, offset.integer("o").unwrap()))
        .collect()
}

/// C083: a gap holds back only its own partition, whatever the order of acknowledgements.
#[test]
fn c083_offsets_are_committed_up_to_the_first_gap_of_their_partition() {
    let mut inflight = Inflight::new();
    inflight.submit(
        B,
        &runs(&[(1, 0..2), (2, 2..3), (1, 3..4), (2, 4..5)]),
        offsets(&[1, 2, 7, 3, 8]),
    );
    for row in [0, 3, 2, 4] {
        inflight.acknowledge(B, row..row + 1);
    }
    assert_eq!(committable(&mut inflight), [(1, 1), (2, 8)]);
    assert_eq!(inflight.rows(), 1);
    inflight.acknowledge(B, 1..2);
    assert_eq!(committable(&mut inflight), [(1, 3)]);
    assert_eq!(inflight.rows(), 0);
}

/// C084: a dropped row counts as done, so nothing freezes behind it.
#[test]
fn c084_a_tolerated_failure_does_not_hold_back_offsets() {
    let mut inflight = Inflight::new();
    inflight.submit(B, &runs(&[(1, 0..3)]), offsets(&[1, 2, 3]));
    inflight.acknowledge(B, 0..1);
    inflight.acknowledge(B, 2..3);
    inflight.acknowledge(B, 1..2);
    assert_eq!(committable(&mut inflight), [(1, 3)]);
    assert_eq!(inflight.rows(), 0);
    assert!(
        inflight.batches.is_empty() && inflight.partitions.is_empty(),
        "nothing is kept"
    );
}

/// C082: what follows a row that never gets an outcome is never committed.
#[test]
fn c082_offsets_never_pass_a_row_that_failed() {
    let mut inflight = Inflight::new();
    inflight.submit(B, &runs(&[(1, 0..3)]), offsets(&[1, 2, 3]));
    inflight.acknowledge(B, 0..1);
    inflight.acknowledge(B, 2..3);
    assert_eq!(committable(&mut inflight), [(1, 1)]);
    inflight.submit(SourceBatchId(1), &runs(&[(1, 0..2)]), offsets(&[4, 5]));
    inflight.acknowledge(SourceBatchId(1), 0..2);
    assert_eq!(committable(&mut inflight), []);
}

#[test]
fn later_batches_wait_for_earlier_ones_of_their_partition() {
    let mut inflight = Inflight::new();
    inflight.submit(B, &runs(&[(1, 0..2)]), offsets(&[1, 2]));
    inflight.submit(SourceBatchId(1), &runs(&[(1, 0..2)]), offsets(&[3, 4]));
    inflight.acknowledge(SourceBatchId(1), 0..2);
    assert_eq!(committable(&mut inflight), []);
    inflight.acknowledge(B, 0..2);
    assert_eq!(committable(&mut inflight), [(1, 4)]);
}

#[test]
fn offsets_of_a_failed_commit_come_back_unless_newer_ones_are_there() {
    let mut inflight = Inflight::new();
    inflight.submit(B, &runs(&[(1, 0..1), (2, 1..3)]), offsets(&[1, 2, 3]));
    inflight.acknowledge(B, 0..2);
    let taken = inflight.take_committable();
    inflight.acknowledge(B, 2..3);
    inflight.restore(taken);
    assert_eq!(committable(&mut inflight), [(1, 1), (2, 3)]);
}

#[test]
fn strange_acknowledgements_are_ignored() {
    let mut inflight = Inflight::new();
    inflight.submit(B, &runs(&[(1, 0..2)]), offsets(&[1, 2]));
    inflight.acknowledge(SourceBatchId(9), 0..2);
    inflight.acknowledge(B, 1..1);
    inflight.acknowledge(B, 0..1);
    inflight.acknowledge(B, 0..1);
    assert_eq!(inflight.rows(), 1);
    inflight.acknowledge(B, 0..100);
    assert_eq!(inflight.rows(), 0);
    assert_eq!(committable(&mut inflight), [(1, 2)]);
    inflight.submit(SourceBatchId(1), &[], vec![]);
    assert_eq!(inflight.rows(), 0);
}

/// Any order of single-row outcomes gives what an obvious model gives.
#[test]
fn any_order_agrees_with_the_obvious_model() {
    let mut state = 7_u64;
    let mut roll = |bound: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % bound
    };
    for _ in 0..300 {
        let mut inflight = Inflight::new();
        let mut model: Vec<Vec<(SourceBatchId, u32, i64, bool)>> = vec![vec![]; 3];
        let mut left = vec![];
        let mut next = 0_i64;
        for batch in 0..4_u64 {
            let (mut list, mut offs): (Vec<(u32, Range<u32>)>, Vec<i64>) = (vec![], vec![]);
            for row in 0..u32::try_from(1 + roll(8)).unwrap() {
                let partition = roll(3);
                model[partition].push((SourceBatchId(batch), row, next, false));
                list.push((u32::try_from(partition).unwrap(), row..row + 1));
                left.push((SourceBatchId(batch), row));
                offs.push(next);
                next += 1;
            }
            inflight.submit(SourceBatchId(batch), &runs(&list), offsets(&offs));
        }
        let mut seen = [None; 3];
        while !left.is_empty() {
            let (batch, row) = left.swap_remove(roll(left.len()));
            inflight.acknowledge(batch, row..row + 1);
            for entry in model
                .iter_mut()
                .flatten()
                .filter(|entry| (entry.0, entry.1) == (batch, row))
            {
                entry.3 = true;
            }
            for (partition, offset) in committable(&mut inflight) {
                seen[partition as usize] = Some(offset);
            }
            for (partition, entries) in model.iter().enumerate() {
                let expected = entries
                    .iter()
                    .take_while(|entry| entry.3)
                    .last()
                    .map(|entry| entry.2);
                assert_eq!(seen[partition], expected);
            }
        }
        assert!(inflight.batches.is_empty() && inflight.rows() == 0);
    }
}
