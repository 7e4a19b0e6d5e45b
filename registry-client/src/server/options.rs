//! What can be set for a whole registry.

use crate::CompatibilityLevel;

/// Options of a registry; the keys are those of Confluent's server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// `schema.compatibility.level`: where nothing is configured.
    pub default_level: CompatibilityLevel,
    /// `mode.mutability`: whether modes may be changed.
    pub mode_is_mutable: bool,
    /// `size.limit.filter.max.request.body.size`, where `size.limit.filter.enabled` is true: in bytes.
    pub max_body_bytes: Option<usize>,
    /// `kafkastore.max.request.size`: how long a schema with its names may be, in bytes.
    pub max_record_bytes: usize,
    /// How `/v1/metadata/id` calls the place where schemas are kept.
    pub cluster_id: String,
    /// How `/v1/metadata/id` calls the registry.
    pub group_id: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            default_level: CompatibilityLevel::Backward,
            mode_is_mutable: true,
            max_body_bytes: None,
            max_record_bytes: MAX_RECORD_BYTES,
            cluster_id: "ferroconnect".into(),
            group_id: "schema-registry".into(),
        }
    }
}

impl Options {
    /// Reads keys of Confluent's server; a key that means nothing here is skipped.
    ///
    /// ```
    /// use ferroconnect_registry_client::server::Options;
    /// let options = Options::from_pairs([("mode.mutability", "false"), ("host.name", "x")]);
    /// assert!(!options.mode_is_mutable);
    /// ```
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut options = Self::default();
        let (mut limits_bodies, mut most_bytes) = (false, None);
        for (key, value) in pairs {
            match key {
                "schema.compatibility.level" | "avro.compatibility.level" => {
                    let level = CompatibilityLevel::from_wire_name(value);
                    options.default_level = level.unwrap_or(options.default_level);
                }
                "mode.mutability" => options.mode_is_mutable = value.eq_ignore_ascii_case("true"),
                "size.limit.filter.enabled" => limits_bodies = value.eq_ignore_ascii_case("true"),
                "size.limit.filter.max.request.body.size" => most_bytes = value.parse().ok(),
                "kafkastore.max.request.size" => {
                    options.max_record_bytes = value.parse().unwrap_or(options.max_record_bytes);
                }
                _ => {}
            }
        }
        options.max_body_bytes = most_bytes.filter(|_| limits_bodies);
        options
    }
}

/// The producer's default for `max.request.size`, in bytes.
const MAX_RECORD_BYTES: usize = 1 << 20;
