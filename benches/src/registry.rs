//! Answering a converter's questions before it is measured.

use ferroconnect_converters::{Converter, Error, Outcome};
use ferroconnect_registry_client::Registry;

/// Rounds of questions after which a converter should know everything.
const ROUNDS: usize = 8;

/// Does the work, and answers what the converter has to ask for it.
///
/// # Errors
/// Those of the work.
pub(crate) fn settled<T>(
    converter: &mut dyn Converter,
    registry: &mut dyn Registry,
    work: impl Fn(&mut dyn Converter) -> Outcome<T>,
) -> Result<T, Error> {
    for _ in 0..ROUNDS {
        match work(converter) {
            Outcome::Missing(_) => {
                for lookup in converter.unresolved() {
                    converter.install(registry.answer(&lookup));
                }
            }
            done @ (Outcome::Ready(_) | Outcome::Failed(_)) => return done.into_result(),
        }
    }
    work(converter).into_result()
}
