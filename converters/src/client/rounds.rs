//! [`Rounds`]: what a call has asked of the registry so far, and when it ends. No waiting here.

use std::collections::{BTreeMap, HashMap};

use ferroconnect_registry_client as registry;
use ferroconnect_registry_client::{Lookup, LookupId, Question, Resolved};

use crate::converter::{Converter, Outcome};
use crate::error::{Error, client::Kind};
use crate::limits::LOOKUP_ROUNDS_MAX;

/// The look-ups of one call, of one record or of a batch.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// What the registry refused during this call. A converter tells a failure to one record and asks again for the next:
    /// the registry is asked once.
    failed: HashMap<Question, registry::Error>,
    wanted: BTreeMap<LookupId, Lookup>,
    done: usize,
}

impl Rounds {
    /// Converts a record, unless that needs an answer that nobody has yet: then `None`, and [`next`](Self::next) says what
    /// to ask.
    pub(super) fn attempt<C: Converter + ?Sized, T>(
        &mut self,
        converter: &mut C,
        mut convert: impl FnMut(&mut C) -> Outcome<T>,
    ) -> Option<Result<T, Error>> {
        for _ in 0..LOOKUP_ROUNDS_MAX {
            let missing = match convert(converter) {
                Outcome::Ready(value) => return Some(Ok(value)),
                Outcome::Failed(error) => return Some(Err(error)),
                Outcome::Missing(id) => id,
            };
            if !self.collect(converter) {
                let is_listed = self.wanted.contains_key(&missing);
                return (!is_listed).then(|| Err(Kind::NotListed.into()));
            }
        }
        Some(Err(endless()))
    }

    /// Takes what the converter lists. True when it got an answer for something, though a bad one.
    fn collect<C: Converter + ?Sized>(&mut self, converter: &mut C) -> bool {
        let mut answered = false;
        for lookup in converter.unresolved() {
            match self.failed.get(&lookup.question) {
                None => {
                    self.wanted.insert(lookup.id, lookup);
                }
                Some(error) => {
                    let answer = Err(error.clone());
                    let id = lookup.id;
                    converter.install(Resolved { id, answer });
                    answered = true;
                }
            }
        }
        answered
    }

    /// What is to be asked before the records that wait are tried again.
    ///
    /// # Errors
    /// There were [`LOOKUP_ROUNDS_MAX`] rounds already.
    pub(super) fn next(&mut self) -> Result<Vec<Lookup>, Error> {
        if self.done >= LOOKUP_ROUNDS_MAX {
            return Err(endless());
        }
        self.done += 1;
        Ok(std::mem::take(&mut self.wanted).into_values().collect())
    }

    /// Gives an answer to the converter.
    pub(super) fn install<C: Converter + ?Sized>(
        &mut self,
        converter: &mut C,
        lookup: &Lookup,
        answer: Resolved,
    ) {
        if let Err(error) = &answer.answer {
            self.failed.insert(lookup.question.clone(), error.clone());
        }
        converter.install(answer);
    }
}

#[cold]
pub(super) fn endless() -> Error {
    let limit = LOOKUP_ROUNDS_MAX;
    Kind::TooManyRounds { limit }.into()
}
