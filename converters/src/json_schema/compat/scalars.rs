//! Strings, numbers, enums and constants.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::number::{Multiple, multiple, number};
use super::{Comparison, DifferenceKind, Step};
use crate::error::Error;
use crate::json_schema::schema::{NumberRules, StringRules};
use crate::json_text::Document;

/// A keyword that bounds something.
pub(super) struct Bounds {
    pub(super) keyword: &'static str,
    pub(super) bound: Bound,
    pub(super) added: DifferenceKind,
    pub(super) tightened: DifferenceKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Lower,
    Upper,
}

impl<'a> Comparison<'a> {
    pub(super) fn bounds<T: Ord>(&mut self, (from, to): (Option<T>, Option<T>), bounds: &Bounds) {
        let tighter = match bounds.bound {
            Bound::Lower => Ordering::Greater,
            Bound::Upper => Ordering::Less,
        };
        let kind = match (from, to) {
            (None, Some(_)) => bounds.added,
            (Some(from), Some(to)) if to.cmp(&from) == tighter => bounds.tightened,
            (Some(_), Some(_)) | (_, None) => return,
        };
        self.add_at(&[Step::Word(bounds.keyword)], kind);
    }

    pub(super) fn strings(&mut self, from: &'a StringRules, to: &'a StringRules) {
        self.bounds((from.max_length, to.max_length), &MAX_LENGTH);
        self.bounds((from.min_length, to.min_length), &MIN_LENGTH);
        let kind = match (&from.pattern, &to.pattern) {
            (None, Some(_)) => DifferenceKind::PatternAdded,
            (Some(from), Some(to)) if from != to => DifferenceKind::PatternChanged,
            (Some(_), Some(_)) | (_, None) => return,
        };
        self.add_at(&[Step::Word("pattern")], kind);
    }

    pub(super) fn numbers(&mut self, from: &'a NumberRules, to: &'a NumberRules) {
        let both = |from: &Option<Box<str>>, to: &Option<Box<str>>| {
            (from.as_deref().map(number), to.as_deref().map(number))
        };
        self.bounds(both(&from.maximum, &to.maximum), &MAXIMUM);
        self.bounds(both(&from.minimum, &to.minimum), &MINIMUM);
        let upper = both(&from.exclusive_maximum, &to.exclusive_maximum);
        self.bounds(upper, &EXCLUSIVE_MAXIMUM);
        let lower = both(&from.exclusive_minimum, &to.exclusive_minimum);
        self.bounds(lower, &EXCLUSIVE_MINIMUM);
        for (from, to, bounds) in [
            (
                from.maximum_is_exclusive,
                to.maximum_is_exclusive,
                &EXCLUSIVE_MAXIMUM,
            ),
            (
                from.minimum_is_exclusive,
                to.minimum_is_exclusive,
                &EXCLUSIVE_MINIMUM,
            ),
        ] {
            if to && !from {
                self.add_at(&[Step::Word(bounds.keyword)], bounds.added);
            }
        }
        let kind = match both(&from.multiple_of, &to.multiple_of) {
            (None, Some(_)) => Some(DifferenceKind::MultipleOfAdded),
            (Some(from), Some(to)) => match multiple(&from, &to) {
                Multiple::Reduced => None,
                Multiple::Expanded => Some(DifferenceKind::MultipleOfExpanded),
                Multiple::Neither => Some(DifferenceKind::MultipleOfChanged),
            },
            (_, None) => None,
        };
        if let Some(kind) = kind {
            self.add_at(&[Step::Word("multipleOf")], kind);
        }
        if to.integer && !from.integer {
            self.add(DifferenceKind::TypeNarrowed);
        }
    }

    pub(super) fn enums(&mut self, from: &'a [Document], to: &'a [Document]) -> Result<(), Error> {
        let (from, to) = (self.values(from)?, self.values(to)?);
        if from.is_subset(&to) {
            return Ok(());
        }
        let kind = if to.is_subset(&from) {
            DifferenceKind::EnumArrayNarrowed
        } else {
            DifferenceKind::EnumArrayChanged
        };
        self.add_at(&[Step::Word("enum")], kind);
        Ok(())
    }

    pub(super) fn constants(&mut self, from: &'a Document, to: &'a Document) -> Result<(), Error> {
        let (from, to) = (canonical(from), canonical(to));
        self.spend((from.len() + to.len()) / BYTES_PER_STEP)?;
        if from != to {
            let place = [Step::Word("const")];
            self.add_at(&place, DifferenceKind::EnumArrayChanged);
        }
        Ok(())
    }

    fn values(&mut self, documents: &[Document]) -> Result<HashSet<String>, Error> {
        let texts: Vec<String> = documents.iter().map(canonical).collect();
        let bytes: usize = texts.iter().map(String::len).sum();
        self.spend(bytes / BYTES_PER_STEP)?;
        Ok(texts.into_iter().collect())
    }
}

/// A text that equal values have in common: members sorted, numbers by value.
fn canonical(document: &Document) -> String {
    let mut out = String::new();
    write_canonical(document, &mut out);
    out
}

/// How many bytes of a value count for one step of the comparison.
const BYTES_PER_STEP: usize = 64;

/// Recurses as deep as a text may nest.
fn write_canonical(document: &Document, out: &mut String) {
    match document {
        Document::Null => out.push_str("null"),
        Document::Boolean(true) => out.push_str("true"),
        Document::Boolean(false) => out.push_str("false"),
        Document::Number { text, .. } => out.push_str(&number(text).to_text()),
        Document::Text(text) => crate::json_text::write_text(text, out),
        Document::Array(values) => {
            out.push('[');
            for value in values {
                write_canonical(value, out);
                out.push(',');
            }
            out.push(']');
        }
        Document::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            out.push('{');
            for (name, value) in members {
                crate::json_text::write_text(name, out);
                out.push(':');
                write_canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
    }
}

const MAX_LENGTH: Bounds = Bounds {
    keyword: "maxLength",
    bound: Bound::Upper,
    added: DifferenceKind::MaxLengthAdded,
    tightened: DifferenceKind::MaxLengthDecreased,
};

const MIN_LENGTH: Bounds = Bounds {
    keyword: "minLength",
    bound: Bound::Lower,
    added: DifferenceKind::MinLengthAdded,
    tightened: DifferenceKind::MinLengthIncreased,
};

const MAXIMUM: Bounds = Bounds {
    keyword: "maximum",
    bound: Bound::Upper,
    added: DifferenceKind::MaximumAdded,
    tightened: DifferenceKind::MaximumDecreased,
};

const MINIMUM: Bounds = Bounds {
    keyword: "minimum",
    bound: Bound::Lower,
    added: DifferenceKind::MinimumAdded,
    tightened: DifferenceKind::MinimumIncreased,
};

const EXCLUSIVE_MAXIMUM: Bounds = Bounds {
    keyword: "exclusiveMaximum",
    bound: Bound::Upper,
    added: DifferenceKind::ExclusiveMaximumAdded,
    tightened: DifferenceKind::ExclusiveMaximumDecreased,
};

const EXCLUSIVE_MINIMUM: Bounds = Bounds {
    keyword: "exclusiveMinimum",
    bound: Bound::Lower,
    added: DifferenceKind::ExclusiveMinimumAdded,
    tightened: DifferenceKind::ExclusiveMinimumIncreased,
};
