//! `.proto` texts and messages of them, drawn from bytes.
#![expect(clippy::panic, reason = "a check panics when a promise is broken")]
#![allow(
    clippy::cast_possible_truncation,
    reason = "drawn numbers are cut to the width that is wanted"
)]

use std::fmt::Write;

use ferroconnect_converters::protobuf::{ProtobufDataConfig, ProtobufSchema};

use super::drawn::Draw;

/// Levels of messages in a drawn message.
const DEPTH_MAX: usize = 8;

/// A schema, the settings to read with, and a message.
#[derive(Debug)]
pub struct ProtoCase {
    /// The schema's text.
    pub text: String,
    /// The schema; its first message is meant.
    pub schema: ProtobufSchema,
    /// The settings.
    pub config: ProtobufDataConfig,
    /// A message, not always as a writer would write it.
    pub body: Vec<u8>,
}

/// A case of any kind.
///
/// # Panics
/// When a drawn schema is none, which would be a mistake in the drawing.
#[must_use]
pub fn proto_case(bytes: &[u8]) -> ProtoCase {
    case(bytes, false)
}

/// A case with nothing in it that other libraries read in another way than the JVM: default settings, no types of
/// Confluent's, no wire types that are not the field's, no closed enums, nothing required.
///
/// # Panics
/// When a drawn schema is none, which would be a mistake in the drawing.
#[must_use]
pub fn plain_proto_case(bytes: &[u8]) -> ProtoCase {
    case(bytes, true)
}

fn case(bytes: &[u8], plain: bool) -> ProtoCase {
    let mut draw = Draw::new(bytes);
    let settings = u16::from_le_bytes([draw.byte(), draw.byte()]);
    let mut file = File::draw(&mut draw, plain);
    let text = file.text();
    let schema = ProtobufSchema::parse(&text, &[]).unwrap_or_else(|e| panic!("{text}: {e}"));
    file.ordered = draw.below(2) == 0;
    ProtoCase {
        body: file.message(&mut draw, 0, 0),
        config: if plain {
            ProtobufDataConfig::default()
        } else {
            config(settings)
        },
        text,
        schema,
    }
}

fn config(settings: u16) -> ProtobufDataConfig {
    let on = |bit: u16| settings & (1 << bit) != 0;
    ProtobufDataConfig {
        enhanced_schemas: on(0),
        int_for_enums: on(1),
        optional_for_nullables: on(2),
        optional_for_proto2: !on(3),
        wrapper_for_nullables: on(4),
        wrapper_for_raw_primitives: !on(5),
        // Rarely: nothing is read the fast way with it.
        struct_for_nulls: on(6) && on(7) && on(8),
        index_for_unions: !on(9),
        flatten_unions: on(10),
        generalized_sum_types: on(11),
        ..ProtobufDataConfig::default()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ty {
    Scalar(&'static str),
    Enum,
    /// One of [`File::messages`].
    Message(usize),
    /// Types of the key and of the value, which is a scalar or a message.
    Map(&'static str, Part),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Scalar(&'static str),
    Message(usize),
}

#[derive(Clone)]
struct Field {
    name: String,
    number: u32,
    ty: Ty,
    label: &'static str,
    oneof: bool,
    options: &'static str,
}

#[derive(Clone)]
struct Message {
    name: String,
    fields: Vec<Field>,
}

struct File {
    is_proto2: bool,
    plain: bool,
    /// Those of the file, then known ones.
    messages: Vec<Message>,
    own: usize,
    /// Fields by number and elements side by side, as writers write them.
    ordered: bool,
}

/// Types with their fields, numbered from 1. Other libraries know the first ones.
const KNOWN: [(&str, &[&str]); 13] = [
    ("google.protobuf.Timestamp", &["int64", "int32"]),
    ("google.protobuf.DoubleValue", &["double"]),
    ("google.protobuf.FloatValue", &["float"]),
    ("google.protobuf.Int64Value", &["int64"]),
    ("google.protobuf.UInt32Value", &["uint32"]),
    ("google.protobuf.BoolValue", &["bool"]),
    ("google.protobuf.StringValue", &["string"]),
    ("google.protobuf.BytesValue", &["bytes"]),
    ("google.protobuf.Any", &["string", "bytes"]),
    ("google.type.Date", &["int32", "int32", "int32"]),
    (
        "google.type.TimeOfDay",
        &["int32", "int32", "int32", "int32"],
    ),
    ("confluent.type.Decimal", &["bytes", "uint32", "int32"]),
    ("confluent.type.Variant", &["bytes", "bytes"]),
];
const KNOWN_ELSEWHERE: usize = 9;

const SCALARS: [&str; 15] = [
    "string", "int32", "int64", "bool", "bytes", "double", "float", "uint32", "uint64", "sint32",
    "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64",
];
const KEYS: [&str; 12] = [
    "string", "int32", "int64", "bool", "uint32", "uint64", "sint32", "sint64", "fixed32",
    "fixed64", "sfixed32", "sfixed64",
];

/// Steps from one field's number to the next.
const STEPS: [u32; 6] = [1, 1, 1, 13, 2000, 40_000_000];

/// What no field of a drawn message has.
const UNKNOWN_NUMBER: u32 = 19_000;

impl File {
    fn draw(draw: &mut Draw<'_>, plain: bool) -> Self {
        let is_proto2 = draw.below(3) == 1;
        let own = 1 + usize::from(draw.below(3));
        let mut file = Self {
            is_proto2,
            plain,
            messages: Vec::new(),
            own,
            ordered: true,
        };
        for number in 0..own {
            let fields = file.fields(draw);
            // A repeated one of that name with these fields is a map.
            let is_entry = !plain && draw.below(8) == 1 && number > 0;
            let name = match is_entry {
                true => format!("M{number}Entry"),
                false => format!("M{number}"),
            };
            let fields = match is_entry {
                true => file.entry(draw),
                false => fields,
            };
            file.messages.push(Message { name, fields });
        }
        for (name, types) in KNOWN {
            let fields = (1..).zip(types).map(|(number, ty)| Field {
                name: format!("f{number}"),
                number,
                ty: Ty::Scalar(ty),
                label: "",
                oneof: false,
                options: "",
            });
            file.messages.push(Message {
                name: name.into(),
                fields: fields.collect(),
            });
        }
        file
    }

    fn fields(&self, draw: &mut Draw<'_>) -> Vec<Field> {
        let mut fields = Vec::new();
        let mut number = 0;
        for at in 0..draw.below(9) {
            number += STEPS[usize::from(draw.below(6))];
            let oneof = draw.below(5) == 1;
            fields.push(self.field(draw, (at, number), oneof));
        }
        // Declared in another order than numbered.
        if draw.below(3) == 1 {
            fields.reverse();
        }
        fields
    }

    fn entry(&self, draw: &mut Draw<'_>) -> Vec<Field> {
        let mut fields = vec![
            self.field(draw, (0, 1), true),
            self.field(draw, (1, 2), true),
        ];
        for (field, name) in fields.iter_mut().zip(["key", "value"]) {
            field.name = name.into();
            field.oneof = false;
            field.label = if self.is_proto2 { "optional " } else { "" };
        }
        fields[0].ty = Ty::Scalar(KEYS[usize::from(draw.below(12))]);
        fields
    }

    fn field(&self, draw: &mut Draw<'_>, (at, number): (u8, u32), oneof: bool) -> Field {
        let ty = match draw.below(32) {
            kind @ 0..=14 => Ty::Scalar(SCALARS[usize::from(kind)]),
            15..=17 if !(self.plain && self.is_proto2) => Ty::Enum,
            18..=21 if !oneof => {
                let key = KEYS[usize::from(draw.below(12))];
                Ty::Map(
                    key,
                    match draw.below(2) {
                        0 => Part::Scalar(SCALARS[usize::from(draw.below(15))]),
                        _ => Part::Message(self.reference(draw)),
                    },
                )
            }
            _ => Ty::Message(self.reference(draw)),
        };
        let mut options = "";
        let label = match (oneof || matches!(ty, Ty::Map(..)), draw.below(8)) {
            (true, _) => "",
            (false, 0..=2) => {
                let packs = !matches!(ty, Ty::Message(_) | Ty::Scalar("string" | "bytes"));
                options = match draw.below(3) {
                    1 if packs => " [packed = true]",
                    2 if packs => " [packed = false]",
                    _ => "",
                };
                "repeated "
            }
            (false, 3) => "optional ",
            (false, 4) if self.is_proto2 && !self.plain => "required ",
            (false, _) if self.is_proto2 => "optional ",
            (false, _) => "",
        };
        if self.is_proto2 && options.is_empty() && label != "repeated " {
            options = match (ty, draw.below(3)) {
                (Ty::Scalar("int32"), 1) => " [default = -7]",
                (Ty::Scalar("string"), 1) => " [default = \"d\"]",
                (Ty::Enum, 1) => " [default = E_B]",
                _ => "",
            };
        }
        let narrow = !self.plain && ty == Ty::Scalar("int32") && options.is_empty();
        if narrow && draw.below(4) == 1 {
            options = " [(confluent.field_meta) = {params: [{key: \"connect.type\", value: \"int8\"}]}]";
        }
        Field {
            name: format!("f{at}"),
            number,
            ty,
            label,
            oneof,
            options,
        }
    }

    /// A message of the file or a known one.
    fn reference(&self, draw: &mut Draw<'_>) -> usize {
        let known = match self.plain {
            true => KNOWN_ELSEWHERE,
            false => KNOWN.len(),
        };
        match draw.below(2) {
            0 => usize::from(draw.byte()) % self.own,
            _ => self.own + usize::from(draw.byte()) % known,
        }
    }

    fn name(&self, message: usize) -> String {
        match self.messages.get(message) {
            Some(message) => message.name.clone(),
            None => String::new(),
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let syntax = if self.is_proto2 { "proto2" } else { "proto3" };
        let _ = writeln!(out, "syntax = \"{syntax}\";\npackage drawn;");
        for import in ["timestamp", "wrappers", "any"] {
            let _ = writeln!(out, "import \"google/protobuf/{import}.proto\";");
        }
        for message in &self.messages[..self.own] {
            let _ = writeln!(out, "message {} {{", message.name);
            for field in message.fields.iter().filter(|field| !field.oneof) {
                self.field_text(field, &mut out);
            }
            for (odd, name) in [(true, "odd"), (false, "even")] {
                let members: Vec<&Field> = members(message, odd).collect();
                if !members.is_empty() {
                    let _ = writeln!(out, "oneof {name} {{");
                    members.iter().for_each(|f| self.field_text(f, &mut out));
                    let _ = writeln!(out, "}}");
                }
            }
            let _ = writeln!(out, "}}");
        }
        let _ = writeln!(
            out,
            "enum E {{ option allow_alias = true; E_A = 0; E_B = 1; E_C = 5; E_D = 1; }}"
        );
        out
    }

    fn field_text(&self, field: &Field, out: &mut String) {
        let ty = match field.ty {
            Ty::Scalar(name) => name.to_owned(),
            Ty::Enum => "E".to_owned(),
            Ty::Message(message) => self.name(message),
            Ty::Map(key, Part::Scalar(value)) => format!("map<{key}, {value}>"),
            Ty::Map(key, Part::Message(value)) => format!("map<{key}, {}>", self.name(value)),
        };
        let Field {
            name,
            number,
            label,
            options,
            ..
        } = field;
        let _ = writeln!(out, "{label}{ty} {name} = {number}{options};");
    }
}

/// The members of one of the two oneofs.
fn members(message: &Message, odd: bool) -> impl Iterator<Item = &Field> {
    let members = message.fields.iter().filter(|field| field.oneof);
    members.filter(move |field| (field.number % 2 == 1) == odd)
}

/// Messages as they lie on the wire.
impl File {
    fn message(&self, draw: &mut Draw<'_>, index: usize, depth: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let Some(message) = self.messages.get(index).filter(|_| depth <= DEPTH_MAX) else {
            return out;
        };
        if index >= self.own && self.ordered {
            self.known(draw, message, &mut out);
            return out;
        }
        if self.ordered {
            let mut fields: Vec<&Field> = message.fields.iter().collect();
            fields.sort_by_key(|field| field.number);
            let mut chosen = [false; 2];
            for field in fields {
                let union = &mut chosen[usize::from(field.number % 2 == 1)];
                let times = match field.label {
                    "repeated " => draw.below(4),
                    "required " => 1,
                    _ if matches!(field.ty, Ty::Map(..)) => draw.below(4),
                    _ if field.oneof && *union => 0,
                    _ => draw.below(4).min(1),
                };
                *union |= field.oneof && times > 0;
                self.occurrences(draw, field, times, depth, &mut out);
            }
            return out;
        }
        for _ in 0..draw.below(8) {
            let field = match message.fields.len() {
                0 => None,
                fields => message.fields.get(usize::from(draw.byte()) % fields),
            };
            match (draw.below(10), field) {
                (0, Some(field)) if !self.plain => any(draw, field.number, 0, &mut out),
                (1, _) | (_, None) => any(draw, UNKNOWN_NUMBER, 0, &mut out),
                (_, Some(field)) => self.occurrences(draw, field, 1, depth, &mut out),
            }
        }
        out
    }

    /// A known message as a writer writes it; its numbers are small, so that most are of the calendar.
    fn known(&self, draw: &mut Draw<'_>, message: &Message, out: &mut Vec<u8>) {
        for field in &message.fields {
            match field.ty {
                Ty::Scalar("int32" | "int64" | "uint32") if message.fields.len() > 1 => {
                    let number = draw.below(30);
                    if number > 0 {
                        varint(u64::from(field.number) << 3, out);
                        varint(number.into(), out);
                    }
                }
                _ => {
                    let times = draw.below(4).min(1);
                    self.occurrences(draw, field, times, 0, out);
                }
            }
        }
    }

    fn occurrences(
        &self,
        draw: &mut Draw<'_>,
        field: &Field,
        times: u8,
        depth: usize,
        out: &mut Vec<u8>,
    ) {
        let packs = !matches!(
            field.ty,
            Ty::Message(_) | Ty::Map(..) | Ty::Scalar("string" | "bytes")
        );
        if field.label == "repeated " && packs && draw.below(3) > 0 {
            let mut packed = Vec::new();
            for _ in 0..times.max(draw.below(4)) {
                self.value(draw, field.ty, depth, &mut packed);
            }
            return piece(field.number, &packed, out);
        }
        for _ in 0..times {
            varint(u64::from(field.number) << 3 | wire_type(field.ty), out);
            self.value(draw, field.ty, depth, out);
        }
    }

    fn value(&self, draw: &mut Draw<'_>, ty: Ty, depth: usize, out: &mut Vec<u8>) {
        match ty {
            Ty::Scalar(name) => self.scalar(draw, name, out),
            // Unknown among them.
            Ty::Enum => varint(u64::from([0, 1, 5, 7][usize::from(draw.below(4))]), out),
            Ty::Message(message) => {
                let body = self.message(draw, message, depth + 1);
                varint(body.len() as u64, out);
                out.extend(body);
            }
            Ty::Map(key, value) => {
                let value = match value {
                    Part::Scalar(name) => Ty::Scalar(name),
                    Part::Message(message) => Ty::Message(message),
                };
                let mut parts = vec![(1, Ty::Scalar(key)), (2, value)];
                match draw.below(8) {
                    1 => parts.reverse(),
                    2 => drop(parts.remove(0)),
                    3 => drop(parts.pop()),
                    4 => parts.push((2, value)),
                    _ => {}
                }
                let mut entry = Vec::new();
                for (number, ty) in parts {
                    varint(number << 3 | wire_type(ty), &mut entry);
                    self.value(draw, ty, depth + 1, &mut entry);
                }
                varint(entry.len() as u64, out);
                out.extend(entry);
            }
        }
    }

    fn scalar(&self, draw: &mut Draw<'_>, name: &str, out: &mut Vec<u8>) {
        match name {
            "string" => {
                let text = match draw.below(16) {
                    // Often malformed.
                    15 if !self.plain => (0..draw.below(6)).map(|_| draw.byte()).collect(),
                    _ => draw.text().into_bytes(),
                };
                varint(text.len() as u64, out);
                out.extend(text);
            }
            "bytes" => {
                let bytes: Vec<u8> = (0..draw.below(20)).map(|_| draw.byte()).collect();
                varint(bytes.len() as u64, out);
                out.extend(bytes);
            }
            "bool" => varint(draw.below(3).into(), out),
            "double" | "fixed64" | "sfixed64" => out.extend(draw.word().to_le_bytes()),
            "float" | "fixed32" | "sfixed32" => out.extend((draw.word() as u32).to_le_bytes()),
            _ => varint(draw.integer().cast_unsigned(), out),
        }
    }
}

/// A field of any wire type.
fn any(draw: &mut Draw<'_>, number: u32, depth: usize, out: &mut Vec<u8>) {
    let wire = u64::from(draw.below(5));
    let tag = u64::from(number) << 3;
    match wire {
        0 => {
            varint(tag, out);
            varint(draw.word(), out);
        }
        1 => {
            varint(tag | 1, out);
            out.extend(draw.word().to_le_bytes());
        }
        2 => {
            let bytes: Vec<u8> = (0..draw.below(5)).map(|_| draw.byte()).collect();
            piece(number, &bytes, out);
        }
        3 => {
            varint(tag | 5, out);
            out.extend((draw.word() as u32).to_le_bytes());
        }
        _ => {
            varint(tag | 3, out);
            if depth < DEPTH_MAX && draw.below(2) == 1 {
                any(draw, number, depth + 1, out);
            }
            varint(tag | 4, out);
        }
    }
}

fn piece(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    varint(u64::from(number) << 3 | 2, out);
    varint(bytes.len() as u64, out);
    out.extend(bytes);
}

fn wire_type(ty: Ty) -> u64 {
    match ty {
        Ty::Scalar("string" | "bytes") | Ty::Message(_) | Ty::Map(..) => 2,
        Ty::Scalar("double" | "fixed64" | "sfixed64") => 1,
        Ty::Scalar("float" | "fixed32" | "sfixed32") => 5,
        Ty::Scalar(_) | Ty::Enum => 0,
    }
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
