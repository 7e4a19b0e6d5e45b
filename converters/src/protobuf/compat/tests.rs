use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

fn found(reader: &str, writer: &str) -> Vec<String> {
    found_with((reader, &[]), (writer, &[]))
}

fn found_with(reader: (&str, &[&str]), writer: (&str, &[&str])) -> Vec<String> {
    let parse = |text: &str| ProtoFile::parse(text).unwrap();
    let all = |texts: &[&str]| texts.iter().map(|text| parse(text)).collect::<Vec<_>>();
    let (to, from) = (parse(reader.0), parse(writer.0));
    let (to_all, from_all) = (all(reader.1), all(writer.1));
    let side = |file, all| Side::new(file, all).unwrap();
    let reader = side(&to, to_all.as_slice());
    let found = differences(&reader, &side(&from, from_all.as_slice()));
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn scalars_of_one_group_are_read_as_each_other() {
    let groups: [&[&str]; 7] = [
        &["int32", "int64", "uint32", "uint64", "bool", "E"],
        &["sint32", "sint64"],
        &["fixed32", "sfixed32"],
        &["fixed64", "sfixed64"],
        &["string", "bytes"],
        &["float"],
        &["double"],
    ];
    let text = |ty| format!("message M {{ optional {ty} a = 7; }} enum E {{ A = 0; }}");
    for (i, to) in groups.iter().enumerate() {
        for (j, from) in groups.iter().enumerate() {
            for (to, from) in to
                .iter()
                .flat_map(|to| from.iter().map(move |from| (to, from)))
            {
                let found = found(&text(to), &text(from));
                let wanted = ["FIELD_SCALAR_KIND_CHANGED at #/M/7"];
                assert_eq!(found, &wanted[usize::from(i == j)..], "{to} {from}");
            }
        }
    }
}

#[test]
fn keys_and_values_of_maps_stand_where_the_map_does() {
    let map = |key, value| format!("message M {{ map<{key}, {value}> a = 1; message N {{}} }}");
    let changed = "FIELD_SCALAR_KIND_CHANGED at #/M/1";
    assert_eq!(
        found(&map("string", "int32"), &map("int32", "bytes")),
        [changed, changed]
    );
    assert_eq!(
        found(&map("string", "N"), &map("int32", "bytes")),
        [changed, "FIELD_KIND_CHANGED at #/M/1"]
    );
    assert!(found(&map("int64", "N"), &map("int32", ".M.N")).is_empty());
}

#[test]
fn names_of_the_own_package_are_compared_without_it() {
    let text = |package| {
        format!("package {package}; message M {{ optional .{package}.N n = 1; }} message N {{}}")
    };
    assert_eq!(found(&text("a.b"), &text("c")), ["PACKAGE_CHANGED at #/"]);
}

#[test]
fn a_name_is_compared_as_what_it_means() {
    let outer = "message M { optional N n = 1; message I {} } message N {}";
    let inner = "message M { optional N n = 1; message I {} message N {} } message N {}";
    assert_eq!(
        found(outer, inner),
        [
            "FIELD_NAMED_TYPE_CHANGED at #/M/1",
            "MESSAGE_REMOVED at #/M/N"
        ]
    );
    assert!(found(outer, &outer.replace("N n", ".N n")).is_empty());
}

#[test]
fn messages_of_references_are_compared_where_fields_hold_them() {
    let text = "package a; import \"b.proto\"; message M { optional b.N n = 1; }";
    let (old, new) = (
        "package b; message N { optional int32 x = 1; optional N n = 2; } message Unused {}",
        "package b; message N { optional string x = 1; optional N n = 2; }",
    );
    let found = found_with((text, &[new]), (text, &[old]));
    assert_eq!(found, ["FIELD_SCALAR_KIND_CHANGED at #/b/N/1"]);
    // What is missing is not compared.
    assert!(found_with((text, &[]), (text, &[])).is_empty());
}

#[test]
fn a_oneof_keeps_what_it_has_and_takes_what_is_new() {
    let old = "message M { optional int32 p = 9; oneof o { int32 a = 1; int32 b = 2; } }";
    for (new, wanted) in [
        ("message M { optional int32 p = 9; }", &[][..]),
        (
            "message M { optional int32 p = 9; optional int32 a = 1; optional int32 b = 2; }",
            &[],
        ),
        (
            "message M { optional int32 a = 1; optional int32 b = 2; }",
            &[],
        ),
        (
            "message M { oneof renamed { int32 a = 1; int32 b = 2; int32 c = 3; } }",
            &[],
        ),
        (
            "message M { optional int32 b = 2; }",
            &["ONEOF_FIELD_REMOVED at #/M/o/1"],
        ),
        (
            "message M { oneof o { int32 c = 3; } }",
            &[
                "ONEOF_FIELD_REMOVED at #/M/o/1",
                "ONEOF_FIELD_REMOVED at #/M/o/2",
            ],
        ),
        (
            "message M { oneof o { int32 a = 1; int32 b = 2; int32 p = 9; } }",
            &["FIELD_MOVED_TO_EXISTING_ONEOF at #/M/o"],
        ),
        (
            "message M { oneof both { int32 a = 1; int32 b = 2; int32 p = 9; } }",
            &["MULTIPLE_FIELDS_MOVED_TO_ONEOF at #/M/both"],
        ),
        (
            "message M { optional string a = 1; optional int32 b = 2; }",
            &["FIELD_SCALAR_KIND_CHANGED at #/M/1"],
        ),
        (
            "message M { oneof p { string p = 9; } oneof o { int32 a = 1; int32 b = 2; } }",
            &["FIELD_SCALAR_KIND_CHANGED at #/M/p/9"],
        ),
    ] {
        assert_eq!(found(new, old), wanted, "{new}");
    }
}

#[test]
fn groups_are_fields_and_no_messages() {
    let old = "message M { optional group G = 1 { optional int32 a = 1; } }";
    assert!(found("message M {}", old).is_empty());
    assert_eq!(
        found(
            "message M { optional group H = 1 { optional string a = 1; } }",
            old
        ),
        ["FIELD_SCALAR_KIND_CHANGED at #/M/H/1"]
    );
    assert_eq!(
        found("message M { optional M a = 1; }", old),
        ["FIELD_KIND_CHANGED at #/M/1"]
    );
}

#[test]
fn required_fields_neither_come_nor_go() {
    let (with, without) = ("message M { required int32 a = 1; }", "message M {}");
    assert_eq!(found(with, without), ["REQUIRED_FIELD_ADDED at #/M/1"]);
    assert_eq!(found(without, with), ["REQUIRED_FIELD_REMOVED at #/M/1"]);
    let optional = with.replace("required", "optional");
    assert!(found(with, &optional).is_empty() && found(&optional, with).is_empty());
}

/// Of equal names and numbers, which registries keep, the first counts.
#[test]
fn a_file_gets_along_with_itself() {
    for text in [
        "message M { optional int32 a = 1; optional string b = 1; oneof o { string c = 1; } oneof o { int32 d = 2; } oneof p { int32 e = 2; } }",
        "message M { optional M m = 1; map<string, M> n = 2; message M { optional M m = 1; } }",
        "message M { optional Missing m = 1; required a.b.C n = 2; }",
    ] {
        assert!(found(text, text).is_empty(), "{text}");
    }
}

#[test]
fn reasons_are_bounded() {
    let old: String = (0..=PROTO_DIFFERENCES_MAX)
        .map(|i| format!("message M{i} {{}} "))
        .collect();
    assert_eq!(found("", &old).len(), PROTO_DIFFERENCES_MAX);
}

/// A field: its type, its label, and whether it is in a oneof, if it is there.
type Drawn = Option<(&'static str, &'static str, Option<&'static str>)>;

fn drawn() -> impl Strategy<Value = String> {
    let types = [
        "int32",
        "bool",
        "sint64",
        "string",
        "double",
        "E",
        "M",
        "N",
        "map<string, int32>",
        "map<bool, N>",
    ];
    let labels = ["optional", "required", "repeated"];
    let oneofs = [None, None, Some("o"), Some("p")];
    let select = proptest::sample::select::<Option<&'static str>>;
    let field = (
        proptest::sample::select(types.to_vec()),
        proptest::sample::select(labels.to_vec()),
        select(oneofs.to_vec()),
    );
    let fields = proptest::collection::vec(proptest::option::of(field), 1..6);
    (fields, any::<bool>()).prop_map(|(fields, has_package)| {
        let mut text = String::from(if has_package { "package a; " } else { "" });
        text.push_str("enum E { A = 0; } message N {} message M { ");
        for oneof in [None, Some("o"), Some("p")] {
            let mut members = String::new();
            for (number, field) in fields.iter().enumerate() {
                write_field(number + 1, field, oneof, &mut members);
            }
            let _ = match oneof {
                Some(name) if !members.is_empty() => write!(text, "oneof {name} {{ {members}}} "),
                Some(_) => Ok(()),
                None => write!(text, "{members}"),
            };
        }
        text + "}"
    })
}

fn write_field(number: usize, field: &Drawn, oneof: Option<&str>, out: &mut String) {
    let Some((ty, label, place)) = field else {
        return;
    };
    // Maps have neither a label nor a oneof.
    let is_map = ty.starts_with("map");
    let place = place.filter(|_| !is_map);
    if place == oneof {
        let label = if place.is_some() || is_map {
            ""
        } else {
            *label
        };
        let _ = write!(out, "{label} {ty} f{number} = {number}; ");
    }
}

proptest! {
    #[test]
    fn a_drawn_file_gets_along_with_itself(text in drawn()) {
        prop_assert_eq!(found(&text, &text), [""; 0]);
    }

    /// What changed, changed in both directions. What one side lacks, the other one has.
    #[test]
    fn both_directions_mirror_each_other(one in drawn(), other in drawn()) {
        let kinds = |reader: &str, writer: &str| {
            let found = found(reader, writer);
            let words = found.iter().filter_map(|text| text.split(' ').next());
            let mut words: Vec<String> = words
                .filter(|word| !word.contains("ONEOF"))
                .map(str::to_owned)
                .collect();
            words.sort();
            words
        };
        let mut mirrored = kinds(&other, &one);
        for word in &mut mirrored {
            *word = match word.as_str() {
                "REQUIRED_FIELD_ADDED" => "REQUIRED_FIELD_REMOVED".into(),
                "REQUIRED_FIELD_REMOVED" => "REQUIRED_FIELD_ADDED".into(),
                word => word.into(),
            };
        }
        mirrored.sort();
        prop_assert_eq!(kinds(&one, &other), mirrored);
    }
}
