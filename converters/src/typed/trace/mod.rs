//! The schema of a Rust type, found out by reading made-up values of it until every part was asked for.
//!
//! A round makes one value. Options are filled, sequences and maps get one element and enums take another variant as
//! long as there is something to learn behind them. A type that contains itself is met again while it is being made:
//! then the option stays empty, the sequence too, and the enum takes a variant that ends.

mod arena;
mod build;
mod stop;
#[cfg(test)]
mod tests;
mod tracer;

use serde::de::Deserialize;

use self::arena::Arena;
use self::stop::Stop;
use self::tracer::{Round, SAMPLES_MAX, Tracer};
use super::Symbols;
use crate::data::Schema;
use crate::error::Error;

pub(super) fn schema_of<'de, T: Deserialize<'de>>(symbols: Symbols) -> Result<Schema, Error> {
    let mut arena = Arena::default();
    let root = arena.fresh();
    loop {
        let learnt = arena.learnt;
        let mut round = Round {
            arena: &mut arena,
            last: None,
            values: 0,
        };
        let made = T::deserialize(Tracer {
            round: &mut round,
            at: root,
            depth: 0,
        });
        let last = round.last;
        match made {
            Ok(_) if arena.settled(root) => return build::schema(&arena, root, symbols),
            Ok(_) | Err(Stop::Again) if arena.learnt > learnt => {}
            Ok(_) | Err(Stop::Again | Stop::Twice(_)) => return Err(stop::unending()),
            Err(Stop::Fatal(error)) => return Err(error),
            Err(Stop::Refused(error)) => match last {
                Some(leaf) if arena.refused(leaf) + 1 < SAMPLES_MAX => arena.refuse(leaf),
                Some(_) | None => return Err(error),
            },
        }
    }
}
