//! The program must not praise a wrong converter.

use std::ops::Range;

use bytes::Bytes;
use ferroconnect_converters::config::RawConfig;
use ferroconnect_converters::data::{Schema, SchemaAndValue, Value};
use ferroconnect_converters::differs::Difference;
use ferroconnect_converters::simple::IntegerConverter;
use ferroconnect_converters::{Converter, Error, Outcome, RecordContext, Role};

use super::*;

const GOOD: &str = r#"{"id":"w1","converter":"IntegerConverter","op":"from_connect","config":{},"is_key":false,"topic":"t","schema":{"type":"int32","optional":false},"value":{"int32":1},"expect":{"bytes":"00000001","read_back":{"schema":{"type":"int32","optional":true},"value":{"int32":1}}}}
{"id":"r1","converter":"IntegerConverter","op":"to_connect","config":{},"is_key":false,"topic":"t","bytes":"ffffffff","expect":{"schema":{"type":"int32","optional":true},"value":{"int32":-1},"write_back":{"bytes":"ffffffff"}}}
{"id":"e1","converter":"IntegerConverter","op":"to_connect","config":{},"is_key":false,"topic":"t","bytes":"00","expect":{"error":"org.apache.kafka.connect.errors.DataException","message":"x"}}
{"id":"h1","converter":"IntegerConverter","op":"header_to_connect","config":{},"is_key":false,"topic":"t","bytes":null,"expect":{"schema":{"type":"int32","optional":true},"value":null}}
"#;

fn ids(report: &FileReport) -> Vec<&str> {
    report.failed().collect()
}

fn run_one(line: &str) -> FileReport {
    run_text(&Kit::bundled(), "one", line)
}

/// What a broken converter does.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Writes(&'static [u8]),
    Reads(i32),
    NeverFails,
    SaysItDiffers,
    Panics,
    Overwrites,
}

/// Correct but for one fault.
#[derive(Debug)]
struct Broken {
    inner: IntegerConverter,
    fault: Fault,
}

impl Converter for Broken {
    fn from_connect(
        &mut self,
        ctx: &mut RecordContext<'_>,
        data: &SchemaAndValue,
        out: &mut Vec<u8>,
    ) -> Outcome<Option<Range<usize>>> {
        match self.fault {
            Fault::Writes(bytes) => {
                let start = out.len();
                out.extend_from_slice(bytes);
                return Outcome::Ready(Some(start..out.len()));
            }
            Fault::SaysItDiffers => {
                ctx.note(Difference::NegativeZero);
                return Outcome::Ready(None);
            }
            Fault::Panics => panic!("broken on purpose"),
            Fault::Overwrites => out.clear(),
            Fault::Reads(_) | Fault::NeverFails => {}
        }
        self.inner.from_connect(ctx, data, out)
    }

    fn to_connect(
        &mut self,
        ctx: &mut RecordContext<'_>,
        bytes: Option<&Bytes>,
    ) -> Outcome<SchemaAndValue> {
        let datum =
            |number: i32| SchemaAndValue::from(number).with_schema(Some(Schema::optional_int32()));
        match (self.fault, self.inner.to_connect(ctx, bytes)) {
            (Fault::Reads(number), _) => Outcome::Ready(datum(number)),
            (Fault::NeverFails, Outcome::Failed(_)) => Outcome::Ready(datum(0)),
            (_, outcome) => outcome,
        }
    }
}

fn kit_with(record: MakeConverter) -> Kit {
    Kit::bundled().with(Factory {
        name: "IntegerConverter",
        record: Some(record),
        header: None,
    })
}

fn broken(config: &RawConfig, role: Role, fault: Fault) -> Result<Box<dyn Converter>, Error> {
    let inner = IntegerConverter::configure(config, role)?;
    Ok(Box::new(Broken { inner, fault }))
}

#[test]
fn a_right_converter_passes() {
    let report = run_text(&Kit::bundled(), "good", GOOD);
    assert_eq!((report.passed(), ids(&report)), (4, vec![]));
}

#[test]
fn wrong_bytes_are_reported() {
    let kit = kit_with(|c, r| broken(c, r, Fault::Writes(&[0, 0, 0, 2])));
    assert_eq!(ids(&run_text(&kit, "", GOOD)), ["w1", "r1"]);
}

#[test]
fn wrong_values_are_reported_in_reads_and_in_read_back() {
    let kit = kit_with(|c, r| broken(c, r, Fault::Reads(7)));
    assert_eq!(ids(&run_text(&kit, "", GOOD)), ["w1", "r1", "e1"]);
}

#[test]
fn a_missing_error_is_reported() {
    let kit = kit_with(|c, r| broken(c, r, Fault::NeverFails));
    assert_eq!(ids(&run_text(&kit, "", GOOD)), ["e1"]);
}

#[test]
fn a_panic_and_a_clobbered_buffer_fail_their_case_alone() {
    let kit = kit_with(|c, r| broken(c, r, Fault::Panics));
    assert_eq!(ids(&run_text(&kit, "", GOOD)), ["w1", "r1"]);
    let kit = kit_with(|c, r| broken(c, r, Fault::Overwrites));
    assert_eq!(ids(&run_text(&kit, "", GOOD)), ["w1", "r1"]);
}

#[test]
fn a_mismatch_differs_only_when_the_converter_says_so() {
    let kit = kit_with(|c, r| broken(c, r, Fault::SaysItDiffers));
    let report = run_text(&kit, "", GOOD);
    assert_eq!((report.differ(), ids(&report)), (2, vec![]));
    assert_eq!(report.differences(), BTreeSet::from(["negative-zero"]));
}

#[test]
fn converters_that_are_not_under_test_make_the_run_fail() {
    let line = GOOD.replace("IntegerConverter", "ThriftConverter");
    let report = run_text(&Kit::bundled(), "", &line);
    assert_eq!((report.passed(), report.not_supported()), (0, 4));
    let mut run = Report::default();
    run.push(report);
    assert!(!run.is_success());
    // The header case above has no header factory: not supported either, never passed.
    let kit = kit_with(|c, r| broken(c, r, Fault::Panics));
    assert_eq!(run_text(&kit, "", GOOD).not_supported(), 1);
}

#[test]
fn other_files_are_named_and_do_not_count() {
    let report = run_one("{\"transform\":\"x\"}\n{\"status\":200}\n");
    assert_eq!((report.not_known(), report.passed()), (2, 0));
    let mut run = Report::default();
    run.push(report);
    assert!(run.is_success());
    assert!(
        run.text(false)
            .starts_with("one: not known by this program, 2 lines skipped\n")
    );
    assert!(
        run.text(false)
            .ends_with("\n0 passed, 0 failed, 0 differ\n")
    );
}

#[test]
fn lines_that_are_no_json_fail() {
    let report = run_one("{\"converter\":\n");
    assert_eq!(ids(&report), ["line 1"]);
    let report = run_one(r#"{"converter":"IntegerConverter","op":"convert","expect":{}}"#);
    assert_eq!(ids(&report), ["line 1"]);
}

#[test]
fn a_config_error_must_happen_where_it_is_expected() {
    let expect = r#""expect":{"error":"x","at":"configure"}"#;
    let line = |config: &str, expect: &str| {
        format!(
            r#"{{"id":"c","converter":"StringConverter","op":"to_connect","config":{config},"is_key":true,"topic":"t","bytes":"61",{expect}}}"#
        )
    };
    let bad = r#"{"converter.encoding":"nope"}"#;
    assert_eq!(run_one(&line(bad, expect)).passed(), 1);
    assert_eq!(ids(&run_one(&line("{}", expect))), ["c"]);
    let value = r#""expect":{"schema":{"type":"string","optional":true},"value":{"string":"a"}}"#;
    assert_eq!(ids(&run_one(&line(bad, value))), ["c"]);
    assert_eq!(run_one(&line("{}", value)).passed(), 1);
}

#[test]
fn the_newer_expectation_wins() {
    let line = r#"{"id":"f","converter":"FloatConverter","op":"from_connect","config":{},"is_key":false,"topic":"t","schema":null,"value":{"float32":"1.0","bits":"3f800000"},"expect":{"bytes":"00"},"expect_jdk25":{"bytes":"3f800000"}}"#;
    assert_eq!(run_one(line).passed(), 1);
}

#[test]
fn inputs_that_no_rust_text_can_hold_differ_by_name() {
    let line = r#"{"id":"s","converter":"StringConverter","op":"from_connect","config":{},"is_key":false,"topic":"t","schema":null,"value":{"utf16":"d83d"},"expect":{"bytes":"3f"}}"#;
    assert_eq!(
        run_one(line).differences(),
        BTreeSet::from(["input-lone-surrogate"])
    );
    let line = r#"{"id":"b","converter":"ByteArrayConverter","op":"from_connect","config":{},"is_key":false,"topic":"t","schema":null,"value":{"bytes":"01","backing":"0001"},"expect":{"bytes":"01"}}"#;
    assert_eq!(
        run_one(line).differences(),
        BTreeSet::from(["input-buffer-window"])
    );
}

#[test]
fn the_report_shows_want_and_got_when_asked() {
    let kit = kit_with(|c, r| broken(c, r, Fault::Writes(&[9])));
    let mut run = Report::default();
    run.push(run_text(&kit, "some/file", GOOD));
    let text = run.text(true);
    assert!(
        text.contains(
            "some/file: 4 cases, 1 passed, 2 failed, 0 differing by name, 1 not supported"
        ),
        "{text}"
    );
    assert!(text.contains("failed: w1\n    want"), "{text}");
    assert!(text.contains("got  09"), "{text}");
    assert!(!run.text(false).contains("want"));
    assert!(text.ends_with("1 passed, 2 failed, 0 differ\n"), "{text}");
}

#[test]
fn comparison_is_strict_where_it_matters() {
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let same = |got: Value<'_>, want: &str| compare::value(got, None, &value(want)).is_ok();
    // The type counts, not only the number.
    assert!(!same(Value::Int16(1), r#"{"int8":1}"#));
    assert!(!same(Value::Null, r#"{"int8":0}"#));
    assert!(!same(Value::String(""), "null"));
    // Floats by bits: the sign of zero and the payload of a NaN.
    assert!(!same(
        Value::Float64(-0.0),
        r#"{"float64":"0.0","bits":"0000000000000000"}"#
    ));
    assert!(!same(
        Value::Float32(f32::from_bits(0x7fc0_0001)),
        r#"{"float32":"NaN","bits":"7fc00000"}"#
    ));
    // Scale is part of a decimal.
    let decimal = ferroconnect_converters::data::Decimal::new(10, 1);
    assert!(same(
        Value::Decimal(decimal.view()),
        r#"{"decimal":{"unscaled":"10","scale":1}}"#
    ));
    assert!(!same(
        Value::Decimal(decimal.view()),
        r#"{"decimal":{"unscaled":"1","scale":0}}"#
    ));
}

#[test]
fn schemas_are_compared_with_every_attribute() {
    let full = r#"{"type":"int32","optional":true,"name":"n","version":2,"doc":"d","default":{"int32":5},"parameters":{"a":"1","b":"2"}}"#;
    let form: serde_json::Value = serde_json::from_str(full).unwrap();
    let schema = crate::tagged::schema_from(&form).unwrap();
    let datum = SchemaAndValue::null_of(schema);
    let same = |schema: &serde_json::Value| {
        compare::datum(
            &datum,
            &serde_json::json!({"schema": schema, "value": null}),
        )
        .is_ok()
    };
    assert!(same(&form));
    assert!(!same(&serde_json::Value::Null));
    for key in [
        "optional",
        "name",
        "version",
        "doc",
        "default",
        "parameters",
    ] {
        let mut less = form.clone();
        less.as_object_mut().unwrap().remove(key);
        assert!(!same(&less), "{key}");
    }
    for (from, to) in [
        ("\"n\"", "\"m\""),
        (":2,", ":3,"),
        ("{\"int32\":5}", "{\"int32\":6}"),
        ("{\"a\":\"1\",\"b\":\"2\"}", "{\"b\":\"2\",\"a\":\"1\"}"),
    ] {
        let other = serde_json::from_str(&full.replace(from, to)).unwrap();
        assert!(!same(&other), "{to}");
    }
}
