//! A deserializer that makes values up, and notes what was asked for.

use std::any::type_name;

use serde::de::value::{BorrowedStrDeserializer, I32Deserializer};
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, Visitor};

use super::super::logical::reserved;
use super::arena::{Arena, DefId, Identity, Leaf, NodeId};
use super::stop::{Stop, endless, flattened, undecided, unit};
use crate::data::Logical;
use crate::error::Error;
use crate::limits::{TRACE_VALUES_MAX, TYPED_DEPTH_MAX};

/// What is shared by a round.
#[derive(Debug)]
pub(super) struct Round<'a> {
    pub(super) arena: &'a mut Arena,
    /// The last leaf that was made: to blame when its owner does not like it.
    pub(super) last: Option<NodeId>,
    pub(super) values: usize,
}

/// Makes one value, for a node.
pub(super) struct Tracer<'r, 'a> {
    pub(super) round: &'r mut Round<'a>,
    pub(super) at: NodeId,
    pub(super) depth: usize,
}

/// Texts that types read: any, numbers, times, identifiers, addresses.
const TEXTS: [&str; 13] = [
    "",
    "0",
    "1970-01-01T00:00:00Z",
    "1970-01-01",
    "00:00:00",
    "1970-01-01T00:00:00",
    "00000000-0000-0000-0000-000000000000",
    "127.0.0.1",
    "::1",
    "127.0.0.1:80",
    "http://localhost/",
    "a",
    "UTC",
];
/// Integers that types take; zero is often none of them.
const INTEGERS: [i8; 2] = [1, 0];
/// Lengths of bytes that types take.
const LENGTHS: [usize; 6] = [0, 1, 4, 8, 16, 32];
const ZEROS: [u8; 32] = [0; 32];

/// Whether a type that refuses a sample can be offered another.
pub(super) const SAMPLES_MAX: usize = TEXTS.len();

impl<'r, 'a> Tracer<'r, 'a> {
    fn part(&mut self, at: NodeId) -> Result<Tracer<'_, 'a>, Stop> {
        part(self.round, at, self.depth)
    }

    /// Notes a leaf and makes a value of it: the sample after those that were refused, or the last one again.
    fn leaf<T: Copy, R>(
        self,
        leaf: Leaf,
        samples: &[T],
        make: impl FnOnce(T) -> Result<R, Stop>,
    ) -> Result<R, Stop> {
        self.round.arena.leaf(self.at, leaf)?;
        self.round.values += 1;
        if self.round.values > TRACE_VALUES_MAX {
            return Err(Stop::untraceable(
                "the type shares its parts so often that walking them does not end",
                "Build the schema with SchemaBuilder",
            ));
        }
        self.round.last = Some(self.at);
        let refused = self.round.arena.refused(self.at);
        let Some(sample) = samples.get(refused).or(samples.last()) else {
            return Err(unit());
        };
        make(*sample)
    }

    fn tuple<'de, V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Stop> {
        let inner = self.round.arena.tuple(self.at)?;
        visitor.visit_seq(Elements {
            round: self.round,
            inner,
            left: len,
            depth: self.depth,
            index: 0,
        })
    }

    fn structure<'de, V: Visitor<'de>>(
        self,
        identity: Identity,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        let definition = self.round.arena.define(identity, false);
        self.round.arena.named(self.at, definition)?;
        self.round.arena.enter(definition, None);
        let mut fields = Fields {
            round: self.round,
            definition,
            next: 0,
            depth: self.depth,
        };
        let made = visitor.visit_map(&mut fields);
        let given = fields.next;
        self.round.arena.leave(definition, None);
        made.map_err(|stop| match stop {
            Stop::Twice(name) => forget_alias(self.round.arena, definition, given, name),
            Stop::Fatal(_) | Stop::Refused(_) | Stop::Again => stop,
        })
    }
}

fn part<'r, 'a>(
    round: &'r mut Round<'a>,
    at: NodeId,
    depth: usize,
) -> Result<Tracer<'r, 'a>, Stop> {
    if depth >= TYPED_DEPTH_MAX {
        return Err(endless());
    }
    Ok(Tracer {
        round,
        at,
        depth: depth + 1,
    })
}

/// Serde lists all names of a field one after the other. `given` names were given when it saw the field twice: the last
/// one or the one before is an alias.
fn forget_alias(arena: &mut Arena, definition: DefId, given: usize, name: &str) -> Stop {
    let last = given.saturating_sub(1);
    let members = arena.members(definition);
    let is_alias = members.get(last).is_some_and(|member| member.name != name);
    arena.forget_member(
        definition,
        if is_alias {
            last
        } else {
            last.saturating_sub(1)
        },
    );
    Stop::Again
}

macro_rules! integers {
    ($($method:ident $visit:ident $leaf:ident),+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
            self.leaf(Leaf::$leaf, &INTEGERS, |sample| visitor.$visit(sample.into()))
        }
    )+};
}

macro_rules! unsigned {
    ($($method:ident $leaf:ident),+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
            self.leaf(Leaf::$leaf, &INTEGERS, |sample| visitor.visit_u8(sample.unsigned_abs()))
        }
    )+};
}

macro_rules! refused {
    ($($method:ident $why:expr),+) => {$(
        fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Stop> {
            Err($why)
        }
    )+};
}

impl<'de> Deserializer<'de> for Tracer<'_, '_> {
    type Error = Stop;

    integers!(
        deserialize_i8 visit_i8 Int8,
        deserialize_i16 visit_i16 Int16,
        deserialize_i32 visit_i32 Int32,
        deserialize_i64 visit_i64 Int64
    );
    unsigned!(
        deserialize_u8 Byte,
        deserialize_u16 Int32,
        deserialize_u32 Int64,
        deserialize_u64 Int64
    );
    refused!(
        deserialize_any undecided(),
        deserialize_ignored_any undecided(),
        deserialize_identifier flattened(),
        deserialize_unit unit(),
        deserialize_i128 too_wide(),
        deserialize_u128 too_wide()
    );

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.leaf(Leaf::Boolean, &[false, true], |v| visitor.visit_bool(v))
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.leaf(Leaf::Float32, &[1.0, 0.0], |v| visitor.visit_f32(v))
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.leaf(Leaf::Float64, &[1.0, 0.0], |v| visitor.visit_f64(v))
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.leaf(Leaf::String, &['a', '0'], |v| visitor.visit_char(v))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.leaf(Leaf::String, &TEXTS, |v| visitor.visit_borrowed_str(v))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.leaf(Leaf::Bytes, &LENGTHS, |len| {
            visitor.visit_borrowed_bytes(ZEROS.get(..len).unwrap_or_default())
        })
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Stop> {
        let inner = self.round.arena.option(self.at)?;
        if self.round.arena.settled(inner) {
            return visitor.visit_none();
        }
        visitor.visit_some(self.part(inner)?)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: V,
    ) -> Result<V::Value, Stop> {
        Err(unit())
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        let leaf = match reserved(name) {
            None => {
                let at = self.at;
                return visitor.visit_newtype_struct(self.part(at)?);
            }
            Some((Logical::Date, _)) => Leaf::Date,
            Some((Logical::Time, _)) => Leaf::Time,
            Some((Logical::Timestamp, _)) => Leaf::Timestamp,
            Some((Logical::Decimal, Some(scale))) => Leaf::Decimal(scale),
            Some((Logical::Decimal, None)) => return Err(undecided()),
        };
        self.leaf(leaf, &[0], |zero: i32| {
            let inner: I32Deserializer<Stop> = zero.into_deserializer();
            visitor.visit_newtype_struct(inner)
        })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        let inner = self.round.arena.sequence(self.at)?;
        let settled = self.round.arena.settled(inner);
        visitor.visit_seq(Elements {
            round: self.round,
            inner,
            left: usize::from(!settled),
            depth: self.depth,
            index: 0,
        })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Stop> {
        self.tuple(len, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        self.tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Stop> {
        let (key, value) = self.round.arena.map(self.at)?;
        let settled = self.round.arena.settled(key) && self.round.arena.settled(value);
        visitor.visit_map(Entries {
            round: self.round,
            key,
            value,
            left: usize::from(!settled),
            depth: self.depth,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        parts: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        let rust = type_name::<V>();
        let of_enum = None;
        let identity = Identity {
            rust,
            name,
            parts,
            of_enum,
        };
        self.structure(identity, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        parts: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        let rust = type_name::<V>();
        let of_enum = None;
        let identity = Identity {
            rust,
            name,
            parts,
            of_enum,
        };
        let definition = self.round.arena.define(identity, true);
        self.round.arena.named(self.at, definition)?;
        let index = self.round.arena.choose(definition).ok_or_else(endless)?;
        self.round.arena.enter(definition, Some(index));
        let made = visitor.visit_enum(Variant {
            round: &mut *self.round,
            definition,
            index,
            depth: self.depth,
        });
        self.round.arena.leave(definition, Some(index));
        made
    }
}

#[cold]
fn too_wide() -> Stop {
    Stop::untraceable(
        "Connect has no integers of 128 bits",
        "Use typed::Decimal<0>",
    )
}

struct Elements<'r, 'a> {
    round: &'r mut Round<'a>,
    inner: NodeId,
    left: usize,
    depth: usize,
    index: usize,
}

impl<'de> de::SeqAccess<'de> for Elements<'_, '_> {
    type Error = Stop;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Stop> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let index = self.index;
        self.index += 1;
        seed.deserialize(part(self.round, self.inner, self.depth)?)
            .map(Some)
            .map_err(|stop| stop.map(|error| error.in_element(index)))
    }
}

struct Entries<'r, 'a> {
    round: &'r mut Round<'a>,
    key: NodeId,
    value: NodeId,
    left: usize,
    depth: usize,
}

impl<'de> de::MapAccess<'de> for Entries<'_, '_> {
    type Error = Stop;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Stop> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(part(self.round, self.key, self.depth)?)
            .map(Some)
            .map_err(|stop| stop.map(|error| error.in_key(0)))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Stop> {
        seed.deserialize(part(self.round, self.value, self.depth)?)
            .map_err(|stop| stop.map(|error| error.in_map_value(0)))
    }
}

struct Fields<'r, 'a> {
    round: &'r mut Round<'a>,
    definition: DefId,
    next: usize,
    depth: usize,
}

impl<'de> de::MapAccess<'de> for Fields<'_, '_> {
    type Error = Stop;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Stop> {
        let Some(member) = self.round.arena.members(self.definition).get(self.next) else {
            return Ok(None);
        };
        self.next += 1;
        let name = BorrowedStrDeserializer::<Stop>::new(member.name);
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Stop> {
        let members = self.round.arena.members(self.definition);
        let Some(member) = self.next.checked_sub(1).and_then(|at| members.get(at)) else {
            return Err(Stop::Again);
        };
        let (name, node) = (member.name, member.node);
        seed.deserialize(part(self.round, node, self.depth)?)
            .map_err(|stop| stop.map(|error: Error| error.in_field(name)))
    }
}

struct Variant<'r, 'a> {
    round: &'r mut Round<'a>,
    definition: DefId,
    index: usize,
    depth: usize,
}

impl<'r, 'a> Variant<'r, 'a> {
    fn content(self) -> Result<Tracer<'r, 'a>, Stop> {
        let node = self.round.arena.content(self.definition, self.index);
        part(self.round, node, self.depth)
    }

    fn name(&self) -> &'static str {
        let variants = self.round.arena.variants(self.definition);
        variants.get(self.index).map_or("", |variant| variant.name)
    }
}

impl<'de> de::EnumAccess<'de> for Variant<'_, '_> {
    type Error = Stop;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Stop> {
        let name = BorrowedStrDeserializer::<Stop>::new(self.name());
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'_, '_> {
    type Error = Stop;

    fn unit_variant(self) -> Result<(), Stop> {
        self.round.arena.unit(self.definition, self.index);
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Stop> {
        let name = self.name();
        seed.deserialize(self.content()?)
            .map_err(|stop| stop.map(|error| error.in_field(name)))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Stop> {
        let name = self.name();
        (self.content()?.tuple(len, visitor)).map_err(|stop| stop.map(|error| error.in_field(name)))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        parts: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        let name = self.name();
        let rust = type_name::<V>();
        let owner = &self.round.arena.definitions[self.definition.0];
        let identity = Identity {
            rust,
            name,
            parts,
            of_enum: Some(owner.identity.name),
        };
        (self.content()?.structure(identity, visitor))
            .map_err(|stop| stop.map(|error| error.in_field(name)))
    }
}
