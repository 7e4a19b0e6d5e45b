//! Equality of types as Java's `Schema.equals` has it: names, structure, defaults and properties; no docs, no aliases.

use std::collections::HashSet;

use super::model::{AvroSchema, AvroType, Kind as Type, TypeId};

/// Compares two types of one arena; a type that `is_open` equals itself only.
pub(super) fn equal(
    types: &[AvroType],
    is_open: impl Fn(TypeId) -> bool,
    a: TypeId,
    b: TypeId,
) -> bool {
    Equality { types, is_open }.equal(a, b, &mut HashSet::new())
}

impl AvroSchema {
    /// Whether two types of this schema are equal.
    pub(super) fn equal(&self, a: TypeId, b: TypeId) -> bool {
        equal(self.types(), |_| false, a, b)
    }
}

struct Equality<'a, Open> {
    types: &'a [AvroType],
    is_open: Open,
}

impl<Open: Fn(TypeId) -> bool> Equality<'_, Open> {
    fn equal(&self, a: TypeId, b: TypeId, seen: &mut HashSet<(TypeId, TypeId)>) -> bool {
        if a == b || !seen.insert((a, b)) {
            return true;
        }
        if (self.is_open)(a) || (self.is_open)(b) {
            return false;
        }
        let (left, right) = (&self.types[a.index()], &self.types[b.index()]);
        if !left.props.equal(&right.props) {
            return false;
        }
        match (&left.kind, &right.kind) {
            (Type::Record(left), Type::Record(right)) => {
                left.name == right.name
                    && left.fields.len() == right.fields.len()
                    && left.fields.iter().zip(&right.fields).all(|(left, right)| {
                        left.name == right.name
                            && left.default == right.default
                            && left.order == right.order
                            && left.props.equal(&right.props)
                            && self.equal(left.schema, right.schema, seen)
                    })
            }
            (Type::Enum(left), Type::Enum(right)) => {
                left.name == right.name && left.symbols == right.symbols
            }
            (Type::Fixed(left), Type::Fixed(right)) => {
                left.name == right.name && left.size == right.size
            }
            (Type::Array(left), Type::Array(right)) | (Type::Map(left), Type::Map(right)) => {
                self.equal(*left, *right, seen)
            }
            (Type::Union(left), Type::Union(right)) => {
                left.len() == right.len()
                    && left
                        .iter()
                        .zip(right)
                        .all(|(left, right)| self.equal(*left, *right, seen))
            }
            (left, right) => left.word() == right.word(),
        }
    }
}
