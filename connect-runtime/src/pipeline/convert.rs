use std::fmt;

use ferroconnect_converters::{Converter, HeaderConverter, Outcome, Role};
use ferroconnect_registry_client::{Lookup, Resolved};

use crate::error::{Error, Stage};
use crate::time::Mono;

/// The three converters of one task.
#[derive(Debug)]
pub struct Converters {
    /// Converts keys.
    pub key: Box<dyn Converter>,
    /// Converts values.
    pub value: Box<dyn Converter>,
    /// Converts header values.
    pub header: Box<dyn HeaderConverter>,
}

impl Converters {
    /// What the converters must know from their registries before they can go on, since the last call.
    pub fn unresolved(&mut self) -> Vec<(Role, Lookup)> {
        let keys = self
            .key
            .unresolved()
            .into_iter()
            .map(|lookup| (Role::Key, lookup));
        let values = self
            .value
            .unresolved()
            .into_iter()
            .map(|lookup| (Role::Value, lookup));
        keys.chain(values).collect()
    }

    /// Tells the converters the time, once per batch.
    pub fn tick(&mut self, now: Mono) {
        let now = now.since(Mono::default()).to_duration();
        self.key.tick(now);
        self.value.tick(now);
    }

    /// Gives an answer to the converter that asked.
    pub fn install(&mut self, role: Role, answer: Resolved) {
        match role {
            Role::Key => self.key.install(answer),
            Role::Value => self.value.install(answer),
        }
    }
}

/// Why a record has no result.
pub(super) enum Halt {
    /// A converter waits for its registry.
    Missing,
    /// It failed.
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Halt {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl fmt::Debug for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("Missing"),
            Self::Failed(error) => write!(f, "Failed({error})"),
        }
    }
}

/// The result of a converter, or the error with its stage.
pub(super) fn ready<T>(outcome: Outcome<T>, stage: Stage) -> Result<T, Halt> {
    match outcome {
        Outcome::Ready(value) => Ok(value),
        Outcome::Failed(error) => Err(Halt::Failed(Error::from(error).in_stage(stage))),
        Outcome::Missing(_) => Err(Halt::Missing),
    }
}
