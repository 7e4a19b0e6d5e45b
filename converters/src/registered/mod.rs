//! What every converter with a schema registry needs, whatever its schema language.
//!
//! ```text
//! Questions   what was asked, what is known, what is still to be asked: plain data, no waiting
//!    ^
//! Schemas     per record: which plan, and which bytes name the schema; from a memory of one comparison
//!    ^           (reading.rs: id or GUID -> schema -> references -> version;
//!    |            writing.rs: generated schema -> subject -> registered, found or fixed schema)
//! a converter brings a [`Format`]: its schema language, and how it compiles plans
//! ```
//!
//! Nothing here waits. What is missing comes out as [`Outcome::Missing`](crate::Outcome), is listed by
//! `Schemas::unresolved` and put in by `Schemas::install`; a record may need several rounds (a schema, what it refers
//! to, its version). Good answers are remembered; a refusal or a silence is told once and asked anew by the next record.

mod config;
mod convert;
mod definition;
mod format;
mod frames;
pub(crate) mod own;
mod questions;
mod reading;
#[cfg(test)]
mod tests;
mod writing;

pub use config::{Properties, RegisteredConfig, WhichSchema};
pub(crate) use config::{Unsupported, unsupported};
pub(crate) use convert::{Codec, RegisteredConverter, Written, converter};
pub(crate) use format::{Format, Imported};
use frames::{Frames, Placed};
use writing::Target;

use ferroconnect_registry_client::{Lookup, Resolved};

use crate::converter::Role;
use questions::Questions;
use reading::Readers;
use writing::Writers;

/// The schemas of one converter, in both directions.
#[derive(Debug)]
pub(crate) struct Schemas<F: Format> {
    format: F,
    role: Role,
    config: RegisteredConfig,
    questions: Questions,
    readers: Readers<F>,
    writers: Writers<F>,
}

impl<F: Format> Schemas<F> {
    /// `plans` is how many plans are remembered in each direction.
    pub(crate) fn new(format: F, role: Role, config: RegisteredConfig, plans: usize) -> Self {
        Self {
            format,
            role,
            questions: Questions::new(config.schemas_per_subject),
            readers: Readers::new(plans),
            writers: Writers::new(plans),
            config,
        }
    }

    #[inline]
    pub(crate) const fn format(&self) -> &F {
        &self.format
    }

    /// See [`Converter::unresolved`](crate::Converter::unresolved).
    pub(crate) fn unresolved(&mut self) -> Vec<Lookup> {
        self.questions.unresolved()
    }

    /// See [`Converter::install`](crate::Converter::install).
    pub(crate) fn install(&mut self, answer: Resolved) {
        self.questions.install(answer);
    }

    /// See [`Converter::tick`](crate::Converter::tick).
    pub(crate) fn tick(&mut self, now: std::time::Duration) {
        if self.questions.tick(now, &self.config) {
            self.writers.forget_targets();
        }
    }
}
