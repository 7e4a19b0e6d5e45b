//! Avro schemas and values drawn from bytes.
#![expect(clippy::panic, reason = "a check panics when a promise is broken")]
#![expect(clippy::cast_possible_truncation, reason = "drawn numbers are cut")]

use ferroconnect_converters::avro::oracle::Tree;
use ferroconnect_converters::avro::{AvroDataConfig, AvroSchema, Kind, TypeId};

use super::drawn::Draw;

/// Levels of types in a schema.
const DEPTH_MAX: usize = 4;
/// Levels of a value: a schema that contains itself has values of any depth.
const VALUE_DEPTH_MAX: usize = 12;

/// A schema with a value of it.
#[derive(Debug)]
pub struct AvroCase {
    /// The schema's text.
    pub text: String,
    /// The schema.
    pub schema: AvroSchema,
    /// Settings.
    pub config: AvroDataConfig,
    /// The value.
    pub tree: Tree,
}

/// Draws a case: the first byte chooses the settings.
///
/// # Panics
/// When a drawn schema is none, which would be a mistake in the drawing.
#[must_use]
pub fn avro_case(bytes: &[u8]) -> AvroCase {
    let mut draw = Draw::new(bytes);
    let config = config(draw.byte());
    let mut names = Names::default();
    let text = draw.avro_type(0, &mut names);
    let schema = AvroSchema::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let tree = draw.avro_value(&schema, schema.root(), 0);
    AvroCase {
        text,
        schema,
        config,
        tree,
    }
}

fn config(settings: u8) -> AvroDataConfig {
    let on = |bit: u8| settings & (1 << bit) != 0;
    AvroDataConfig {
        enhanced_schemas: on(0),
        connect_meta_data: !on(1),
        discard_type_doc_default: on(2),
        flatten_singleton_unions: !on(3),
        generalized_sum_types: on(4),
        ..AvroDataConfig::default()
    }
}

/// Named types so far, and those that are being defined.
#[derive(Default)]
struct Names {
    count: usize,
    finished: Vec<String>,
    open: Vec<String>,
}

impl Names {
    fn next(&mut self, kind: &str) -> String {
        self.count += 1;
        format!("n{}.{kind}{}", self.count % 3, self.count)
    }
}

/// What may stand in a union once.
fn union_word(branch: &str) -> String {
    let json: serde_json::Value = serde_json::from_str(branch).unwrap_or_default();
    let name = json.get("name").or_else(|| json.get("type"));
    name.unwrap_or(&json)
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

impl Draw<'_> {
    fn avro_type(&mut self, depth: usize, names: &mut Names) -> String {
        let leaves_only = depth >= DEPTH_MAX;
        match self.below(if leaves_only { 12 } else { 24 }) {
            0..=9 => self.avro_leaf(),
            10 => self.avro_enum(names),
            11 => self.avro_fixed(names),
            12 | 13 => format!(
                r#"{{"type":"array","items":{}}}"#,
                self.avro_type(depth + 1, names)
            ),
            14 => format!(
                r#"{{"type":"map","values":{}}}"#,
                self.avro_type(depth + 1, names)
            ),
            15 => self.avro_entries(depth, names),
            16 | 17 => self.avro_optional(depth, names),
            18 => self.avro_union(depth, names),
            19 => match names.finished.len() {
                0 => self.avro_leaf(),
                known => {
                    let number = usize::from(self.byte()) % known;
                    format!("{:?}", names.finished[number])
                }
            },
            _ => self.avro_record(depth, names),
        }
    }

    fn avro_leaf(&mut self) -> String {
        const LEAVES: [&str; 20] = [
            r#""string""#,
            r#""int""#,
            r#""long""#,
            r#""boolean""#,
            r#""bytes""#,
            r#""float""#,
            r#""double""#,
            r#"{"type":"int","connect.type":"int8"}"#,
            r#"{"type":"int","connect.type":"int16"}"#,
            r#"{"type":"int","logicalType":"date"}"#,
            r#"{"type":"int","logicalType":"time-millis"}"#,
            r#"{"type":"long","logicalType":"timestamp-millis"}"#,
            r#"{"type":"long","logicalType":"timestamp-micros"}"#,
            r#"{"type":"bytes","logicalType":"decimal","precision":30,"scale":3}"#,
            r#"{"type":"bytes","logicalType":"decimal","precision":64}"#,
            r#"{"type":"string","connect.name":"a.Text","connect.version":2,"connect.doc":"d","connect.parameters":{"k":"v"}}"#,
            r#"{"type":"int","connect.default":7}"#,
            r#"{"type":"string","avro.java.string":"String"}"#,
            r#"{"type":"long","connect.name":"org.apache.kafka.connect.data.Date"}"#,
            r#"{"type":"string","logicalType":"uuid"}"#,
        ];
        LEAVES[usize::from(self.below(20))].into()
    }

    fn avro_enum(&mut self, names: &mut Names) -> String {
        let name = names.next("E");
        let symbols: Vec<String> = (0..=self.below(4)).map(|n| format!("\"S{n}\"")).collect();
        names.finished.push(name.clone());
        format!(
            r#"{{"type":"enum","name":"{name}","symbols":[{}]}}"#,
            symbols.join(",")
        )
    }

    fn avro_fixed(&mut self, names: &mut Names) -> String {
        let name = names.next("F");
        let size = self.below(12);
        names.finished.push(name.clone());
        let logical = match self.below(3) {
            0 if size > 3 => r#","logicalType":"decimal","precision":4,"scale":2"#,
            _ => "",
        };
        format!(r#"{{"type":"fixed","name":"{name}","size":{size}{logical}}}"#)
    }

    fn avro_record(&mut self, depth: usize, names: &mut Names) -> String {
        let name = names.next("R");
        names.open.push(name.clone());
        let fields: Vec<String> = (0..self.below(6))
            .map(|n| {
                let field = self.avro_type(depth + 1, names);
                let doc = match self.below(4) {
                    1 => r#","doc":"about it""#,
                    _ => "",
                };
                format!(r#"{{"name":"f{n}","type":{field}{doc}}}"#)
            })
            .collect();
        names.open.pop();
        names.finished.push(name.clone());
        format!(
            r#"{{"type":"record","name":"{name}","fields":[{}]}}"#,
            fields.join(",")
        )
    }

    /// A map that is a list of entries.
    fn avro_entries(&mut self, depth: usize, names: &mut Names) -> String {
        let name = names.next("M");
        let key = match self.below(3) {
            0 => self.avro_leaf(),
            1 => r#"["null","string"]"#.into(),
            _ => self.avro_type(depth + 1, names),
        };
        let value = self.avro_type(depth + 1, names);
        let (first, second) = match self.below(2) {
            0 => (("key", key), ("value", value)),
            _ => (("value", value), ("key", key)),
        };
        format!(
            r#"{{"type":"array","items":{{"type":"record","name":"{name}","connect.internal.type":"MapEntry","fields":[{{"name":"{}","type":{}}},{{"name":"{}","type":{}}}]}}}}"#,
            first.0, first.1, second.0, second.1
        )
    }

    fn avro_optional(&mut self, depth: usize, names: &mut Names) -> String {
        let open = names.open.len();
        let inner = match self.below(3) {
            1 if open > 0 => format!("{:?}", names.open[usize::from(self.byte()) % open]),
            _ => self.avro_type(depth + 1, names),
        };
        if inner.starts_with('[') {
            return inner;
        }
        match self.below(2) {
            0 => format!(r#"["null",{inner}]"#),
            // A value must end somewhere: nulls come first where a type may contain itself.
            _ if open == 0 => format!(r#"[{inner},"null"]"#),
            _ => format!(r#"["null",{inner}]"#),
        }
    }

    fn avro_union(&mut self, depth: usize, names: &mut Names) -> String {
        let mut branches: Vec<String> = Vec::new();
        let mut words: Vec<String> = Vec::new();
        for number in 0..=self.below(5) {
            let finished = names.finished.len();
            let branch = match self.below(4) {
                0 if number == 0 => "\"null\"".into(),
                _ => self.avro_type(depth + 1, names),
            };
            // A union holds no union, and no two types of one name.
            let word = union_word(&branch);
            if !branch.starts_with('[') && !words.contains(&word) {
                words.push(word);
                branches.push(branch);
            } else {
                names.finished.truncate(finished);
            }
        }
        if branches.is_empty() {
            return r#"["int","string"]"#.into();
        }
        format!("[{}]", branches.join(","))
    }

    fn avro_value(&mut self, schema: &AvroSchema, id: TypeId, depth: usize) -> Tree {
        let items = |draw: &mut Self| match depth {
            0..=3 => draw.below(4),
            4..VALUE_DEPTH_MAX => draw.below(2),
            _ => 0,
        };
        match &schema.get(id).kind {
            Kind::Null => Tree::Null,
            Kind::Boolean => Tree::Boolean(self.below(2) == 1),
            Kind::Int => Tree::Int(self.avro_int()),
            Kind::Long => Tree::Long(self.integer()),
            Kind::Float => Tree::Float(f32::from_bits(self.word() as u32)),
            Kind::Double => Tree::Double(f64::from_bits(self.word())),
            Kind::Bytes => Tree::Bytes(self.avro_bytes()),
            Kind::String => Tree::String(self.avro_text()),
            Kind::Fixed(fixed) => Tree::Fixed((0..fixed.size).map(|_| self.byte()).collect()),
            Kind::Enum(named) => Tree::Enum(usize::from(self.byte()) % named.symbols.len()),
            Kind::Union(branches) => {
                let branch = match depth {
                    0..VALUE_DEPTH_MAX => usize::from(self.byte()) % branches.len(),
                    _ => 0,
                };
                let inner = self.avro_value(schema, branches[branch], depth);
                Tree::Union(branch, Box::new(inner))
            }
            Kind::Record(record) => Tree::Record(
                (record.fields.iter())
                    .map(|field| self.avro_value(schema, field.schema, depth + 1))
                    .collect(),
            ),
            Kind::Array(item) => Tree::Array(
                (0..items(self))
                    .map(|_| self.avro_value(schema, *item, depth + 1))
                    .collect(),
            ),
            Kind::Map(values) => {
                let entries: Vec<_> = (0..items(self))
                    .map(|_| {
                        let key = self.avro_text();
                        (key, self.avro_value(schema, *values, depth + 1))
                    })
                    .collect();
                let count = entries.len();
                Tree::Map(entries, count)
            }
        }
    }

    fn avro_int(&mut self) -> i32 {
        match self.below(3) {
            // A time of day.
            0 => i32::from(self.byte()) * 300_000,
            _ => self.integer() as i32,
        }
    }

    fn avro_bytes(&mut self) -> Vec<u8> {
        (0..=self.below(20)).map(|_| self.byte()).collect()
    }

    fn avro_text(&mut self) -> Vec<u8> {
        match self.below(16) {
            // Often malformed.
            15 => (0..self.below(6)).map(|_| self.byte()).collect(),
            _ => self.text().into_bytes(),
        }
    }
}
