//! Values of one Avro schema as values of another one.
#![expect(clippy::panic, reason = "a check panics when a promise is broken")]

use ferroconnect_converters::avro::oracle::{self, Tree};
use ferroconnect_converters::avro::{AvroSchema, FieldStep, Node, NodeId, Promotion, Resolution};
use ferroconnect_converters::wire::write_i64;
use serde_json::{Value as Json, json};

use super::drawn::Draw;
use super::drawn_avro::{AvroCase, avro_case};

/// The first byte says how many of the next ones draw a schema and a value; the rest change the schema into the reader's.
/// What the resolution makes of the value is a value of the reader's schema, and it makes something of every value when
/// the two schemas are compatible.
pub fn avro_resolve(bytes: &[u8]) {
    let Some((length, rest)) = bytes.split_first() else {
        return;
    };
    let (entropy, changes) = rest.split_at(rest.len().min(usize::from(*length)));
    let case = avro_case(entropy);
    if let Some(reader) = evolved(&case, changes) {
        let _ = avro_resolved(&case, &reader);
    }
}

/// The case's schema after some changes; none when that is no schema.
#[must_use]
pub fn evolved(case: &AvroCase, changes: &[u8]) -> Option<AvroSchema> {
    let mut json: Json = serde_json::from_str(&case.text).ok()?;
    let mut draw = Draw::new(changes);
    change(&mut json, &mut draw);
    AvroSchema::parse(&json.to_string()).ok()
}

/// The value in the encoding of the reader's schema, as the resolution has it.
///
/// # Panics
/// When that is no value of the reader's schema, or compatible schemas have none.
pub fn avro_resolved(case: &AvroCase, reader: &AvroSchema) -> Result<Vec<u8>, String> {
    let resolution = Resolution::new(&case.schema, reader).map_err(|e| e.to_string())?;
    let mut out = Vec::new();
    let result = apply(&resolution, resolution.root(), &case.tree, &mut out);
    let context = || format!("{} read as {:?}", case.text, reader.to_text());
    match &result {
        Ok(()) => {
            let (_, length) = oracle::read(reader, &out)
                .unwrap_or_else(|e| panic!("{e}: {out:?} of {}", context()));
            assert_eq!(length, out.len(), "{}", context());
        }
        Err(reason) => {
            let differences = reader.differences_from(&case.schema);
            let compatible = differences.as_ref().is_ok_and(Vec::is_empty);
            assert!(!compatible, "{reason}: {}", context());
        }
    }
    result.map(|()| out)
}

fn apply(
    resolution: &Resolution,
    id: NodeId,
    tree: &Tree,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    match (resolution.get(id), tree) {
        (Node::Error(reason), _) => return Err(reason.to_string()),
        (Node::Same | Node::Fixed(_), tree) => plain(tree, out),
        (Node::BytesAsString, Tree::Bytes(bytes)) | (Node::StringAsBytes, Tree::String(bytes)) => {
            prefixed(bytes, out)
        }
        (Node::Promote(promotion), tree) => promoted(*promotion, tree, out),
        (Node::Enum(symbols), Tree::Enum(symbol)) => match symbols[*symbol] {
            Some(symbol) => count(symbol, out),
            None => return Err("a symbol that the reader does not know".into()),
        },
        (Node::Array(items), Tree::Array(values)) => {
            if !values.is_empty() {
                count(values.len(), out);
            }
            for value in values {
                apply(resolution, *items, value, out)?;
            }
            out.push(0);
        }
        (Node::Map(values), Tree::Map(entries, _)) => {
            if !entries.is_empty() {
                count(entries.len(), out);
            }
            for (key, value) in entries {
                prefixed(key, out);
                apply(resolution, *values, value, out)?;
            }
            out.push(0);
        }
        (Node::Record(record), Tree::Record(values)) => {
            let mut fields: Vec<(usize, Vec<u8>)> = record
                .defaults
                .iter()
                .map(|(field, bytes)| (*field, bytes.to_vec()))
                .collect();
            for (step, value) in record.written.iter().zip(values) {
                if let FieldStep::Read { field, node } = step {
                    let mut bytes = Vec::new();
                    apply(resolution, *node, value, &mut bytes)?;
                    fields.push((*field, bytes));
                }
            }
            fields.sort_by_key(|(field, _)| *field);
            out.extend(fields.into_iter().flat_map(|(_, bytes)| bytes));
        }
        (Node::WriterUnion(branches), Tree::Union(branch, value)) => {
            return apply(resolution, branches[*branch], value, out);
        }
        (Node::ReaderUnion { branch, node }, tree) => {
            count(*branch, out);
            return apply(resolution, *node, tree, out);
        }
        (node, tree) => panic!("{node:?} for {tree:?}"),
    }
    Ok(())
}

/// A value that stays as it is.
fn plain(tree: &Tree, out: &mut Vec<u8>) {
    match tree {
        Tree::Null => {}
        Tree::Boolean(value) => out.push((*value).into()),
        Tree::Int(value) => write_i64(out, (*value).into()),
        Tree::Long(value) => write_i64(out, *value),
        Tree::Float(value) => out.extend(value.to_le_bytes()),
        Tree::Double(value) => out.extend(value.to_le_bytes()),
        Tree::Bytes(bytes) | Tree::String(bytes) => prefixed(bytes, out),
        Tree::Fixed(bytes) => out.extend(bytes),
        Tree::Record(_) | Tree::Enum(_) | Tree::Array(_) | Tree::Map(..) | Tree::Union(..) => {
            panic!("{tree:?} has parts")
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the specification promotes long to float and double"
)]
fn promoted(promotion: Promotion, tree: &Tree, out: &mut Vec<u8>) {
    match (promotion, tree) {
        (Promotion::IntToLong, Tree::Int(value)) => write_i64(out, (*value).into()),
        (Promotion::IntToFloat, Tree::Int(value)) => out.extend((*value as f32).to_le_bytes()),
        (Promotion::IntToDouble, Tree::Int(value)) => out.extend(f64::from(*value).to_le_bytes()),
        (Promotion::LongToFloat, Tree::Long(value)) => out.extend((*value as f32).to_le_bytes()),
        (Promotion::LongToDouble, Tree::Long(value)) => out.extend((*value as f64).to_le_bytes()),
        (Promotion::FloatToDouble, Tree::Float(value)) => {
            out.extend(f64::from(*value).to_le_bytes());
        }
        (promotion, tree) => panic!("{promotion:?} for {tree:?}"),
    }
}

fn prefixed(bytes: &[u8], out: &mut Vec<u8>) {
    count(bytes.len(), out);
    out.extend_from_slice(bytes);
}

fn count(number: usize, out: &mut Vec<u8>) {
    write_i64(out, i64::try_from(number).unwrap_or(i64::MAX));
}

/// Changes a schema here and there, in ways of which readers understand many.
fn change(json: &mut Json, draw: &mut Draw<'_>) {
    match json {
        Json::String(word) => {
            if draw.below(8) == 1 {
                *json = other(word, draw);
            }
        }
        Json::Array(branches) => {
            branches.iter_mut().for_each(|branch| change(branch, draw));
            match draw.below(8) {
                1 => branches.reverse(),
                2 => drop(branches.pop()),
                3 => branches.insert(0, json!("boolean")),
                4 if branches.len() == 1 => *json = branches[0].take(),
                _ => {}
            }
        }
        Json::Object(members) => {
            for key in ["items", "values"] {
                if let Some(inner) = members.get_mut(key) {
                    change(inner, draw);
                }
            }
            if let Some(Json::Array(fields)) = members.get_mut("fields") {
                change_fields(fields, draw);
            }
            if let Some(Json::Array(symbols)) = members.get_mut("symbols") {
                match draw.below(6) {
                    1 => symbols.reverse(),
                    2 => drop(symbols.pop()),
                    3 => symbols.push(json!("NEW")),
                    _ => {}
                }
                let first = symbols.first().cloned();
                if let (Some(first), 1) = (first, draw.below(3)) {
                    members.insert("default".into(), first);
                }
            }
            if draw.below(16) == 1
                && let Some(name) = members.get("name").cloned()
            {
                members.insert("name".into(), json!("renamed.Type"));
                members.insert("aliases".into(), json!([name]));
            }
            if draw.below(16) == 1 {
                *json = json!(["null", json.take()]);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

fn change_fields(fields: &mut Vec<Json>, draw: &mut Draw<'_>) {
    for (number, field) in fields.iter_mut().enumerate() {
        change(&mut field["type"], draw);
        if draw.below(8) == 1 {
            let old = field["name"].take();
            field["aliases"] = json!(["nothing", old]);
            field["name"] = json!(format!("renamed{number}"));
        }
    }
    match draw.below(8) {
        1 => fields.reverse(),
        2 => drop(fields.pop()),
        3 => fields.push(json!({"name": "added", "type": "string", "default": "d"})),
        4 => fields.push(json!({"name": "added", "type": ["int", "null"], "default": 7})),
        5 => fields.insert(0, json!({"name": "added", "type": "int"})),
        6 => fields.push(json!({
            "name": "added",
            "type": {"type": "map", "values": {"type": "array", "items": "double"}},
            "default": {"k": [1, 2.5]}
        })),
        _ => {}
    }
}

/// Another type in the place of a primitive one.
fn other(word: &str, draw: &mut Draw<'_>) -> Json {
    match (word, draw.below(4)) {
        ("int", 0) => json!("long"),
        ("int" | "long", 1) => json!("float"),
        ("int" | "long" | "float", 2) => json!("double"),
        ("string", 0) => json!("bytes"),
        ("bytes", 0) => json!("string"),
        (word, 3) => json!(["null", word]),
        _ => json!("string"),
    }
}
