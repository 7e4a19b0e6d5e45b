use std::collections::{BTreeMap, HashMap};

use super::record::Entry;
use crate::api::{SourceOffset, SourcePartition};

/// The latest offset of every source partition: a fold over the records of the topic.
#[derive(Debug, Default)]
pub struct OffsetState {
    connectors: BTreeMap<String, HashMap<SourcePartition, SourceOffset>>,
}

impl OffsetState {
    /// Takes one more record.
    pub fn apply(&mut self, entry: Entry) {
        if entry.offset.is_null() {
            if let Some(partitions) = self.connectors.get_mut(&entry.connector) {
                partitions.remove(&entry.partition);
                if partitions.is_empty() {
                    self.connectors.remove(&entry.connector);
                }
            }
            return;
        }
        self.connectors
            .entry(entry.connector)
            .or_default()
            .insert(entry.partition, entry.offset);
    }

    /// The offset of a connector's source partition; partitions are compared as maps, whatever their order.
    pub fn get(&self, connector: &str, partition: &SourcePartition) -> Option<&SourceOffset> {
        self.connectors.get(connector)?.get(partition)
    }

    /// All source partitions of a connector that have an offset.
    pub fn partitions(
        &self,
        connector: &str,
    ) -> impl Iterator<Item = (&SourcePartition, &SourceOffset)> {
        self.connectors.get(connector).into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(n: Option<i64>) -> Entry {
        Entry {
            connector: "c".into(),
            partition: SourcePartition::of("p", 1),
            offset: n.map_or_else(SourceOffset::null, |n| SourceOffset::of("o", n)),
        }
    }

    #[test]
    fn the_last_record_of_a_partition_counts_and_a_null_forgets_it() {
        let mut state = OffsetState::default();
        state.apply(entry(Some(1)));
        state.apply(entry(Some(2)));
        assert_eq!(
            state
                .get("c", &SourcePartition::of("p", 1))
                .unwrap()
                .integer("o"),
            Some(2)
        );
        assert_eq!(state.get("d", &SourcePartition::of("p", 1)), None);
        assert_eq!(state.partitions("c").count(), 1);
        state.apply(entry(None));
        assert_eq!(state.get("c", &SourcePartition::of("p", 1)), None);
        assert!(state.connectors.is_empty());
    }
}
