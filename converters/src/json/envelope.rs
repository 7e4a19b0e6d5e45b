//! The memory of envelopes: records of a topic repeat their schema, byte for byte.
//!
//! What stands in front of a payload, `{"schema":…,"payload":`, is remembered with the plan of its schema. A record that
//! begins with the same bytes needs no look at its schema. The bytes decide alone, so the topic does not matter.

use std::sync::Arc;

use super::decode::DecodePlan;
use crate::data::Schema;
use crate::json_text::tree;
use crate::plan::SchemaCache;

/// Fronts that are remembered; a batch holds few topics, and a topic few schemas at a time.
const FRONTS_MAX: usize = 16;

/// A front longer than this is not remembered, in bytes: sixteen of them must stay below a few megabytes.
const FRONT_BYTES_MAX: usize = 256 << 10;

/// Fronts and plans met lately.
#[derive(Debug)]
pub(super) struct Envelopes {
    /// Newest first.
    fronts: Vec<Envelope>,
    plans: SchemaCache<DecodePlan>,
}

/// A front and what it says.
#[derive(Debug)]
pub(super) struct Envelope {
    prefix: Box<[u8]>,
    /// `None`: the envelope says `"schema":null`.
    plan: Option<Arc<DecodePlan>>,
}

impl Envelope {
    pub(super) const fn prefix_len(&self) -> usize {
        self.prefix.len()
    }

    pub(super) fn plan(&self) -> Option<&DecodePlan> {
        self.plan.as_deref()
    }
}

impl Envelopes {
    pub(super) fn new(schemas: usize) -> Self {
        Self {
            fronts: Vec::new(),
            plans: SchemaCache::new(schemas),
        }
    }

    /// The envelope that the document begins with, if it is known.
    #[inline]
    pub(super) fn recall(&mut self, document: &[u8]) -> Option<&Envelope> {
        if !self.fronts.first()?.is_front_of(document) {
            let found = self
                .fronts
                .iter()
                .position(|front| front.is_front_of(document))?;
            self.fronts[..=found].rotate_right(1);
        }
        self.fronts.first()
    }

    /// The plan of a schema. Equal schemas share it, and its schema handle, so that whoever comes later compares by
    /// identity.
    pub(super) fn plan(&mut self, schema: &Schema, defaults: bool) -> Arc<DecodePlan> {
        let plan = self
            .plans
            .get_or_compile(schema, |schema| DecodePlan::compile(schema, defaults));
        Arc::clone(plan)
    }

    /// Remembers the front of a valid envelope with the plan of its schema.
    pub(super) fn learn(&mut self, document: &[u8], plan: Option<&Arc<DecodePlan>>) {
        let Some(front) = tree::envelope_front(document) else {
            return;
        };
        if front > FRONT_BYTES_MAX {
            return;
        }
        if self.fronts.len() >= FRONTS_MAX {
            self.fronts.pop();
        }
        self.fronts.insert(
            0,
            Envelope {
                prefix: document[..front].into(),
                plan: plan.cloned(),
            },
        );
    }
}

impl Envelope {
    #[inline]
    fn is_front_of(&self, document: &[u8]) -> bool {
        document.starts_with(&self.prefix)
    }
}
