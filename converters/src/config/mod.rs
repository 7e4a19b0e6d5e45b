//! Configuration: one table of keys drives parsing, the answer of a validation and the documentation.
//!
//! A [`ConfigDef`] lists the keys a component understands, as in Kafka's `ConfigDef`. Raw text goes in, [`Settings`] come out, or
//! [`Problems`] that name *every* key that is wrong, with secret values hidden:
//!
//! ```
//! use ferroconnect_converters::config::{ConfigDef, Importance, Key, Kind, RawConfig, Validator};
//!
//! let def = ConfigDef::new()
//!     .define(Key::new("topic", Kind::String, Importance::High, "Topic to write to.").check(Validator::NonEmpty))
//!     .define(Key::new("batch.size", Kind::Int, Importance::Low, "Lines per batch.").default("2000"));
//!
//! let good = RawConfig::from([("topic".to_owned(), "orders".to_owned())]);
//! let settings = def.parse(&good).expect("both keys are fine");
//! assert_eq!(settings.get::<String>("topic").unwrap(), "orders");
//! assert_eq!(settings.get::<i32>("batch.size").unwrap(), 2000);
//!
//! let bad = RawConfig::from([("batch.size".to_owned(), "many".to_owned())]);
//! let problems = def.parse(&bad).unwrap_err();
//! assert_eq!(problems.len(), 2);
//! assert!(problems.to_string().contains("Invalid value many for configuration batch.size: Not a number of type INT"));
//! ```

mod def;
mod key;
mod problem;
mod secret;
mod setting;
mod table;
mod validator;

use std::collections::BTreeMap;

pub use def::{Checked, ConfigDef};
pub use key::{Importance, Key, Kind, Recommender, Width};
pub use problem::{Problem, Problems};
pub use secret::{HIDDEN, Secret, is_secret_name, shown};
pub use setting::{FromSetting, Setting, Settings};
pub use validator::Validator;

/// Configuration as it arrives: text per key, in key order.
pub type RawConfig = BTreeMap<String, String>;

/// The part of `raw` under `prefix`, with the prefix removed: `prefixed(raw, "key.converter.")` gives a converter its own keys.
pub fn prefixed(raw: &RawConfig, prefix: &str) -> RawConfig {
    raw.iter()
        .filter_map(|(key, value)| Some((key.strip_prefix(prefix)?.to_owned(), value.clone())))
        .collect()
}

#[cfg(test)]
mod tests;
