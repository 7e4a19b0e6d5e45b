//! Schemaless data: the record `io.confluent.connect.avro.Anything`, which says in each value what it is.

use super::read::Reader;
use crate::data::record::Slot;
use crate::error::{Error, avro_read::Kind};

use super::plan::{Items, Node, Place};

/// Fields of the record whose values have no parts, in order.
const LEAVES: [Node; 7] = [
    Node::Boolean,
    Node::Bytes,
    Node::Float64,
    Node::Float32,
    Node::Int32,
    Node::Int64,
    Node::Text,
];

/// Each of nine optional fields takes a byte.
const BYTES_MIN: usize = 9;

impl Reader<'_> {
    /// Reads a record of this kind: the first field that is set is the value. Without one the value is null.
    pub(super) fn anything(&mut self) -> Result<Slot, Error> {
        let mut found = Slot::Null;
        let mut keep = |slot: Slot| {
            if matches!(found, Slot::Null) {
                found = slot;
            }
        };
        for leaf in LEAVES {
            if self.is_set()? {
                keep(self.value(Place::of(leaf))?);
            }
        }
        if self.is_set()? {
            self.deeper()?;
            keep(self.any_array()?);
            self.depth -= 1;
        }
        if self.is_set()? {
            self.deeper()?;
            keep(self.any_map()?);
            self.depth -= 1;
        }
        Ok(found)
    }

    fn any_array(&mut self) -> Result<Slot, Error> {
        let base = self.scratch.stack.len();
        self.anythings(1, |reader| {
            let slot = reader.anything()?;
            reader.scratch.stack.push(slot);
            Ok(())
        })?;
        let (at, len) = self.settle(base);
        Ok(Slot::Array { at, len })
    }

    fn any_map(&mut self) -> Result<Slot, Error> {
        let base = self.scratch.stack.len();
        let entries = self.anythings(2, |reader| {
            let key = reader.anything()?;
            let value = reader.anything()?;
            reader.scratch.stack.extend([key, value]);
            Ok(())
        })?;
        self.order_entries(base, entries, None);
        let (at, len) = self.settle(base);
        Ok(Slot::Map { at, len })
    }

    fn is_set(&mut self) -> Result<bool, Error> {
        let (second, next) = self.second_branch(self.at)?;
        self.at = next;
        Ok(second)
    }

    /// Reads blocks of items, each of so many records; gives how many items there were.
    fn anythings(
        &mut self,
        records: usize,
        mut read: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        let items = Items {
            place: Place::of(Node::Nothing),
            bytes_min: records * BYTES_MIN,
            entry: None,
        };
        let mut number = 0;
        while let Some(count) = self.block(&items, "items")? {
            for _ in 0..count {
                read(self).map_err(|error| error.in_element(number))?;
                number += 1;
            }
        }
        Ok(number)
    }

    /// An error unless all bytes were read.
    pub(super) fn end(&self) -> Result<(), Error> {
        let left = self.bytes.len() - self.at;
        if left > 0 {
            return Err(self.here(Kind::Trailing { left }, self.at));
        }
        Ok(())
    }
}
