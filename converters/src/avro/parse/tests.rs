//! Expectations are what Avro 1.12.1 for Java gave for these texts.

use super::*;

fn print(text: &str) -> String {
    let schema = AvroSchema::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let printed = schema.to_text().unwrap();
    let again = AvroSchema::parse(&printed).unwrap_or_else(|e| panic!("{printed}: {e}"));
    assert_eq!(again.to_text().unwrap(), printed);
    printed
}

fn refused(text: &str) -> String {
    match AvroSchema::parse(text) {
        Ok(schema) => panic!("{text} is accepted as {}", schema.to_text().unwrap()),
        Err(error) => error.to_string(),
    }
}

/// A record with these fields, each `name type`.
fn record(name: &str, fields: &[(&str, &str)]) -> String {
    let fields: Vec<String> = fields
        .iter()
        .map(|(name, rest)| format!(r#"{{"name":"{name}","type":{rest}}}"#))
        .collect();
    format!(
        r#"{{"type":"record","name":"{name}","fields":[{}]}}"#,
        fields.join(",")
    )
}

#[test]
fn a_name_may_stand_in_front_of_its_definition() {
    let text = record("A", &[("x", r#""B""#), ("y", &record("B", &[]))]);
    let printed = record("A", &[("x", &record("B", &[])), ("y", r#""B""#)]);
    assert_eq!(print(&text), printed);
    let error = refused(&record("A", &[("x", r#""n.B""#)]));
    assert!(error.starts_with("Undefined schema: n.B"), "{error}");
    assert!(refused(r#""Nope""#).starts_with("Undefined schema: Nope"));
    assert!(refused(r#"{"type":"nope"}"#).starts_with("Undefined schema: nope"));
}

#[test]
fn the_type_of_an_object_may_be_a_name_and_its_attributes_are_dropped() {
    let text = record(
        "A",
        &[("x", &record("B", &[])), ("y", r#"{"type":"B","foo":1}"#)],
    );
    let printed = record("A", &[("x", &record("B", &[])), ("y", r#""B""#)]);
    assert_eq!(print(&text), printed);
    assert!(refused(r#"{"type":{"type":"int"}}"#).starts_with("No type"));
    assert!(refused(r#"{"type":["int"]}"#).starts_with("No type"));
    assert!(refused("{}").starts_with("No type"));
}

#[test]
fn an_equal_definition_may_be_repeated() {
    let b = record("B", &[("i", r#""int""#)]);
    let text = record("A", &[("x", &b), ("y", &b)]);
    assert_eq!(print(&text), record("A", &[("x", &b), ("y", r#""B""#)]));
    let documented = b.replace(r#""name":"B""#, r#""name":"B","doc":"d""#);
    let text = record("A", &[("x", &b), ("y", &documented)]);
    assert_eq!(print(&text), record("A", &[("x", &b), ("y", r#""B""#)]));

    let other = record("A", &[("x", &b), ("y", &record("B", &[]))]);
    assert!(refused(&other).starts_with("Can't redefine: B"));
    // What refers to itself equals nothing while it is read.
    let node = record("X", &[("n", r#"["null","X"]"#)]);
    let text = format!("[{node},{}]", record("Y", &[("n", &node)]));
    assert!(refused(&text).starts_with("Can't redefine: X"));
    assert!(refused(&record("A", &[("b", &record("A", &[]))])).starts_with("Can't redefine: A"));
}

#[test]
fn namespaces_are_inherited_and_names_shortened() {
    let text = r#"{"type":"record","name":"n.A","fields":[
        {"name":"x","type":{"type":"record","name":"B","namespace":"","fields":[]}},
        {"name":"y","type":"B"},
        {"name":"z","type":{"type":"enum","name":"C","symbols":[]}},
        {"name":"w","type":["n.C",{"type":"fixed","name":"o.D","size":1}]}]}"#;
    assert_eq!(
        print(text),
        concat!(
            r#"{"type":"record","name":"A","namespace":"n","fields":["#,
            r#"{"name":"x","type":{"type":"record","name":"B","namespace":"","fields":[]}},"#,
            r#"{"name":"y","type":"B"},{"name":"z","type":{"type":"enum","name":"C","symbols":[]}},"#,
            r#"{"name":"w","type":["C",{"type":"fixed","name":"D","namespace":"o","size":1}]}]}"#
        )
    );
    // A dotted name brings its namespace; a name that is a type's word stays full.
    let dotted = r#"{"type":"record","name":"a.B","namespace":"z","fields":[]}"#;
    assert_eq!(
        print(dotted),
        r#"{"type":"record","name":"B","namespace":"a","fields":[]}"#
    );
    let word = r#"{"type":"record","name":"record","namespace":"int","fields":[{"name":"b","type":"record"}]}"#;
    assert!(print(word).ends_with(r#"{"name":"b","type":"int.record"}]}"#));
    // Nothing is inherited from a type without a namespace.
    let inner = record(
        "n.A",
        &[(
            "x",
            r#"{"type":"record","name":"B","namespace":"","fields":[{"name":"y","type":"A"}]}"#,
        )],
    );
    assert!(refused(&inner).starts_with("Undefined schema: A"));
}

#[test]
fn names_are_checked() {
    for (name, reason) in [
        ("", "Empty name"),
        ("1a", "Illegal initial character: 1a"),
        ("a-b", "Illegal character in: a-b"),
        ("a.b.", "Empty name"),
        ("a..b", "Empty name"),
        ("a b.c", "Illegal character in: a b"),
        ("int", "Schemas may not be named after primitives: int"),
    ] {
        let error = refused(&record(name, &[]));
        assert!(error.starts_with(reason), "{name}: {error}");
    }
    assert!(refused(&record("A", &[("a b", r#""int""#)])).starts_with("Illegal character in: a b"));
    assert!(refused(r#"{"type":"enum","name":"E","symbols":["A",null]}"#).starts_with("Null name"));
    assert_eq!(print(&record(".B", &[])), record("B", &[]));
    // Avro itself takes letters of all scripts; a registry takes none of them for a new text.
    for name in ["Näme", "日本", "x٣"] {
        assert_eq!(print(&record(name, &[])), record(name, &[]));
        let error = AvroSchema::parse_with(&record(name, &[]), &[], Strictness::New).unwrap_err();
        assert!(error.to_string().starts_with("Illegal "), "{error}");
    }
    for name in ["٣x", "a²", "a😀", "Ⓐ"] {
        assert!(
            refused(&record(name, &[])).starts_with("Illegal "),
            "{name}"
        );
    }
}

#[test]
fn attributes_are_sorted_into_known_ones_and_properties() {
    let text = r#"{"z":1,"aliases":["Old","x.Y",".S","n.T"],"type":"record","name":"R","namespace":"n","order":1,"fields":[
        {"p":null,"name":"a","aliases":["b","b","x y"],"type":{"type":"int","order":"x","doc":"d","foo":1},"order":"IGNORE","namespace":"q","doc":5}]}"#;
    assert_eq!(
        print(text),
        concat!(
            r#"{"type":"record","name":"R","namespace":"n","fields":[{"name":"a","#,
            r#""type":{"type":"int","order":"x","foo":1},"order":"ignore","aliases":["b","x y"],"p":null,"namespace":"q"}],"#,
            r#""z":1,"order":1,"aliases":["Old","x.Y","S","T"]}"#
        )
    );
    assert!(refused(r#"{"type":"int","p":123456789012345678901}"#).contains("64 bits"));
    assert_eq!(
        print(r#"{"type":"int","p":[123456789012345678901]}"#),
        r#"{"type":"int","p":[123456789012345678901]}"#
    );
    for bad in [
        r#""aliases":"b""#,
        r#""aliases":[5]"#,
        r#""aliases":null"#,
        r#""order":null"#,
        r#""order":"up""#,
    ] {
        refused(&record("A", &[("a", &format!(r#""int",{bad}"#))]));
    }
}

#[test]
fn defaults_must_fit() {
    let field = |rest: &str| record("R", &[("a", rest)]);
    for good in [
        r#"["null","int"],"default":1"#,
        r#"["null","string"],"default":null"#,
        r#""double","default":1"#,
        r#""long","default":9007199254740993"#,
        r#"{"type":"map","values":["null","int"]},"default":{"y":1,"z":null}"#,
        r#"{"type":"enum","name":"E","symbols":["x"]},"default":"y""#,
        r#"{"type":"record","name":"I","fields":[{"name":"x","type":"int","default":1},{"name":"y","type":"int"}]},"default":{"y":1}"#,
    ] {
        assert_eq!(print(&field(good)), field(good));
    }
    for bad in [
        r#""int","default":"x""#,
        r#""int","default":null"#,
        r#""int","default":3000000000"#,
        r#""int","default":1.0"#,
        r#""long","default":9223372036854775808"#,
        r#"["double","null"],"default":"NaN""#,
        r#""double","default":"abc""#,
        r#"{"type":"record","name":"I","fields":[{"name":"y","type":"int"}]},"default":{}"#,
    ] {
        refused(&field(bad));
        AvroSchema::parse_with(&field(bad), &[], Strictness::Registered)
            .map(|schema| assert!(schema.to_text().unwrap().contains("default")))
            .unwrap_or_else(|error| assert!(bad.contains("abc"), "{bad}: {error}"));
    }
    let numbers = field(r#""double","default":" 1e1 ""#);
    assert_eq!(print(&numbers), field(r#""double","default":10.0"#));
    assert_eq!(
        print(&field(r#""double","default":"NaN""#)),
        field(r#""double","default":"NaN""#)
    );
}

#[test]
fn a_default_cannot_hold_the_record_around_it() {
    for bad in [
        r#""L","default":{}"#,
        r#"["L","null"],"default":{"next":null}"#,
    ] {
        let error = refused(&record("L", &[("next", bad)]));
        assert!(error.contains("not defined yet"), "{error}");
    }
    let good = record("L", &[("next", r#"["null","L"],"default":null"#)]);
    assert_eq!(print(&good), good);
    // The inner record is complete when the outer one is: what it names does not matter then.
    let inner = record("X", &[("z", r#"["null","A"]"#)]);
    let outer = record("A", &[("g", &format!(r#"{inner},"default":{{"z":null}}"#))]);
    assert_eq!(print(&outer), outer);
    // An open name counts as a record without fields, and later as what it is.
    let later = |default: &str, kind: &str| {
        record(
            "B",
            &[("a", &format!(r#""C","default":{default}"#)), ("c", kind)],
        )
    };
    refused(&later(
        r#""x""#,
        r#"{"type":"enum","name":"C","symbols":["x"]}"#,
    ));
    refused(&later("{}", &record("C", &[("q", r#""int""#)])));
    print(&later("{}", &record("C", &[])));
}

#[test]
fn unions_hold_one_of_each() {
    for bad in [
        r#"["int","int"]"#,
        r#"["int",["null"]]"#,
        r#"[{"type":"map","values":"int"},{"type":"map","values":"long"}]"#,
        r#"["null",{"type":"B"},{"type":"enum","name":"B","symbols":["x"]}]"#,
    ] {
        refused(bad);
    }
    assert_eq!(print("[]"), "[]");
    let two = format!("[{},{}]", record("a.A", &[]), record("b.A", &[]));
    assert!(print(&two).contains(r#""namespace":"b""#));
}

#[test]
fn fixed_sizes_are_bounded() {
    for bad in ["4.0", "3000000000", "-1", "2147483640", "null"] {
        refused(&format!(r#"{{"type":"fixed","name":"X","size":{bad}}}"#));
    }
    let good = r#"{"type":"fixed","name":"X","size":2147483639}"#;
    assert_eq!(print(good), good);
}

#[test]
fn references_are_read_first() {
    let client = record("s.Client", &[("n", &record("s.Note", &[]))]);
    let order = record("s.Order", &[("c", r#""s.Client""#), ("n", r#""Note""#)]);
    let parsed = parse(&order, &[&client], Strictness::Library).unwrap();
    assert_eq!(*parsed.referenced, [Box::from("s.Client")]);
    let text = parsed.schema.to_text_without(&parsed.referenced).unwrap();
    // Only the root of a reference counts as known; what it defines inside is defined again.
    assert_eq!(
        text,
        concat!(
            r#"{"type":"record","name":"Order","namespace":"s","fields":[{"name":"c","type":"Client"},"#,
            r#"{"name":"n","type":{"type":"record","name":"Note","fields":[]}}]}"#
        )
    );
    let error = AvroSchema::parse_with(&order, &["{"], Strictness::Library).unwrap_err();
    assert_eq!(error.field_path(), "references[0]");
    assert!(AvroSchema::parse(&order).is_err());
}

#[test]
fn an_error_says_where() {
    let inner = record("B", &[("y", r#"{"type":"map","values":{"type":"array"}}"#)]);
    let error = AvroSchema::parse(&record("A", &[("x", &inner)])).unwrap_err();
    assert_eq!(error.field_path(), "fields[0].type.fields[0].type.values");
    let error = AvroSchema::parse(r#"{"type":"int" x"#).unwrap_err();
    assert_eq!(error.byte_offset(), Some(14));
}

#[test]
fn depth_is_bounded_by_text_and_by_names() {
    let nested = |depth: usize| {
        let front = r#"{"type":"array","items":"#.repeat(depth);
        format!("{front}\"int\"{}", "}".repeat(depth))
    };
    print(&nested(190));
    assert!(refused(&nested(300)).contains("200 levels"));
    assert!(refused(&"[".repeat(1_000_000)).contains("1000 levels"));
    // A chain of names nests as deep when each is defined at its first use.
    let chain = |length: usize| {
        let records: Vec<String> = (0..length)
            .map(|i| {
                record(
                    &format!("R{i}"),
                    &[("n", &format!("\"R{}\"", (i + 1) % length))],
                )
            })
            .collect();
        format!("[{}]", records.join(","))
    };
    print(&chain(90));
    assert!(refused(&chain(5000)).contains("200 levels"));
}

#[test]
fn checking_defaults_is_bounded() {
    let records: Vec<String> = (0..8)
        .map(|i| {
            record(
                &format!("R{i}"),
                &[
                    ("n", r#"["null","R0","R1","R2","R3","R4","R5","R6","R7"]"#),
                    ("m", r#""int""#),
                ],
            )
        })
        .collect();
    let value =
        format!("{}null{}", r#"{"m":1,"n":"#.repeat(20), "}".repeat(20)).replacen('1', "true", 1);
    let text = format!(
        "[{},{}]",
        records.join(","),
        record(
            "Z",
            &[("z", &format!(r#"["null","R0","R1"],"default":{value}"#))]
        )
    );
    let started = refused(&text);
    assert!(
        started.contains("Invalid default") || started.contains("10,000,000"),
        "{started}"
    );
}
