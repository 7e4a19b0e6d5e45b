//! The deliberate differences from the recorded server, by name.

/// Where an answer is not the recorded server's on purpose. The answer itself carries the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Difference {
    /// `GET /schemas/ids/{unknown}/schema`.
    UnknownIdSchema,
    /// An offset below 0.
    NegativeOffset,
    /// `GET /schemas/guids/{guid}` when the first context that had it has lost it.
    GuidOfAnotherContext,
    /// `PUT /mode` without a mode.
    MissingMode,
    /// The subject `:.:`.
    NamelessSubject,
    /// Tags for an entity that the schema does not have.
    UnknownTaggedEntity,
    /// A JSON Schema with a lower `exclusiveMaximum`, compared with the one before.
    ExclusiveMaximumDecreased,
}

impl Difference {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::UnknownIdSchema,
        Self::NegativeOffset,
        Self::GuidOfAnotherContext,
        Self::MissingMode,
        Self::NamelessSubject,
        Self::UnknownTaggedEntity,
        Self::ExclusiveMaximumDecreased,
    ];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownIdSchema => "unknown-id-schema",
            Self::NegativeOffset => "negative-offset",
            Self::GuidOfAnotherContext => "guid-of-another-context",
            Self::MissingMode => "missing-mode",
            Self::NamelessSubject => "nameless-subject",
            Self::UnknownTaggedEntity => "unknown-tagged-entity",
            Self::ExclusiveMaximumDecreased => "exclusive-maximum-decreased",
        }
    }

    /// Why the answer is better than the recorded one, or what is missing.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::UnknownIdSchema => {
                "the recorded server fails with 500, which clients retry; an unknown id is 404 as everywhere else"
            }
            Self::NegativeOffset => {
                "the recorded server fails with 500; a wrong parameter is the caller's fault (422)"
            }
            Self::GuidOfAnotherContext => {
                "the recorded server fails with 500; the schema is still there in another context, so it is served"
            }
            Self::MissingMode => {
                "the recorded server fails with 500; a body without a mode is the caller's fault (422)"
            }
            Self::NamelessSubject => {
                "the recorded server writes under no name and times out; the name is refused (422)"
            }
            Self::UnknownTaggedEntity => {
                "the recorded server answers the text of a Java exception; ours names the entity"
            }
            Self::ExclusiveMaximumDecreased => {
                "the recorded server fails with 500, which clients retry; the schemas are told to be incompatible, as for any other limit"
            }
        }
    }
}
