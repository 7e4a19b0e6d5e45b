//! Whether a reader's schema allows all that a writer's schema allows, and if not, why.
//!
//! Two schemas are walked together, kind by kind. The rules, the order of what they find and its places are those of a Confluent
//! registry, as far as it was recorded. Where it was not, what refuses documents that were good is a difference. Not compared, as
//! in the registry: `patternProperties` among themselves, `propertyNames`, `contains`, `format`, `if`/`then`/`else`,
//! `unevaluated…`, and whether a kind without a `type` lets other values pass.
//!
//! A content model is what an object says about properties that it does not name. An open one allows them; so a property that is
//! added is one that was there with any value before. A closed one refuses them, so a property cannot go. A partially open one has
//! a schema for them, and a property that comes or goes is compared with that.
//!
//! Schemas may contain themselves. A pair inside of itself holds if the outer one does, and what is known of a pair is
//! remembered; so a comparison is bounded by the number of pairs, and that by [`JSON_SCHEMA_STEPS_MAX`].
//!
//! Source: recorded answers of a registry; JSON Schema draft 7.

mod arrays;
mod combined;
mod difference;
mod models;
mod number;
mod objects;
mod scalars;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use ferroconnect_registry_client::format::CompatibilityPolicy;

use super::schema::{JsonSchema, Kind, SchemaId};
use crate::error::{Error, json_schema_read};
use crate::limits::{
    JSON_SCHEMA_DIFFERENCES_MAX, JSON_SCHEMA_PAIR_DEPTH_MAX, JSON_SCHEMA_STEPS_MAX,
};
pub(super) use difference::{DifferenceKind, JsonDifference};
use models::Patterns;

/// Why `reader` refuses documents that `writer` allows; nothing if it does not. At most [`JSON_SCHEMA_DIFFERENCES_MAX`] reasons
/// are given.
///
/// # Errors
/// Data fault: the comparison takes more steps, or goes deeper, than the limits allow.
pub(super) fn differences(
    reader: &JsonSchema,
    writer: &JsonSchema,
    policy: CompatibilityPolicy,
) -> Result<Vec<JsonDifference>, Error> {
    let mut comparison = Comparison {
        schemas: [writer, reader],
        policy,
        found: Vec::new(),
        place: Vec::new(),
        walked: HashSet::new(),
        trials: 0,
        failed: false,
        known: HashMap::new(),
        tried: HashMap::new(),
        relied: usize::MAX,
        depth: 0,
        steps: 0,
        patterns: Patterns::default(),
        targets: RefCell::default(),
    };
    let at = |side: usize, schema: &JsonSchema| At {
        side,
        id: schema.root(),
        copied: false,
    };
    comparison.pair(at(0, writer), at(1, reader))?;
    Ok(comparison.found)
}

/// A schema of one of the sides: a place in [`Comparison::schemas`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct At {
    side: usize,
    id: SchemaId,
    /// Whether a reference led here. The registry's parser reads what a reference means once more, so that a text that refers to
    /// its root is walked once as itself and once behind the reference.
    copied: bool,
}

impl At {
    /// A schema inside of this one.
    const fn inner(self, id: SchemaId) -> Self {
        Self { id, ..self }
    }
}

/// A kind together with where it is.
type Seen<'a, T> = (&'a T, At);

/// What a pair is known by where copies make no difference. One side tells the other.
type Pair = (usize, SchemaId, SchemaId);

#[derive(Clone, Copy)]
enum Step<'a> {
    Word(&'static str),
    Name(&'a str),
    Index(usize),
}

/// A walk over two schemas. It notes differences with their places; or it only tries whether there are any, and ends at the first.
struct Comparison<'a> {
    schemas: [&'a JsonSchema; 2],
    policy: CompatibilityPolicy,
    found: Vec<JsonDifference>,
    /// The steps behind `#/`.
    place: Vec<Step<'a>>,
    /// Pairs with a reference that are being walked.
    walked: HashSet<(At, At)>,
    /// How many trials are open, each inside the one before.
    trials: usize,
    /// Whether the innermost trial has found a difference.
    failed: bool,
    /// Whether pairs fit, where that is settled.
    known: HashMap<Pair, bool>,
    /// Pairs that are being tried, with the depth at which they are. They count as fitting.
    tried: HashMap<Pair, usize>,
    /// The smallest depth of a pair that was taken for fitting while it was being tried.
    relied: usize,
    depth: usize,
    steps: usize,
    patterns: Patterns<'a>,
    /// What references lead to, by side.
    targets: RefCell<HashMap<(usize, SchemaId), Option<SchemaId>>>,
}

static EMPTY: Kind = Kind::Empty;

impl<'a> Comparison<'a> {
    /// What a schema is, behind its references. What refers to nothing but itself says nothing.
    fn resolved(&self, at: At) -> Seen<'a, Kind> {
        let schema = self.schemas[at.side];
        match self.target(at) {
            Some(id) if id == at.id => (&schema.node(id).kind, at),
            Some(id) => {
                let copied = true;
                (&schema.node(id).kind, At { id, copied, ..at })
            }
            None => (&EMPTY, at),
        }
    }

    /// The end of a chain of references. Each is followed once: a text may have chains as long as itself.
    fn target(&self, at: At) -> Option<SchemaId> {
        let mut targets = self.targets.borrow_mut();
        let (mut chain, mut id) = (Vec::new(), at.id);
        let end = loop {
            let Kind::Reference { target } = &self.schemas[at.side].node(id).kind else {
                break Some(id);
            };
            if let Some(known) = targets.get(&(at.side, id)) {
                break *known;
            }
            // A chain that comes back here ends nowhere.
            targets.insert((at.side, id), None);
            chain.push(id);
            id = *target;
        };
        for id in chain {
            targets.insert((at.side, id), end);
        }
        end
    }

    fn is_reference(&self, at: At) -> bool {
        let kind = &self.schemas[at.side].node(at.id).kind;
        matches!(kind, Kind::Reference { .. })
    }

    /// Notes why the reader refuses what the writer allows; in a trial, whether.
    fn pair(&mut self, writer: At, reader: At) -> Result<(), Error> {
        if self.is_done() {
            return Ok(());
        }
        if self.fits(writer, reader)? {
            return Ok(());
        }
        if self.trials > 0 {
            self.failed = true;
            return Ok(());
        }
        let key = (writer, reader);
        let refers = self.is_reference(writer) || self.is_reference(reader);
        if refers && !self.walked.insert(key) {
            return Ok(());
        }
        self.enter()?;
        self.kinds(writer, reader)?;
        self.depth -= 1;
        if refers {
            self.walked.remove(&key);
        }
        Ok(())
    }

    /// A pair one step further down.
    fn pair_at(&mut self, steps: &[Step<'a>], writer: At, reader: At) -> Result<(), Error> {
        let above = self.place.len();
        self.place.extend_from_slice(steps);
        self.pair(writer, reader)?;
        self.place.truncate(above);
        Ok(())
    }

    /// Whether the reader allows all that the writer allows.
    fn fits(&mut self, writer: At, reader: At) -> Result<bool, Error> {
        self.spend(1)?;
        let end = |at: At| self.target(at).unwrap_or(at.id);
        let pair = (writer.side, end(writer), end(reader));
        if let Some(fits) = self.known.get(&pair) {
            return Ok(*fits);
        }
        if let Some(depth) = self.tried.get(&pair) {
            self.relied = self.relied.min(*depth);
            return Ok(true);
        }
        let own_depth = self.depth;
        self.enter()?;
        self.tried.insert(pair, own_depth);
        let outer_failed = std::mem::replace(&mut self.failed, false);
        let outer_relied = std::mem::replace(&mut self.relied, usize::MAX);
        self.trials += 1;
        self.kinds(writer, reader)?;
        self.trials -= 1;
        self.tried.remove(&pair);
        self.depth = own_depth;
        let fits = !std::mem::replace(&mut self.failed, outer_failed);
        // That a pair does not fit holds for good: nothing is taken for fitting that is not. That it fits holds only if no pair
        // around it was taken for fitting.
        let is_settled = !fits || self.relied >= own_depth;
        if is_settled {
            self.known.insert(pair, fits);
            self.relied = usize::MAX;
        }
        self.relied = self.relied.min(outer_relied);
        Ok(fits)
    }

    fn kinds(&mut self, writer: At, reader: At) -> Result<(), Error> {
        let ((from, writer), (to, reader)) = (self.resolved(writer), self.resolved(reader));
        match (from, to) {
            (_, Kind::Empty | Kind::True) | (Kind::False, _) => {}
            (Kind::Combined(from), Kind::Combined(to)) => {
                self.combined((from, writer), (to, reader))?;
            }
            (_, Kind::Combined(to)) => self.one_then_several(writer, (to, reader))?,
            (Kind::Combined(from), _) => self.several_then_one((from, writer), reader)?,
            (Kind::Null, Kind::Null)
            | (Kind::Boolean, Kind::Boolean)
            | (Kind::Conditional, Kind::Conditional) => {}
            (Kind::String(from), Kind::String(to)) => self.strings(from, to),
            (Kind::Number(from), Kind::Number(to)) => self.numbers(from, to),
            (Kind::Enum(from), Kind::Enum(to)) => self.enums(from, to)?,
            (Kind::Const(from), Kind::Const(to)) => self.constants(from, to)?,
            (Kind::Array(from), Kind::Array(to)) => self.arrays((from, writer), (to, reader))?,
            (Kind::Object(from), Kind::Object(to)) => self.objects((from, writer), (to, reader))?,
            (Kind::Not(from), Kind::Not(to)) => {
                // What the writer refuses, the reader may refuse.
                if !self.fits(reader.inner(*to), writer.inner(*from))? {
                    self.add_at(&[Step::Word("not")], DifferenceKind::NotTypeExtended);
                }
            }
            (_, _) => self.add(DifferenceKind::TypeChanged),
        }
        Ok(())
    }

    fn add_at(&mut self, steps: &[Step<'a>], kind: DifferenceKind) {
        let above = self.place.len();
        self.place.extend_from_slice(steps);
        self.add(kind);
        self.place.truncate(above);
    }

    fn add(&mut self, kind: DifferenceKind) {
        if self.policy == CompatibilityPolicy::Lenient && kind.is_lenient() {
            return;
        }
        if self.trials > 0 {
            self.failed = true;
        } else if self.found.len() < JSON_SCHEMA_DIFFERENCES_MAX {
            let path = self.path();
            self.found.push(JsonDifference { kind, path });
        }
    }

    fn path(&self) -> String {
        let mut path = String::from("#");
        for step in &self.place {
            // Writing into a String cannot fail.
            let _ = match step {
                Step::Word(word) => write!(path, "/{word}"),
                Step::Name(name) => write!(path, "/{name}"),
                Step::Index(index) => write!(path, "/{index}"),
            };
        }
        if self.place.is_empty() {
            path.push('/');
        }
        path
    }

    /// Whether nothing more need be found.
    fn is_done(&self) -> bool {
        if self.trials > 0 {
            self.failed
        } else {
            self.found.len() >= JSON_SCHEMA_DIFFERENCES_MAX
        }
    }

    fn enter(&mut self) -> Result<(), Error> {
        if self.depth >= JSON_SCHEMA_PAIR_DEPTH_MAX {
            return Err(json_schema_read::Kind::SchemaTooDeep.into());
        }
        self.depth += 1;
        Ok(())
    }

    fn spend(&mut self, steps: usize) -> Result<(), Error> {
        self.steps += steps;
        if self.steps > JSON_SCHEMA_STEPS_MAX {
            return Err(json_schema_read::Kind::SchemaTooLarge {
                what: "steps of comparison",
                limit: JSON_SCHEMA_STEPS_MAX,
            }
            .into());
        }
        Ok(())
    }
}
