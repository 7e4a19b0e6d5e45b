//! Allocation budgets: decode 3 (4 with a bytes heap), encode 0, clone 0, one field changed 3.

use allocation_counter::measure;

#[test]
fn no_benchmark_allocates_more_than_its_budget() {
    let mut checked = 0;
    let mut over = Vec::new();
    for mut benchmark in ferroconnect_benches::benchmarks("").expect("records convert") {
        let Some(budget) = benchmark.allocations_max else {
            continue;
        };
        // The first record of a schema may allocate: plans, buffers, shapes.
        (0..10).for_each(|_| (benchmark.run)());
        let counted = measure(|| (benchmark.run)()).count_total;
        if counted > budget {
            let name = &benchmark.name;
            over.push(format!("{name}: {counted} allocations, budget {budget}"));
        }
        checked += 1;
    }
    assert!(over.is_empty(), "{over:#?}");
    assert!(checked >= 110, "{checked}");
}
