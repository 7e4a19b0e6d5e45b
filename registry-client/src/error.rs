//! One error type, sorted by fault.

use std::fmt;

use crate::LookupId;

/// Why a registry question has no good answer. One word wide, cheap to clone, safe to log: it never
/// holds credentials, URLs with user parts, or schema texts.
///
/// ```
/// use ferroconnect_registry_client::{Error, Fault, RegistryCode};
/// let error = Error::refused(404, RegistryCode::SCHEMA_NOT_FOUND, "Schema 9 not found");
/// assert_eq!(error.fault(), Fault::Data);
/// assert_eq!(error.to_string(), "Schema 9 not found; error code: 40403");
/// assert!(Error::refused(503, RegistryCode::new(503), "busy").is_retriable());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Kind>);

impl Error {
    /// The registry answered with an error: HTTP status, its own code, its message.
    #[cold]
    pub fn refused(status: u16, code: RegistryCode, message: impl Into<String>) -> Self {
        Self(Box::new(Kind::Refused {
            status,
            code,
            message: message.into(),
        }))
    }

    /// No answer came: connection refused, cut, timed out. `reason` names the host and what happened.
    #[cold]
    pub fn unreachable(reason: impl Into<String>) -> Self {
        Self(Box::new(Kind::Unreachable {
            reason: reason.into(),
        }))
    }

    /// No registry is configured where one is needed.
    #[cold]
    pub fn unconfigured() -> Self {
        Self(Box::new(Kind::Unconfigured))
    }

    /// Something that cannot happen did.
    #[cold]
    pub fn bug(what: &'static str) -> Self {
        Self(Box::new(Kind::Bug { what }))
    }

    /// An answer came for a lookup that nobody asked.
    #[cold]
    pub fn unasked(id: LookupId) -> Self {
        Self(Box::new(Kind::Unasked { id }))
    }

    /// Whose fault it is.
    pub fn fault(&self) -> Fault {
        match &*self.0 {
            Kind::Refused { status, .. } => match status {
                401 | 403 => Fault::Config,
                408 | 429 | 500.. => Fault::Transient,
                _ => Fault::Data,
            },
            Kind::Unreachable { .. } => Fault::Transient,
            Kind::Unconfigured => Fault::Config,
            Kind::Unasked { .. } | Kind::Bug { .. } => Fault::Bug,
        }
    }

    /// Whether the same question may have a good answer later.
    pub fn is_retriable(&self) -> bool {
        self.fault() == Fault::Transient
    }

    /// The registry's own error code, where it gave one.
    pub fn code(&self) -> Option<RegistryCode> {
        match &*self.0 {
            Kind::Refused { code, .. } => Some(*code),
            Kind::Unreachable { .. }
            | Kind::Unconfigured
            | Kind::Unasked { .. }
            | Kind::Bug { .. } => None,
        }
    }

    /// The HTTP status, where there was an answer.
    pub fn status(&self) -> Option<u16> {
        match &*self.0 {
            Kind::Refused { status, .. } => Some(*status),
            Kind::Unreachable { .. }
            | Kind::Unconfigured
            | Kind::Unasked { .. }
            | Kind::Bug { .. } => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Refused { code, message, .. } => write!(f, "{message}; error code: {code}"),
            Kind::Unreachable { reason } => {
                write!(f, "the schema registry gave no answer: {reason}")
            }
            Kind::Unconfigured => f.write_str(
                "no schema registry is configured; set schema.registry.url for this converter",
            ),
            Kind::Bug { what } => write!(f, "{what}; please report this"),
            Kind::Unasked { id } => write!(f, "an answer came for {id}, which nobody asked"),
        }
    }
}

impl std::error::Error for Error {}

/// Whose fault a failure is. Closed: the four that a registry can cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Credentials or rights: an operator must change something (401, 403).
    Config,
    /// The schema or the id that was asked for: asking again changes nothing (other 4xx).
    Data,
    /// The registry or the way to it: asking again may help (408, 429, 5xx, no answer).
    Transient,
    /// Ours.
    Bug,
}

/// The registry's own error code: five digits that begin with the HTTP status, or the status alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegistryCode(u32);

impl RegistryCode {
    /// The subject does not exist.
    pub const SUBJECT_NOT_FOUND: Self = Self(40401);
    /// The subject has no such version.
    pub const VERSION_NOT_FOUND: Self = Self(40402);
    /// No such id, GUID, or text under the subject.
    pub const SCHEMA_NOT_FOUND: Self = Self(40403);
    /// The subject is softly deleted.
    pub const SUBJECT_SOFT_DELETED: Self = Self(40404);
    /// The version is softly deleted.
    pub const VERSION_SOFT_DELETED: Self = Self(40406);
    /// The schema is incompatible with an earlier one (older servers answer plain 409).
    pub const INCOMPATIBLE_SCHEMA: Self = Self(40901);
    /// The text is not a schema of its language.
    pub const INVALID_SCHEMA: Self = Self(42201);
    /// A client could not read the body of an error answer.
    pub const UNREADABLE_ANSWER: Self = Self(50005);

    /// The code with that number; every number is possible, since servers add codes.
    pub const fn new(raw: u32) -> Self {
        Self(raw)
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for RegistryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Refused {
        status: u16,
        code: RegistryCode,
        message: String,
    },
    Unreachable {
        reason: String,
    },
    Unconfigured,
    Bug {
        what: &'static str,
    },
    Unasked {
        id: LookupId,
    },
}

const _: () = assert!(size_of::<Error>() == size_of::<usize>());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_decides_the_fault() {
        let table = [
            (400, Fault::Data),
            (401, Fault::Config),
            (403, Fault::Config),
            (404, Fault::Data),
            (408, Fault::Transient),
            (409, Fault::Data),
            (422, Fault::Data),
            (429, Fault::Transient),
            (500, Fault::Transient),
            (502, Fault::Transient),
            (503, Fault::Transient),
            (504, Fault::Transient),
        ];
        for (status, fault) in table {
            let error = Error::refused(status, RegistryCode::new(u32::from(status)), "");
            assert_eq!(error.fault(), fault, "{status}");
            assert_eq!(error.status(), Some(status));
        }
    }

    #[test]
    fn silence_is_never_the_records_fault() {
        let error = Error::unreachable("registry:8081: connection refused");
        assert!(error.is_retriable());
        assert_eq!((error.code(), error.status()), (None, None));
    }
}
