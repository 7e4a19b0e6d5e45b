use std::fmt;

use async_trait::async_trait;

use crate::error::Error;
use crate::time::Span;

/// Key bytes, and value bytes or null: null forgets the source partition.
pub(super) type RawEntry = (Vec<u8>, Option<Vec<u8>>);

/// Where source offsets are durable. One task of the store owns it, so calls come one after the other.
#[async_trait]
pub(super) trait OffsetBacking: Send + fmt::Debug {
    /// Makes entries durable, all or none of them as far as a later start can see.
    ///
    /// # Errors
    /// They may or may not be durable; writing them again does no harm.
    async fn write(&mut self, entries: &[RawEntry], within: Span) -> Result<(), Error>;

    /// Lets go of everything.
    async fn close(self: Box<Self>);
}
