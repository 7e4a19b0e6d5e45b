//! Public cases of other people's trouble that concern AvroConverter, by id. Inputs are ours.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test, a panic with its place is the report"
)]

use std::time::{Duration, Instant};

use bytes::Bytes;
use ferroconnect_converters::avro::AvroConverter;
use ferroconnect_converters::client::BlockingConverter;
use ferroconnect_converters::config::RawConfig;
use ferroconnect_converters::data::{
    Builder, Decimal, Schema, SchemaAndValue, SchemaBuilder, StructBuilder, Type, Value, logical,
};
use ferroconnect_converters::{Error, Role};
use ferroconnect_registry_client::fake::FakeRegistry;
use ferroconnect_registry_client::{Registry, SchemaText, SchemaType, Subject};

const DEFAULTS: &[(&str, &str)] = &[];

/// A converter of values of the topic `orders`, and its registry.
struct Pair(BlockingConverter<AvroConverter, FakeRegistry>);

impl Pair {
    fn new(settings: &[(&str, &str)]) -> Self {
        let url = [("schema.registry.url", "http://registry:8081")];
        let keys = url.iter().chain(settings);
        let raw: RawConfig = keys
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let converter = AvroConverter::configure(&raw, Role::Value).unwrap();
        let registry = FakeRegistry::default();
        Self(BlockingConverter::new(Role::Value, converter, registry))
    }

    /// The same with a registry whose next id is 7.
    fn from_seven(settings: &[(&str, &str)]) -> Self {
        let mut pair = Self::new(settings);
        for filler in 1..7 {
            pair.register("filler", &fixed(filler));
        }
        pair
    }

    fn register(&mut self, subject: &str, text: &str) -> i32 {
        let subject = Subject::new(subject).unwrap();
        let schema = SchemaText::new(SchemaType::Avro, text);
        let registered = self.0.registry().register(&subject, &schema, false);
        registered.unwrap().id.get()
    }

    /// Reads a body that was written with the schema; blanks are between its bytes.
    fn read(&mut self, schema: &str, body: &str) -> Result<SchemaAndValue, Error> {
        let id = self.register("orders-value", schema);
        let mut record = vec![0];
        record.extend(id.to_be_bytes());
        record.extend(hex(body));
        self.0.decode("orders", Some(&Bytes::from(record)))
    }

    fn write(&mut self, data: &SchemaAndValue) -> Result<String, Error> {
        let bytes = self.0.encode("orders", data)?;
        Ok(text_of(&bytes.unwrap()))
    }

    /// What stands behind the frame.
    fn body(&mut self, data: &SchemaAndValue) -> String {
        self.write(data).unwrap()["00 00 00 00 07 ".len()..].to_owned()
    }

    /// The text that was registered last.
    fn registered(&mut self) -> String {
        let newest = self.0.registry().registered().last().unwrap();
        newest.schema.text().to_owned()
    }

    /// The Avro schema of a value.
    fn schema_of(&mut self, data: &SchemaAndValue) -> String {
        self.write(data).unwrap();
        self.registered()
    }
}

fn fixed(size: i32) -> String {
    format!(r#"{{"type":"fixed","name":"F","size":{size}}}"#)
}

fn hex(text: &str) -> Vec<u8> {
    let bytes = text.split_whitespace();
    bytes
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect()
}

fn text_of(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}

fn structure(name: &str, fields: &[(&str, Schema)]) -> Schema {
    let builder = SchemaBuilder::structure().name(name);
    let fields = fields.iter();
    fields
        .fold(builder, |builder, (name, schema)| {
            builder.field(name, schema.clone())
        })
        .build()
        .unwrap()
}

fn field_schema<'a>(data: &'a SchemaAndValue, name: &str) -> &'a Schema {
    data.schema().unwrap().field(name).unwrap().schema()
}

fn field<'a>(data: &'a SchemaAndValue, name: &str) -> Value<'a> {
    let Value::Struct(fields) = data.value() else {
        panic!("{data:?}")
    };
    fields.get_without_default(name).unwrap()
}

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

/// C015: a null in an optional field with a default becomes the default, unless told otherwise; the schema stays.
#[test]
fn c015_nulls_where_there_is_a_default() {
    let name = SchemaBuilder::string()
        .optional()
        .default_value("default_str")
        .build()
        .unwrap();
    let schema = structure("t", &[("id", Schema::int32()), ("name", name)]);
    let data = StructBuilder::new(&schema)
        .unwrap()
        .set("id", 1i32)
        .unwrap()
        .set_with("name", |out| {
            out.null();
        })
        .unwrap()
        .finish()
        .unwrap();
    for (settings, expected) in [
        (
            DEFAULTS,
            "00 00 00 00 07 02 00 16 64 65 66 61 75 6c 74 5f 73 74 72",
        ),
        (
            &[("ignore.default.for.nullables", "true")],
            "00 00 00 00 07 02 02",
        ),
    ] {
        let mut pair = Pair::from_seven(settings);
        assert_eq!(pair.write(&data).unwrap(), expected, "{settings:?}");
        assert_eq!(
            pair.registered(),
            r#"{"type":"record","name":"t","fields":[{"name":"id","type":"int"},{"name":"name","type":[{"type":"string","connect.default":"default_str"},"null"],"default":"default_str"}],"connect.name":"t"}"#
        );
    }
}

/// C017: a decimal without a scale has the scale 0, and at the root no length before its bytes.
#[test]
fn c017_a_decimal_without_a_scale() {
    let avro = r#"{"type":"bytes","logicalType":"decimal","precision":10}"#;
    let expected = logical::decimal(0)
        .parameter("connect.decimal.precision", "10")
        .build()
        .unwrap();
    for (body, number) in [("2a", "42"), ("02 2a", "554")] {
        let data = Pair::new(DEFAULTS).read(avro, body).unwrap();
        assert_eq!(data.value(), Value::Decimal(decimal(number).view()));
        let schema = data.schema().unwrap();
        assert_eq!(
            (schema.kind(), schema.name(), schema.parameters()),
            (Type::Bytes, expected.name(), expected.parameters())
        );
        assert_eq!(schema.version(), Some(1));
    }
    let record =
        format!(r#"{{"type":"record","name":"r","fields":[{{"name":"d","type":{avro}}}]}}"#);
    let data = Pair::new(DEFAULTS).read(&record, "02 2a").unwrap();
    assert_eq!(field(&data, "d"), Value::Decimal(decimal("42").view()));
    assert_eq!(*field_schema(&data, "d"), expected);
}

/// C018: a default has the type of its schema, however small its number is.
#[test]
fn c018_small_defaults_of_wide_types() {
    let avro = r#"{"type":"record","name":"sample","fields":[
        {"name":"prop","type":{"type":"long","connect.default":42,"connect.version":1}},
        {"name":"tiny","type":{"type":"int","connect.type":"int16","connect.default":5}}]}"#;
    let data = Pair::new(DEFAULTS).read(avro, "0e 04").unwrap();
    let prop = SchemaBuilder::int64().version(1).default_value(42i64);
    let tiny = SchemaBuilder::int16().default_value(5i16);
    assert_eq!(*field_schema(&data, "prop"), prop.build().unwrap());
    assert_eq!(*field_schema(&data, "tiny"), tiny.build().unwrap());
    assert_eq!(
        field_schema(&data, "prop").default_value(),
        Some(Value::Int64(42))
    );
    assert_eq!(
        field_schema(&data, "tiny").default_value(),
        Some(Value::Int16(5))
    );
    assert_eq!(
        (field(&data, "prop"), field(&data, "tiny")),
        (Value::Int64(7), Value::Int16(2))
    );
}

const UNFIT: &str = r#"{"type":"record","name":"r","fields":[{"name":"freq","type":"string","default":null},{"name":"n","type":"int","default":"x"}]}"#;

/// C020: defaults that do not fit their types are left out; the data are read.
#[test]
fn c020_defaults_that_do_not_fit_stop_no_record() {
    let mut pair = Pair::new(DEFAULTS);
    let data = pair.read(UNFIT, "04 35 6d 12").unwrap();
    assert_eq!(field(&data, "freq"), Value::String("5m"));
    assert_eq!(field(&data, "n"), Value::Int32(9));
    for name in ["freq", "n"] {
        assert_eq!(field_schema(&data, name).default_value(), None, "{name}");
        assert!(!field_schema(&data, name).is_optional(), "{name}");
    }
    assert_eq!(
        field_schema(&data, "freq").parameter("io.confluent.connect.avro.field.default"),
        Some("true")
    );

    // Written back, the schema has no defaults.
    let mut back = Pair::new(DEFAULTS);
    back.write(&data).unwrap();
    let text = back.registered();
    assert!(!text.contains(r#""default":"#), "{text}");
}

/// C020: neither do defaults whose parts do not fit, those of another kind, and those without an end.
#[test]
fn c020_defaults_are_left_out_as_a_whole() {
    let inner = r#"{"type":"record","name":"i","fields":[{"name":"n","type":"int"}]}"#;
    for (kind, default) in [
        (r#""int""#, "true"),
        (r#""int""#, "2147483648"),
        (r#""int""#, "1.5"),
        (r#""boolean""#, "0"),
        (r#""string""#, "5"),
        (r#""bytes""#, "[]"),
        (r#"{"type":"array","items":"int"}"#, r#"[1,"x"]"#),
        (r#"{"type":"map","values":"int"}"#, r#"{"k":null}"#),
        (inner, r#"{"n":"x"}"#),
        (inner, "{}"),
    ] {
        let avro = format!(
            r#"{{"type":"record","name":"r","fields":[{{"name":"f","type":{kind},"default":{default}}}]}}"#
        );
        let data = Pair::new(DEFAULTS).read(&avro, "00 00").unwrap();
        let schema = field_schema(&data, "f");
        assert_eq!(schema.default_value(), None, "{kind} {default}");
        let flag = schema.parameter("io.confluent.connect.avro.field.default");
        assert_eq!(flag, None, "{kind} {default}");
    }
    // The default of the field inside begins anew without an end.
    let avro = r#"{"type":"record","name":"r","fields":[{"name":"f","type":{"type":"record","name":"i","fields":[{"name":"n","type":{"type":"array","items":"i"},"default":[{}]}]},"default":{}}]}"#;
    let data = Pair::new(DEFAULTS).read(avro, "00").unwrap();
    assert_eq!(field_schema(&data, "f").default_value(), None);
}

/// C020: a default of a union may be of any of its branches.
#[test]
fn c020_a_default_of_a_later_branch_stops_no_record() {
    for union in [
        r#"["null","int"],"default":5"#,
        r#"["int","null"],"default":null"#,
    ] {
        let avro =
            format!(r#"{{"type":"record","name":"r","fields":[{{"name":"u","type":{union}}}]}}"#);
        let null_branch = if union.starts_with(r#"["null""#) {
            "00"
        } else {
            "02"
        };
        let data = Pair::new(DEFAULTS).read(&avro, null_branch).unwrap();
        assert!(field(&data, "u").is_null(), "{union}");
        assert!(field_schema(&data, "u").is_optional(), "{union}");
    }
}

/// C021: bytes in a schema's JSON are one character per byte, on writing and on reading.
#[test]
fn c021_defaults_of_decimals_are_no_base64() {
    let zero = decimal("0.00000");
    let amount = logical::decimal(5).default_value(&zero).build().unwrap();
    let schema = structure("t", &[("amount", amount)]);
    let data = StructBuilder::new(&schema).unwrap();
    let data = data
        .set_with("amount", |out| {
            out.decimal(zero.view());
        })
        .unwrap()
        .finish()
        .unwrap();
    let text = Pair::new(DEFAULTS).schema_of(&data);
    assert!(text.contains(r#""connect.default":"\u0000""#), "{text}");
    assert!(text.contains(r#","default":"\u0000"}"#), "{text}");

    let legacy = r#"{"type":"bytes","logicalType":"decimal","precision":10,"scale":5,"connect.default":"AA==","connect.name":"org.apache.kafka.connect.data.Decimal","connect.version":1,"connect.parameters":{"scale":"5"}}"#;
    let expected = decimal("10947.94557");
    let data = Pair::new(DEFAULTS).read(legacy, "01").unwrap();
    assert_eq!(
        data.schema().unwrap().default_value(),
        Some(Value::Decimal(expected.view()))
    );
    let record =
        format!(r#"{{"type":"record","name":"r","fields":[{{"name":"d","type":{legacy}}}]}}"#);
    let data = Pair::new(DEFAULTS).read(&record, "02 01").unwrap();
    assert_eq!(
        field_schema(&data, "d").default_value(),
        Some(Value::Decimal(expected.view()))
    );
    assert_eq!(field(&data, "d"), Value::Decimal(decimal("0.00001").view()));
}

/// C023: an optional field has null first and null as its default, so that it may be added to a schema.
#[test]
fn c023_optional_fields_have_a_default() {
    let schema = structure("t", &[("some_field", Schema::optional_int64())]);
    let data = StructBuilder::new(&schema).unwrap();
    let data = data.set("some_field", 1i64).unwrap().finish().unwrap();
    assert_eq!(
        Pair::new(DEFAULTS).schema_of(&data),
        r#"{"type":"record","name":"t","fields":[{"name":"some_field","type":["null","long"],"default":null}],"connect.name":"t"}"#
    );
}

const NAMES: [(&str, &str); 4] = [
    ("first name ", "first_name_"),
    ("1st-col", "x1st_col"),
    ("prix€", "prix_E2_82_AC"),
    ("ok_1", "ok_1"),
];

/// C024: names that Avro does not allow are scrubbed on demand, and refused otherwise.
#[test]
fn c024_names_are_scrubbed_on_demand() {
    let fields = NAMES.map(|(name, _)| (name, Schema::int32()));
    let schema = structure("a.b c", &fields);
    let data = NAMES
        .iter()
        .zip(1i32..)
        .fold(
            StructBuilder::new(&schema).unwrap(),
            |data, ((name, _), number)| data.set(name, number).unwrap(),
        )
        .finish()
        .unwrap();
    let mut pair = Pair::new(&[("scrub.invalid.names", "true")]);
    let bytes = pair.0.encode("orders", &data).unwrap();
    assert_eq!(
        pair.registered(),
        r#"{"type":"record","name":"b_c","namespace":"a","fields":[{"name":"first_name_","type":"int"},{"name":"x1st_col","type":"int"},{"name":"prix_E2_82_AC","type":"int"},{"name":"ok_1","type":"int"}],"connect.name":"a.b c"}"#
    );
    let back = pair.0.decode("orders", bytes.as_ref()).unwrap();
    assert_eq!(back.schema().unwrap().name(), Some("a.b c"));
    for ((_, scrubbed), number) in NAMES.iter().zip(1i32..) {
        assert_eq!(field(&back, scrubbed), Value::Int32(number), "{scrubbed}");
    }

    for name in ["1st-col", "first name ", "prix€"] {
        let schema = structure("t", &[(name, Schema::int32())]);
        let data = StructBuilder::new(&schema).unwrap();
        let data = data.set(name, 1i32).unwrap().finish().unwrap();
        let mut pair = Pair::new(DEFAULTS);
        let error = pair.write(&data).unwrap_err();
        assert!(error.is_data(), "{error}");
        assert_eq!(pair.0.registry().registered().count(), 0, "{name}");
    }
}

/// C026: a map whose keys may be null is a list of entries, unless told otherwise.
#[test]
fn c026_maps_with_optional_keys() {
    let schema = SchemaBuilder::map(Schema::optional_string(), Schema::int32());
    let schema = schema.build().unwrap();
    let mut data = Builder::new(Some(schema));
    data.begin_map().string("a").int32(1).end_map();
    let data = data.finish().unwrap();

    let mut pair = Pair::new(DEFAULTS);
    assert_eq!(pair.body(&data), "02 02 02 61 02 00");
    let text = pair.registered();
    let entry = r#"{"type":"array","items":{"type":"record","name":"MapEntry","namespace":"io.confluent.connect.avro","fields":[{"name":"key","type":["null","string"],"default":null},{"name":"value","type":"int"}]"#;
    assert!(text.starts_with(entry), "{text}");
    let back = pair.read(&text, "02 02 02 61 02 00").unwrap();
    let keys = |data: &SchemaAndValue| data.schema().unwrap().key_schema().cloned();
    assert_eq!(keys(&back), Some(Schema::optional_string()));

    let mut pair = Pair::new(&[("allow.optional.map.keys", "true")]);
    assert_eq!(pair.body(&data), "02 02 61 02 00");
    let text = pair.registered();
    assert_eq!(text, r#"{"type":"map","values":"int"}"#);
    let required = pair.read(&text, "02 02 61 02 00").unwrap();
    assert_eq!(keys(&required), Some(Schema::string()));
    for data in [back, required] {
        let Value::Map(map) = data.value() else {
            panic!("{data:?}")
        };
        assert_eq!((map.len(), map.get("a")), (1, Some(Value::Int32(1))));
    }
}

/// More memory than this is never taken for a bad record.
const MEMORY_MAX_KIB: u64 = 16 << 10;

/// The most memory that the process ever had, in KiB.
#[cfg(target_os = "linux")]
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[cfg(not(target_os = "linux"))]
fn peak_kib() -> u64 {
    0
}

/// C027: a count or length that the record cannot hold costs neither time nor memory.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "what is measured is how long it takes"
)]
fn c027_hostile_counts_are_one_bad_record() {
    let record = r#"{"type":"record","name":"r","fields":[{"name":"b","type":"bytes"}]}"#;
    for (schema, body) in [
        (
            r#"{"type":"array","items":"boolean"}"#,
            "80 80 80 80 80 80 80 80 80 01",
        ),
        (
            r#"{"type":"array","items":"null"}"#,
            "fe ff ff ff ff ff ff ff ff 01",
        ),
        (r#""string""#, "80 80 80 80 80 40"),
        (record, "01"),
        // Java takes 128 MB for this one before it sees that the record has ended.
        (r#""string""#, "fe ff ff 7f"),
        (record, "fe ff ff 7f"),
        (r#"{"type":"map","values":"long"}"#, "fe ff ff 7f"),
        // Items without bytes: nothing but a limit ends them.
        (
            r#"{"type":"array","items":{"type":"record","name":"e","fields":[]}}"#,
            "fe ff ff ff ff ff ff ff ff 01",
        ),
        (
            r#"{"type":"array","items":{"type":"record","name":"e","fields":[]}}"#,
            "fe ff ff ff 07 00",
        ),
        (
            r#"{"type":"array","items":{"type":"fixed","name":"e","size":0}}"#,
            "fe ff ff ff 07 00",
        ),
    ] {
        let mut pair = Pair::new(DEFAULTS);
        let before = peak_kib();
        // The machine may be busy: the quickest of some tries counts.
        let times = (0..5).map(|_| {
            let start = Instant::now();
            let error = pair.read(schema, body).unwrap_err();
            assert!(error.is_data(), "{schema}: {error}");
            start.elapsed()
        });
        let quickest = times.min().unwrap();
        assert!(
            quickest < Duration::from_millis(100),
            "{schema} {body}: {quickest:?}"
        );
        // The kernel's number is a little late, so it may even fall.
        let grown = peak_kib().saturating_sub(before);
        assert!(grown < MEMORY_MAX_KIB, "{schema} {body}: {grown} KiB");
    }
    let valid = Pair::new(DEFAULTS).read(r#""bytes""#, "01").unwrap();
    assert_eq!(valid.value(), Value::Bytes(&[1]));
}

/// C029: the default of a logical type is one of the type below it.
#[test]
fn c029_a_date_with_a_number_for_its_default() {
    let avro = r#"{"type":"record","name":"r","fields":[{"name":"d","type":[{"type":"int","connect.version":1,"connect.default":0,"connect.name":"org.apache.kafka.connect.data.Date","logicalType":"date"},"null"],"default":0}]}"#;
    let data = Pair::new(DEFAULTS).read(avro, "00 f0 a8 02").unwrap();
    let day = |days: i32| Value::Date(logical::date_from_days(days));
    assert_eq!(field(&data, "d"), day(19_000));
    let schema = field_schema(&data, "d");
    assert_eq!(
        (schema.kind(), schema.name(), schema.version()),
        (
            Type::Int32,
            Some("org.apache.kafka.connect.data.Date"),
            Some(1)
        )
    );
    assert!(schema.is_optional());
    assert_eq!(schema.default_value(), Some(day(0)));
    let null = Pair::new(DEFAULTS).read(avro, "02").unwrap();
    assert!(field(&null, "d").is_null());
}

/// C030: a name without a namespace has neither a dot nor an empty namespace.
#[test]
fn c030_names_without_a_namespace() {
    for (name, expected) in [
        (
            "Plain",
            r#"{"type":"record","name":"Plain","fields":[{"name":"a","type":"long"}],"connect.name":"Plain"}"#,
        ),
        (
            "com.acme.Dotted",
            r#"{"type":"record","name":"Dotted","namespace":"com.acme","fields":[{"name":"a","type":"long"}],"connect.name":"com.acme.Dotted"}"#,
        ),
    ] {
        let schema = structure(name, &[("a", Schema::int64())]);
        let data = StructBuilder::new(&schema).unwrap();
        let data = data.set("a", 1i64).unwrap().finish().unwrap();
        assert_eq!(Pair::new(DEFAULTS).schema_of(&data), expected);
    }
}

/// C032: a primitive schema is a bare name or an object; both are read, the short one is written.
#[test]
fn c032_both_spellings_of_a_primitive_schema() {
    for text in [
        r#""string""#,
        r#"{"type": "string"}"#,
        r#"{"type":"string"}"#,
    ] {
        let data = Pair::new(DEFAULTS).read(text, "06 61 62 63").unwrap();
        assert_eq!(data.value(), Value::String("abc"), "{text}");
        assert_eq!(data.schema().unwrap().kind(), Type::String, "{text}");
    }
    let data = SchemaAndValue::from("abc").with_schema(Some(Schema::string()));
    let mut pair = Pair::new(DEFAULTS);
    assert_eq!(pair.body(&data), "06 61 62 63");
    assert_eq!(pair.registered(), r#""string""#);
}

fn color() -> Schema {
    let prefix = "io.confluent.connect.avro.Enum";
    SchemaBuilder::string()
        .name("com.acme.Color")
        .parameter(prefix, "com.acme.Color")
        .parameter(&format!("{prefix}.RED"), "RED")
        .parameter(&format!("{prefix}.GREEN"), "GREEN")
        .build()
        .unwrap()
}

/// C033: enums are read as texts that know their symbols, and written as enums on demand.
#[test]
fn c033_enums_there_and_back() {
    let [green, blue] =
        ["GREEN", "BLUE"].map(|symbol| SchemaAndValue::from(symbol).with_schema(Some(color())));
    let enhanced: &[(&str, &str)] = &[("enhanced.avro.schema.support", "true")];

    let mut pair = Pair::new(DEFAULTS);
    assert_eq!(pair.body(&green), "0a 47 52 45 45 4e");
    assert_eq!(pair.body(&blue), "08 42 4c 55 45");
    let text = pair.registered();
    assert!(
        text.starts_with(r#"{"type":"string","connect.parameters":{"#),
        "{text}"
    );
    assert!(
        text.ends_with(r#","connect.name":"com.acme.Color"}"#),
        "{text}"
    );

    let mut pair = Pair::new(enhanced);
    assert_eq!(pair.body(&green), "02");
    let text = pair.registered();
    let begin = r#"{"type":"enum","name":"Color","namespace":"com.acme","symbols":["RED","GREEN"]"#;
    assert!(text.starts_with(begin), "{text}");
    let error = pair.write(&blue).unwrap_err();
    assert!(error.is_data(), "{error}");

    let avro = r#"{"type":"enum","name":"Color","namespace":"com.acme","symbols":["RED","GREEN"]}"#;
    for (settings, is_same) in [(DEFAULTS, false), (enhanced, true)] {
        let read = Pair::new(settings).read(avro, "02").unwrap();
        assert_eq!(read.value(), Value::String("GREEN"));
        let schema = read.schema().unwrap();
        assert_eq!(
            (schema.kind(), schema.name(), schema.parameters()),
            (Type::String, color().name(), color().parameters())
        );
        let mut back = Pair::new(settings);
        assert_eq!(back.body(&read) == "02", is_same);
        assert_eq!(back.registered().starts_with(r#"{"type":"enum""#), is_same);
    }
}
