//! Compatibility levels and modes: closed sets of the registry, with their names on the wire.

use std::fmt;

/// Which earlier versions a new schema must get along with, and in which direction
/// (Schema Registry, "Schema Evolution and Compatibility").
///
/// ```
/// use ferroconnect_registry_client::CompatibilityLevel;
/// assert_eq!(CompatibilityLevel::from_wire_name("full_transitive"), Some(CompatibilityLevel::FullTransitive));
/// assert_eq!(CompatibilityLevel::Backward.to_string(), "BACKWARD");
/// assert_eq!(CompatibilityLevel::from_wire_name(" FULL"), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompatibilityLevel {
    /// Nothing is checked.
    None,
    /// Readers with the new schema understand the latest one's data.
    #[default]
    Backward,
    /// As [`Self::Backward`], for every version.
    BackwardTransitive,
    /// Readers with the latest schema understand the new one's data.
    Forward,
    /// As [`Self::Forward`], for every version.
    ForwardTransitive,
    /// Both directions, for the latest version.
    Full,
    /// Both directions, for every version.
    FullTransitive,
}

impl CompatibilityLevel {
    /// All levels.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::Backward,
        Self::BackwardTransitive,
        Self::Forward,
        Self::ForwardTransitive,
        Self::Full,
        Self::FullTransitive,
    ];

    /// The name in REST bodies.
    pub const fn wire_name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Backward => "BACKWARD",
            Self::BackwardTransitive => "BACKWARD_TRANSITIVE",
            Self::Forward => "FORWARD",
            Self::ForwardTransitive => "FORWARD_TRANSITIVE",
            Self::Full => "FULL",
            Self::FullTransitive => "FULL_TRANSITIVE",
        }
    }

    /// The level of that name, in any case.
    pub fn from_wire_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|level| level.wire_name().eq_ignore_ascii_case(name))
    }

    /// Whether every earlier version counts, not only the latest.
    pub const fn is_transitive(self) -> bool {
        match self {
            Self::None | Self::Backward | Self::Forward | Self::Full => false,
            Self::BackwardTransitive | Self::ForwardTransitive | Self::FullTransitive => true,
        }
    }
}

impl fmt::Display for CompatibilityLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wire_name().fmt(f)
    }
}

/// What may be written under a subject.
///
/// ```
/// use ferroconnect_registry_client::Mode;
/// assert_eq!(Mode::from_wire_name("ReadOnly"), Some(Mode::ReadOnly));
/// assert!(Mode::ReadOnlyOverride.is_read_only() && !Mode::Import.is_read_only());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Schemas are registered, ids are given out.
    #[default]
    ReadWrite,
    /// Nothing is registered, deleted or configured.
    ReadOnly,
    /// As [`Self::ReadOnly`].
    ReadOnlyOverride,
    /// Schemas come with their ids, as in a copy of another registry; nothing is checked.
    Import,
    /// Requests go to another registry. No registry accepts it.
    Forward,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 5] = [
        Self::ReadWrite,
        Self::ReadOnly,
        Self::ReadOnlyOverride,
        Self::Import,
        Self::Forward,
    ];

    /// The name in REST bodies.
    pub const fn wire_name(self) -> &'static str {
        match self {
            Self::ReadWrite => "READWRITE",
            Self::ReadOnly => "READONLY",
            Self::ReadOnlyOverride => "READONLY_OVERRIDE",
            Self::Import => "IMPORT",
            Self::Forward => "FORWARD",
        }
    }

    /// The mode of that name, in any case.
    pub fn from_wire_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.wire_name().eq_ignore_ascii_case(name))
    }

    /// Whether nothing may be written.
    pub const fn is_read_only(self) -> bool {
        match self {
            Self::ReadOnly | Self::ReadOnlyOverride => true,
            Self::ReadWrite | Self::Import | Self::Forward => false,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.wire_name().fmt(f)
    }
}
