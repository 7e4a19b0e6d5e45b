//! [`AvroSchema`] to text, byte for byte as `Schema.toString` of Avro's Java library prints it.
//!
//! A named type is defined where it comes first, and called by its name afterwards.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::model::{
    AvroSchema, AvroType, Enum, Field, Fixed, Kind as Type, Name, Order, Props, Record, TypeId,
};
use crate::error::{Error, avro_schema::Kind};
use crate::json_text::write_text;
use crate::limits::AVRO_SCHEMA_DEPTH_MAX;

impl AvroSchema {
    /// The schema's text, as `Schema.toString` prints it: no white space, attributes in a fixed order, names as short as
    /// the namespace around them allows.
    ///
    /// Of several definitions of one name only the first is printed, as in Java: see
    /// [`redefinition`](Self::redefinition).
    ///
    /// ```
    /// use ferroconnect_converters::avro::AvroSchema;
    ///
    /// # fn main() -> Result<(), ferroconnect_converters::Error> {
    /// let schema = AvroSchema::parse(r#"{"default": 1e10, "type": "double"}"#)?;
    /// assert_eq!(schema.to_text()?, r#"{"type":"double","default":1.0E10}"#);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Data fault: types nest deeper than [`AVRO_SCHEMA_DEPTH_MAX`]; never for a schema that was parsed.
    pub fn to_text(&self) -> Result<String, Error> {
        self.to_text_without(&[])
    }

    /// The same, where the types of these full names count as defined elsewhere: in what the schema refers to.
    ///
    /// # Errors
    /// As [`to_text`](Self::to_text).
    pub fn to_text_without(&self, known: &[Box<str>]) -> Result<String, Error> {
        self.print(self.root(), known)
    }

    /// The text of one of its types.
    pub(super) fn text_of(&self, id: TypeId) -> Result<String, Error> {
        self.print(id, &[])
    }

    fn print(&self, id: TypeId, known: &[Box<str>]) -> Result<String, Error> {
        let mut printer = Printer {
            schema: self,
            known: known.iter().map(ToString::to_string).collect(),
            out: String::new(),
            depth: 0,
        };
        printer.write(id, None)?;
        Ok(printer.out)
    }

    /// The first name under which the schema holds two different types. Java prints such a schema, which then describes
    /// other data than it writes.
    #[must_use]
    pub fn redefinition(&self) -> Option<&Name> {
        let mut known = std::collections::HashMap::new();
        for id in self.ids() {
            let Some(name) = self.get(id).kind.name() else {
                continue;
            };
            match known.get(name) {
                Some(first) if !self.equal(*first, id) => return Some(name),
                Some(_) => {}
                None => {
                    known.insert(name, id);
                }
            }
        }
        None
    }
}

pub(super) fn too_deep() -> Error {
    let what = "types nest deeper than 200 levels";
    Kind::TooMuch { what }.into()
}

struct Printer<'a> {
    schema: &'a AvroSchema,
    /// Full names that are defined.
    known: HashSet<String>,
    out: String,
    depth: usize,
}

impl<'a> Printer<'a> {
    /// Writes a type where `namespace` applies.
    fn write(&mut self, id: TypeId, namespace: Option<&'a str>) -> Result<(), Error> {
        if self.depth > AVRO_SCHEMA_DEPTH_MAX {
            return Err(too_deep());
        }
        self.depth += 1;
        let AvroType { kind, props } = self.schema.get(id);
        match kind {
            Type::Record(record) => self.record(record, props, namespace)?,
            Type::Enum(enumeration) => self.enumeration(enumeration, props, namespace),
            Type::Fixed(fixed) => self.fixed(fixed, props, namespace),
            Type::Array(items) => {
                self.out.push_str("{\"type\":\"array\",\"items\":");
                self.write(*items, namespace)?;
                self.props(props);
                self.out.push('}');
            }
            Type::Map(values) => {
                self.out.push_str("{\"type\":\"map\",\"values\":");
                self.write(*values, namespace)?;
                self.props(props);
                self.out.push('}');
            }
            Type::Union(branches) => {
                self.out.push('[');
                for (index, branch) in branches.iter().enumerate() {
                    self.separate(index);
                    self.write(*branch, namespace)?;
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
            | Type::String => self.primitive(kind.word(), props),
        }
        self.depth -= 1;
        Ok(())
    }

    fn primitive(&mut self, word: &str, props: &Props) {
        if props.is_empty() {
            write_text(word, &mut self.out);
            return;
        }
        self.out.push_str("{\"type\":");
        write_text(word, &mut self.out);
        self.props(props);
        self.out.push('}');
    }

    fn record(
        &mut self,
        record: &'a Record,
        props: &Props,
        namespace: Option<&str>,
    ) -> Result<(), Error> {
        let word = if record.is_error { "error" } else { "record" };
        if !self.begin(word, &record.name, record.doc.as_deref(), namespace) {
            return Ok(());
        }
        self.out.push_str(",\"fields\":[");
        for (index, field) in record.fields.iter().enumerate() {
            self.separate(index);
            self.field(field, record.name.namespace.as_deref())?;
        }
        self.out.push(']');
        self.end(&record.name, &record.aliases, props);
        Ok(())
    }

    fn field(&mut self, field: &'a Field, namespace: Option<&'a str>) -> Result<(), Error> {
        self.out.push_str("{\"name\":");
        write_text(&field.name, &mut self.out);
        self.out.push_str(",\"type\":");
        self.write(field.schema, namespace)?;
        if let Some(doc) = &field.doc {
            self.text("doc", doc);
        }
        if let Some(default) = &field.default {
            self.out.push_str(",\"default\":");
            default.write(&mut self.out);
        }
        match field.order {
            Order::Ascending => {}
            Order::Descending => self.text("order", "descending"),
            Order::Ignore => self.text("order", "ignore"),
        }
        self.texts("aliases", field.aliases.iter().map(|alias| &**alias));
        self.props(&field.props);
        self.out.push('}');
        Ok(())
    }

    fn enumeration(&mut self, enumeration: &Enum, props: &Props, namespace: Option<&str>) {
        let (name, doc) = (&enumeration.name, enumeration.doc.as_deref());
        if !self.begin("enum", name, doc, namespace) {
            return;
        }
        self.out.push_str(",\"symbols\":[");
        for (index, symbol) in enumeration.symbols.iter().enumerate() {
            self.separate(index);
            write_text(symbol, &mut self.out);
        }
        self.out.push(']');
        if let Some(default) = &enumeration.default {
            self.text("default", default);
        }
        self.end(name, &enumeration.aliases, props);
    }

    fn fixed(&mut self, fixed: &Fixed, props: &Props, namespace: Option<&str>) {
        if !self.begin("fixed", &fixed.name, fixed.doc.as_deref(), namespace) {
            return;
        }
        let _ = write!(self.out, ",\"size\":{}", fixed.size);
        self.end(&fixed.name, &fixed.aliases, props);
    }

    /// Writes the name of a type that is known, or begins its definition; says which of the two by `true` for the latter.
    fn begin(
        &mut self,
        word: &str,
        name: &Name,
        doc: Option<&str>,
        namespace: Option<&str>,
    ) -> bool {
        if !self.known.insert(name.to_string()) {
            write_text(&name.qualified(namespace), &mut self.out);
            return false;
        }
        self.out.push_str("{\"type\":");
        write_text(word, &mut self.out);
        self.text("name", &name.name);
        match (name.namespace.as_deref(), namespace) {
            (Some(own), around) if around != Some(own) => self.text("namespace", own),
            (None, Some(_)) => self.text("namespace", ""),
            (Some(_) | None, _) => {}
        }
        if let Some(doc) = doc {
            self.text("doc", doc);
        }
        true
    }

    fn end(&mut self, name: &Name, aliases: &[Name], props: &Props) {
        self.props(props);
        let own = name.namespace.as_deref();
        let aliases: Vec<String> = aliases.iter().map(|alias| alias.qualified(own)).collect();
        self.texts("aliases", aliases.iter().map(String::as_str));
        self.out.push('}');
    }

    fn props(&mut self, props: &Props) {
        for (name, value) in props.iter() {
            self.out.push(',');
            write_text(name, &mut self.out);
            self.out.push(':');
            value.write(&mut self.out);
        }
    }

    fn text(&mut self, name: &str, text: &str) {
        self.out.push(',');
        write_text(name, &mut self.out);
        self.out.push(':');
        write_text(text, &mut self.out);
    }

    /// An attribute that is left out when there is nothing in it.
    fn texts<'t>(&mut self, name: &str, texts: impl ExactSizeIterator<Item = &'t str>) {
        if texts.len() == 0 {
            return;
        }
        self.out.push(',');
        write_text(name, &mut self.out);
        self.out.push_str(":[");
        for (index, text) in texts.enumerate() {
            self.separate(index);
            write_text(text, &mut self.out);
        }
        self.out.push(']');
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.out.push(',');
        }
    }
}
