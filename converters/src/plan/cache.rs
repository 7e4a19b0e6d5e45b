//! [`SchemaCache`]: what was worked out for a schema, for the schemas met lately.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::data::Schema;

/// A bounded map from schemas to plans.
///
/// The schema of the record before is compared by identity, which is all that happens per record. Another handle costs one
/// look-up by content. When the cache is full the oldest entry goes.
#[derive(Debug)]
pub(crate) struct SchemaCache<P> {
    last: Option<(Schema, Arc<P>)>,
    known: HashMap<Schema, Arc<P>>,
    ages: VecDeque<Schema>,
    capacity: usize,
}

impl<P> SchemaCache<P> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            last: None,
            known: HashMap::new(),
            ages: VecDeque::new(),
            capacity,
        }
    }

    /// The plan of a schema; `compile` makes it when it is not known.
    #[inline]
    pub(crate) fn get_or_compile(
        &mut self,
        schema: &Schema,
        compile: impl FnOnce(&Schema) -> P,
    ) -> &Arc<P> {
        let hit = self
            .last
            .as_ref()
            .is_some_and(|(last, _)| last.same(schema));
        if !hit {
            let plan = self.find_or_compile(schema, compile);
            self.last = Some((schema.clone(), plan));
        }
        // Set just above when it was not there.
        &self.last.as_ref().expect("the last plan was just set").1
    }

    #[cold]
    fn find_or_compile(&mut self, schema: &Schema, compile: impl FnOnce(&Schema) -> P) -> Arc<P> {
        if let Some(known) = self.known.get(schema) {
            return Arc::clone(known);
        }
        let plan = Arc::new(compile(schema));
        if self.capacity > 0 {
            if self.known.len() >= self.capacity
                && let Some(oldest) = self.ages.pop_front()
            {
                self.known.remove(&oldest);
            }
            self.known.insert(schema.clone(), Arc::clone(&plan));
            self.ages.push_back(schema.clone());
        }
        plan
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.known.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::SchemaBuilder;

    fn named(name: &str) -> Schema {
        SchemaBuilder::int8().name(name).build().unwrap()
    }

    #[test]
    fn equal_schemas_share_a_plan_and_others_do_not() {
        let mut cache = SchemaCache::new(10);
        let mut compiled = 0;
        for schema in [named("a"), named("a"), named("b"), named("a")] {
            cache.get_or_compile(&schema, |_| compiled += 1);
        }
        assert_eq!(compiled, 2);
    }

    #[test]
    fn the_cache_never_outgrows_its_capacity() {
        let mut cache = SchemaCache::new(3);
        for n in 0..100 {
            cache.get_or_compile(&named(&n.to_string()), |_| ());
            assert!(cache.len() <= 3);
        }
        let mut none = SchemaCache::new(0);
        none.get_or_compile(&named("a"), |_| ());
        assert_eq!(none.len(), 0);
    }
}
