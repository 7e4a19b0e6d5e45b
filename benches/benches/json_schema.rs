//! Criterion over the same benchmarks as the summary: `cargo bench -p ferroconnect-benches`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn json_schema(criterion: &mut Criterion) {
    let Ok(benchmarks) = ferroconnect_benches::benchmarks("json_schema") else {
        return;
    };
    for mut benchmark in benchmarks {
        let mut group = criterion.benchmark_group(benchmark.name.clone());
        group.throughput(Throughput::Bytes(benchmark.bytes.try_into().unwrap_or(0)));
        let who = benchmark.peer.unwrap_or("ours");
        group.bench_function(who, |b| b.iter(&mut benchmark.run));
        group.finish();
    }
}

criterion_group!(benches, json_schema);
criterion_main!(benches);
