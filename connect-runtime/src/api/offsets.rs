use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What a source partition or offset may hold: null or a primitive (Kafka Connect's offset storage).
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "fixed by Kafka Connect's offset storage"
)]
pub enum OffsetValue {
    /// Null.
    Null,
    /// A boolean.
    Boolean(bool),
    /// Any whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// Text; bytes travel as base64 text.
    Text(Box<str>),
}

/// Floats are equal when their bits are, so that equal keys have equal text.
impl PartialEq for OffsetValue {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Boolean(a), Self::Boolean(b)) => a == b,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Text(a), Self::Text(b)) => a == b,
            (
                Self::Null | Self::Boolean(_) | Self::Integer(_) | Self::Float(_) | Self::Text(_),
                _,
            ) => false,
        }
    }
}

impl Eq for OffsetValue {}

impl Hash for OffsetValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Null => 0_u8.hash(state),
            Self::Boolean(value) => value.hash(state),
            Self::Integer(value) => value.hash(state),
            Self::Float(value) => value.to_bits().hash(state),
            Self::Text(value) => value.hash(state),
        }
    }
}

macro_rules! from {
    ($($type:ty => $variant:ident),*) => {$(
        impl From<$type> for OffsetValue {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from!(bool => Boolean, i32 => Integer, i64 => Integer, u32 => Integer, f64 => Float, &str => Text, String => Text);

type Name = Cow<'static, str>;

/// Names and values in the order they were given. One entry with a fixed name, the usual case, does not allocate.
#[derive(Clone, Debug, Default)]
enum Entries {
    #[default]
    Null,
    One((Name, OffsetValue)),
    Many(Vec<(Name, OffsetValue)>),
}

impl Entries {
    fn collect(mut entries: Vec<(Name, OffsetValue)>) -> Self {
        match (entries.len(), entries.pop()) {
            (1, Some(entry)) => Self::One(entry),
            (_, last) => {
                entries.extend(last);
                Self::Many(entries)
            }
        }
    }

    fn slice(&self) -> Option<&[(Name, OffsetValue)]> {
        match self {
            Self::Null => None,
            Self::One(entry) => Some(std::slice::from_ref(entry)),
            Self::Many(entries) => Some(entries),
        }
    }

    fn get(&self, name: &str) -> Option<&OffsetValue> {
        self.slice()?
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }
}

/// Equal as maps: the order does not count.
impl PartialEq for Entries {
    fn eq(&self, other: &Self) -> bool {
        match (self.slice(), other.slice()) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                a.len() == b.len() && a.iter().all(|(name, value)| other.get(name) == Some(value))
            }
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}

impl Eq for Entries {}

impl Hash for Entries {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Sums do not depend on the order of their parts.
        let sum = self
            .slice()
            .unwrap_or_default()
            .iter()
            .fold(0_u64, |sum, entry| {
                let mut one = DefaultHasher::new();
                entry.hash(&mut one);
                sum.wrapping_add(one.finish())
            });
        sum.hash(state);
    }
}

macro_rules! map_methods {
    () => {
        /// The value under `name`.
        pub fn get(&self, name: &str) -> Option<&OffsetValue> {
            self.0.get(name)
        }

        /// The whole number under `name`; `None` if there is none or it is something else.
        pub fn integer(&self, name: &str) -> Option<i64> {
            match self.0.get(name)? {
                OffsetValue::Integer(number) => Some(*number),
                OffsetValue::Null
                | OffsetValue::Boolean(_)
                | OffsetValue::Float(_)
                | OffsetValue::Text(_) => None,
            }
        }

        /// The text under `name`; `None` if there is none or it is something else.
        pub fn text(&self, name: &str) -> Option<&str> {
            match self.0.get(name)? {
                OffsetValue::Text(text) => Some(text),
                OffsetValue::Null
                | OffsetValue::Boolean(_)
                | OffsetValue::Float(_)
                | OffsetValue::Integer(_) => None,
            }
        }

        /// Names and values in the order they were given; `None` for null.
        pub fn entries(&self) -> Option<impl ExactSizeIterator<Item = (&str, &OffsetValue)>> {
            Some(self.0.slice()?.iter().map(|(name, value)| (&**name, value)))
        }

        /// Whether it is null.
        pub fn is_null(&self) -> bool {
            matches!(*self.0, Entries::Null)
        }
    };
}

/// Where in the source a record is from, for example a file or a table. A clone counts a reference.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SourcePartition(Arc<Entries>);

impl SourcePartition {
    /// A partition with one entry.
    pub fn of(name: impl Into<Name>, value: impl Into<OffsetValue>) -> Self {
        Self(Arc::new(Entries::One((name.into(), value.into()))))
    }

    /// A partition with any entries.
    pub fn from_entries(entries: impl IntoIterator<Item = (Name, OffsetValue)>) -> Self {
        Self(Arc::new(Entries::collect(entries.into_iter().collect())))
    }

    /// The null partition.
    pub fn null() -> Self {
        Self(Arc::new(Entries::Null))
    }

    /// Whether both are the same allocation: a quick yes, and no answer otherwise.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    map_methods!();
}

/// How far a source partition was read.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SourceOffset(BoxedOrInline);

/// Lets `map_methods!` write `*self.0` for both types.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct BoxedOrInline(Entries);

impl std::ops::Deref for BoxedOrInline {
    type Target = Entries;

    fn deref(&self) -> &Entries {
        &self.0
    }
}

impl SourceOffset {
    /// An offset with one entry. With a fixed name and a number it does not allocate.
    pub fn of(name: impl Into<Name>, value: impl Into<OffsetValue>) -> Self {
        Self(BoxedOrInline(Entries::One((name.into(), value.into()))))
    }

    /// An offset with any entries.
    pub fn from_entries(entries: impl IntoIterator<Item = (Name, OffsetValue)>) -> Self {
        Self(BoxedOrInline(Entries::collect(
            entries.into_iter().collect(),
        )))
    }

    /// The null offset.
    pub fn null() -> Self {
        Self::default()
    }

    map_methods!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(entries: &[(&'static str, i64)]) -> SourcePartition {
        SourcePartition::from_entries(
            entries
                .iter()
                .map(|(name, value)| (Name::from(*name), (*value).into())),
        )
    }

    fn hash(value: &impl Hash) -> u64 {
        let mut state = DefaultHasher::new();
        value.hash(&mut state);
        state.finish()
    }

    #[test]
    fn partitions_are_equal_as_maps_and_keep_their_order() {
        let (ab, ba) = (
            partition(&[("a", 1), ("b", 2)]),
            partition(&[("b", 2), ("a", 1)]),
        );
        assert_eq!(ab, ba);
        assert_eq!(hash(&ab), hash(&ba));
        let names: Vec<&str> = ba.entries().unwrap().map(|(name, _)| name).collect();
        assert_eq!(names, ["b", "a"]);
        assert_ne!(ab, partition(&[("a", 1), ("b", 3)]));
        assert_ne!(ab, partition(&[("a", 1)]));
        assert_ne!(SourcePartition::null(), partition(&[]));
    }

    #[test]
    fn one_entry_given_either_way_is_the_same() {
        assert_eq!(SourcePartition::of("a", 1), partition(&[("a", 1)]));
        assert_eq!(
            SourceOffset::of("position", 42).integer("position"),
            Some(42)
        );
        assert_eq!(SourceOffset::of("position", "x").integer("position"), None);
        assert!(SourceOffset::null().is_null() && SourceOffset::null().entries().is_none());
    }

    #[test]
    fn floats_are_compared_by_bits() {
        assert_eq!(OffsetValue::Float(f64::NAN), OffsetValue::Float(f64::NAN));
        assert_ne!(OffsetValue::Float(0.0), OffsetValue::Float(-0.0));
    }
}
