use super::*;

fn schema(text: &str) -> AvroSchema {
    AvroSchema::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn resolve(writer: &str, reader: &str) -> Resolution {
    Resolution::new(&schema(writer), &schema(reader)).unwrap()
}

fn root(writer: &str, reader: &str) -> Node {
    let resolution = resolve(writer, reader);
    resolution.get(resolution.root()).clone()
}

fn error(writer: &str, reader: &str) -> String {
    let node = root(writer, reader);
    let Node::Error(reason) = node else {
        panic!("{writer} is read as {reader} by {node:?}");
    };
    reason.into()
}

fn record(fields: &str) -> String {
    format!(r#"{{"type":"record","name":"R","fields":[{fields}]}}"#)
}

#[test]
fn numbers_widen_and_texts_and_bytes_are_each_other() {
    let words = [
        "null", "boolean", "int", "long", "float", "double", "bytes", "string",
    ];
    let allowed = |from: &str, to: &str| {
        from == to
            || matches!(
                (from, to),
                ("int", "long" | "float" | "double")
                    | ("long", "float" | "double")
                    | ("float", "double")
                    | ("bytes", "string")
                    | ("string", "bytes")
            )
    };
    for from in words {
        for to in words {
            let resolution = resolve(&format!("\"{from}\""), &format!("\"{to}\""));
            assert_eq!(
                resolution.error().is_none(),
                allowed(from, to),
                "{from} as {to}"
            );
        }
    }
    assert_eq!(
        root(r#""long""#, r#""float""#),
        Node::Promote(Promotion::LongToFloat)
    );
}

#[test]
fn fields_go_by_name_and_alias_and_the_rest_is_skipped_or_defaulted() {
    let writer = record(
        r#"{"name":"a","type":"int"},{"name":"gone","type":"string"},{"name":"old","type":"int"}"#,
    );
    let reader = record(
        r#"{"name":"new","aliases":["x","old"],"type":"long"},{"name":"a","type":"int"},
           {"name":"d","type":["null","string"],"default":"y"}"#,
    );
    let writer_schema = schema(&writer);
    let Node::Record(node) = root(&writer, &reader) else {
        panic!("a record");
    };
    assert!(matches!(node.written[0], FieldStep::Read { field: 1, .. }));
    let FieldStep::Skip(skipped) = node.written[1] else {
        panic!("nobody wants it");
    };
    assert_eq!(writer_schema.get(skipped).kind, Type::String);
    assert!(matches!(node.written[2], FieldStep::Read { field: 0, .. }));
    // The second branch, length 1, `y`.
    assert_eq!(*node.defaults, [(2, Box::from(&[2, 2, b'y'][..]))]);

    let more = record(r#"{"name":"z","type":"int"}"#);
    assert!(error(&writer, &more).contains("the field z of R"));
}

#[test]
fn defaults_are_encoded_as_their_types() {
    for (kind, value, bytes) in [
        (r#""int""#, "-1", &[1][..]),
        (r#""long""#, "3000000000", &[128, 248, 130, 173, 22][..]),
        (r#""float""#, "1.5", &1.5f32.to_le_bytes()[..]),
        (r#""double""#, "1", &1f64.to_le_bytes()[..]),
        (r#""bytes""#, r#""ÿĀ""#, &[4, 255, b'?'][..]),
        (r#""boolean""#, "true", &[1][..]),
        (
            r#"{"type":"fixed","name":"F","size":3}"#,
            r#""ab""#,
            b"ab\0",
        ),
        (
            r#"{"type":"enum","name":"E","symbols":["x","y"]}"#,
            r#""y""#,
            &[2][..],
        ),
        (
            r#"{"type":"array","items":"int"}"#,
            "[1,2]",
            &[4, 2, 4, 0][..],
        ),
        (r#"{"type":"array","items":"int"}"#, "[]", &[0][..]),
        (
            r#"{"type":"map","values":"int"}"#,
            r#"{"k":1}"#,
            &[2, 2, b'k', 2, 0][..],
        ),
        (
            r#"{"type":"record","name":"I","fields":[{"name":"x","type":"int","default":7},{"name":"y","type":["null","int"]}]}"#,
            r#"{"y":3}"#,
            &[14, 2, 6][..],
        ),
    ] {
        let reader = record(&format!(
            r#"{{"name":"f","type":{kind},"default":{value}}}"#
        ));
        let Node::Record(node) = root(&record(""), &reader) else {
            panic!("a record");
        };
        assert_eq!(&*node.defaults[0].1, bytes, "{kind}");
    }
    let unknown = r#"{"name":"f","type":{"type":"enum","name":"E","symbols":["x"]},"default":"q"}"#;
    assert!(error(&record(""), &record(unknown)).contains("does not fit"));
}

#[test]
fn unions_are_resolved_branch_by_branch() {
    let union = resolve(r#"["null","int","boolean"]"#, r#"["long","null"]"#);
    let Node::WriterUnion(branches) = union.get(union.root()) else {
        panic!("the writer wrote a union");
    };
    assert!(matches!(
        union.get(branches[0]),
        Node::ReaderUnion { branch: 1, .. }
    ));
    assert!(matches!(
        union.get(branches[1]),
        Node::ReaderUnion { branch: 0, .. }
    ));
    assert!(matches!(union.get(branches[2]), Node::Error(_)));

    // The same type comes before one that it may become.
    let same = root(r#""int""#, r#"["long","int"]"#);
    assert!(matches!(same, Node::ReaderUnion { branch: 1, .. }));
    assert!(error(r#""int""#, r#"["null","string"]"#).contains("no branch for the writer's int"));

    // Records by full name, by short name, by what fits.
    let named = |name: &str, field: &str| {
        format!(
            r#"{{"type":"record","name":"{name}","fields":[{{"name":"{field}","type":"int"}}]}}"#
        )
    };
    let reader = format!(
        "[{},{},{}]",
        named("a.X", "f"),
        named("b.X", "f"),
        named("Y", "g")
    );
    let branch = |writer: &str| {
        let Node::ReaderUnion { branch, .. } = root(writer, &reader) else {
            return None;
        };
        Some(branch)
    };
    assert_eq!(branch(&named("b.X", "f")), Some(1));
    assert_eq!(branch(&named("c.X", "f")), Some(0));
    assert_eq!(branch(&named("Z", "g")), Some(2));
    assert_eq!(branch(&named("Z", "h")), None);
}

#[test]
fn symbols_are_mapped_and_unknown_ones_take_the_default() {
    let of = |symbols: &str, rest: &str| {
        format!(r#"{{"type":"enum","name":"E","symbols":[{symbols}]{rest}}}"#)
    };
    let writer = of(r#""a","b","c""#, "");
    assert_eq!(
        root(&writer, &of(r#""c","a""#, "")),
        Node::Enum([Some(1), None, Some(0)].into())
    );
    assert_eq!(
        root(&writer, &of(r#""c","a""#, r#","default":"c""#)),
        Node::Enum([Some(1), Some(0), Some(0)].into())
    );
    assert!(error(&writer, &writer.replace("\"E\"", "\"F\"")).contains("enum E"));
    let alias = of(r#""a""#, r#","aliases":["E"]"#).replace("\"name\":\"E\"", "\"name\":\"F\"");
    assert!(matches!(root(&writer, &alias), Node::Enum(_)));
}

#[test]
fn fixed_must_have_one_size() {
    let of =
        |name: &str, size: usize| format!(r#"{{"type":"fixed","name":"{name}","size":{size}}}"#);
    assert_eq!(root(&of("n.F", 3), &of("m.F", 3)), Node::Fixed(3));
    assert!(error(&of("F", 3), &of("F", 4)).contains("3 bytes"));
    assert!(error(&of("F", 3), &of("G", 3)).contains("fixed F"));
}

#[test]
fn what_contains_itself_is_resolved_once() {
    let node = |kind: &str| {
        format!(
            r#"{{"type":"record","name":"N","fields":[{{"name":"v","type":"{kind}"}},{{"name":"next","type":["null","N"]}}]}}"#
        )
    };
    let resolution = resolve(&node("int"), &node("long"));
    let Node::Record(record) = resolution.get(resolution.root()) else {
        panic!("a record");
    };
    let FieldStep::Read { node: next, .. } = record.written[1] else {
        panic!("a field of both");
    };
    let Node::WriterUnion(branches) = resolution.get(next) else {
        panic!("a union");
    };
    let Node::ReaderUnion { branch: 1, node } = resolution.get(branches[1]) else {
        panic!("the record's branch");
    };
    assert_eq!(*node, resolution.root());
}
