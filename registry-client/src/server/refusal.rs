//! What a registry answers when it says no: status, code, message (Schema Registry, "Errors").

use super::Difference;
use super::names::Name;

/// A refusal, ready to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) code: u32,
    pub(crate) message: String,
    pub(crate) shape: Shape,
    pub(crate) differs: Option<Difference>,
}

/// How the body of a refusal travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// JSON of the negotiated type.
    Negotiated,
    /// JSON without a `Content-Type`.
    Bare,
    /// `application/json`, whatever was asked for.
    Json,
    /// A page of HTML: the request never came as far as the registry.
    Page,
}

impl Refusal {
    /// With a code that begins with the status.
    pub(crate) fn coded(code: u32, message: impl Into<String>) -> Self {
        let status = u16::try_from(code / 100).unwrap_or(500);
        Self {
            status,
            code,
            message: message.into(),
            shape: Shape::Negotiated,
            differs: None,
        }
    }

    /// With a code that is the status.
    pub(crate) fn plain(status: u16, message: impl Into<String>) -> Self {
        Self {
            status,
            code: status.into(),
            message: message.into(),
            shape: Shape::Negotiated,
            differs: None,
        }
    }

    pub(crate) fn shaped(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }

    pub(crate) fn differing(self, difference: Difference) -> Self {
        Self {
            differs: Some(difference),
            ..self
        }
    }

    pub(crate) fn subject_not_found(subject: &Name) -> Self {
        Self::coded(40401, format!("Subject '{subject}' not found."))
    }

    pub(crate) fn version_not_found(version: i32) -> Self {
        Self::coded(40402, format!("Version {version} not found."))
    }

    pub(crate) fn schema_not_found() -> Self {
        Self::coded(40403, "Schema not found")
    }

    pub(crate) fn no_such_schema(name: impl std::fmt::Display) -> Self {
        Self::coded(40403, format!("Schema {name} not found"))
    }

    pub(crate) fn bad_version(raw: &str) -> Self {
        let message = format!(
            "The specified version '{raw}' is not a valid version id. Allowed values are between \
             [1, 2^31-1] and the string \"latest\""
        );
        Self::coded(42202, message)
    }

    pub(crate) fn bad_subject(subject: &str) -> Self {
        let message = format!("The specified subject '{subject}' is not a valid.");
        Self::coded(42208, message)
    }

    pub(crate) fn invalid_schema(message: impl Into<String>) -> Self {
        Self::coded(42201, message)
    }

    /// Not in this mode: `what` says which one it is.
    pub(crate) fn wrong_mode(subject: Option<&Name>, what: &str) -> Self {
        let context = subject.map(Name::context_in_messages).unwrap_or_default();
        let subject = subject.map_or("null", Name::as_str);
        Self::coded(
            42205,
            format!("Subject {subject} in context {context} is {what} mode"),
        )
    }

    /// A parameter of the path or query that is no number.
    pub(crate) fn not_a_number() -> Self {
        Self::plain(404, "HTTP 404 Not Found")
    }
}
