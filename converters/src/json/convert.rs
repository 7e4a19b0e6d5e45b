//! From a JSON tree to a Connect value: the obvious way, which defines the meaning of every document.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "every other token is the wrong one, whatever it is"
)]

use std::collections::HashMap;

use super::base64::decode_lenient;
use crate::data::{Builder, Decimal, Logical, Schema, SchemaAndValue, Type, hash_order, logical};
use crate::differs::{Difference, Differences};
use crate::error::{Error, json::Kind};
use crate::json_text::tree::{Number, Tree};

/// What the conversion is told, and what it tells back.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// A null takes the schema's default, if it has one.
    pub(crate) null_becomes_default: bool,
    pub(crate) differences: Differences,
}

impl Reading {
    /// Converts a whole payload.
    pub(crate) fn datum(
        &mut self,
        schema: Option<&Schema>,
        tree: &Tree,
    ) -> Result<SchemaAndValue, Error> {
        let mut out = Builder::new(schema.cloned());
        self.value(schema, Some(tree), &mut out)?;
        out.finish()
    }

    /// Converts a document that is the payload itself; `None` is an empty document.
    pub(crate) fn document(
        &mut self,
        schema: &Schema,
        tree: Option<&Tree>,
    ) -> Result<SchemaAndValue, Error> {
        match tree {
            Some(tree) => self.datum(Some(schema), tree),
            None => Err(Kind::TokenUnexpected {
                expected: schema.kind().name(),
                found: "MISSING",
            }
            .into()),
        }
    }

    /// `tree` is `None` for a member that is missing.
    fn value(
        &mut self,
        schema: Option<&Schema>,
        tree: Option<&Tree>,
        out: &mut Builder,
    ) -> Result<(), Error> {
        let tree = match tree {
            Some(tree) if !tree.is_null() => tree,
            Some(_) | None => return self.null(schema, out),
        };
        match schema {
            Some(schema) => self.leaf(schema, tree, out),
            None => self.untyped(tree, out),
        }
    }

    fn null(&self, schema: Option<&Schema>, out: &mut Builder) -> Result<(), Error> {
        if let Some(schema) = schema {
            if self.null_becomes_default
                && let Some(default) = schema.default_value()
            {
                out.copy(default);
                return Ok(());
            }
            if !schema.is_optional() {
                return Err(Kind::NullForRequired {
                    kind: schema.kind(),
                }
                .into());
            }
        }
        out.null();
        Ok(())
    }

    fn untyped(&mut self, tree: &Tree, out: &mut Builder) -> Result<(), Error> {
        match tree {
            Tree::Null => out.null(),
            Tree::Boolean(v) => out.boolean(*v),
            Tree::Number(number) if number.integral => {
                out.int64(number.text.parse().map_err(|_| out_of_range(Type::Int64))?)
            }
            Tree::Number(number) => out.float64(self.float(number)),
            Tree::Text(text) => out.string(text.get()?),
            Tree::Array(elements) => {
                out.begin_array();
                for (index, element) in elements.iter().enumerate() {
                    self.value(None, Some(element), out)
                        .map_err(|e| e.in_element(index))?;
                }
                out.end_array()
            }
            Tree::Object(members) => return self.object_map(members, None, out),
        };
        Ok(())
    }

    /// Converts what is not null.
    pub(crate) fn leaf(
        &mut self,
        schema: &Schema,
        tree: &Tree,
        out: &mut Builder,
    ) -> Result<(), Error> {
        match schema.logical() {
            Some(logical) => Self::logical(logical, schema, tree, out),
            None => self.typed(schema, tree, out),
        }
    }

    fn typed(&mut self, schema: &Schema, tree: &Tree, out: &mut Builder) -> Result<(), Error> {
        let kind = schema.kind();
        match kind {
            Type::Int8 => out.int8(integer(tree, kind)?),
            Type::Int16 => out.int16(integer(tree, kind)?),
            Type::Int32 => out.int32(integer(tree, kind)?),
            Type::Int64 => out.int64(integer(tree, kind)?),
            Type::Float32 => {
                #[expect(clippy::cast_possible_truncation, reason = "words and zeros only")]
                let value = match tree {
                    Tree::Number(number) if !is_negative_zero_text(&number.text) => {
                        number.text.parse().unwrap_or(f32::NAN)
                    }
                    _ => self.any_float(tree, kind)? as f32,
                };
                out.float32(value)
            }
            Type::Float64 => out.float64(self.any_float(tree, kind)?),
            Type::Boolean => match tree {
                Tree::Boolean(v) => out.boolean(*v),
                _ => return Err(wrong_kind(kind, tree)),
            },
            Type::String => match tree {
                Tree::Text(text) => out.string(text.get()?),
                _ => return Err(wrong_kind(kind, tree)),
            },
            Type::Bytes => match tree {
                Tree::Text(text) => out.bytes(
                    &decode_lenient(text.get()?).ok_or_else(|| Error::from(Kind::BytesInvalid))?,
                ),
                _ => return Err(wrong_kind(kind, tree)),
            },
            Type::Array => {
                let Tree::Array(elements) = tree else {
                    return Err(wrong_kind(kind, tree));
                };
                out.begin_array();
                for (index, element) in elements.iter().enumerate() {
                    self.value(schema.value_schema(), Some(element), out)
                        .map_err(|e| e.in_element(index))?;
                }
                out.end_array()
            }
            Type::Map => return self.map(schema, tree, out),
            Type::Struct => return self.structure(schema, tree, out),
        };
        Ok(())
    }

    fn structure(&mut self, schema: &Schema, tree: &Tree, out: &mut Builder) -> Result<(), Error> {
        let Tree::Object(members) = tree else {
            return Err(Kind::StructNotObject { found: tree.kind() }.into());
        };
        // Looked up by hash: a record brings its own schema, so neither side may make this quadratic.
        let by_name: HashMap<&str, &Tree> = members
            .iter()
            .filter(|(name, _)| name.flaw.is_none())
            .map(|(name, value)| (name.value.as_str(), value))
            .collect();
        out.begin_struct(schema);
        for field in schema.fields() {
            self.value(
                Some(field.schema()),
                by_name.get(field.name()).copied(),
                out,
            )
            .map_err(|e| e.in_field(field.name()))?;
        }
        out.end_struct();
        Ok(())
    }

    fn map(&mut self, schema: &Schema, tree: &Tree, out: &mut Builder) -> Result<(), Error> {
        let values = schema.value_schema();
        if schema
            .key_schema()
            .is_some_and(|key| key.kind() == Type::String)
        {
            return match tree {
                Tree::Object(members) => self.object_map(members, values, out),
                _ => Err(Kind::MapNotObject { found: tree.kind() }.into()),
            };
        }
        let Tree::Array(entries) = tree else {
            return Err(Kind::MapNotArray { found: tree.kind() }.into());
        };
        let mut list = Entries::default();
        for (index, entry) in entries.iter().enumerate() {
            let Tree::Array(pair) = entry else {
                let error: Error = Kind::EntryNotTuple {
                    found: entry.kind(),
                }
                .into();
                return Err(error.in_element(index));
            };
            let [key, value] = pair.as_slice() else {
                let error: Error = Kind::EntryLength { length: pair.len() }.into();
                return Err(error.in_element(index));
            };
            let key = self
                .part(schema.key_schema(), key)
                .map_err(|e| e.in_key(index))?;
            let value = self
                .part(values, value)
                .map_err(|e| e.in_map_value(index))?;
            list.put(key, value);
        }
        list.finish(out);
        Ok(())
    }

    fn part(&mut self, schema: Option<&Schema>, tree: &Tree) -> Result<SchemaAndValue, Error> {
        self.datum(schema, tree)
    }

    /// An object as a map with text keys, in the order of a `HashMap`.
    fn object_map(
        &mut self,
        members: &[(crate::json_text::tree::Text, Tree)],
        values: Option<&Schema>,
        out: &mut Builder,
    ) -> Result<(), Error> {
        let mut hashes = Vec::with_capacity(members.len());
        for (name, _) in members {
            hashes.push(hash_order::string_hash(name.get()?));
        }
        let mut order = Vec::new();
        hash_order::iteration_order(&hashes, &mut order);
        out.begin_map();
        for index in order {
            let (name, value) = &members[index as usize];
            let name = name.get()?;
            out.string(name);
            self.value(values, Some(value), out)
                .map_err(|e| match values {
                    // Without a schema the keys of an object are its fields; under one they are data, which errors do not show.
                    None => e.in_field(name),
                    Some(_) => e.in_map_value(index as usize),
                })?;
        }
        out.end_map();
        Ok(())
    }

    fn logical(
        logical: Logical,
        schema: &Schema,
        tree: &Tree,
        out: &mut Builder,
    ) -> Result<(), Error> {
        match logical {
            Logical::Decimal => return decimal(schema, tree, out),
            Logical::Date => {
                let days = whole_i32(tree).ok_or(Kind::DateToken {
                    name: "Date",
                    found: tree.kind(),
                })?;
                out.date(logical::date_from_days(days))
            }
            Logical::Time => {
                let millis = whole_i32(tree).ok_or(Kind::DateToken {
                    name: "Time",
                    found: tree.kind(),
                })?;
                out.time(logical::time_from_millis(millis)?)
            }
            Logical::Timestamp => match tree {
                Tree::Number(number) if number.integral => {
                    out.timestamp(number.text.parse().map_err(|_| out_of_range(Type::Int64))?)
                }
                _ => return Err(Kind::TimestampToken { found: tree.kind() }.into()),
            },
        };
        Ok(())
    }

    fn any_float(&mut self, tree: &Tree, kind: Type) -> Result<f64, Error> {
        match tree {
            Tree::Number(number) => Ok(self.float(number)),
            Tree::Text(text) => {
                let value = match text.get()? {
                    "NaN" => f64::NAN,
                    "Infinity" => f64::INFINITY,
                    "-Infinity" => f64::NEG_INFINITY,
                    _ => return Err(wrong_kind(kind, tree)),
                };
                self.differences.insert(Difference::NotANumberText);
                Ok(value)
            }
            _ => Err(wrong_kind(kind, tree)),
        }
    }

    fn float(&mut self, number: &Number) -> f64 {
        if is_negative_zero(number) {
            self.differences.insert(Difference::NegativeZero);
        }
        if number.integral && is_negative_zero_text(&number.text) {
            // `-0` is an integer token, and integers have no negative zero.
            return 0.0;
        }
        number.text.parse().unwrap_or(f64::NAN)
    }
}

/// Entries of a map whose keys may be anything: put one by one, given in the order of a `HashMap`.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    list: Vec<(SchemaAndValue, SchemaAndValue)>,
    hashes: Vec<i32>,
    places: HashMap<i32, Vec<usize>>,
}

impl Entries {
    /// As `Map.put`.
    pub(crate) fn put(&mut self, key: SchemaAndValue, value: SchemaAndValue) {
        let hash = hash_order::value_hash(key.value()).unwrap_or_default();
        let same = self.places.entry(hash).or_default();
        match same
            .iter()
            .find(|place| self.list[**place].0.value() == key.value())
        {
            Some(place) => self.list[*place].1 = value,
            None => {
                same.push(self.list.len());
                self.hashes.push(hash);
                self.list.push((key, value));
            }
        }
    }

    /// Adds the map.
    pub(crate) fn finish(self, out: &mut Builder) {
        let mut order = Vec::new();
        hash_order::iteration_order(&self.hashes, &mut order);
        out.begin_map();
        for index in order {
            let (key, value) = &self.list[index as usize];
            out.copy(key.value()).copy(value.value());
        }
        out.end_map();
    }
}

/// A decimal, or the scaled integer in base64.
fn decimal(schema: &Schema, tree: &Tree, out: &mut Builder) -> Result<(), Error> {
    let value = match tree {
        Tree::Number(number) => Decimal::parse(&number.text),
        Tree::Text(text) => {
            let bytes = decode_lenient(text.get()?).ok_or(Kind::DecimalBytesInvalid)?;
            let scale = schema
                .decimal_scale()
                .map_err(|e| e.causing(Kind::DecimalBytesInvalid))?;
            (!bytes.is_empty()).then(|| Decimal::from_be_bytes(&bytes, scale))
        }
        Tree::Null | Tree::Boolean(_) | Tree::Array(_) | Tree::Object(_) => {
            return Err(Kind::DecimalToken { found: tree.kind() }.into());
        }
    };
    let Some(value) = value else {
        return Err(Kind::DecimalBytesInvalid.into());
    };
    out.decimal(value.view());
    Ok(())
}

fn integer<T: TryFrom<i64>>(tree: &Tree, kind: Type) -> Result<T, Error> {
    let Tree::Number(number) = tree else {
        return Err(wrong_kind(kind, tree));
    };
    whole(number)
        .and_then(|wide| T::try_from(wide).ok())
        .ok_or_else(|| out_of_range(kind))
}

/// The number's value when it has no fraction and fits 64 bits. `5.0` and `1e2` have none.
fn whole(number: &Number) -> Option<i64> {
    if number.integral {
        return number.text.parse().ok();
    }
    let decimal = Decimal::parse(&number.text)?;
    let unscaled = decimal.view().unscaled_i128()?;
    match decimal.scale() {
        _ if unscaled == 0 => Some(0),
        scale @ 1.. => {
            let unit = 10i128.checked_pow(scale.unsigned_abs())?;
            (unscaled % unit == 0).then(|| i64::try_from(unscaled / unit).ok())?
        }
        scale => {
            let unit = 10i128.checked_pow(scale.unsigned_abs())?;
            i64::try_from(unscaled.checked_mul(unit)?).ok()
        }
    }
}

/// Jackson's `isInt`: an integer token that fits 32 bits.
fn whole_i32(tree: &Tree) -> Option<i32> {
    match tree {
        Tree::Number(number) if number.integral => number.text.parse().ok(),
        _ => None,
    }
}

fn is_negative_zero(number: &Number) -> bool {
    !number.integral && is_negative_zero_text(&number.text)
}

fn is_negative_zero_text(text: &str) -> bool {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    mantissa.starts_with('-') && !mantissa.bytes().any(|b| matches!(b, b'1'..=b'9'))
}

fn out_of_range(kind: Type) -> Error {
    Kind::IntegerOutOfRange {
        expected: kind.name(),
    }
    .into()
}

fn wrong_kind(kind: Type, tree: &Tree) -> Error {
    Kind::TokenUnexpected {
        expected: kind.name(),
        found: tree.kind(),
    }
    .into()
}
