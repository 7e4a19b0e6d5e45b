use ferroconnect_converters::{Converter, HeaderConverter, Outcome};

use crate::error::{Error, Fault, Stage};

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

/// The result of a converter, or the error with its stage. A look-up that is missing is an error: no registry is configured.
pub(super) fn ready<T>(outcome: Outcome<T>, stage: Stage) -> Result<T, Error> {
    match outcome {
        Outcome::Ready(value) => Ok(value),
        Outcome::Failed(error) => Err(Error::from(error).in_stage(stage)),
        Outcome::Missing(_) => Err(Error::new(
            Fault::Config,
            "the converter asks for a schema registry, and none is configured",
        )
        .in_stage(stage)
        .next_step("use a converter that needs no registry")),
    }
}
