//! Encoding by plan: a schema is compiled once, a record is then written without looking at it.
//!
//! The runner answers or gives up; it words no error. What it gives up, the definition in `write.rs` writes or refuses.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "whatever a runner does not list, the definition answers"
)]

use super::write::{
    Writing, write_base64, write_boolean, write_decimal_base64, write_f32, write_f64, write_integer,
};
use crate::data::record::{EMPTY, Record, Slot};
use crate::data::{Datum, DecimalRef, Logical, Schema, SchemaAndValue, Type, logical};
use crate::json_text::text::{write_heap_string, write_string};
use crate::plan::{Arena, NodeId};
use crate::wire::{SHORT, copy_short};

/// How the values of one schema are written.
#[derive(Debug)]
pub(crate) struct EncodePlan {
    nodes: Arena<Site>,
    fields: Vec<FieldSite>,
    /// Prepared text: keys of struct fields, defaults.
    text: Vec<u8>,
    root: NodeId,
    /// `{"schema":…,"payload":`, or nothing without an envelope.
    pub(crate) prefix: Vec<u8>,
}

/// One place of a schema where a value stands.
#[derive(Debug)]
struct Site {
    node: Node,
    null: Null,
}

/// Part of `EncodePlan::text`.
#[derive(Clone, Copy, Debug)]
struct Piece {
    at: u32,
    len: u32,
}

#[derive(Clone, Copy, Debug)]
enum Null {
    Refused,
    Written,
    Default(Piece),
}

#[derive(Debug)]
enum Node {
    Int8,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    Boolean,
    Text,
    Bytes,
    DecimalBase64 {
        scale: i32,
    },
    DecimalNumeric,
    Date,
    Time,
    Timestamp,
    Array(NodeId),
    Object(NodeId),
    Pairs(NodeId, NodeId),
    /// `len` entries of `EncodePlan::fields` from `first`.
    Struct {
        first: usize,
        len: usize,
    },
    /// The definition has to look at it: a schema that no value satisfies.
    Undefined,
}

#[derive(Debug)]
struct FieldSite {
    /// `,"name":`
    key: Piece,
    site: NodeId,
}

/// The runner met something that only the definition can answer.
#[derive(Debug)]
pub(crate) struct GaveUp;

type Run = Result<(), GaveUp>;

impl EncodePlan {
    pub(crate) fn compile(schema: &Schema, writing: Writing, prefix: Vec<u8>) -> Self {
        let mut plan = Self {
            nodes: Arena::default(),
            fields: Vec::new(),
            text: Vec::new(),
            root: NodeId::default(),
            prefix,
        };
        plan.root = plan.site(schema, writing);
        // So that every key can be read as one chunk.
        plan.text.resize(plan.text.len() + SHORT, 0);
        plan
    }

    /// Appends the value of a datum that carries the plan's own schema.
    #[inline]
    pub(crate) fn run(&self, datum: &SchemaAndValue, out: &mut Vec<u8>) -> Run {
        let root = self.nodes.get(self.root);
        match datum.datum() {
            Datum::Tree { record, root: slot } => self.value(root, record, *slot, out),
            Datum::Scalar(slot) => self.value(root, &EMPTY, *slot, out),
            Datum::Text(text) => match root.node {
                Node::Text => {
                    write_string(text, out);
                    Ok(())
                }
                _ => Err(GaveUp),
            },
            Datum::Bytes(bytes) => match root.node {
                Node::Bytes => {
                    write_base64(bytes, out);
                    Ok(())
                }
                _ => Err(GaveUp),
            },
        }
    }

    fn site(&mut self, schema: &Schema, writing: Writing) -> NodeId {
        let null = match schema.default_value() {
            Some(default) if writing.null_becomes_default => {
                let start = self.text.len();
                match writing.value(Some(schema), default, &mut self.text) {
                    Ok(()) => Null::Default(self.piece(start)),
                    // Refused here means: the definition will say why, for each record.
                    Err(_) => {
                        self.text.truncate(start);
                        Null::Refused
                    }
                }
            }
            _ if schema.is_optional() => Null::Written,
            _ => Null::Refused,
        };
        let node = self.node(schema, writing);
        self.nodes.add(Site { node, null })
    }

    fn node(&mut self, schema: &Schema, writing: Writing) -> Node {
        match schema.logical() {
            Some(Logical::Decimal) if writing.numeric_decimals => return Node::DecimalNumeric,
            Some(Logical::Decimal) => {
                let scale = schema.decimal_scale();
                return scale.map_or(Node::Undefined, |scale| Node::DecimalBase64 { scale });
            }
            Some(Logical::Date) => return Node::Date,
            Some(Logical::Time) => return Node::Time,
            Some(Logical::Timestamp) => return Node::Timestamp,
            None => {}
        }
        match schema.kind() {
            Type::Int8 => Node::Int8,
            Type::Int16 => Node::Int16,
            Type::Int32 => Node::Int32,
            Type::Int64 => Node::Int64,
            Type::Float32 => Node::Float32,
            Type::Float64 => Node::Float64,
            Type::Boolean => Node::Boolean,
            Type::String => Node::Text,
            Type::Bytes => Node::Bytes,
            Type::Array => match schema.value_schema() {
                Some(element) => Node::Array(self.site(element, writing)),
                None => Node::Undefined,
            },
            Type::Map => match (schema.key_schema(), schema.value_schema()) {
                (Some(key), Some(value))
                    if key.kind() == Type::String && key.logical().is_none() =>
                {
                    Node::Object(self.site(value, writing))
                }
                (Some(key), Some(value)) if key.kind() != Type::String => {
                    Node::Pairs(self.site(key, writing), self.site(value, writing))
                }
                _ => Node::Undefined,
            },
            Type::Struct => self.structure(schema, writing),
        }
    }

    fn structure(&mut self, schema: &Schema, writing: Writing) -> Node {
        let mut fields = Vec::with_capacity(schema.fields().len());
        for field in schema.fields() {
            let start = self.text.len();
            self.text.push(b',');
            write_string(field.name(), &mut self.text);
            self.text.push(b':');
            let key = self.piece(start);
            fields.push(FieldSite {
                key,
                site: self.site(field.schema(), writing),
            });
        }
        let first = self.fields.len();
        let len = fields.len();
        self.fields.append(&mut fields);
        Node::Struct { first, len }
    }

    fn piece(&self, start: usize) -> Piece {
        // A schema's names and defaults lie in memory many times over: far below 4 GiB.
        let narrow = |at| u32::try_from(at).unwrap_or(u32::MAX);
        Piece {
            at: narrow(start),
            len: narrow(self.text.len() - start),
        }
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

    #[inline]
    fn value(&self, site: &Site, record: &Record, slot: Slot, out: &mut Vec<u8>) -> Run {
        match (&site.node, slot) {
            (_, Slot::Null) => match site.null {
                Null::Written => out.extend_from_slice(b"null"),
                Null::Default(piece) => out.extend_from_slice(self.text(piece)),
                Null::Refused => return Err(GaveUp),
            },
            (Node::Text, Slot::Text { at, len }) => write_heap_string(&record.text, at, len, out),
            (Node::Int64, Slot::Int64(v)) => write_integer(v, out),
            (Node::Int32, Slot::Int32(v)) => write_integer(v.into(), out),
            (Node::Boolean, Slot::Boolean(v)) => write_boolean(v, out),
            (Node::Float64, Slot::Float64(v)) => write_f64(v, out),
            (Node::Struct { first, len }, Slot::Struct { at }) => {
                return self.fields(*first, record.slots_at(at, *len), record, out);
            }
            (Node::Array(element), Slot::Array { at, len }) => {
                return self.array(*element, record.slots_at(at, len as usize), record, out);
            }
            _ => return self.other(site, record, slot, out),
        }
        Ok(())
    }

    /// What is met less often.
    fn other(&self, site: &Site, record: &Record, slot: Slot, out: &mut Vec<u8>) -> Run {
        match (&site.node, slot) {
            (Node::Int8, Slot::Int8(v)) => write_integer(v.into(), out),
            (Node::Int16, Slot::Int16(v)) => write_integer(v.into(), out),
            (Node::Float32, Slot::Float32(v)) => write_f32(v, out),
            (Node::Bytes, Slot::Bytes { at, len }) => write_base64(record.bytes_at(at, len), out),
            (Node::Timestamp, Slot::Date(v) | Slot::Time(v) | Slot::Timestamp(v)) => {
                write_integer(v, out);
            }
            (Node::Date, Slot::Date(v) | Slot::Time(v) | Slot::Timestamp(v)) => {
                write_integer(logical::date_to_days(v).map_err(|_| GaveUp)?.into(), out);
            }
            (Node::Time, Slot::Date(v) | Slot::Time(v) | Slot::Timestamp(v)) => {
                write_integer(logical::time_to_millis(v).map_err(|_| GaveUp)?.into(), out);
            }
            (Node::DecimalNumeric, _) => decimal(record, slot)?.write_text(out),
            (Node::DecimalBase64 { scale }, _) => {
                let value = decimal(record, slot)?;
                if value.scale() != *scale {
                    return Err(GaveUp);
                }
                write_decimal_base64(value, out);
            }
            (Node::Object(values), Slot::Map { at, len }) => {
                return self.object(*values, record.slots_at(at, len as usize), record, out);
            }
            (Node::Pairs(keys, values), Slot::Map { at, len }) => {
                let entries = record.slots_at(at, len as usize);
                return self.pairs(*keys, *values, entries, record, out);
            }
            _ => return Err(GaveUp),
        }
        Ok(())
    }

    fn fields(&self, first: usize, slots: &[Slot], record: &Record, out: &mut Vec<u8>) -> Run {
        let start = out.len();
        for (field, slot) in self.fields[first..].iter().zip(slots) {
            self.key(field.key, out);
            self.value(self.nodes.get(field.site), record, *slot, out)?;
        }
        // Every key brings its comma; the first one's becomes the bracket.
        match out.get_mut(start) {
            Some(comma) => *comma = b'{',
            None => out.push(b'{'),
        }
        out.push(b'}');
        Ok(())
    }

    fn array(&self, element: NodeId, slots: &[Slot], record: &Record, out: &mut Vec<u8>) -> Run {
        let site = self.nodes.get(element);
        out.push(b'[');
        for (index, slot) in slots.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            self.value(site, record, *slot, out)?;
        }
        out.push(b']');
        Ok(())
    }

    fn object(&self, values: NodeId, slots: &[Slot], record: &Record, out: &mut Vec<u8>) -> Run {
        let site = self.nodes.get(values);
        out.push(b'{');
        for (index, entry) in slots.chunks_exact(2).enumerate() {
            if index > 0 {
                out.push(b',');
            }
            let Slot::Text { at, len } = entry[0] else {
                return Err(GaveUp);
            };
            write_heap_string(&record.text, at, len, out);
            out.push(b':');
            self.value(site, record, entry[1], out)?;
        }
        out.push(b'}');
        Ok(())
    }

    fn pairs(
        &self,
        keys: NodeId,
        values: NodeId,
        slots: &[Slot],
        record: &Record,
        out: &mut Vec<u8>,
    ) -> Run {
        out.push(b'[');
        for (index, entry) in slots.chunks_exact(2).enumerate() {
            out.extend_from_slice(if index > 0 { b",[" } else { b"[" });
            self.value(self.nodes.get(keys), record, entry[0], out)?;
            out.push(b',');
            self.value(self.nodes.get(values), record, entry[1], out)?;
            out.push(b']');
        }
        out.push(b']');
        Ok(())
    }
}

fn decimal(record: &Record, slot: Slot) -> Result<DecimalRef<'_>, GaveUp> {
    match slot {
        Slot::Decimal { scale, unscaled } => Ok(DecimalRef::small(unscaled, scale)),
        Slot::BigDecimal { scale, at, len } => {
            Ok(DecimalRef::from_be_bytes(record.bytes_at(at, len), scale))
        }
        _ => Err(GaveUp),
    }
}

/// Appends a value without a schema.
pub(crate) fn untyped(datum: &SchemaAndValue, out: &mut Vec<u8>) -> Run {
    match datum.datum() {
        Datum::Tree { record, root } => untyped_slot(record, *root, out),
        Datum::Scalar(slot) => untyped_slot(&EMPTY, *slot, out),
        Datum::Text(text) => {
            write_string(text, out);
            Ok(())
        }
        Datum::Bytes(bytes) => {
            write_base64(bytes, out);
            Ok(())
        }
    }
}

fn untyped_slot(record: &Record, slot: Slot, out: &mut Vec<u8>) -> Run {
    match slot {
        Slot::Text { at, len } => write_heap_string(&record.text, at, len, out),
        Slot::Int64(v) => write_integer(v, out),
        Slot::Float64(v) => write_f64(v, out),
        Slot::Null => out.extend_from_slice(b"null"),
        Slot::Boolean(v) => write_boolean(v, out),
        Slot::Int8(v) => write_integer(v.into(), out),
        Slot::Int16(v) => write_integer(v.into(), out),
        Slot::Int32(v) => write_integer(v.into(), out),
        Slot::Float32(v) => write_f32(v, out),
        Slot::Bytes { at, len } => write_base64(record.bytes_at(at, len), out),
        Slot::Array { at, len } => {
            out.push(b'[');
            for (index, element) in record.slots_at(at, len as usize).iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                untyped_slot(record, *element, out)?;
            }
            out.push(b']');
        }
        Slot::Map { at, len } => {
            out.push(b'{');
            for (index, entry) in record
                .slots_at(at, len as usize)
                .chunks_exact(2)
                .enumerate()
            {
                if index > 0 {
                    out.push(b',');
                }
                // Keys that are not all text make an array of pairs: rare, and for the definition to write.
                let Slot::Text { at, len } = entry[0] else {
                    return Err(GaveUp);
                };
                write_heap_string(&record.text, at, len, out);
                out.push(b':');
                untyped_slot(record, entry[1], out)?;
            }
            out.push(b'}');
        }
        Slot::Date(_)
        | Slot::Time(_)
        | Slot::Timestamp(_)
        | Slot::Decimal { .. }
        | Slot::BigDecimal { .. }
        | Slot::Struct { .. }
        | Slot::Foreign { .. } => return Err(GaveUp),
    }
    Ok(())
}
