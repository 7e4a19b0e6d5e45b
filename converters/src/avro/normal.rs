//! The normal form of a registry (`normalize=true`).
//!
//! The registry builds a text of its own from the schema (names in full, attributes and properties in a fixed order,
//! defaults as the values of their types), reads that text, and prints what it has read. So do we, since the detour
//! shows: a name without a namespace inside a namespace moves into it, and an `error` becomes a `record`.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::logical::LogicalType;
use super::model::{
    AvroSchema, AvroType, Enum, Field, Fixed, Kind as Type, Name, Order, Props, Record, TypeId,
};
use super::parse::{Strictness, parse};
use super::print::too_deep;
use crate::error::{Error, avro_schema::Kind};
use crate::json_text::{Json, write_text};
use crate::limits::AVRO_SCHEMA_DEPTH_MAX;

impl AvroSchema {
    /// Reads a text and prints it as a registry keeps it: as [`to_text`](Self::to_text) does, or in normal form. What the
    /// references define at their roots is named, not repeated.
    ///
    /// ```
    /// use ferroconnect_converters::avro::{AvroSchema, Strictness};
    ///
    /// # fn main() -> Result<(), ferroconnect_converters::Error> {
    /// let text = r#"{"type":"string","z":1,"a":2}"#;
    /// assert_eq!(AvroSchema::registered_text(text, &[], Strictness::Library, false)?, text);
    /// let normal = AvroSchema::registered_text(text, &[], Strictness::Library, true)?;
    /// assert_eq!(normal, r#"{"type":"string","a":2,"z":1}"#);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`parse_with`](Self::parse_with); and for the normal form, a default that Java cannot turn into a value.
    pub fn registered_text(
        text: &str,
        references: &[&str],
        strictness: Strictness,
        normalize: bool,
    ) -> Result<String, Error> {
        let parsed = parse(text, references, strictness)?;
        if !normalize {
            return parsed.schema.to_text_without(&parsed.referenced);
        }
        let detour = normal_text(&parsed.schema, &parsed.referenced)?;
        let again = parse(&detour, references, strictness)?;
        again.schema.to_text_without(&again.referenced)
    }
}

fn normal_text(schema: &AvroSchema, referenced: &[Box<str>]) -> Result<String, Error> {
    let mut writer = Writer {
        schema,
        known: referenced.iter().map(ToString::to_string).collect(),
        out: String::new(),
        depth: 0,
    };
    writer.write(schema.root())?;
    Ok(writer.out)
}

struct Writer<'a> {
    schema: &'a AvroSchema,
    /// Full names that are defined.
    known: HashSet<String>,
    out: String,
    depth: usize,
}

impl<'a> Writer<'a> {
    fn write(&mut self, id: TypeId) -> Result<(), Error> {
        if self.depth > AVRO_SCHEMA_DEPTH_MAX {
            return Err(too_deep());
        }
        self.depth += 1;
        let new = self.schema.get(id);
        match &new.kind {
            Type::Record(record) => self.record(record, &new.props)?,
            Type::Enum(enumeration) => self.enumeration(enumeration, &new.props),
            Type::Fixed(fixed) => self.fixed(fixed, new),
            Type::Array(items) => {
                self.out.push_str("{\"type\":\"array\",\"items\":");
                self.write(*items)?;
                self.props(&new.props, &[]);
                self.out.push('}');
            }
            Type::Map(values) => {
                self.out.push_str("{\"type\":\"map\",\"values\":");
                self.write(*values)?;
                self.props(&new.props, &[]);
                self.out.push('}');
            }
            Type::Union(branches) => {
                self.out.push('[');
                for (index, branch) in branches.iter().enumerate() {
                    if index > 0 {
                        self.out.push(',');
                    }
                    self.write(*branch)?;
                }
                self.out.push(']');
            }
            Type::Null
            | Type::Boolean
            | Type::Int
            | Type::Long
            | Type::Float
            | Type::Double
            | Type::Bytes
            | Type::String => {
                self.out.push_str("{\"type\":");
                write_text(new.kind.word(), &mut self.out);
                self.props(&new.props, logical_props(new));
                self.out.push('}');
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn record(&mut self, record: &'a Record, props: &Props) -> Result<(), Error> {
        if !self.begin("record", &record.name) {
            return Ok(());
        }
        self.out.push_str(",\"fields\":[");
        for (index, field) in record.fields.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.field(field)?;
        }
        self.out.push(']');
        self.docs(record.doc.as_deref(), &record.name, &record.aliases);
        self.props(props, &[]);
        self.out.push('}');
        Ok(())
    }

    fn field(&mut self, field: &'a Field) -> Result<(), Error> {
        self.out.push_str("{\"name\":");
        write_text(&field.name, &mut self.out);
        self.out.push_str(",\"type\":");
        self.write(field.schema)?;
        match field.order {
            Order::Ascending => {}
            Order::Descending => self.attribute("order", &Json::Text("descending".into())),
            Order::Ignore => self.attribute("order", &Json::Text("ignore".into())),
        }
        if let Some(doc) = &field.doc {
            self.attribute("doc", &Json::Text(doc.clone()));
        }
        self.aliases(field.aliases.iter().map(ToString::to_string).collect());
        // Java asks every union for its first branch, with or without a default.
        if matches!(&self.schema.get(field.schema).kind, Type::Union(branches) if branches.is_empty())
        {
            return Err(Error::from(Kind::NormalDefault).in_field(&field.name));
        }
        if let Some(default) = &field.default {
            let unfit = || Error::from(Kind::NormalDefault).in_field(&field.name);
            let value = self.value(field.schema, default).ok_or_else(unfit)?;
            if let Some(value) = value {
                self.attribute("default", &sorted(&value));
            }
        }
        self.props(&field.props, &[]);
        self.out.push('}');
        Ok(())
    }

    fn enumeration(&mut self, enumeration: &Enum, props: &Props) {
        if !self.begin("enum", &enumeration.name) {
            return;
        }
        let symbols = enumeration.symbols.iter().cloned().map(Json::Text);
        self.attribute("symbols", &Json::Array(symbols.collect()));
        self.docs(
            enumeration.doc.as_deref(),
            &enumeration.name,
            &enumeration.aliases,
        );
        if let Some(default) = &enumeration.default {
            self.attribute("default", &Json::Text(default.clone()));
        }
        self.props(props, &[]);
        self.out.push('}');
    }

    fn fixed(&mut self, fixed: &Fixed, new: &AvroType) {
        if !self.begin("fixed", &fixed.name) {
            return;
        }
        self.out.push_str(&format!(",\"size\":{}", fixed.size));
        self.docs(fixed.doc.as_deref(), &fixed.name, &fixed.aliases);
        self.props(&new.props, logical_props(new));
        self.out.push('}');
    }

    /// Writes the name of a known type and says `false`, or begins its definition.
    fn begin(&mut self, word: &str, name: &Name) -> bool {
        let full = name.to_string();
        if self.known.contains(&full) {
            write_text(&full, &mut self.out);
            return false;
        }
        self.out.push_str("{\"name\":");
        write_text(&full, &mut self.out);
        self.out.push_str(",\"type\":");
        write_text(word, &mut self.out);
        self.known.insert(full);
        true
    }

    /// The doc, if there is something in it, and the aliases.
    fn docs(&mut self, doc: Option<&str>, name: &Name, aliases: &[Name]) {
        if let Some(doc) = doc.filter(|doc| !doc.is_empty()) {
            self.attribute("doc", &Json::Text(doc.into()));
        }
        // A dot in front says that there is no namespace.
        let in_namespace = name.namespace.is_some();
        let full = |alias: &Name| match alias.namespace {
            None if in_namespace => format!(".{}", alias.name),
            None | Some(_) => alias.to_string(),
        };
        self.aliases(aliases.iter().map(full).collect());
    }

    fn aliases(&mut self, mut aliases: Vec<String>) {
        if aliases.is_empty() {
            return;
        }
        aliases.sort_by(|a, b| java_order(a, b));
        let aliases = aliases.into_iter().map(|alias| Json::Text(alias.into()));
        self.attribute("aliases", &Json::Array(aliases.collect()));
    }

    /// The properties: those that come first, then the others in order.
    fn props(&mut self, props: &Props, first: &[&str]) {
        for name in first {
            if let Some(value) = props.get(name) {
                self.attribute(name, &sorted(value));
            }
        }
        let mut rest: Vec<(&str, &Json)> = props
            .iter()
            .filter(|(name, _)| !first.contains(name))
            .collect();
        rest.sort_by(|(a, _), (b, _)| java_order(a, b));
        for (name, value) in rest {
            self.attribute(name, &sorted(value));
        }
    }

    fn attribute(&mut self, name: &str, value: &Json) {
        self.out.push(',');
        write_text(name, &mut self.out);
        self.out.push(':');
        value.write(&mut self.out);
    }

    /// A default as the value of its type, as `JacksonUtils.toObject` makes it: of unions the first branch counts, numbers
    /// take the width of their type. `Some(None)`: no value, so that there is no default. `None`: Java fails.
    #[expect(
        clippy::option_option,
        reason = "three outcomes of one private function"
    )]
    fn value(&self, id: TypeId, json: &Json) -> Option<Option<Json>> {
        let mut kind = &self.schema.get(id).kind;
        if let Type::Union(branches) = kind {
            kind = &self.schema.get(*branches.first()?).kind;
        }
        Some(match json {
            Json::Null | Json::Boolean(_) => Some(json.clone()),
            Json::Integer(_) | Json::Double(_) | Json::Float(_) => number(kind, json),
            // Avro's Java library makes nothing of them.
            Json::BigInteger(_) => None,
            Json::Text(text) if matches!(kind, Type::Bytes | Type::Fixed(_)) => {
                let latin = text.chars().map(|c| if c > '\u{ff}' { '?' } else { c });
                Some(Json::Text(latin.collect::<String>().into()))
            }
            Json::Text(_) => matches!(kind, Type::String | Type::Enum(_)).then(|| json.clone()),
            Json::Array(values) if values.is_empty() => Some(json.clone()),
            Json::Array(values) => {
                let Type::Array(items) = kind else {
                    return None;
                };
                let values = values.iter().map(|value| self.value(*items, value)?);
                Some(Json::Array(values.collect::<Option<_>>()?))
            }
            Json::Object(members) => {
                let mut object = Vec::with_capacity(members.len());
                for (name, value) in members {
                    let value = if let Type::Map(values) = kind {
                        self.value(*values, value)??
                    } else if let Type::Record(record) = kind {
                        let field = record.fields.iter().find(|field| field.name == *name)?;
                        self.value(field.schema, value)??
                    } else {
                        value.clone()
                    };
                    object.push((name.clone(), value));
                }
                Some(Json::Object(object))
            }
        })
    }
}

/// A number as a type holds it; nothing when the type holds none, or no such one.
fn number(kind: &Type, json: &Json) -> Option<Json> {
    #[expect(clippy::cast_precision_loss, reason = "as Java widens it")]
    let double = match json {
        Json::Integer(value) => *value as f64,
        Json::Double(value) => *value,
        Json::Float(value) => f64::from(*value),
        Json::Null
        | Json::Boolean(_)
        | Json::BigInteger(_)
        | Json::Text(_)
        | Json::Array(_)
        | Json::Object(_) => return None,
    };
    if matches!(kind, Type::Float) {
        #[expect(clippy::cast_possible_truncation, reason = "as Java narrows it")]
        let single = double as f32;
        return Some(Json::Float(single));
    }
    if matches!(kind, Type::Double) {
        return Some(Json::Double(double));
    }
    let is_integer = matches!(json, Json::Integer(_));
    (is_integer && matches!(kind, Type::Int | Type::Long)).then(|| json.clone())
}

/// The properties of a valid logical type stand in front of the others.
fn logical_props(new: &AvroType) -> &'static [&'static str] {
    match new.logical() {
        None => &[],
        Some(LogicalType::Decimal { scale: 0, .. }) => &["logicalType", "precision"],
        Some(LogicalType::Decimal { .. }) => &["logicalType", "precision", "scale"],
        Some(_) => &["logicalType"],
    }
}

/// The same value with the members of all objects in order.
fn sorted(json: &Json) -> Json {
    match json {
        Json::Array(values) => Json::Array(values.iter().map(sorted).collect()),
        Json::Object(members) => {
            let mut members: Vec<(Box<str>, Json)> = members
                .iter()
                .map(|(name, value)| (name.clone(), sorted(value)))
                .collect();
            members.sort_by(|(a, _), (b, _)| java_order(a, b));
            Json::Object(members)
        }
        Json::Null
        | Json::Boolean(_)
        | Json::Integer(_)
        | Json::BigInteger(_)
        | Json::Double(_)
        | Json::Float(_)
        | Json::Text(_) => json.clone(),
    }
}

/// The order of Java's strings: by units of UTF-16.
fn java_order(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}
