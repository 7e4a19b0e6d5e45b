use std::collections::BTreeMap;

use crate::ids::ConnectorName;
use crate::time::{Mono, Span};

/// When connectors are restarted because values they use have run out. Pure: the time is an argument.
#[derive(Clone, Debug, Default)]
pub struct ReloadSchedule {
    /// Per connector and source of values: when they run out.
    due: BTreeMap<ConnectorName, BTreeMap<String, Mono>>,
}

impl ReloadSchedule {
    /// The connector was started `now` with values that hold for these times. What was known about it before is forgotten.
    pub fn started(&mut self, connector: &ConnectorName, ttls: &BTreeMap<String, Span>, now: Mono) {
        self.due.remove(connector);
        if !ttls.is_empty() {
            let due = ttls
                .iter()
                .map(|(source, ttl)| (source.clone(), now.plus(*ttl)))
                .collect();
            self.due.insert(connector.clone(), due);
        }
    }

    /// The connector is gone, or must not be restarted.
    pub fn forget(&mut self, connector: &ConnectorName) {
        self.due.remove(connector);
    }

    /// When to look again; `None` when nothing runs out.
    pub fn next(&self) -> Option<Mono> {
        self.due.values().flat_map(BTreeMap::values).min().copied()
    }

    /// The connectors whose values have run out, each once. They are forgotten until they are [`started`](Self::started) again.
    pub fn take_due(&mut self, now: Mono) -> Vec<ConnectorName> {
        let due: Vec<ConnectorName> = self
            .due
            .iter()
            .filter(|(_, sources)| sources.values().any(|at| *at <= now))
            .map(|(connector, _)| connector.clone())
            .collect();
        due.iter().for_each(|connector| self.forget(connector));
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> ConnectorName {
        ConnectorName::new(text).unwrap()
    }

    fn ttls(pairs: &[(&str, u64)]) -> BTreeMap<String, Span> {
        pairs
            .iter()
            .map(|(source, millis)| ((*source).to_owned(), Span::millis(*millis)))
            .collect()
    }

    #[test]
    fn the_shortest_time_of_a_connector_counts_and_it_is_due_once() {
        let start = Mono::default();
        let mut schedule = ReloadSchedule::default();
        schedule.started(&name("a"), &ttls(&[("file:x", 500), ("env:", 200)]), start);
        schedule.started(&name("b"), &ttls(&[("file:x", 300)]), start);
        schedule.started(&name("c"), &ttls(&[]), start);
        assert_eq!(schedule.next(), Some(start.plus(Span::millis(200))));
        assert_eq!(schedule.take_due(start.plus(Span::millis(199))), []);
        assert_eq!(
            schedule.take_due(start.plus(Span::millis(350))),
            [name("a"), name("b")]
        );
        assert_eq!(
            schedule.next(),
            None,
            "also the longer time of a is gone with its restart"
        );
        assert_eq!(schedule.take_due(start.plus(Span::secs(9))), []);
    }

    #[test]
    fn a_new_start_replaces_what_was_planned() {
        let start = Mono::default();
        let mut schedule = ReloadSchedule::default();
        schedule.started(&name("a"), &ttls(&[("file:x", 100)]), start);
        schedule.started(
            &name("a"),
            &ttls(&[("file:x", 100)]),
            start.plus(Span::millis(50)),
        );
        assert_eq!(schedule.next(), Some(start.plus(Span::millis(150))));
        schedule.forget(&name("a"));
        assert_eq!(schedule.next(), None);
    }
}
