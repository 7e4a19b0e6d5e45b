//! Any JSON as a variant: a dictionary of member names, and a value that refers to it.
//!
//! Whole numbers take 32 bits, 64 bits or a decimal, others a decimal where one of 38 digits holds them and a double
//! otherwise. Source: Parquet's variant encoding, version 1; which of its types are used: executed on a JVM.

use std::collections::HashMap;

use crate::data::{Builder, Decimal, Schema};
use crate::error::{Error, json_schema_read::Kind};
use crate::json_text::tree::{Number, Tree};

/// Adds the struct that holds a value.
pub(super) fn put(schema: &Schema, tree: &Tree, out: &mut Builder) -> Result<(), Error> {
    let mut names = Names::default();
    names.note(tree)?;
    let mut value = Vec::new();
    names.write(tree, &mut value)?;
    out.begin_struct(schema);
    out.bytes(&names.metadata()?).bytes(&value);
    out.end_struct();
    Ok(())
}

/// Names of members with their numbers, in the order in which they are met.
#[derive(Default)]
struct Names<'a> {
    list: Vec<&'a str>,
    numbers: HashMap<&'a str, usize>,
}

/// What the low two bits of a value's first byte say.
const PRIMITIVE: u8 = 0;
const SHORT_TEXT: u8 = 1;
const OBJECT: u8 = 2;
const ARRAY: u8 = 3;

/// Types of primitive values.
const NULL: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const INT_32: u8 = 5;
const INT_64: u8 = 6;
const DOUBLE: u8 = 7;
const DECIMAL_4: u8 = 8;
const DECIMAL_8: u8 = 9;
const DECIMAL_16: u8 = 10;
const TEXT: u8 = 16;

/// Texts of fewer bytes have their length in their first byte.
const LONG_TEXT_BYTES_MIN: usize = 64;

impl<'a> Names<'a> {
    fn note(&mut self, tree: &'a Tree) -> Result<(), Error> {
        match tree {
            Tree::Array(elements) => elements.iter().try_for_each(|element| self.note(element)),
            Tree::Object(members) => members.iter().try_for_each(|(name, value)| {
                let name = name.get()?;
                let next = self.list.len();
                if *self.numbers.entry(name).or_insert(next) == next {
                    self.list.push(name);
                }
                self.note(value)
            }),
            Tree::Null | Tree::Boolean(_) | Tree::Number(_) | Tree::Text(_) => Ok(()),
        }
    }

    fn metadata(&self) -> Result<Vec<u8>, Error> {
        let size: usize = self.list.iter().map(|name| name.len()).sum();
        let width = width(size.max(self.list.len()))?;
        let mut out = vec![1 | (narrow(width) - 1) << 6];
        push_number(self.list.len(), width, &mut out);
        let mut offset = 0;
        push_number(offset, width, &mut out);
        for name in &self.list {
            offset += name.len();
            push_number(offset, width, &mut out);
        }
        for name in &self.list {
            out.extend_from_slice(name.as_bytes());
        }
        Ok(out)
    }

    fn write(&self, tree: &Tree, out: &mut Vec<u8>) -> Result<(), Error> {
        match tree {
            Tree::Null => out.push(primitive(NULL)),
            Tree::Boolean(true) => out.push(primitive(TRUE)),
            Tree::Boolean(false) => out.push(primitive(FALSE)),
            Tree::Number(number) => push_json_number(number, out),
            Tree::Text(text) => {
                let text = text.get()?;
                if text.len() < LONG_TEXT_BYTES_MIN {
                    out.push(SHORT_TEXT | narrow(text.len()) << 2);
                } else {
                    out.push(primitive(TEXT));
                    push_number(text.len(), 4, out);
                }
                out.extend_from_slice(text.as_bytes());
            }
            Tree::Array(elements) => {
                let mut values = Vec::new();
                let mut offsets = vec![0];
                for element in elements {
                    self.write(element, &mut values)?;
                    offsets.push(values.len());
                }
                let offset_width = width(values.len())?;
                let large = elements.len() > usize::from(u8::MAX);
                out.push(ARRAY | (narrow(offset_width) - 1) << 2 | u8::from(large) << 4);
                push_number(elements.len(), if large { 4 } else { 1 }, out);
                for offset in offsets {
                    push_number(offset, offset_width, out);
                }
                out.extend_from_slice(&values);
            }
            Tree::Object(members) => {
                let mut values = Vec::new();
                // Fields by name; their values may lie in any order.
                let mut fields = Vec::with_capacity(members.len());
                for (name, value) in members {
                    let name = name.get()?;
                    let number = self.numbers.get(name).copied().unwrap_or_default();
                    fields.push((name, number, values.len()));
                    self.write(value, &mut values)?;
                }
                fields.sort_unstable_by_key(|(name, ..)| *name);
                let largest = fields.iter().map(|(_, number, _)| *number).max();
                let number_width = width(largest.unwrap_or_default())?;
                let offset_width = width(values.len())?;
                let large = fields.len() > usize::from(u8::MAX);
                out.push(
                    OBJECT
                        | (narrow(offset_width) - 1) << 2
                        | (narrow(number_width) - 1) << 4
                        | u8::from(large) << 6,
                );
                push_number(fields.len(), if large { 4 } else { 1 }, out);
                for (_, number, _) in &fields {
                    push_number(*number, number_width, out);
                }
                for (.., offset) in &fields {
                    push_number(*offset, offset_width, out);
                }
                push_number(values.len(), offset_width, out);
                out.extend_from_slice(&values);
            }
        }
        Ok(())
    }
}

fn push_json_number(number: &Number, out: &mut Vec<u8>) {
    if number.integral
        && let Ok(value) = number.text.parse::<i64>()
    {
        if let Ok(value) = i32::try_from(value) {
            out.push(primitive(INT_32));
            out.extend_from_slice(&value.to_le_bytes());
        } else {
            out.push(primitive(INT_64));
            out.extend_from_slice(&value.to_le_bytes());
        }
        return;
    }
    if let Some((unscaled, scale)) = decimal(&number.text) {
        let digits = unscaled.unsigned_abs().checked_ilog10().unwrap_or_default() + 1;
        let bytes = unscaled.to_le_bytes();
        let (kind, size) = match digits {
            ..=9 => (DECIMAL_4, 4),
            10..=18 => (DECIMAL_8, 8),
            19.. => (DECIMAL_16, 16),
        };
        out.extend_from_slice(&[primitive(kind), scale]);
        out.extend_from_slice(&bytes[..size]);
        return;
    }
    let value: f64 = number.text.parse().unwrap_or(f64::NAN);
    out.push(primitive(DOUBLE));
    out.extend_from_slice(&value.to_le_bytes());
}

/// Digits and scale of a number, when a decimal of 38 digits holds it.
fn decimal(text: &str) -> Option<(i128, u8)> {
    const DIGITS_MAX: u32 = 38;
    let decimal = Decimal::parse(text)?;
    let unscaled = decimal.view().unscaled_i128()?;
    let (unscaled, scale) = match u8::try_from(decimal.scale()) {
        Ok(scale) => (unscaled, scale),
        Err(_) => {
            let zeros = decimal.scale().checked_neg()?;
            let unit = 10i128.checked_pow(u32::try_from(zeros).ok()?)?;
            (unscaled.checked_mul(unit)?, 0)
        }
    };
    let digits = unscaled.unsigned_abs().checked_ilog10().unwrap_or_default() + 1;
    (digits <= DIGITS_MAX && u32::from(scale) <= DIGITS_MAX).then_some((unscaled, scale))
}

const fn primitive(kind: u8) -> u8 {
    PRIMITIVE | kind << 2
}

/// Bytes that a number takes: 1 to 4.
fn width(largest: usize) -> Result<usize, Error> {
    match largest {
        0..=0xff => Ok(1),
        0x100..=0xffff => Ok(2),
        0x1_0000..=0xff_ffff => Ok(3),
        0x100_0000..=0xffff_ffff => Ok(4),
        _ => Err(Kind::VariantTooLarge.into()),
    }
}

fn push_number(number: usize, width: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_le_bytes()[..width]);
}

/// A count that is known to be small.
fn narrow(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}
