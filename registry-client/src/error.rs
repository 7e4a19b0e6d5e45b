//! One error type, sorted by fault.

use std::fmt;

use crate::LookupId;

/// Why a registry question has no good answer. One word wide, cheap to clone, safe to log: it never
/// holds credentials or URLs with user parts. What a registry itself says is kept whole.
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

    /// Something that cannot happen did.
    #[cold]
    pub fn bug(what: &'static str) -> Self {
        Self(Box::new(Kind::Bug { what }))
    }

    /// Something is set up wrong on this side or the other: certificates, credentials, a URL that is no registry's. `reason` says what,
    /// and what to do.
    #[cold]
    pub fn misconfigured(reason: impl Into<String>) -> Self {
        Self(Box::new(Kind::Misconfigured {
            reason: reason.into(),
        }))
    }

    /// An answer came for a lookup that nobody asked.
    #[cold]
    pub fn unasked(id: LookupId) -> Self {
        Self(Box::new(Kind::Unasked { id }))
    }

    /// Whose fault it is.
    pub fn fault(&self) -> Fault {
        match &*self.0 {
            Kind::Refused { status, code, .. } => fault_of(*status, *code),
            Kind::Unreachable { .. } => Fault::Transient,
            Kind::Misconfigured { .. } => Fault::Config,
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
            | Kind::Misconfigured { .. }
            | Kind::Unasked { .. }
            | Kind::Bug { .. } => None,
        }
    }

    /// The HTTP status, where there was an answer.
    pub fn status(&self) -> Option<u16> {
        match &*self.0 {
            Kind::Refused { status, .. } => Some(*status),
            Kind::Unreachable { .. }
            | Kind::Misconfigured { .. }
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
            Kind::Misconfigured { reason } => reason.fmt(f),
            Kind::Bug { what } => write!(f, "{what}; please report this"),
            Kind::Unasked { id } => write!(f, "an answer came for {id}, which nobody asked"),
        }
    }
}

impl std::error::Error for Error {}

/// Whose fault a failure is. Closed: the four that a registry can cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Credentials, rights, certificates, or a URL without a registry: an operator must change something (401, 403, 405, and a 404
    /// without a code of its own).
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
    /// The subject must be softly deleted before it is deleted for good.
    pub const SUBJECT_NOT_SOFT_DELETED: Self = Self(40405);
    /// The version is softly deleted.
    pub const VERSION_SOFT_DELETED: Self = Self(40406);
    /// The version must be softly deleted before it is deleted for good.
    pub const VERSION_NOT_SOFT_DELETED: Self = Self(40407);
    /// The subject has no compatibility level of its own.
    pub const NO_SUBJECT_CONFIG: Self = Self(40408);
    /// The subject has no mode of its own.
    pub const NO_SUBJECT_MODE: Self = Self(40409);
    /// The resource has no such association.
    pub const ASSOCIATION_NOT_FOUND: Self = Self(40410);
    /// The schema is incompatible with an earlier one (older servers and Karapace answer plain 409).
    pub const INCOMPATIBLE_SCHEMA: Self = Self(40901);
    /// The subject has an association, so it cannot be deleted or associated again.
    pub const ASSOCIATION_EXISTS: Self = Self(40904);
    /// The subject to associate has no version that is not deleted.
    pub const NO_ACTIVE_VERSION: Self = Self(40907);
    /// The association cannot be changed.
    pub const ASSOCIATION_FROZEN: Self = Self(40908);
    /// The text is not a schema of its language.
    pub const INVALID_SCHEMA: Self = Self(42201);
    /// The version is no version.
    pub const INVALID_VERSION: Self = Self(42202);
    /// The compatibility level is none.
    pub const INVALID_COMPATIBILITY_LEVEL: Self = Self(42203);
    /// The mode is none.
    pub const INVALID_MODE: Self = Self(42204);
    /// The mode of the subject or registry does not allow it.
    pub const OPERATION_NOT_PERMITTED: Self = Self(42205);
    /// Other schemas refer to the version that is to be deleted.
    pub const REFERENCE_EXISTS: Self = Self(42206);
    /// The schema has another id already.
    pub const ID_MISMATCH: Self = Self(42207);
    /// The name is not a subject.
    pub const INVALID_SUBJECT: Self = Self(42208);
    /// The schema is too large.
    pub const SCHEMA_TOO_LARGE: Self = Self(42209);
    /// The rule set is invalid.
    pub const INVALID_RULE_SET: Self = Self(42210);
    /// The context to delete still has versions.
    pub const CONTEXT_NOT_EMPTY: Self = Self(42211);
    /// A member of the association is invalid.
    pub const INVALID_ASSOCIATION: Self = Self(42212);
    /// The registry could not write or read its store.
    pub const STORE_FAILED: Self = Self(50001);
    /// The operation took the registry too long.
    pub const TIMED_OUT: Self = Self(50002);
    /// The registry could not hand the request on to its primary.
    pub const FORWARDING_FAILED: Self = Self(50003);
    /// No primary is known.
    pub const NO_PRIMARY: Self = Self(50004);
    /// Made by clients: the body of an answer is not what a registry sends.
    pub const UNREADABLE_ANSWER: Self = Self(50005);

    /// The code with that number; every number is possible, since servers add codes.
    pub const fn new(raw: u32) -> Self {
        Self(raw)
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Whether the registry refused a change of associations because of another one (40902 to 40908).
    pub const fn is_association_conflict(self) -> bool {
        matches!(self.0, 40_902..=40_908)
    }

    /// Whether the schema is incompatible with an earlier one, whichever way the registry says it.
    pub const fn is_incompatible(self) -> bool {
        matches!(self.0, 409 | 40_901)
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
    Bug {
        what: &'static str,
    },
    Misconfigured {
        reason: String,
    },
    Unasked {
        id: LookupId,
    },
}

/// A registry that knows of no such schema says so with a code of its own. A bare 404 comes from something that has no such path: an
/// older registry, or no registry at all. No record is to blame for that.
const fn fault_of(status: u16, code: RegistryCode) -> Fault {
    match status {
        401 | 403 | 405 | 407 => Fault::Config,
        404 if code.get() / 100 != 404 => Fault::Config,
        408 | 429 | 500.. => Fault::Transient,
        // The URL of the registry has moved: redirections are not followed, since credentials would go along.
        300..400 => Fault::Config,
        400..500 => Fault::Data,
        // Not an error of the registry's, but a page of something in between.
        _ => Fault::Transient,
    }
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
            (408, Fault::Transient),
            (409, Fault::Data),
            (422, Fault::Data),
            (429, Fault::Transient),
            (405, Fault::Config),
            (302, Fault::Config),
            (200, Fault::Transient),
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
    fn a_bare_404_is_no_registrys_word_about_a_schema() {
        let fault = |code| Error::refused(404, RegistryCode::new(code), "").fault();
        assert_eq!(fault(40_403), Fault::Data);
        assert_eq!(fault(40_401), Fault::Data);
        assert_eq!(fault(404), Fault::Config);
        assert_eq!(fault(50_005), Fault::Config);
    }

    #[test]
    fn both_ways_to_say_incompatible_are_understood() {
        assert!(RegistryCode::new(409).is_incompatible());
        assert!(RegistryCode::INCOMPATIBLE_SCHEMA.is_incompatible());
        assert!(!RegistryCode::ASSOCIATION_FROZEN.is_incompatible());
    }

    #[test]
    fn silence_is_never_the_records_fault() {
        let error = Error::unreachable("registry:8081: connection refused");
        assert!(error.is_retriable());
        assert_eq!((error.code(), error.status()), (None, None));
    }
}
