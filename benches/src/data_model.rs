//! The data model by itself: what a transform or a connector pays per record.

use ferroconnect_converters::Error;
use ferroconnect_converters::data::Value;

use crate::{Benchmark, shapes};

/// Clone, reading and editing of the bench record.
pub(crate) fn benchmarks() -> Result<Vec<Benchmark>, Error> {
    let Some(shape) = shapes::all()?.into_iter().next() else {
        return Ok(Vec::new());
    };
    let data = shape.data;
    let email = data
        .schema()
        .and_then(|schema| schema.index_of("email"))
        .unwrap_or_default();
    let benchmark = |name: &str, target_ns, allocations_max, run| Benchmark {
        name: format!("data/bench/{name}"),
        peer: None,
        recorded_jvm_ns: None,
        target_ns: Some(target_ns),
        bytes: 0,
        allocations_max: Some(allocations_max),
        run,
    };
    let (cloned, read, edited) = (data.clone(), data.clone(), data);
    Ok(vec![
        benchmark(
            "clone",
            10,
            0,
            Box::new(move || {
                std::hint::black_box(cloned.clone());
            }),
        ),
        benchmark(
            "read-three",
            10,
            0,
            Box::new(move || {
                let Value::Struct(order) = std::hint::black_box(&read).value() else {
                    return;
                };
                std::hint::black_box((order.at(1).as_str(), order.at(2).as_str(), order.at(0)));
            }),
        ),
        benchmark(
            "edit-one",
            100,
            3,
            Box::new(move || {
                let editor = edited
                    .edit()
                    .and_then(|e| e.set_at(email, Value::String("***")));
                std::hint::black_box(
                    editor
                        .map(ferroconnect_converters::data::Editor::finish)
                        .ok(),
                );
            }),
        ),
    ])
}
