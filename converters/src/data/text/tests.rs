//! `Values`: what texts stand for, and the texts of values.

use super::tokens::Tokens;
use super::{parse, write};
use crate::data::{
    Builder, Decimal, Schema, SchemaAndValue, SchemaBuilder, StructBuilder, Type, Value, logical,
};
use crate::differs::Difference;

fn datum(text: &str) -> SchemaAndValue {
    let parsed = parse(text);
    assert_eq!(parsed.difference, None, "{text}");
    parsed.datum
}

/// The text of a value, and of what it is read as again.
fn text_of(value: Value<'_>) -> String {
    let mut out = Vec::new();
    write(value, &mut out);
    String::from_utf8(out).unwrap()
}

fn assert_text(text: &str) {
    let datum = datum(text);
    assert_eq!(datum.value(), Value::String(text));
    assert_eq!(datum.schema(), Some(&Schema::string()));
}

/// Text that is read as `schema` and prints as `printed`.
fn assert_reads(text: &str, schema: Option<&Schema>, printed: &str) {
    let datum = datum(text);
    assert_eq!(datum.schema(), schema, "{text}");
    assert_eq!(text_of(datum.value()), printed, "{text}");
}

fn list(element: Option<Schema>) -> Schema {
    SchemaBuilder::open_array(element).build().unwrap()
}

fn map(key: Option<Schema>, value: Option<Schema>) -> Schema {
    SchemaBuilder::open_map(key, value).build().unwrap()
}

#[test]
fn null_and_empty() {
    for text in ["null", " null ", "null\t"] {
        assert_eq!(datum(text), SchemaAndValue::NULL, "{text:?}");
    }
    for text in [
        "",
        " ",
        "\t\n ",
        "\0",
        "NULL",
        "nullx",
        "null null",
        "\"null\"",
    ] {
        assert_text(text);
    }
    assert_eq!(text_of(Value::Null), "null");
}

#[test]
fn booleans_are_whole_words_in_lower_case() {
    for (text, value) in [
        ("true", true),
        ("false", false),
        (" true ", true),
        ("\nfalse", false),
    ] {
        assert_eq!(datum(text).value(), Value::Boolean(value));
        assert_eq!(datum(text).schema(), Some(&Schema::boolean()));
    }
    for text in [
        "True",
        "TRUE",
        "truest",
        "true}",
        "true:x",
        "false,",
        "falsehood",
        "\"true\"",
    ] {
        assert_text(text);
    }
}

#[test]
fn integers_take_the_narrowest_type() {
    for (text, value) in [
        ("127", Value::Int8(127)),
        ("-128", Value::Int8(-128)),
        ("128", Value::Int16(128)),
        ("-129", Value::Int16(-129)),
        ("32768", Value::Int32(32_768)),
        ("2147483648", Value::Int64(2_147_483_648)),
        ("9223372036854775807", Value::Int64(i64::MAX)),
        ("-9223372036854775808", Value::Int64(i64::MIN)),
        ("+5", Value::Int8(5)),
        ("007", Value::Int8(7)),
        ("-0", Value::Int8(0)),
        ("1.0", Value::Int8(1)),
        ("1.", Value::Int8(1)),
        ("1e3", Value::Int16(1000)),
        ("12.50e1", Value::Int8(125)),
        ("1000e-3", Value::Int8(1)),
        ("0e999999999", Value::Int8(0)),
        ("0.000", Value::Int8(0)),
        (
            "9223372036854775807.00000000000000000000000000000000000000000000000",
            Value::Int64(i64::MAX),
        ),
        ("٣", Value::Int8(3)),
        ("\u{ff11}\u{ff12}", Value::Int8(12)),
    ] {
        assert_eq!(datum(text).value(), value, "{text}");
    }
}

#[test]
fn fractions_become_the_narrowest_finite_float() {
    for (text, value) in [
        ("1.5", Value::Float32(1.5)),
        ("-0.1", Value::Float32(-0.1)),
        ("123456789.123456789", Value::Float32(123_456_790.0)),
        ("1e19", Value::Float32(1e19)),
        ("1e-50", Value::Float32(0.0)),
        ("3.4028236e38", Value::Float64(3.402_823_6e38)),
        ("1e308", Value::Float64(1e308)),
    ] {
        assert_eq!(datum(text).value(), value, "{text}");
    }
}

#[test]
fn what_no_float_holds_is_a_decimal() {
    for (text, unscaled, scale) in [
        ("9223372036854775808", 9_223_372_036_854_775_808, 0),
        ("-9223372036854775809", -9_223_372_036_854_775_809, 0),
        ("1e400", 1, -400),
        ("1.5e400", 15, -399),
    ] {
        let decimal = Decimal::new(unscaled, scale);
        assert_eq!(
            datum(text).value(),
            Value::Decimal(decimal.view()),
            "{text}"
        );
        assert_eq!(
            datum(text).schema(),
            Some(&logical::decimal(scale).build().unwrap())
        );
    }
}

#[test]
fn what_is_no_number_stays_text() {
    for text in [
        "-",
        "+",
        "+-5",
        ".5",
        "1e",
        "1e+",
        "1..2",
        "0x1F",
        "1_000",
        "12abc",
        "NaN",
        "Infinity",
        "1f",
        "\u{2212}5",
        "1 2",
        "1e99999999999",
        "\u{a0}5",
    ] {
        assert_text(text);
    }
    // A limit: no amount has thousands of digits.
    assert_text(&"9".repeat(5000));
}

#[test]
fn dates_and_times_of_three_exact_forms() {
    for (text, schema, millis) in [
        ("2019-08-23", logical::date(), 1_566_518_400_000),
        ("2019-08-23 ", logical::date(), 1_566_518_400_000),
        ("2019-13-45", logical::date(), 1_581_638_400_000),
        ("0001-01-01", logical::date(), -62_135_769_600_000),
        ("2019-8-23x", logical::date(), 1_566_518_400_000),
        ("1E-31-2-3-", logical::date(), -62_164_540_800_000),
        (
            "12345678901-1-1T1:1:1.1Z",
            logical::timestamp(),
            1_430_098_571_834_812_617,
        ),
        ("14:34:54.346Z", logical::time(), 52_494_346),
        (r"14\:34\:54.346Z", logical::time(), 52_494_346),
        ("99:99:99.999Z", logical::time(), 362_439_999),
        (
            "2019-08-23T14:34:54.346Z",
            logical::timestamp(),
            1_566_570_894_346,
        ),
        (
            r"2019-08-23T14\:34\:54.346Z",
            logical::timestamp(),
            1_566_570_894_346,
        ),
        ("1969-12-31T23:59:59.999Z", logical::timestamp(), -1),
    ] {
        let datum = datum(text);
        assert_eq!(datum.value(), Value::Timestamp(millis), "{text}");
        assert_eq!(datum.schema(), Some(&schema.build().unwrap()), "{text}");
    }
    for text in [
        "19-08-23",
        "-2019-08-23",
        "2019-08-23T14:34:54Z",
        "2019-08-23t14:34:54.346z",
        "2019/08/23",
        "2019-08-23T14:34:54.346+0000",
        "\"2019-08-23\"",
        "2019-08-XX",
    ] {
        let parsed = parse(text);
        assert_eq!(parsed.datum.value(), Value::String(text));
    }
}

#[test]
fn plain_text_stays_as_it_is() {
    for text in [
        "foo",
        "a,b",
        "foo:bar",
        "\"quoted\"",
        "\"",
        "\"unterminated",
        r"a\nb",
        r"\",
        r"\\",
        "a\nb",
        "é😀",
        "simple text with {delimiters} [and] \"quotes\"",
        "]",
        "}",
        ":",
        ",",
        "{",
        "[",
        "[[",
        "{[",
    ] {
        assert_text(text);
    }
}

#[test]
fn arrays_with_a_common_type() {
    for (text, element, printed) in [
        ("[1,2,3]", Schema::int8(), "[1,2,3]"),
        ("[1, 2, 300]", Schema::int16(), "[1,2,300]"),
        ("[ 1 , 70000 ]", Schema::int32(), "[1,70000]"),
        ("[1,5000000000]", Schema::int64(), "[1,5000000000]"),
        ("[1,2.5]", Schema::float32(), "[1.0,2.5]"),
        ("[1,1.5,1e300]", Schema::float64(), "[1.0,1.5,1.0E300]"),
        ("[1,]", Schema::int8(), "[1]"),
        ("[true,false]", Schema::boolean(), "[true,false]"),
        (r#"["a","b"]"#, Schema::string(), r#"["a","b"]"#),
        (
            r#"[" a ","1","null",""]"#,
            Schema::string(),
            r#"[" a ","1","null",""]"#,
        ),
        (
            r#"["a,b","[","{:"]"#,
            Schema::string(),
            r#"["a,b","[","{:"]"#,
        ),
        (
            "[9223372036854775808]",
            logical::decimal(0).build().unwrap(),
            "[9223372036854775808]",
        ),
        (
            "[2019-08-23,\"2020-01-01\"]",
            logical::date().build().unwrap(),
            "[2019-08-23,2020-01-01]",
        ),
        (
            "[14:34:54.346Z]",
            logical::time().build().unwrap(),
            "[14:34:54.346Z]",
        ),
        (
            "[\"2019-08-23T14:34:54.346Z\"]",
            logical::timestamp().build().unwrap(),
            "[2019-08-23T14:34:54.346Z]",
        ),
    ] {
        assert_reads(text, Some(&list(Some(element))), printed);
    }
}

#[test]
fn arrays_without_a_common_type_keep_their_elements() {
    for (text, printed) in [
        ("[]", "[]"),
        ("[ ]", "[]"),
        ("[null]", "[null]"),
        ("[null,null]", "[null,null]"),
        ("[1,\"a\"]", "[1,\"a\"]"),
        ("[true,1,null]", "[true,1,null]"),
        ("[1,9223372036854775808]", "[1,9223372036854775808]"),
    ] {
        assert_reads(text, Some(&list(None)), printed);
    }
    // Escapes are not undone, as in Java.
    assert_reads(
        r#"["a\"b"]"#,
        Some(&list(Some(Schema::string()))),
        r#"["a\\\"b"]"#,
    );
}

#[test]
fn dates_mix_with_numbers_of_their_type() {
    // Only the type counts: a timestamp is a 64-bit integer.
    let stamps = list(Some(logical::timestamp().build().unwrap()));
    assert_reads(
        "[5000000000,2019-08-23T14:34:54.346Z,14:34:54.346Z]",
        Some(&stamps),
        "[1970-02-27T20:53:20.000Z,2019-08-23T14:34:54.346Z,14:34:54.346Z]",
    );
    let dates = list(Some(logical::date().build().unwrap()));
    assert_reads("[1,2019-08-23]", Some(&dates), "[1970-01-02,2019-08-23]");
    // A date is no number, so this is text.
    assert_text("[2019-08-23,70000]");
    assert_text("[1.5,2019-08-23]");
}

#[test]
fn malformed_arrays_are_text() {
    for text in [
        "[1",
        "[1,2",
        "[,1]",
        "[1,,2]",
        "[1 2]",
        "[a,b]",
        "[1}",
        "[null,1]",
        "[1,null]",
        "[\"a",
        "[1,[2]",
        "[[1 2],3]",
        "[NaN]",
        "[True]",
    ] {
        assert_text(text);
    }
}

#[test]
fn maps() {
    let (string, int8, int16) = (Schema::string(), Schema::int8(), Schema::int16());
    for (text, schema, printed) in [
        ("{}", map(None, None), "{}"),
        ("{ }", map(None, None), "{}"),
        (
            r#"{"a":1}"#,
            map(Some(string.clone()), Some(int8.clone())),
            r#"{"a":1}"#,
        ),
        (
            r#"{ "a" : 1 , "b" : 300 }"#,
            map(Some(string.clone()), Some(int16.clone())),
            r#"{"a":1,"b":300}"#,
        ),
        (
            "{1:2,300:4}",
            map(Some(int16), Some(int8.clone())),
            "{1:2,300:4}",
        ),
        (
            "{true:1}",
            map(Some(Schema::boolean()), Some(int8.clone())),
            "{true:1}",
        ),
        (
            r#"{"a":1 "b":2}"#,
            map(Some(string.clone()), Some(int8.clone())),
            r#"{"a":1,"b":2}"#,
        ),
        (
            r#"{"a":1,}"#,
            map(Some(string.clone()), Some(int8.clone())),
            r#"{"a":1}"#,
        ),
        (
            r#"{"a":1,"a":2}"#,
            map(Some(string.clone()), Some(int8.clone())),
            r#"{"a":2}"#,
        ),
        (
            r#"{"a":null}"#,
            map(Some(string.clone()), None),
            r#"{"a":null}"#,
        ),
        (
            r#"{"a":1,"b":"x"}"#,
            map(Some(string.clone()), None),
            r#"{"a":1,"b":"x"}"#,
        ),
        (
            r#"{"a":14:34:54.346Z}"#,
            map(Some(string.clone()), Some(logical::time().build().unwrap())),
            r#"{"a":14:34:54.346Z}"#,
        ),
        // Without a common key schema the one of the values is lost too.
        (r#"{1:2,"a":3}"#, map(None, None), r#"{1:2,"a":3}"#),
        (
            r#"{"a":[1],"b":[2]}"#,
            map(Some(string), Some(list(Some(int8)))),
            r#"{"a":[1],"b":[2]}"#,
        ),
    ] {
        assert_reads(text, Some(&schema), printed);
    }
}

#[test]
fn malformed_maps_are_text() {
    for text in [
        "{",
        "{a:1}",
        "{null:1}",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a":1"#,
        "{:1}",
        "{,}",
        r#"{"a":1]"#,
        r#"{,"a":1}"#,
        r#"{"a":1,,"b":2}"#,
        r#"{"a":b}"#,
        r#"{"a":1,"b":null}"#,
    ] {
        assert_text(text);
    }
}

#[test]
fn of_equal_keys_only_the_last_value_counts() {
    let schema = map(Some(Schema::string()), Some(Schema::int8()));
    assert_reads(
        r#"{"a":null,"b":2,"a":1}"#,
        Some(&schema),
        r#"{"a":1,"b":2}"#,
    );
    let keys = list(Some(Schema::int8()));
    assert_reads(
        "{[1]:2,[1]:3}",
        Some(&map(Some(keys), Some(Schema::int8()))),
        "{[1]:3}",
    );
}

#[test]
fn blanks_between_quotes_are_kept() {
    for (text, printed) in [(r#"[" "]"#, r#"[" "]"#), (r#"[" [x"]"#, r#"[" [x"]"#)] {
        let parsed = parse(text);
        assert_eq!(parsed.difference, Some(Difference::QuotedBlanks));
        assert_eq!(text_of(parsed.datum.value()), printed);
    }
    assert_eq!(text_of(datum(r#"[" a "]"#).value()), r#"[" a "]"#);
}

#[test]
fn nesting() {
    let inner = list(Some(Schema::string()));
    assert_reads(r#"[[],["x"]]"#, Some(&list(Some(inner))), r#"[[],["x"]]"#);
    let maps = map(Some(Schema::string()), Some(Schema::int8()));
    assert_reads(
        r#"[{"a":1},{"b":2}]"#,
        Some(&list(Some(maps.clone()))),
        r#"[{"a":1},{"b":2}]"#,
    );
    let deep = map(Some(Schema::string()), Some(maps));
    assert_reads(r#"{"a":{"b":1}}"#, Some(&deep), r#"{"a":{"b":1}}"#);
    // The schema of the last element is taken for all, as in Java.
    assert_reads(
        r#"[[1],["a"]]"#,
        Some(&list(Some(list(Some(Schema::string()))))),
        r#"[[1],["a"]]"#,
    );
}

#[test]
fn depth_is_limited_and_cheap() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert_eq!(
        datum(&nested(900)).schema().map(Schema::kind),
        Some(Type::Array)
    );
    assert_text(&nested(5_000));
    assert_text(&"[".repeat(1_000_000));
    assert_text(&"{\"a\":".repeat(200_000));
    assert_text(&"[\"".repeat(200_000));
}

#[test]
fn nothing_is_dropped_behind_a_value() {
    // Case C101. The JVM reads 1, 8080, the list and the map.
    for text in [
        "1::2",
        "1:2:3",
        "8080:80",
        "1,2",
        "1]",
        "[1][2]",
        "[1]x",
        "{\"a\":1}x",
        "14:34:54Z",
        " {1.5\"b\"",
        "  [1 2]",
    ] {
        let parsed = parse(text);
        assert_eq!(parsed.datum.value(), Value::String(text));
        assert_eq!(
            parsed.difference,
            Some(Difference::TrailingHeaderText),
            "{text}"
        );
    }
    // Blanks behind it are nothing.
    assert_eq!(datum("[1] ").schema().map(Schema::kind), Some(Type::Array));
}

#[test]
fn tokens_are_cut_at_delimiters_without_a_backslash() {
    let cut = |text| {
        let mut tokens = Tokens::new(text);
        let mut all = Vec::new();
        while tokens.has_next() {
            all.push(tokens.next());
        }
        all
    };
    assert_eq!(cut("no delimiters"), ["no delimiters"]);
    assert_eq!(cut("a:b"), ["a", ":", "b"]);
    assert_eq!(cut("::"), [":", ":"]);
    assert_eq!(cut(r"a\:b\\:c\"), [r"a\:b\\", ":", r"c\"]);
    assert_eq!(
        cut(r#"{"k":[1]}"#),
        ["{", "\"", "k", "\"", ":", "[", "1", "]", "}"]
    );
    assert_eq!(cut("é,😀"), ["é", ",", "😀"]);

    let mut tokens = Tokens::new("  , b ]");
    assert!(tokens.take(","), "blanks in front do not matter");
    let mark = tokens.mark();
    assert!(tokens.take("b"));
    tokens.rewind(mark);
    assert!(!tokens.take_exactly("b"));
    assert_eq!(tokens.next_joined(3), None);
    assert_eq!(tokens.next_joined(2), Some(" b ]"));
    assert_eq!((tokens.has_next(), tokens.next()), (false, ""));
}

#[test]
fn texts_of_values() {
    let decimal = Decimal::new(1, -3);
    for (value, text) in [
        (Value::Boolean(true), "true"),
        (Value::Int8(-5), "-5"),
        (Value::Int64(i64::MIN), "-9223372036854775808"),
        (Value::Float32(1.5), "1.5"),
        (Value::Float64(1e10), "1.0E10"),
        (Value::Float64(f64::NAN), "NaN"),
        (Value::String("plain \"text\" \\"), "plain \"text\" \\"),
        (Value::Bytes(&[1, 2]), "AQI="),
        (Value::Decimal(decimal.view()), "1E+3"),
        (Value::Date(0), "00:00:00.000Z"),
        (Value::Time(86_399_999), "23:59:59.999Z"),
        (Value::Timestamp(86_400_000), "1970-01-02"),
        (
            Value::Timestamp(1_700_000_000_123),
            "2023-11-14T22:13:20.123Z",
        ),
        // Before 1970 only the time of day is printed, as in Java.
        (Value::Timestamp(-1), "23:59:59.999Z"),
    ] {
        assert_eq!(text_of(value), text);
    }
}

#[test]
fn texts_inside_of_containers_are_quoted_and_defaults_are_filled_in() {
    let mut out = Builder::new(None);
    out.begin_array()
        .string("q\"\\")
        .bytes(&[0x80])
        .null()
        .timestamp(0);
    out.begin_map()
        .int32(2)
        .string("x")
        .string("n")
        .null()
        .end_map()
        .end_array();
    let datum = out.finish().unwrap();
    assert_eq!(
        text_of(datum.value()),
        r#"["q\"\\","gA==",null,00:00:00.000Z,{2:"x","n":null}]"#
    );

    let with_default = SchemaBuilder::string()
        .optional()
        .default_value("dv")
        .build()
        .unwrap();
    let schema = SchemaBuilder::structure()
        .field("a", Schema::int32())
        .field("b", with_default)
        .field("c", Schema::optional_string())
        .build()
        .unwrap();
    let datum = StructBuilder::new(&schema)
        .unwrap()
        .set("a", 1)
        .unwrap()
        .finish()
        .unwrap();
    assert_eq!(text_of(datum.value()), r#"{"a":1,"b":"dv","c":null}"#);
}
