//! `allOf`, `anyOf`, `oneOf`, and lists of types.

use std::collections::VecDeque;

use super::{At, Comparison, DifferenceKind, Seen};
use crate::error::Error;
use crate::json_schema::schema::{Combined, Criterion, SchemaId};

impl<'a> Comparison<'a> {
    /// One schema, then several: `allOf` needs all of them to allow what the writer allows, the others one.
    pub(super) fn one_then_several(
        &mut self,
        writer: At,
        (to, reader): Seen<'a, Combined>,
    ) -> Result<(), Error> {
        let needs_all = to.criterion == Criterion::AllOf;
        if !self.do_fit(&to.parts, needs_all, |part| (writer, reader.inner(part)))? {
            self.add(DifferenceKind::TypeChanged);
        }
        Ok(())
    }

    /// Several schemas, then one: of `allOf` each part bounds what was written, of the others one of them allowed it.
    pub(super) fn several_then_one(
        &mut self,
        (from, writer): Seen<'a, Combined>,
        reader: At,
    ) -> Result<(), Error> {
        let needs_all = from.criterion != Criterion::AllOf;
        if !self.do_fit(&from.parts, needs_all, |part| (writer.inner(part), reader))? {
            self.add(DifferenceKind::TypeChanged);
        }
        Ok(())
    }

    /// Whether all parts fit, or one.
    fn do_fit(
        &mut self,
        parts: &[SchemaId],
        needs_all: bool,
        pair: impl Fn(SchemaId) -> (At, At),
    ) -> Result<bool, Error> {
        for part in parts {
            let (writer, reader) = pair(*part);
            if self.fits(writer, reader)? != needs_all {
                return Ok(!needs_all);
            }
        }
        Ok(needs_all)
    }

    pub(super) fn combined(
        &mut self,
        writer: Seen<'a, Combined>,
        reader: Seen<'a, Combined>,
    ) -> Result<(), Error> {
        let ((from, writer_at), (to, reader_at)) = (writer, reader);
        if from.criterion != to.criterion {
            // One part is the same as no combination.
            if let [only] = from.parts[..] {
                return self.pair(writer_at.inner(only), reader_at);
            }
            if let [only] = to.parts[..] {
                return self.pair(writer_at, reader_at.inner(only));
            }
        }
        let does_fit = match (from.criterion, to.criterion) {
            (Criterion::AllOf, Criterion::AllOf) => {
                if to.parts.len() > from.parts.len() {
                    self.add(DifferenceKind::ProductTypeExtended);
                }
                return self.parts(writer, reader);
            }
            (Criterion::AnyOf | Criterion::OneOf, Criterion::AnyOf)
            | (Criterion::OneOf, Criterion::OneOf) => {
                if to.parts.len() < from.parts.len() {
                    self.add(DifferenceKind::SumTypeNarrowed);
                }
                return self.parts(writer, reader);
            }
            // What fits several parts is refused now.
            (Criterion::AnyOf, Criterion::OneOf) => false,
            (Criterion::AllOf, Criterion::AnyOf | Criterion::OneOf) => {
                self.do_fit(&from.parts, false, |part| {
                    (writer_at.inner(part), reader_at)
                })?
            }
            (Criterion::AnyOf | Criterion::OneOf, Criterion::AllOf) => {
                self.do_fit(&from.parts, true, |part| (writer_at.inner(part), reader_at))?
            }
        };
        if !does_fit {
            self.add(DifferenceKind::CombinedTypeChanged);
        }
        Ok(())
    }

    /// Of the side with fewer parts, each must have one of its own on the other side.
    fn parts(
        &mut self,
        (from, writer): Seen<'a, Combined>,
        (to, reader): Seen<'a, Combined>,
    ) -> Result<(), Error> {
        if self.is_done() {
            return Ok(());
        }
        let fewer = from.parts.len().min(to.parts.len());
        let matched = self.matched((&from.parts, writer), (&to.parts, reader))?;
        if matched < fewer {
            self.add(DifferenceKind::CombinedTypeSubschemasChanged);
        }
        Ok(())
    }

    /// The size of the largest matching of parts that fit, by augmenting paths. A part is tried first with the one that stands
    /// where it does: of schemas that are alike, nothing else is tried.
    fn matched(
        &mut self,
        (from, writer): (&[SchemaId], At),
        (to, reader): (&[SchemaId], At),
    ) -> Result<usize, Error> {
        let mut held_by: Vec<Option<usize>> = vec![None; to.len()];
        let mut holds: Vec<Option<usize>> = vec![None; from.len()];
        // In which round a part of the reader was reached, and from which part of the writer.
        let mut reached: Vec<(usize, usize)> = vec![(usize::MAX, 0); to.len()];
        let mut matched = 0;
        for round in 0..from.len() {
            let mut open = VecDeque::from([round]);
            let mut free = None;
            'search: while let Some(part) = open.pop_front() {
                for offset in 0..to.len() {
                    let other = (part + offset) % to.len();
                    self.spend(1)?;
                    let is_new = reached[other].0 != round;
                    if !is_new || !self.fits(writer.inner(from[part]), reader.inner(to[other]))? {
                        continue;
                    }
                    reached[other] = (round, part);
                    match held_by[other] {
                        None => {
                            free = Some(other);
                            break 'search;
                        }
                        Some(holder) => open.push_back(holder),
                    }
                }
            }
            matched += usize::from(free.is_some());
            // Each part on the way lets go of its own and takes the next one.
            while let Some(other) = free {
                let part = reached[other].1;
                held_by[other] = Some(part);
                free = holds[part].replace(other);
            }
        }
        Ok(matched)
    }
}
