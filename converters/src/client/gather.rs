//! Asks many questions at once, but not too many.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use ferroconnect_registry_client::{AsyncRegistry, Lookup, Resolved};

use crate::limits::LOOKUPS_IN_FLIGHT_MAX;

/// An answer on its way.
type Flight<'a> = Pin<Box<dyn Future<Output = Resolved> + Send + 'a>>;

/// Asks all of `lookups`, [`LOOKUPS_IN_FLIGHT_MAX`] at a time, and hands over each answer when it comes. Dropped half way,
/// it has handed over what came until then.
pub(super) async fn gather(
    registry: &dyn AsyncRegistry,
    lookups: &[Lookup],
    mut take: impl FnMut(&Lookup, Resolved),
) {
    let mut rest = lookups.iter();
    let mut flights: Vec<(&Lookup, Flight<'_>)> = Vec::new();
    poll_fn(|cx| {
        loop {
            let free = LOOKUPS_IN_FLIGHT_MAX - flights.len();
            flights.extend(rest.by_ref().take(free).map(|l| (l, registry.answer(l))));
            if flights.is_empty() {
                return Poll::Ready(());
            }
            let before = flights.len();
            flights.retain_mut(|(lookup, flight)| match flight.as_mut().poll(cx) {
                Poll::Ready(answer) => {
                    take(lookup, answer);
                    false
                }
                Poll::Pending => true,
            });
            if flights.len() == before {
                return Poll::Pending;
            }
        }
    })
    .await;
}
