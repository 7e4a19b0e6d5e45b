//! A message as a tree: what protobuf-java's `DynamicMessage` holds after parsing. The definition of how bytes are read.

use std::collections::BTreeMap;

use super::super::from_connect::Scalar;
use super::super::schema::{Cardinality, Field, FieldType, MessageId, ProtobufSchema};
use crate::error::{Error, data, protobuf_read::Kind};
use crate::limits::{PROTO_VALUE_DEPTH_MAX, PROTO_VALUES_MAX};
use crate::wire::{Reader, VarintError};

/// The fields that are set, by their place in the message.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tree(pub(super) BTreeMap<usize, Vec<Raw>>);

/// A value as it lies on the wire, cut to the width of its type.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Raw {
    /// Bits of a number; a signed one is extended, a zigzag one unfolded.
    Number(i64),
    Text(String),
    Bytes(Vec<u8>),
    Message(Tree),
}

pub(super) const VARINT: u32 = 0;
pub(super) const FIXED_64: u32 = 1;
pub(super) const LENGTH: u32 = 2;
const START_GROUP: u32 = 3;
const END_GROUP: u32 = 4;
pub(super) const FIXED_32: u32 = 5;

/// How a scalar lies on the wire.
pub(super) const fn wire_type(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::Double | Scalar::Fixed64 | Scalar::Sfixed64 => FIXED_64,
        Scalar::Float | Scalar::Fixed32 | Scalar::Sfixed32 => FIXED_32,
        Scalar::String | Scalar::Bytes => LENGTH,
        Scalar::Int64
        | Scalar::Uint64
        | Scalar::Int32
        | Scalar::Bool
        | Scalar::Uint32
        | Scalar::Sint32
        | Scalar::Sint64 => VARINT,
    }
}

/// Parses a message and checks that what is required is there.
///
/// # Errors
/// Data fault with the field's path and the offset in the record.
pub(super) fn parse(
    schema: &ProtobufSchema,
    id: MessageId,
    record: &[u8],
    body_at: usize,
) -> Result<Tree, Error> {
    let mut parser = Parser {
        schema,
        depth: 0,
        values: 0,
    };
    let mut tree = Tree::default();
    let mut reader = Reader::new(record);
    // The frame was read, so it is there.
    let _ = reader.take(body_at);
    parser.message(&mut reader, id, &mut tree)?;
    initialized(schema, id, &tree)?;
    Ok(tree)
}

struct Parser<'a> {
    schema: &'a ProtobufSchema,
    depth: usize,
    values: usize,
}

impl Parser<'_> {
    fn message(
        &mut self,
        reader: &mut Reader<'_>,
        id: MessageId,
        tree: &mut Tree,
    ) -> Result<(), Error> {
        let message = self.schema.get(id);
        while !reader.is_empty() {
            let (at, number, wire) = tag(reader)?;
            let field = message.numbered(number);
            let Some((place, field)) = field.map(|place| (place, &message.fields[place])) else {
                self.skip(reader, number, wire, at)?;
                continue;
            };
            let expected = match field.ty {
                FieldType::Scalar(scalar) => wire_type(scalar),
                FieldType::Enum(_) => VARINT,
                FieldType::Message(_) => LENGTH,
            };
            let repeated = field.cardinality == Cardinality::Repeated;
            let named = |error: Error| error.in_field(&field.name);
            if wire == expected {
                self.value(reader, field, (tree, place), id)
                    .map_err(named)?;
            } else if repeated && wire == LENGTH {
                let mut packed = length(reader)?;
                while !packed.is_empty() {
                    self.value(&mut packed, field, (tree, place), id)
                        .map_err(named)?;
                }
            } else {
                self.skip(reader, number, wire, at)?;
            }
        }
        Ok(())
    }

    fn value(
        &mut self,
        reader: &mut Reader<'_>,
        field: &Field,
        (tree, place): (&mut Tree, usize),
        id: MessageId,
    ) -> Result<(), Error> {
        let raw = match field.ty {
            FieldType::Scalar(scalar) => scalar_value(reader, scalar, field.is_proto2)?,
            FieldType::Enum(id) => {
                let number = low_32(varint(reader)?);
                let closed = field.is_proto2;
                if closed && self.schema.get_enum(id).symbol(number).is_none() {
                    return Ok(());
                }
                Raw::Number(number.into())
            }
            FieldType::Message(inner) => {
                let mut part = length(reader)?;
                let merged = match field.cardinality {
                    Cardinality::Repeated => None,
                    Cardinality::Implicit
                    | Cardinality::Optional
                    | Cardinality::Explicit
                    | Cardinality::Required => tree.0.remove(&place).and_then(|mut old| old.pop()),
                };
                let mut inside = match merged {
                    Some(Raw::Message(old)) => old,
                    Some(_) | None => Tree::default(),
                };
                self.deeper(reader.at())?;
                self.message(&mut part, inner, &mut inside)?;
                self.depth -= 1;
                Raw::Message(inside)
            }
        };
        let message = self.schema.get(id);
        let oneof = message.oneofs.iter().filter(|_| field.is_member);
        for oneof in oneof.filter(|oneof| oneof.members.contains(&place)) {
            for other in oneof.members.iter().filter(|other| **other != place) {
                tree.0.remove(other);
            }
        }
        let values = tree.0.entry(place).or_default();
        if field.cardinality != Cardinality::Repeated {
            values.clear();
        }
        values.push(raw);
        self.values += 1;
        match self.values > PROTO_VALUES_MAX {
            true => Err(data::Kind::RecordTooLarge.into()),
            false => Ok(()),
        }
    }

    fn deeper(&mut self, at: usize) -> Result<(), Error> {
        if self.depth >= PROTO_VALUE_DEPTH_MAX {
            let limit = PROTO_VALUE_DEPTH_MAX;
            return Err(Error::from(Kind::TooDeep { limit }).at(at));
        }
        self.depth += 1;
        Ok(())
    }

    fn skip(
        &mut self,
        reader: &mut Reader<'_>,
        number: u32,
        wire: u32,
        at: usize,
    ) -> Result<(), Error> {
        match wire {
            VARINT => varint(reader).map(|_| ()),
            FIXED_64 => fixed::<8>(reader).map(|_| ()),
            LENGTH => length(reader).map(|_| ()),
            START_GROUP => {
                self.deeper(at)?;
                loop {
                    let (at, inner, wire) = tag(reader)?;
                    if wire == END_GROUP {
                        self.depth -= 1;
                        return match inner == number {
                            true => Ok(()),
                            false => Err(Error::from(Kind::UnexpectedEndGroup).at(at)),
                        };
                    }
                    self.skip(reader, inner, wire, at)?;
                }
            }
            FIXED_32 => fixed::<4>(reader).map(|_| ()),
            END_GROUP => Err(Error::from(Kind::UnexpectedEndGroup).at(at)),
            found => Err(Error::from(Kind::InvalidWireType { found }).at(at)),
        }
    }
}

/// The tag at the reader: where it begins, the number, the wire type.
fn tag(reader: &mut Reader<'_>) -> Result<(usize, u32, u32), Error> {
    let at = reader.at();
    let tag = low_32(varint(reader)?).cast_unsigned();
    match tag >> 3 {
        0 => Err(Error::from(Kind::InvalidTag).at(at)),
        number => Ok((at, number, tag & 7)),
    }
}

fn scalar_value(reader: &mut Reader<'_>, scalar: Scalar, lossy: bool) -> Result<Raw, Error> {
    let number = match scalar {
        Scalar::Int64 | Scalar::Uint64 => varint(reader)?.cast_signed(),
        Scalar::Int32 => low_32(varint(reader)?).into(),
        Scalar::Uint32 => low_32(varint(reader)?).cast_unsigned().into(),
        Scalar::Bool => (varint(reader)? != 0).into(),
        Scalar::Sint32 => {
            let raw = low_32(varint(reader)?).cast_unsigned();
            ((raw >> 1).cast_signed() ^ (raw & 1).cast_signed().wrapping_neg()).into()
        }
        Scalar::Sint64 => {
            let raw = varint(reader)?;
            (raw >> 1).cast_signed() ^ (raw & 1).cast_signed().wrapping_neg()
        }
        Scalar::Double | Scalar::Fixed64 | Scalar::Sfixed64 => i64::from_le_bytes(fixed(reader)?),
        Scalar::Float | Scalar::Fixed32 => u32::from_le_bytes(fixed(reader)?).into(),
        Scalar::Sfixed32 => i32::from_le_bytes(fixed(reader)?).into(),
        Scalar::Bytes => return Ok(Raw::Bytes(length(reader)?.rest().to_vec())),
        Scalar::String => {
            let part = length(reader)?;
            let text = match std::str::from_utf8(part.rest()) {
                Ok(text) => text.to_owned(),
                Err(_) if lossy => crate::data::utf8::decode(part.rest()).into_owned(),
                Err(bad) => {
                    let at = part.at() + bad.valid_up_to();
                    return Err(Error::from(Kind::NotUtf8).at(at));
                }
            };
            return Ok(Raw::Text(text));
        }
    };
    Ok(Raw::Number(number))
}

#[expect(clippy::cast_possible_truncation, reason = "Java keeps the low bits")]
const fn low_32(value: u64) -> i32 {
    (value as u32).cast_signed()
}

fn varint(reader: &mut Reader<'_>) -> Result<u64, Error> {
    reader.varint_u64().map_err(|error| match error {
        VarintError::Short(short) => Error::from(Kind::Truncated).at(short.at),
        VarintError::TooLong { at, .. } => Error::from(Kind::VarintTooLong).at(at),
    })
}

fn fixed<const N: usize>(reader: &mut Reader<'_>) -> Result<[u8; N], Error> {
    let array = reader.array::<N>();
    array.map_err(|short| Error::from(Kind::Truncated).at(short.at))
}

/// The bytes behind a length.
fn length<'a>(reader: &mut Reader<'a>) -> Result<Reader<'a>, Error> {
    let at = reader.at();
    let len = low_32(varint(reader)?);
    let truncated = || Error::from(Kind::Truncated).at(at);
    let len = usize::try_from(len).map_err(|_| truncated())?;
    reader.part(len).map_err(|_| truncated())
}

fn initialized(schema: &ProtobufSchema, id: MessageId, tree: &Tree) -> Result<(), Error> {
    let message = schema.get(id);
    for (place, field) in message.fields.iter().enumerate() {
        if field.cardinality == Cardinality::Required && !tree.0.contains_key(&place) {
            let field = field.name.clone();
            return Err(Kind::RequiredMissing { field }.into());
        }
    }
    for (place, values) in &tree.0 {
        let field = &message.fields[*place];
        if let FieldType::Message(inner) = field.ty {
            for value in values {
                if let Raw::Message(tree) = value {
                    initialized(schema, inner, tree).map_err(|e| e.in_field(&field.name))?;
                }
            }
        }
    }
    Ok(())
}
