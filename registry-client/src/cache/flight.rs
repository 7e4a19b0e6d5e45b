//! One request in flight per question: whoever comes later waits for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::{Answer, Error, Question};

/// What a flight brought; nothing until it landed.
pub(super) type Landing = Option<Result<Answer, Error>>;

/// A question together with the number of registrations that were known when it was asked: an answer from before a registration is no
/// answer to a question from after it.
pub(super) type FlightName = (Question, u64);

/// The requests under way.
#[derive(Debug, Default)]
pub(super) struct Flights(Arc<Mutex<Board>>);

type Board = HashMap<FlightName, watch::Receiver<Landing>>;

/// Leaves the board when it lands, or when it is lost.
#[derive(Debug)]
pub(super) struct Flight {
    board: Arc<Mutex<Board>>,
    name: FlightName,
    landing: watch::Sender<Landing>,
}

impl Flights {
    /// The flight of that name: a seat in it, and the flight itself for whoever starts it.
    pub(super) fn join(&self, name: FlightName) -> (watch::Receiver<Landing>, Option<Flight>) {
        let mut board = lock(&self.0);
        if let Some(seat) = board.get(&name) {
            return (seat.clone(), None);
        }
        let (landing, seat) = watch::channel(None);
        board.insert(name.clone(), seat.clone());
        let flight = Flight {
            board: Arc::clone(&self.0),
            name,
            landing,
        };
        (seat, Some(flight))
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        lock(&self.0).len()
    }
}

impl Flight {
    /// Tells everybody who waits. What the caller remembered must be remembered before.
    pub(super) fn land(self, result: Result<Answer, Error>) {
        self.landing.send_replace(Some(result));
    }

    pub(super) const fn question(&self) -> &Question {
        &self.name.0
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        lock(&self.board).remove(&self.name);
    }
}

/// Nothing panics while it holds the lock.
fn lock(board: &Mutex<Board>) -> MutexGuard<'_, Board> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}
