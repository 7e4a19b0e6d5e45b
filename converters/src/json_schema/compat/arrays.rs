//! Arrays: one schema for all items, a schema for each, other items, counts.

use super::models::{Model, item_model};
use super::objects::Additional;
use super::scalars::{Bound, Bounds};
use super::{At, Comparison, DifferenceKind, Seen, Step};
use crate::error::Error;
use crate::json_schema::schema::ArrayRules;

impl<'a> Comparison<'a> {
    pub(super) fn arrays(
        &mut self,
        writer: Seen<'a, ArrayRules>,
        reader: Seen<'a, ArrayRules>,
    ) -> Result<(), Error> {
        let ((from, writer_at), (to, reader_at)) = (writer, reader);
        match (from.all_items, to.all_items) {
            (Some(from), Some(to)) => {
                let (from, to) = (writer_at.inner(from), reader_at.inner(to));
                self.pair_at(&[Step::Word("items")], from, to)?;
            }
            (None, Some(to)) if !self.is_anything(reader_at.inner(to)) => {
                self.add_at(&[Step::Word("items")], DifferenceKind::SchemaAdded);
            }
            (Some(_) | None, None) | (None, Some(_)) => {}
        }
        self.tuples(writer, reader)?;
        self.additional_items(writer, reader)?;
        self.bounds((from.max_items, to.max_items), &MAX_ITEMS);
        self.bounds((from.min_items, to.min_items), &MIN_ITEMS);
        if to.unique_items && !from.unique_items {
            let place = [Step::Word("uniqueItems")];
            self.add_at(&place, DifferenceKind::UniqueItemsAdded);
        }
        Ok(())
    }

    fn tuples(
        &mut self,
        writer: Seen<'a, ArrayRules>,
        reader: Seen<'a, ArrayRules>,
    ) -> Result<(), Error> {
        let from = writer.0.tuple.as_deref().unwrap_or_default();
        let to = reader.0.tuple.as_deref().unwrap_or_default();
        for index in 0..from.len().max(to.len()) {
            if self.is_done() {
                break;
            }
            let above = self.place.len();
            self.place.extend([Step::Word("items"), Step::Index(index)]);
            let from = from.get(index).map(|id| writer.1.inner(*id));
            let to = to.get(index).map(|id| reader.1.inner(*id));
            match (from, to) {
                (Some(from), Some(to)) => self.pair(from, to)?,
                (Some(schema), None) => self.item_removed(schema, reader)?,
                (None, Some(schema)) => self.item_added(schema, writer)?,
                (None, None) => {}
            }
            self.place.truncate(above);
        }
        Ok(())
    }

    fn item_added(&mut self, schema: At, writer: Seen<'a, ArrayRules>) -> Result<(), Error> {
        match item_model(writer) {
            Model::Open if self.is_anything(schema) => {}
            Model::Open => self.add(DifferenceKind::ItemAddedToOpen),
            Model::Closed => {}
            Model::Partial(covering) => {
                for one in covering {
                    let one = writer.1.inner(one);
                    if !self.fits(one, schema)? {
                        self.pair(one, schema)?;
                        self.add(DifferenceKind::ItemAddedNotCovered);
                    }
                }
            }
        }
        Ok(())
    }

    fn item_removed(&mut self, schema: At, reader: Seen<'a, ArrayRules>) -> Result<(), Error> {
        match item_model(reader) {
            Model::Open => {}
            Model::Closed if self.is_nothing(schema) => {}
            Model::Closed => self.add(DifferenceKind::ItemRemovedFromClosed),
            Model::Partial(covering) => {
                for one in covering {
                    let one = reader.1.inner(one);
                    if !self.fits(schema, one)? {
                        self.pair(schema, one)?;
                        self.add(DifferenceKind::ItemRemovedNotCovered);
                    }
                }
            }
        }
        Ok(())
    }

    fn additional_items(
        &mut self,
        writer: Seen<'a, ArrayRules>,
        reader: Seen<'a, ArrayRules>,
    ) -> Result<(), Error> {
        let side = |(rules, at): Seen<'a, ArrayRules>| Additional {
            permits: rules.permits_additional,
            schema: rules.additional_items.map(|schema| at.inner(schema)),
        };
        let kinds = (
            DifferenceKind::AdditionalItemsRemoved,
            DifferenceKind::AdditionalItemsNarrowed,
        );
        let place = [Step::Word("additionalItems")];
        self.additional(&place, (side(writer), side(reader)), kinds)
    }
}

const MAX_ITEMS: Bounds = Bounds {
    keyword: "maxItems",
    bound: Bound::Upper,
    added: DifferenceKind::MaxItemsAdded,
    tightened: DifferenceKind::MaxItemsDecreased,
};

const MIN_ITEMS: Bounds = Bounds {
    keyword: "minItems",
    bound: Bound::Lower,
    added: DifferenceKind::MinItemsAdded,
    tightened: DifferenceKind::MinItemsIncreased,
};
