//! Module edges inside the crates.

use super::modules::{module_path, named_paths};
use super::{Finding, Source, finding, lexer};

/// For each module of `converters`: the modules it may name. A new module is not tidy until it stands here.
const CONVERTERS: [(&str, &[&str]); 19] = [
    ("limits", &[]),
    ("differs", &[]),
    ("wire", &["limits"]),
    // The model fails with the crate's error, and the error speaks of the model's types.
    ("data", &["limits", "differs", "error"]),
    ("error", &["limits", "differs", "data", "wire", "config"]),
    ("config", &["limits", "differs", "data", "error"]),
    ("json_text", BELOW_PLAN),
    ("plan", BELOW_PLAN),
    ("subject", BELOW_SUBJECT),
    ("converter", BELOW_PLAN),
    // What the formats with a registry share: it knows none of them.
    ("registered", BELOW_FORMATS),
    ("simple", BELOW_FORMATS),
    ("json", BELOW_FORMATS),
    ("avro", BELOW_FORMATS),
    ("protobuf", BELOW_FORMATS),
    // Its documents are read and written as those of the JSON converter.
    ("json_schema", WITH_JSON),
    // Rust types and registries on top of any format: they name none.
    ("typed", &["limits", "differs", "data", "error"]),
    ("client", BELOW_FORMATS),
    ("internal", EVERYTHING),
];

const BELOW_PLAN: &[&str] = &["limits", "differs", "data", "error", "config", "wire"];
const BELOW_SUBJECT: &[&str] = &[
    "limits",
    "differs",
    "data",
    "error",
    "config",
    "wire",
    "converter",
];
const BELOW_FORMATS: &[&str] = &[
    "limits",
    "differs",
    "data",
    "error",
    "config",
    "wire",
    "json_text",
    "plan",
    "subject",
    "converter",
    "registered",
];
const WITH_JSON: &[&str] = &[
    "limits",
    "differs",
    "data",
    "error",
    "config",
    "wire",
    "json_text",
    "plan",
    "subject",
    "converter",
    "registered",
    "json",
];
const EVERYTHING: &[&str] = &[
    "limits",
    "differs",
    "data",
    "error",
    "config",
    "wire",
    "json_text",
    "plan",
    "subject",
    "converter",
    "registered",
    "simple",
    "json",
    "avro",
    "protobuf",
    "json_schema",
];

/// Modules of `connect-runtime` and their height: a module names its own height or below.
const RUNTIME: [(&str, u8); 22] = [
    ("ids", 0),
    ("time", 0),
    ("backoff", 0),
    ("error", 0),
    ("limits", 0),
    // The ports and their vocabulary; its adapters have a rule of their own below.
    ("kafka", 0),
    ("api", 1),
    ("transforms", 1),
    ("config", 2),
    ("telemetry", 2),
    // Holds the one list of what is compiled in; validation asks it for names.
    ("plugins", 2),
    ("connectors", 2),
    ("pipeline", 3),
    ("group", 3),
    ("store", 3),
    // The embedded registry: a journal and a thread around the state machine of `registry-client`.
    ("registry", 3),
    ("task", 4),
    ("herder", 4),
    ("worker", 5),
    ("rest", 5),
    ("runtime", 6),
    ("internal", 7),
];

/// Edges that the heights would allow and the architecture forbids.
const RUNTIME_FORBIDDEN: [(&str, &str, &str); 6] = [
    ("task", "herder", "a task is told what to do; it never asks"),
    ("herder", "task", "the herder sends messages to the worker"),
    ("group", "store", "membership knows nothing of topics"),
    ("store", "group", "stores know nothing of membership"),
    (
        "connectors",
        "telemetry",
        "a connector sees the plugin API only",
    ),
    ("kafka", "connectors", "ports know nothing of plugins"),
];

/// The ports of `kafka`: plugins and configuration see its words (offsets, client settings), never a client.
const PORTS: [&str; 6] = [
    "Cluster",
    "Producer",
    "TxnProducer",
    "Consumer",
    "Admin",
    "port",
];

/// Modules of `kafka` that are adapters.
const ADAPTERS: [&str; 6] = ["embedded", "fake", "krafka", "local", "rdkafka", "wire"];

/// Modules that may name `local`: the broker-less adapters are built on it, and a producer's books and the
/// partitioner are the same on Kafka.
const SHARED_BY_LOCAL: [&str; 3] = ["embedded", "fake", "krafka"];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    if let Some(inside) = source.path.strip_prefix("converters/src/") {
        return check_crate(source, inside, converters_edge);
    }
    if let Some(inside) = source.path.strip_prefix("connect-runtime/src/") {
        if inside.starts_with("bin/") {
            return Vec::new();
        }
        return check_crate(source, inside, runtime_edge);
    }
    Vec::new()
}

fn check_crate(
    source: &Source,
    inside: &str,
    edge: impl Fn(&[&str], &[String]) -> Option<String>,
) -> Vec<Finding> {
    let module = module_path(inside);
    let test_module = module
        .iter()
        .any(|part| matches!(*part, "tests" | "testing"));
    if module.is_empty() || test_module {
        return Vec::new();
    }
    if edge(&module, &[module[0].to_owned()]).is_some() {
        let message = format!(
            "module `{}` has no layer; give it one in tidy/layers.rs",
            module[0]
        );
        return vec![finding(source, 0, message)];
    }
    let code = lexer::views(&source.text).code;
    named_paths(&module, &code)
        .into_iter()
        .filter_map(|(line, path)| Some(finding(source, line, edge(&module, &path)?)))
        .collect()
}

/// Why `module` may not name `path`; `None` when it may.
fn converters_edge(module: &[&str], path: &[String]) -> Option<String> {
    let from = module[0];
    let to = path.first()?.as_str();
    let Some((_, allowed)) = CONVERTERS.iter().find(|(name, _)| *name == from) else {
        return Some(format!("`{from}` has no layer"));
    };
    let known = CONVERTERS.iter().any(|(name, _)| *name == to);
    if to == from || !known || allowed.contains(&to) {
        return None;
    }
    Some(format!(
        "`{from}` must not name `{to}`; what both need moves down to a lower module"
    ))
}

fn runtime_edge(module: &[&str], path: &[String]) -> Option<String> {
    let from = module[0];
    let to = path.first()?.as_str();
    let height = |name: &str| {
        RUNTIME
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, h)| *h)
    };
    let Some(own) = height(from) else {
        return Some(format!("`{from}` has no layer"));
    };
    let second = path.get(1).map(String::as_str).unwrap_or_default();
    let at_home = from == "kafka" && (module.len() == 1 || module.get(1) == Some(&second));
    let shared = second == "local" && module.get(1).is_some_and(|m| SHARED_BY_LOCAL.contains(m));
    let at_home = at_home || (from == "kafka" && shared);
    if to == "kafka" && ADAPTERS.contains(&second) && !at_home && from != "runtime" {
        return Some(format!(
            "`kafka::{second}` is an adapter: only runtime.rs and tests name it"
        ));
    }
    if to == "kafka" && PORTS.contains(&second) && matches!(from, "api" | "config" | "connectors") {
        return Some(format!("`{from}` must not name the port `kafka::{second}`"));
    }
    if let Some((_, _, why)) = RUNTIME_FORBIDDEN
        .iter()
        .find(|(a, b, _)| (*a, *b) == (from, to))
    {
        return Some(format!("`{from}` must not name `{to}`: {why}"));
    }
    let above = height(to).is_some_and(|there| there > own);
    above.then(|| format!("`{from}` must not name `{to}`, which lies above it"))
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&source(path, text))
            .into_iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn formats_never_import_each_other() {
        let bad = "use crate::data::Schema;\nuse crate::avro::plan;\n";
        assert_eq!(lines("converters/src/json/encode.rs", bad), [2]);
        assert_eq!(
            lines(
                "converters/src/json/encode.rs",
                "use super::super::simple::X;"
            ),
            [1]
        );
        assert!(lines("converters/src/avro/encode.rs", bad).is_empty());
    }

    #[test]
    fn lower_modules_never_look_up() {
        assert_eq!(
            lines("converters/src/wire/reader.rs", "use crate::error::Error;"),
            [1]
        );
        assert_eq!(
            lines(
                "converters/src/data/schema.rs",
                "use crate::{error::Error, plan};"
            ),
            [1]
        );
        assert!(lines("converters/src/plan/mod.rs", "use crate::wire::Reader;").is_empty());
    }

    #[test]
    fn a_module_without_a_layer_is_a_finding() {
        assert_eq!(lines("converters/src/surprise.rs", "fn x() {}"), [0]);
        assert_eq!(
            lines("connect-runtime/src/surprise/mod.rs", "fn x() {}"),
            [0]
        );
    }

    #[test]
    fn tests_comments_and_the_crate_root_may_name_anything() {
        let tests = "#[cfg(test)]\nmod tests { use crate::avro::X; }\n// crate::avro::X\n";
        assert!(lines("converters/src/json/mod.rs", tests).is_empty());
        assert!(lines("converters/src/json/tests.rs", "use crate::avro::X;").is_empty());
        assert!(lines("converters/src/lib.rs", "pub use crate::avro::X;").is_empty());
    }

    #[test]
    fn adapters_are_named_only_where_the_worker_is_put_together() {
        let bad = "use crate::kafka::embedded::Log;";
        assert_eq!(lines("connect-runtime/src/task/source/run.rs", bad), [1]);
        assert_eq!(lines("connect-runtime/src/kafka/fake/log.rs", bad), [1]);
        assert!(lines("connect-runtime/src/runtime.rs", bad).is_empty());
        assert!(lines("connect-runtime/src/kafka/embedded/log.rs", bad).is_empty());
        assert!(lines("connect-runtime/src/bin/ferroconnect.rs", bad).is_empty());
    }

    #[test]
    fn the_runtime_has_a_direction() {
        let bad = [
            ("api/source.rs", "use crate::task::Life;"),
            ("task/mod.rs", "use crate::herder::Core;"),
            ("connectors/file/mod.rs", "use crate::kafka::Producer;"),
        ];
        for (file, text) in bad {
            assert_eq!(
                lines(&format!("connect-runtime/src/{file}"), text),
                [1],
                "{file}"
            );
        }
        let good = [
            ("task/mod.rs", "use crate::api::SourceTask;"),
            ("connectors/file/mod.rs", "use crate::kafka::Offsets;"),
        ];
        for (file, text) in good {
            assert!(
                lines(&format!("connect-runtime/src/{file}"), text).is_empty(),
                "{file}"
            );
        }
    }
}
