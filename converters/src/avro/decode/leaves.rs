//! The smallest parts: numbers, lengths, text, and what is said when they are not there.

use super::UNSET;
use super::plan::Refusal;
use super::read::{Reader, narrow};
use crate::data::record::Slot;
use crate::data::{DecimalRef, UnscaledRef, utf8};
use crate::error::{Error, avro_read::Kind, data};
use crate::limits::{VARINT_32_BYTES_MAX, VARINT_64_BYTES_MAX};
use crate::plan::varint::{unfold_32, unfold_64, varint_32, varint_64};

impl Reader<'_> {
    #[inline(always)]
    pub(super) fn int(&self, at: usize, expected: &'static str) -> Result<(i32, usize), Error> {
        match varint_32(self.bytes, at) {
            Some((raw, next)) => Ok((unfold_32(raw), next)),
            None => Err(self.no_varint(at, expected, VARINT_32_BYTES_MAX)),
        }
    }

    #[inline(always)]
    pub(super) fn long(&self, at: usize, expected: &'static str) -> Result<(i64, usize), Error> {
        match varint_64(self.bytes, at) {
            Some((raw, next)) => Ok((unfold_64(raw), next)),
            None => Err(self.no_varint(at, expected, VARINT_64_BYTES_MAX)),
        }
    }

    /// A length, checked against what is left; and where the bytes begin.
    #[inline(always)]
    pub(super) fn length(
        &self,
        at: usize,
        expected: &'static str,
    ) -> Result<(usize, usize), Error> {
        let (len, start) = self.long(at, expected)?;
        match usize::try_from(len) {
            Ok(len) if len <= self.bytes.len() - start => Ok((len, start)),
            Ok(len) => Err(self.short(start, expected, len)),
            Err(_) if len < 0 => Err(self.here(Kind::LengthNegative { expected }, at)),
            Err(_) => Err(self.short(start, expected, usize::MAX)),
        }
    }

    #[inline(always)]
    pub(super) fn array<const N: usize>(
        &self,
        at: usize,
        expected: &'static str,
    ) -> Result<[u8; N], Error> {
        let rest = self.bytes.get(at..).unwrap_or_default();
        match rest.first_chunk::<N>() {
            Some(array) => Ok(*array),
            None => Err(self.short(at, expected, N)),
        }
    }

    pub(super) fn left(
        &self,
        at: usize,
        wanted: usize,
        expected: &'static str,
    ) -> Result<(), Error> {
        if self.bytes.len() - at < wanted {
            return Err(self.short(at, expected, wanted));
        }
        Ok(())
    }

    /// Whether a union of two branches takes the second.
    #[inline(always)]
    pub(super) fn second_branch(&self, at: usize) -> Result<(bool, usize), Error> {
        match self.bytes.get(at) {
            Some(0) => Ok((false, at + 1)),
            Some(2) => Ok((true, at + 1)),
            Some(_) | None => {
                let (branch, next) = self.branch(at, 2)?;
                Ok((branch == 1, next))
            }
        }
    }

    #[inline(never)]
    pub(super) fn branch(&self, at: usize, branches: usize) -> Result<(usize, usize), Error> {
        let (index, next) = self.int(at, "index of a union branch")?;
        match usize::try_from(index) {
            Ok(branch) if branch < branches => Ok((branch, next)),
            Ok(_) | Err(_) => Err(self.here(Kind::UnionIndex { index, branches }, at)),
        }
    }

    /// Text of the body, in the text heap.
    pub(super) fn text(&mut self, start: usize, len: usize) -> Slot {
        let piece = &self.bytes[start..start + len];
        let heap = &mut self.scratch.text;
        let at = heap.len();
        if self.lossy {
            heap.push(utf8::decode(piece).as_bytes());
        } else {
            heap.push(piece);
        }
        let len = narrow(heap.len() - at);
        let at = narrow(at);
        Slot::Text { at, len }
    }

    /// Bytes of the body, in the bytes heap.
    pub(super) fn piece(&mut self, start: usize, len: usize) -> Result<Slot, Error> {
        let piece = self.bytes.get(start..start + len);
        let piece = piece.ok_or_else(|| self.short(start, "bytes", len))?;
        let at = narrow(self.scratch.bytes.len());
        self.scratch.bytes.extend_from_slice(piece);
        let len = narrow(len);
        Ok(Slot::Bytes { at, len })
    }

    /// The decimal whose unscaled value stands there, most significant byte first.
    #[inline]
    pub(super) fn decimal(&mut self, start: usize, len: usize, scale: i32) -> Result<Slot, Error> {
        let bytes = &self.bytes[start..start + len];
        if let Some(unscaled) = small(bytes) {
            return Ok(Slot::Decimal { scale, unscaled });
        }
        if bytes.is_empty() {
            return Err(self.here(Kind::EmptyDecimal, start));
        }
        let value = DecimalRef::from_be_bytes(bytes, scale);
        Ok(match value.unscaled() {
            UnscaledRef::Small(unscaled) => Slot::Decimal { scale, unscaled },
            UnscaledRef::Big(big) => {
                let at = narrow(self.scratch.bytes.len());
                self.scratch.bytes.extend_from_slice(big);
                let len = narrow(big.len());
                Slot::BigDecimal { scale, at, len }
            }
        })
    }

    /// The text of an enum's symbol; it lies in the heap once, however often it is met.
    pub(super) fn symbol(&mut self, index: u32) -> Result<Slot, Error> {
        let plan = self.plan;
        let texts = &plan.parts.enums[index as usize].texts;
        let at = self.at;
        let (number, next) = self.int(at, "index of an enum symbol")?;
        let known = usize::try_from(number).ok().and_then(|n| texts.get(n));
        let Some(known) = known else {
            let symbols = texts.len();
            let index = number;
            return Err(self.here(Kind::SymbolIndex { index, symbols }, at));
        };
        let symbol = known.ok_or_else(|| self.here(Kind::SymbolUnknown, at))?;
        self.at = next;
        let text = &plan.parts.symbols[symbol as usize];
        let scratch = &mut *self.scratch;
        let place = &mut scratch.symbols[symbol as usize];
        if *place == UNSET {
            *place = narrow(scratch.text.len());
            scratch.text.push(text);
            scratch.symbols_met.push(symbol);
        }
        let at = *place;
        let len = narrow(text.len());
        Ok(Slot::Text { at, len })
    }

    #[cold]
    fn no_varint(&self, at: usize, expected: &'static str, bytes_max: usize) -> Error {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let unfinished = rest.len() < bytes_max && rest.iter().all(|byte| *byte >= 0x80);
        if unfinished {
            let end = self.bytes.len();
            return self.short(end, expected, 1);
        }
        let kind = Kind::VarintTooLong {
            expected,
            bytes_max,
        };
        self.here(kind, at)
    }

    #[cold]
    fn short(&self, at: usize, expected: &'static str, wanted: usize) -> Error {
        let left = self.bytes.len().saturating_sub(at);
        let kind = Kind::Short {
            expected,
            wanted,
            left,
        };
        self.here(kind, at)
    }

    #[cold]
    pub(super) fn refused(&self, refusal: Refusal) -> Error {
        match refusal {
            Refusal::NoUnionField => self.here(Kind::NoUnionField, self.at),
            Refusal::EntriesUnderTextKeys => self.here(Kind::EntriesUnderTextKeys, self.at),
            Refusal::ReservedLogicalType(name) => {
                self.here(Kind::ReservedLogicalType { name }, self.at)
            }
            Refusal::WrongBase {
                logical,
                base,
                found,
            } => {
                let kind = Kind::WrongBase {
                    logical,
                    base,
                    found,
                };
                self.here(kind, self.at)
            }
            Refusal::ScaleMissing => self.here(data::Kind::DecimalScaleMissing, self.at),
            Refusal::ScaleInvalid => self.here(Kind::ScaleInvalid, self.at),
            Refusal::Unresolvable { writer, reader } => {
                self.here(Kind::Unresolvable { writer, reader }, self.at)
            }
        }
    }

    /// An error at a byte of the body.
    #[cold]
    pub(super) fn here(&self, error: impl Into<Error>, at: usize) -> Error {
        error.into().at(self.scratch.origin + at)
    }
}

/// A number of one to eight bytes in two's complement, most significant byte first.
#[inline(always)]
pub(super) fn small(bytes: &[u8]) -> Option<i64> {
    let first = *bytes.first()?;
    let sign = if first < 0x80 { 0 } else { -1 };
    (bytes.len() <= 8).then(|| {
        let bytes = bytes.iter();
        bytes.fold(sign, |value: i64, byte| value << 8 | i64::from(*byte))
    })
}
