//! What is read, kept, brought into normal form and refused, rule by rule.

use super::names::Names;
use super::normal::normal;
use super::{ProtoFile, ProtobufFormat, descriptor};
use crate::limits::{
    PROTO_DEPTH_MAX, PROTO_NAME_PARTS_MAX, PROTO_OPTION_MEMBERS_MAX, PROTO_TEXT_BYTES_MAX,
};
use ferroconnect_registry_client::format::{SchemaFormat, SchemaSource};

fn kept(text: &str) -> String {
    let file = ProtoFile::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let kept = file.to_text().unwrap();
    assert_eq!(ProtoFile::parse(&kept).unwrap(), file, "{kept}");
    kept
}

/// The lines of a message that has these statements.
fn inside(statements: &str) -> String {
    let text = kept(&format!("syntax = 'proto3'; message M {{ {statements} }}"));
    let body = text.strip_prefix("syntax = \"proto3\";\n\nmessage M {\n");
    body.and_then(|body| body.strip_suffix("}\n"))
        .unwrap_or_else(|| panic!("{text}"))
        .to_owned()
}

fn normalized(text: &str) -> String {
    let file = ProtoFile::parse(text).unwrap();
    let names = Names::new([&file]).unwrap();
    let once = normal(&file, &names).unwrap();
    let text = once.to_text().unwrap();
    let again = ProtoFile::parse(&text).unwrap();
    assert_eq!(normal(&again, &names).unwrap().to_text().unwrap(), text);
    text
}

fn refused(text: &str) -> String {
    ProtoFile::parse(text).expect_err(text).to_string()
}

fn new(text: &str) -> Result<String, String> {
    let source = SchemaSource {
        text,
        references: &[],
        is_new: true,
    };
    ProtobufFormat
        .canonical(&source, false)
        .map_err(|e| e.reason)
}

#[test]
fn numbers_are_decimal_or_hexadecimal_and_not_checked() {
    assert_eq!(inside("string a = 010;"), "  string a = 10;\n");
    assert_eq!(inside("string a = 0X1f;"), "  string a = 31;\n");
    assert_eq!(
        inside("string a = -7; string a = 0;"),
        "  string a = -7;\n  string a = 0;\n"
    );
    assert!(
        refused("message M { optional string a = 2147483648; }")
            .contains("expected an integer but was 2147483648")
    );
    assert!(refused("message M { optional string a = x; }").contains("expected an integer"));
}

#[test]
fn a_field_without_a_label_is_proto3() {
    let label = "Could not parse Protobuf - Syntax error in :1:13: unexpected label: string";
    assert_eq!(refused("message M { string a = 1; }"), label);
    assert_eq!(
        kept("message M { map<string, M> a = 1; }"),
        "\nmessage M {\n  map<string, M> a = 1;\n}\n"
    );
    assert_eq!(
        kept("message M { oneof o { string a = 1; } }"),
        "\nmessage M {\n  oneof o {\n    string a = 1;\n  }\n}\n"
    );
    assert!(
        refused("syntax = 'proto3'; message M { required string a = 1; }")
            .contains("'required' label forbidden in proto3")
    );
    assert!(
        refused("message M { repeated map<string, M> a = 1; }")
            .contains("'map' type cannot have label")
    );
    assert!(
        refused("syntax = 'proto3'; message M { oneof o { repeated string a = 1; } }")
            .contains("expected '=' but was 'a'")
    );
}

#[test]
fn syntax_comes_first_and_once() {
    assert!(refused(";syntax = 'proto3';").contains("must be the first declaration"));
    assert!(refused("syntax = 'proto3'; syntax = 'proto3';").contains("too many syntax"));
    assert!(refused("syntax = 'proto4';").ends_with(":1:1: unexpected syntax: proto4"));
    assert!(refused("edition = '2023';").ends_with(":1:8: edition is not currently supported"));
}

#[test]
fn errors_say_where() {
    assert!(refused("message").ends_with(":1:8: unexpected end of file"));
    assert!(refused("\n  {").ends_with(":2:3: expected a word"));
    assert!(refused("/* x").ends_with("unterminated comment"));
    assert!(refused("import 'x").ends_with("unterminated string"));
    assert!(refused("message M {} message N {} enum M {}").contains("M is already defined"));
    assert!(refused("service M {} service M {}").contains("M is already defined"));
    assert!(
        refused("message M { optional string 1a = 1; }")
            .contains(":1:29: field and constant names cannot start with a digit")
    );
}

/// As Wire reads it: what follows a block comment behind a statement must be on the next line.
#[test]
fn comments_are_gone() {
    let text = "string a = 1; // x\n string b = 2; /* y */\n /* z */ string c = 3;";
    assert_eq!(
        inside(text),
        "  string a = 1;\n  string b = 2;\n  string c = 3;\n"
    );
    assert!(
        refused("syntax = 'proto3'; message M { string a = 1; /* x */ string b = 2; }")
            .contains("no syntax may follow trailing comment")
    );
}

#[test]
fn quoted_texts() {
    let option = |value: &str| kept(&format!("option o = {value};"));
    assert_eq!(option(r#"'a' "b"'c'"#), "\noption o = \"abc\";\n");
    assert_eq!(
        option(r"'\x41\X4a\101\7\'\\\q'"),
        "\noption o = \"AJA\\a\\'\\\\q\";\n"
    );
    assert_eq!(option("'é🚀\t'"), "\noption o = \"é🚀\\t\";\n");
    assert_eq!(option(r"'\377'"), "\noption o = \"ÿ\";\n");
    assert!(refused(r"option o = '\xg';").contains("expected a digit after"));
}

#[test]
fn options_stay_as_they_are_written() {
    let lines = "  string a = 1 [\n    deprecated = true,\n    (x).y = Z\n  ];\n";
    assert_eq!(
        inside("string a = 1 [deprecated = true, (x).y = Z];"),
        lines
    );
    // Two of them are none, and come last.
    let lines =
        "  string a = 1 [\n    z = 1.50,\n    default = \"d\",\n    json_name = \"j\"\n  ];\n";
    assert_eq!(
        inside("string a = 1 [json_name = 'j', default = 'd', z = 1.50];"),
        lines
    );
    let lines = "  option (o) = {\n    a: [\n      1,\n      2,\n      {\n        b: \"x\"\n      }\n    ],\n    [c.d]: -5\n  };\n";
    assert_eq!(
        inside("option (o) = { a: 1 a: [2] a { b: 'x' }, [c.d]: -5 };"),
        lines
    );
}

#[test]
fn what_is_set_aside() {
    let lines = "  reserved 1, 2 to 3, 4 to max, \"a\";\n  reserved \"b\";\n";
    assert_eq!(
        inside("reserved 1, 2 to 3, 4 to 536870911, 'a'; reserved \"b\";"),
        lines
    );
    let lines = "  extensions 4, 5 to max [verification = DECLARATION];\n";
    assert_eq!(
        inside("extensions 4, 5 to max [verification = DECLARATION];"),
        lines
    );
    assert_eq!(
        kept("enum E { A = 0; reserved 1; option o = 1; }"),
        "\nenum E {\n  reserved 1;\n  option o = 1;\n  A = 0;\n}\n"
    );
}

#[test]
fn the_order_of_a_file() {
    let text = "import weak 'w'; import public 'p'; import './/i'; service S {} extend M { optional M e = 9; } enum E {} message M {} package p; option o = 1;";
    let kept_text = "package p;\n\nimport \"i\";\nimport public \"p\";\nimport weak \"w\";\n\noption o = 1;\n\nmessage M {}\nenum E {}\n\nextend M {\n  optional M e = 9;\n}\n\nservice S {}\n";
    assert_eq!(kept(text), kept_text);
}

#[test]
fn empty_lines_inside_of_nested_types_are_indented() {
    let lines = "  message N {\n    string a = 1;\n  \n    oneof o {\n      option x = 1;\n    \n      string b = 2;\n    }\n  }\n";
    assert_eq!(
        inside("message N { oneof o { string b = 2; option x = 1; } string a = 1; }"),
        lines
    );
}

#[test]
fn the_normal_form_of_numbers_and_names() {
    let text = "message M { reserved 'b', 9, 2 to 3; extensions 8, 6; oneof p { int32 d = 4; int32 c = 1; } oneof o {} optional E z = 5; }\nenum E { B = 1; A = -1; C = 1; }";
    let form = "\nmessage M {\n  reserved 2 to 3;\n  reserved 9;\n  reserved \"b\";\n\n  optional .E z = 5;\n\n  oneof o {}\n  oneof p {\n    int32 c = 1;\n    int32 d = 4;\n  }\n\n  extensions 6;\n  extensions 8;\n}\nenum E {\n  A = -1;\n  B = 1;\n  C = 1;\n}\n";
    assert_eq!(normalized(text), form);
}

#[test]
fn the_normal_form_of_options() {
    let text = "option (m).b = 1; option z = 1; option (m).a = [[2]]; option (m).b = 3; option (n) = { q: [{ y: 1, x: 2 }] };";
    let form = "\noption (m) = {\n  a: 2,\n  b: [\n    1,\n    3\n  ]\n};\noption (n) = {\n  q: {\n    x: 2,\n    y: 1\n  }\n};\noption z = 1;\n";
    assert_eq!(normalized(text), form);
    let text =
        "message M { optional string a = 1 [zz = 1, json_name = 'a', default = 'x', b = 2]; }";
    let form = "\nmessage M {\n  optional string a = 1 [\n    b = 2,\n    default = \"x\",\n    json_name = \"a\",\n    zz = 1\n  ];\n}\n";
    assert_eq!(normalized(text), form);
}

#[test]
fn a_new_text_names_types_that_are_there() {
    let text = |ty| format!("syntax = 'proto3'; package p; message M {{ {ty} f = 1; }}");
    assert!(
        new(&text("Missing"))
            .unwrap_err()
            .starts_with("Could not resolve type: Missing")
    );
    assert!(
        new(&text("map<string, Missing>"))
            .unwrap_err()
            .starts_with("Could not resolve type")
    );
    assert!(
        new(&text("map<float, string>"))
            .unwrap_err()
            .starts_with("map key must be non-byte, non-floating point scalar: float")
    );
    assert!(new(&text("p.M")).is_ok());
    assert!(new(&text("google.type.Money")).is_ok());
    assert!(new("service S { rpc R (X) returns (X); }").is_err());
}

/// The default of a field of bytes is printed without quotes, so most of them cannot be read again.
#[test]
fn a_new_text_can_be_read_again() {
    let text = |default| format!("message M {{ optional bytes b = 1 [default = {default}]; }}");
    assert!(new(&text("'abc'")).is_ok_and(|kept| kept.contains("[default = abc]")));
    assert!(
        new(&text(r"'\001\377'"))
            .unwrap_err()
            .contains("expected a word")
    );
    assert!(
        new(&text("'a, deprecated = true'"))
            .unwrap_err()
            .contains("another schema")
    );
}

#[test]
fn limits_are_named() {
    let deep = format!(
        "{}{}",
        "message M {".repeat(PROTO_DEPTH_MAX + 1),
        "}".repeat(PROTO_DEPTH_MAX + 1)
    );
    assert!(refused(&deep).contains("PROTO_DEPTH_MAX"));
    let deep = format!("option o = {}", "[".repeat(PROTO_DEPTH_MAX + 2));
    assert!(refused(&deep).contains("PROTO_DEPTH_MAX"));
    assert!(refused(&" ".repeat(PROTO_TEXT_BYTES_MAX + 1)).contains("PROTO_TEXT_BYTES_MAX"));
    let members: String = (0..=PROTO_OPTION_MEMBERS_MAX)
        .map(|n| format!("m{n}: 1 "))
        .collect();
    assert!(refused(&format!("option o = {{ {members} }};")).contains("PROTO_OPTION_MEMBERS_MAX"));
    let package = vec!["p"; PROTO_NAME_PARTS_MAX + 1].join(".");
    assert!(
        new(&format!("package {package}; message M {{}}"))
            .unwrap_err()
            .contains("PROTO_NAME_PARTS_MAX")
    );
}

/// Short lines that become long ones by their indentation are refused before they take the memory.
#[test]
fn a_text_is_not_printed_at_any_length() {
    let (open, close) = ("[".repeat(PROTO_DEPTH_MAX), "]".repeat(PROTO_DEPTH_MAX));
    let elements = "1,".repeat(PROTO_TEXT_BYTES_MAX / 64);
    let file = ProtoFile::parse(&format!("option o = {open}{elements}{close};")).unwrap();
    assert!(
        file.to_text()
            .unwrap_err()
            .to_string()
            .contains("PROTO_TEXT_BYTES_MAX")
    );
}

#[test]
fn a_descriptor_is_read_back() {
    let text = "syntax = \"proto3\";\npackage p;\n\nimport \"a.proto\";\nimport public \"b.proto\";\n\noption java_package = \"x\";\noption optimize_for = SPEED;\n\nmessage M {\n  reserved 9, 20 to max;\n  reserved \"r\";\n\n  option deprecated = true;\n\n  string f = 1 [\n    (confluent.field_meta) = {\n      doc: \"d\",\n      params: [\n        {\n          key: \"k\",\n          value: \"v\"\n        }\n      ],\n      tags: [\n        \"t\"\n      ]\n    },\n    json_name = \"j\"\n  ];\n  optional E g = 2;\n  repeated .p.M h = 3 [packed = false];\n\n  oneof o {\n    sint64 i = 4;\n  }\n\n  message N {}\n  enum E {\n    reserved 5 to 6;\n    A = 0;\n    B = -1 [deprecated = true];\n  }\n}\n\nextend M {\n  string x = 50;\n}\n\nservice S {\n  rpc R (M) returns (stream M) {\n    option idempotency_level = IDEMPOTENT;\n  };\n}\n";
    let file = ProtoFile::parse(text).unwrap();
    let bytes = descriptor::write(&file, &Names::new([&file]).unwrap()).unwrap();
    use base64::Engine;
    let posted = base64::engine::general_purpose::STANDARD.encode(bytes);
    assert_eq!(
        descriptor::read_base64(&posted).unwrap().to_text().unwrap(),
        text
    );
    assert_eq!(new(&posted).as_deref(), Ok(text));
    assert!(descriptor::read_base64("ChA=").is_err());
    assert!(new("ChA=").unwrap_err().ends_with("unexpected label: ChA"));
}

#[test]
fn a_map_has_an_entry_type_in_the_descriptor() {
    let file =
        ProtoFile::parse("message M { map<string, M> my_tags = 1; map<bool, bytes> x = 2; }")
            .unwrap();
    let bytes = descriptor::write(&file, &Names::new([&file]).unwrap()).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(
        text.contains("MyTagsEntry") && text.contains("xEntry"),
        "{text}"
    );
}
