//! Plans: what a schema means for a format, worked out once.
//!
//! A plan is immutable data: nodes in one vector, addressed by [`NodeId`], so recursion is an index and a plan can be
//! printed, compared and tested without bytes. Running it looks at no schema, no name and no setting.

mod cache;
mod heaps;
mod text_heap;
pub(crate) mod varint;

pub(crate) use cache::SchemaCache;
pub(crate) use heaps::{Heaps, KEPT_BYTES_MAX, KEPT_SLOTS_MAX};
pub(crate) use text_heap::TextHeap;

/// A node of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct NodeId(u32);

/// The nodes of a plan. Children are added before their parents, but for what contains itself.
#[derive(Debug)]
pub(crate) struct Arena<N>(Vec<N>);

impl<N> Default for Arena<N> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<N> Arena<N> {
    pub(crate) fn add(&mut self, node: N) -> NodeId {
        // A plan has as many nodes as its schema, which lies in memory: far below 2^32.
        let id = NodeId(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.push(node);
        id
    }

    /// Puts a node at the place of one that stood in for it: the way to a node that contains itself.
    pub(crate) fn set(&mut self, id: NodeId, node: N) {
        if let Some(place) = self.0.get_mut(id.0 as usize) {
            *place = node;
        }
    }

    #[inline]
    pub(crate) fn get(&self, id: NodeId) -> &N {
        &self.0[id.0 as usize]
    }
}
