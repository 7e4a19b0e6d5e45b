//! Running a plan.
//!
//! Everything gives whether it wrote something: a null that nothing stands for takes the key in front of it along.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "whatever is not listed is of the wrong class"
)]

use super::{EncodePlan, Fields, Node, Null, Piece, Site, variant};
use crate::data::logical::{check_decimal_scale, check_scale, date_to_days, time_to_millis};
use crate::data::record::{EMPTY, Record, Slot};
use crate::data::{Datum, DecimalRef, Type};
use crate::error::{Error, json_schema_write::Kind};
use crate::json::write::{
    write_base64, write_boolean, write_decimal_base64, write_f32, write_f64, write_integer,
};
use crate::json_text::text::{write_heap_string, write_string};
use crate::plan::NodeId;
use crate::wire::{SHORT, copy_short};

impl EncodePlan {
    #[inline]
    pub(super) fn datum(
        &self,
        site: &Site,
        datum: &Datum,
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        match datum {
            Datum::Tree { record, root } => self.value(site, record, *root, out),
            Datum::Scalar(slot) => self.value(site, &EMPTY, *slot, out),
            Datum::Text(text) => match &site.node {
                Node::Text => {
                    write_string(text, out);
                    Ok(true)
                }
                node => Err(wrong_class(node, "java.lang.String")),
            },
            Datum::Bytes(bytes) => match &site.node {
                Node::Bytes => {
                    write_base64(bytes, out);
                    Ok(true)
                }
                node => Err(wrong_class(node, "[B")),
            },
        }
    }

    #[inline]
    fn value(
        &self,
        site: &Site,
        record: &Record,
        slot: Slot,
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        match (&site.node, slot) {
            (_, Slot::Null) => return Ok(self.null(site.null, out)),
            (Node::Text, Slot::Text { at, len }) => write_heap_string(&record.text, at, len, out),
            (Node::Int64, Slot::Int64(v)) => write_integer(v, out),
            (Node::Int32, Slot::Int32(v)) => write_integer(v.into(), out),
            (Node::Boolean, Slot::Boolean(v)) => write_boolean(v, out),
            (Node::Float64, Slot::Float64(v)) => write_f64(v, out),
            (Node::Timestamp, Slot::Timestamp(v)) => write_integer(v, out),
            (Node::Struct(fields), Slot::Struct { at }) => {
                self.object(
                    *fields,
                    record.slots_at(at, fields.len as usize),
                    record,
                    out,
                )?;
            }
            (Node::Array(element), Slot::Array { at, len }) => {
                self.array(*element, record.slots_at(at, len as usize), record, out)?;
            }
            _ => return self.other(site, record, slot, out),
        }
        Ok(true)
    }

    /// What is met less often.
    fn other(
        &self,
        site: &Site,
        record: &Record,
        slot: Slot,
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        match (&site.node, slot) {
            (Node::Int8, Slot::Int8(v)) => write_integer(v.into(), out),
            (Node::Int16, Slot::Int16(v)) => write_integer(v.into(), out),
            (Node::Float32, Slot::Float32(v)) => write_f32(v, out),
            (Node::Bytes, Slot::Bytes { at, len }) => write_base64(record.bytes_at(at, len), out),
            // A number that was read where bytes are declared.
            (Node::Bytes, Slot::Decimal { .. } | Slot::BigDecimal { .. }) => {
                decimal(&site.node, record, slot, out)?;
            }
            (Node::Timestamp, Slot::Date(v) | Slot::Time(v)) => write_integer(v, out),
            (Node::Date, Slot::Date(v) | Slot::Time(v) | Slot::Timestamp(v)) => {
                write_integer(date_to_days(v)?.into(), out);
            }
            (Node::Time, Slot::Date(v) | Slot::Time(v) | Slot::Timestamp(v)) => {
                write_integer(time_to_millis(v)?.into(), out);
            }
            (Node::DecimalNumeric | Node::DecimalBase64 { .. } | Node::DecimalUnclear(_), _) => {
                decimal(&site.node, record, slot, out)?;
            }
            (Node::Object(values), Slot::Map { at, len }) => {
                self.named(*values, record.slots_at(at, len as usize), record, out)?;
            }
            (Node::Entries(keys, values), Slot::Map { at, len }) => {
                let entries = record.slots_at(at, len as usize);
                self.entries(*keys, *values, entries, record, out)?;
            }
            (Node::Union(fields), Slot::Struct { at }) => {
                let slots = record.slots_at(at, fields.len as usize);
                return self.union(*fields, slots, record, site.null, out);
            }
            (
                Node::Variant {
                    metadata,
                    value,
                    fields,
                },
                Slot::Struct { at },
            ) => {
                let slots = record.slots_at(at, *fields);
                let bytes = |index: usize| match slots.get(index) {
                    Some(Slot::Bytes { at, len }) => Ok(record.bytes_at(*at, *len)),
                    _ => Err(Error::from(Kind::Variant {
                        what: "a part of it is null",
                    })),
                };
                variant::write(bytes(*metadata)?, bytes(*value)?, out)?;
            }
            (Node::Additional(fields, values), Slot::Map { at, len }) => {
                let entries = record.slots_at(at, len as usize);
                self.additional(*fields, *values, entries, record, out)?;
            }
            (Node::Same(id), _) => {
                let same = &self.sites.get(*id).node;
                return self.again(same, site.null, record, slot, out);
            }
            (_, Slot::Foreign { .. }) if is_structure(&site.node) => {
                return Err(Kind::StructSchemasDiffer.into());
            }
            (node, slot) => return Err(wrong_class(node, class(slot))),
        }
        Ok(true)
    }

    /// A schema inside itself: only structs are.
    fn again(
        &self,
        node: &Node,
        null: Null,
        record: &Record,
        slot: Slot,
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        match (node, slot) {
            (Node::Struct(fields), Slot::Struct { at }) => {
                self.object(
                    *fields,
                    record.slots_at(at, fields.len as usize),
                    record,
                    out,
                )?;
                Ok(true)
            }
            (Node::Union(fields), Slot::Struct { at }) => {
                let slots = record.slots_at(at, fields.len as usize);
                self.union(*fields, slots, record, null, out)
            }
            (Node::Array(element), Slot::Array { at, len }) => {
                self.array(*element, record.slots_at(at, len as usize), record, out)?;
                Ok(true)
            }
            (Node::Object(values), Slot::Map { at, len }) => {
                self.named(*values, record.slots_at(at, len as usize), record, out)?;
                Ok(true)
            }
            (Node::Entries(keys, values), Slot::Map { at, len }) => {
                let entries = record.slots_at(at, len as usize);
                self.entries(*keys, *values, entries, record, out)?;
                Ok(true)
            }
            (node, Slot::Foreign { .. }) if is_structure(node) => {
                Err(Kind::StructSchemasDiffer.into())
            }
            (node, slot) => Err(wrong_class(node, class(slot))),
        }
    }

    fn null(&self, null: Null, out: &mut Vec<u8>) -> bool {
        match null {
            Null::Nothing => return false,
            Null::Written => out.extend_from_slice(b"null"),
            Null::Default(piece) => out.extend_from_slice(self.text(piece)),
        }
        true
    }

    fn object(
        &self,
        fields: Fields,
        slots: &[Slot],
        record: &Record,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let start = out.len();
        let first = fields.first as usize;
        let sites = &self.fields[first..first + fields.len as usize];
        for (index, (field, slot)) in sites.iter().zip(slots).enumerate() {
            let before = out.len();
            self.key(field.key, out);
            match self.value(self.sites.get(field.site), record, *slot, out) {
                Ok(true) => {}
                Ok(false) => out.truncate(before),
                Err(error) => return Err(self.in_field(error, first + index)),
            }
        }
        // Every key brings its comma; the first one's becomes the bracket.
        match out.get_mut(start) {
            Some(comma) => *comma = b'{',
            None => out.push(b'{'),
        }
        out.push(b'}');
        Ok(())
    }

    #[cold]
    fn in_field(&self, error: Error, index: usize) -> Error {
        error.in_field(&self.names[index])
    }

    /// The first member that is set; `null` is what stands for none.
    fn union(
        &self,
        fields: Fields,
        slots: &[Slot],
        record: &Record,
        null: Null,
        out: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let first = fields.first as usize;
        let sites = &self.fields[first..first + fields.len as usize];
        for (index, (field, slot)) in sites.iter().zip(slots).enumerate() {
            let site = self.sites.get(field.site);
            if matches!(slot, Slot::Null) && !matches!(site.null, Null::Default(_)) {
                continue;
            }
            let written = self.value(site, record, *slot, out);
            return written.map_err(|error| self.in_field(error, first + index));
        }
        Ok(self.null(null, out))
    }

    /// An element or a value of a map: a null is written in any case.
    #[inline]
    fn element(
        &self,
        site: &Site,
        record: &Record,
        slot: Slot,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        if !self.value(site, record, slot, out)? {
            out.extend_from_slice(b"null");
        }
        Ok(())
    }

    fn array(
        &self,
        element: NodeId,
        slots: &[Slot],
        record: &Record,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let site = self.sites.get(element);
        out.push(b'[');
        for (index, slot) in slots.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            self.element(site, record, *slot, out)
                .map_err(|error| error.in_element(index))?;
        }
        out.push(b']');
        Ok(())
    }

    /// A map whose keys are text.
    fn named(
        &self,
        values: NodeId,
        slots: &[Slot],
        record: &Record,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let site = self.sites.get(values);
        out.push(b'{');
        for (index, entry) in slots.chunks_exact(2).enumerate() {
            if index > 0 {
                out.push(b',');
            }
            name(entry[0], record, out).map_err(|error| error.in_key(index))?;
            out.push(b':');
            self.element(site, record, entry[1], out)
                .map_err(|error| error.in_map_value(index))?;
        }
        out.push(b'}');
        Ok(())
    }

    fn entries(
        &self,
        keys: NodeId,
        values: NodeId,
        slots: &[Slot],
        record: &Record,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let (key_site, value_site) = (self.sites.get(keys), self.sites.get(values));
        out.push(b'[');
        for (index, entry) in slots.chunks_exact(2).enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(b"{\"key\":");
            self.element(key_site, record, entry[0], out)
                .map_err(|error| error.in_key(index))?;
            out.extend_from_slice(b",\"value\":");
            self.element(value_site, record, entry[1], out)
                .map_err(|error| error.in_map_value(index))?;
            out.push(b'}');
        }
        out.push(b']');
        Ok(())
    }

    /// Properties that the schema does not declare, as members of the object that is being written.
    fn additional(
        &self,
        fields: Fields,
        values: NodeId,
        slots: &[Slot],
        record: &Record,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let site = self.sites.get(values);
        let first = fields.first as usize;
        let declared = &self.names[first..first + fields.len as usize];
        for (index, entry) in slots.chunks_exact(2).enumerate() {
            if let Slot::Text { at, len } = entry[0]
                && declared
                    .iter()
                    .any(|name| **name == *record.text_at(at, len))
            {
                return Err(Error::from(Kind::AdditionalCollides).in_key(index));
            }
            out.push(b',');
            name(entry[0], record, out).map_err(|error| error.in_key(index))?;
            out.push(b':');
            self.element(site, record, entry[1], out)
                .map_err(|error| error.in_map_value(index))?;
        }
        Ok(())
    }

    #[inline]
    fn key(&self, piece: Piece, out: &mut Vec<u8>) {
        let (start, len) = (piece.at as usize, piece.len as usize);
        match self.text[start..].first_chunk::<SHORT>() {
            Some(chunk) if len <= SHORT => copy_short(chunk, len, out),
            _ => out.extend_from_slice(&self.text[start..start + len]),
        }
    }

    #[inline]
    fn text(&self, piece: Piece) -> &[u8] {
        let start = piece.at as usize;
        &self.text[start..start + piece.len as usize]
    }
}

/// A key that is a name in a JSON object.
fn name(slot: Slot, record: &Record, out: &mut Vec<u8>) -> Result<(), Error> {
    match slot {
        Slot::Text { at, len } => {
            write_heap_string(&record.text, at, len, out);
            Ok(())
        }
        Slot::Null => Err(Kind::NullKey.into()),
        other => Err(Kind::WrongClass {
            kind: Type::String,
            class: class(other),
        }
        .into()),
    }
}

fn decimal(node: &Node, record: &Record, slot: Slot, out: &mut Vec<u8>) -> Result<(), Error> {
    let value = match slot {
        Slot::Decimal { scale, unscaled } => DecimalRef::small(unscaled, scale),
        Slot::BigDecimal { scale, at, len } => {
            DecimalRef::from_be_bytes(record.bytes_at(at, len), scale)
        }
        other => return Err(wrong_class(node, class(other))),
    };
    match node {
        Node::DecimalBase64 { scale } => {
            check_scale(*scale, value)?;
            write_decimal_base64(value, out);
        }
        Node::DecimalUnclear(schema) => check_decimal_scale(schema, value)?,
        _ => value.write_text(out),
    }
    Ok(())
}

const fn is_structure(node: &Node) -> bool {
    matches!(
        node,
        Node::Struct(_) | Node::Union(_) | Node::Variant { .. }
    )
}

#[cold]
fn wrong_class(node: &Node, class: &'static str) -> Error {
    let logical = |logical, expected| Kind::LogicalWrongClass {
        logical,
        expected,
        class,
    };
    let kind = match node {
        Node::DecimalBase64 { .. } | Node::DecimalNumeric | Node::DecimalUnclear(_) => {
            return logical("Decimal", "BigDecimal").into();
        }
        Node::Date => return logical("Date", "Date").into(),
        Node::Time => return logical("Time", "Date").into(),
        Node::Timestamp => return logical("Timestamp", "Date").into(),
        Node::Int8 => Type::Int8,
        Node::Int16 => Type::Int16,
        Node::Int32 => Type::Int32,
        Node::Int64 => Type::Int64,
        Node::Float32 => Type::Float32,
        Node::Float64 => Type::Float64,
        Node::Boolean => Type::Boolean,
        Node::Text => Type::String,
        Node::Bytes => Type::Bytes,
        Node::Array(_) => Type::Array,
        Node::Object(_) | Node::Entries(..) | Node::Additional(..) => Type::Map,
        Node::Struct(_) | Node::Union(_) | Node::Variant { .. } | Node::Same(_) => Type::Struct,
        Node::Nowhere(kind) => *kind,
    };
    Kind::WrongClass { kind, class }.into()
}

/// The Java class of what a slot holds.
fn class(slot: Slot) -> &'static str {
    match slot {
        Slot::Null => "null",
        Slot::Boolean(_) => "java.lang.Boolean",
        Slot::Int8(_) => "java.lang.Byte",
        Slot::Int16(_) => "java.lang.Short",
        Slot::Int32(_) => "java.lang.Integer",
        Slot::Int64(_) => "java.lang.Long",
        Slot::Float32(_) => "java.lang.Float",
        Slot::Float64(_) => "java.lang.Double",
        Slot::Date(_) | Slot::Time(_) | Slot::Timestamp(_) => "java.util.Date",
        Slot::Decimal { .. } | Slot::BigDecimal { .. } => "java.math.BigDecimal",
        Slot::Text { .. } => "java.lang.String",
        Slot::Bytes { .. } => "[B",
        Slot::Array { .. } => "java.util.ArrayList",
        Slot::Map { .. } => "java.util.HashMap",
        Slot::Struct { .. } | Slot::Foreign { .. } => "org.apache.kafka.connect.data.Struct",
    }
}
