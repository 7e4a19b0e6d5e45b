//! The settings of `ProtobufConverter`: `ProtobufConverterConfig` and `ProtobufDataConfig`.

use super::ProtobufDataConfig;
use super::imports::ImportRule;
use crate::config::{ConfigDef, Importance, Key, Kind, Problems, RawConfig};
use crate::converter::Role;
use crate::error::Error;
use crate::registered::{RegisteredConfig, Unsupported, own, unsupported};

/// The parsed settings of a [`ProtobufConverter`](super::ProtobufConverter).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtobufConverterConfig {
    /// What all converters with a registry have.
    pub registered: RegisteredConfig,
    /// How schemas are turned into each other.
    pub data: ProtobufDataConfig,
    /// `reference.lookup.only` (false): imported files are looked up, not registered.
    pub reference_lookup_only: bool,
    /// `skip.known.types` (true): files that every registry knows are no references.
    pub skip_known_types: bool,
    /// `reference.subject.name.strategy`: whether the subject of an imported file `a/b.proto` is `a.b` (`Qualified…`), not its path
    /// (`Default…`).
    pub qualified_reference_subjects: bool,
}

impl Default for ProtobufConverterConfig {
    fn default() -> Self {
        Self {
            registered: RegisteredConfig::default(),
            data: ProtobufDataConfig::default(),
            reference_lookup_only: false,
            skip_known_types: true,
            qualified_reference_subjects: false,
        }
    }
}

impl ProtobufConverterConfig {
    /// The table of settings, with Java's names and defaults.
    #[must_use]
    pub fn definition() -> ConfigDef {
        let classes =
            own::specific_types(["specific.protobuf.key.type", "specific.protobuf.value.type"]);
        let references = Key::new(
            "reference.subject.name.strategy",
            Kind::Class,
            Importance::Low,
            "How the subjects of imported files are named, where skip.known.types=false has them registered.",
        );
        RegisteredConfig::definition()
            .and(own::flags(FLAGS))
            .and(classes)
            .define(references.default(REFERENCE_STRATEGY))
            .define(own::cache())
    }

    pub(super) const fn imports(&self) -> ImportRule {
        match self.skip_known_types {
            true => ImportRule::Skipped,
            false => ImportRule::Referred {
                lookup_only: self.reference_lookup_only,
                is_qualified: self.qualified_reference_subjects,
            },
        }
    }

    /// Reads the settings of a converter of keys or values.
    ///
    /// # Errors
    /// Config fault with every key that is wrong.
    pub fn parse(raw: &RawConfig, role: Role) -> Result<Self, Error> {
        let settings = Self::definition().parse(raw)?;
        let registered = RegisteredConfig::from_settings(&settings, role)?;
        unsupported(&settings, &UNSUPPORTED)?;
        let flag = |key| own::flag(&settings, key);
        let strategy: String = settings
            .get("reference.subject.name.strategy")
            .map_err(Problems::from)?;
        Ok(Self {
            registered,
            data: ProtobufDataConfig {
                enhanced_schemas: flag("enhanced.protobuf.schema.support")?,
                scrub_invalid_names: flag("scrub.invalid.names")?,
                int_for_enums: flag("int.for.enums")?,
                optional_for_nullables: flag("optional.for.nullables")?,
                optional_for_proto2: flag("optional.for.proto2")?,
                wrapper_for_nullables: flag("wrapper.for.nullables")?,
                wrapper_for_raw_primitives: flag("wrapper.for.raw.primitives")?,
                struct_for_nulls: flag("generate.struct.for.nulls")?,
                index_for_unions: flag("generate.index.for.unions")?,
                flatten_unions: flag("flatten.unions")?,
                generalized_sum_types: flag("generalized.sum.type.support")?,
                ignore_default_for_nullables: flag("ignore.default.for.nullables")?,
                schemas_cache_size: own::cache_size(&settings)?,
            },
            reference_lookup_only: flag("reference.lookup.only")?,
            skip_known_types: flag("skip.known.types")?,
            qualified_reference_subjects: strategy.trim() == QUALIFIED_STRATEGY,
        })
    }
}

const REFERENCE_STRATEGY: &str =
    "io.confluent.kafka.serializers.subject.DefaultReferenceSubjectNameStrategy";

const QUALIFIED_STRATEGY: &str =
    "io.confluent.kafka.serializers.subject.QualifiedReferenceSubjectNameStrategy";

const UNSUPPORTED: [Unsupported; 2] = [
    ("derive.type", &["false"], "it reads into Java classes"),
    (
        "reference.subject.name.strategy",
        &[REFERENCE_STRATEGY, QUALIFIED_STRATEGY],
        "it is a Java class",
    ),
];

/// Name, default, what it does.
const FLAGS: &[own::Flag] = &[
    (
        "enhanced.protobuf.schema.support",
        "false",
        "Call structs, enums, unions and maps by their full names.",
    ),
    (
        "scrub.invalid.names",
        "false",
        "Replace characters that Protobuf does not allow in names.",
    ),
    ("int.for.enums", "false", "Read enums as numbers."),
    (
        "optional.for.nullables",
        "false",
        "Write optional fields with the word `optional`, and read only such fields as optional.",
    ),
    (
        "optional.for.proto2",
        "true",
        "Read an optional field of proto2 that is not set as null, not as its default.",
    ),
    (
        "wrapper.for.nullables",
        "false",
        "Write optional scalars as wrapper messages (google.protobuf.StringValue and its like).",
    ),
    (
        "wrapper.for.raw.primitives",
        "true",
        "Read a wrapper message as the scalar in it.",
    ),
    (
        "generate.struct.for.nulls",
        "false",
        "Read a message that is not set as a struct of defaults, not as null.",
    ),
    (
        "generate.index.for.unions",
        "true",
        "Call the field of a oneof `<name>_<index>`.",
    ),
    (
        "flatten.unions",
        "false",
        "Read the members of a oneof as fields of the struct around it.",
    ),
    (
        "generalized.sum.type.support",
        "false",
        "Read enums and unions with parameters that all formats share.",
    ),
    (
        "ignore.default.for.nullables",
        "false",
        "Write a null as null although there is a default.",
    ),
    (
        "reference.lookup.only",
        "false",
        "Look imported files up instead of registering them.",
    ),
    (
        "skip.known.types",
        "true",
        "Name no references for the imported files that every registry knows.",
    ),
    (
        "derive.type",
        "false",
        "Read into Java classes. Not supported.",
    ),
];
