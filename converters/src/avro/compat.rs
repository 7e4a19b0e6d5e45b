//! Whether a reader's schema understands what a writer's schema wrote, and if not, why.
//!
//! The rules, their order and the places they name are those of `SchemaCompatibility` in Avro's Java library 1.12, which
//! a registry asks; some are stricter or laxer than reading itself (names are compared without namespaces; a union is
//! lacking a branch as a whole). A pair of types that is being compared counts as compatible where it comes again.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use super::model::{AvroSchema, Enum, Field, Fixed, Kind as Type, Name, Record, TypeId};
use super::print::too_deep;
use crate::error::{Error, avro_schema::Kind};
use crate::limits::{AVRO_DIFFERENCES_MAX, AVRO_PAIR_DEPTH_MAX, AVRO_PAIRS_MAX};

/// One reason why a schema does not understand what another one wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchemaDifference {
    /// What kind of reason it is.
    pub kind: DifferenceKind,
    /// Where, as a JSON pointer into the reader's schema: `/fields/0/type`; `/` is the root.
    pub path: String,
    /// More about it, in words that depend on the kind.
    pub detail: String,
}

/// Kinds of [`SchemaDifference`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DifferenceKind {
    /// Two named types with different names; the detail has the writer's.
    NameMismatch,
    /// Two fixed of different sizes.
    FixedSizeMismatch,
    /// The reader's enum lacks symbols of the writer's, and has no default.
    MissingEnumSymbols,
    /// A field that the writer does not write, without a default; the detail is its name.
    ReaderFieldMissingDefaultValue,
    /// Two types of which one cannot be read as the other.
    TypeMismatch,
    /// A union without a branch for a type that the writer writes.
    MissingUnionBranch,
    /// Several fields of the writer go by the names of one field of the reader; nothing else is compared then.
    AmbiguousField,
}

impl DifferenceKind {
    /// The registry's word for it; Java has none for the last one, which it throws.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NameMismatch => "NAME_MISMATCH",
            Self::FixedSizeMismatch => "FIXED_SIZE_MISMATCH",
            Self::MissingEnumSymbols => "MISSING_ENUM_SYMBOLS",
            Self::ReaderFieldMissingDefaultValue => "READER_FIELD_MISSING_DEFAULT_VALUE",
            Self::TypeMismatch => "TYPE_MISMATCH",
            Self::MissingUnionBranch => "MISSING_UNION_BRANCH",
            Self::AmbiguousField => "AMBIGUOUS_FIELD",
        }
    }
}

impl AvroSchema {
    /// Why values that `writer` wrote cannot be read with this schema; nothing if they can. At most
    /// [`AVRO_DIFFERENCES_MAX`] reasons are given.
    ///
    /// ```
    /// use ferroconnect_converters::avro::{AvroSchema, DifferenceKind};
    ///
    /// # fn main() -> Result<(), ferroconnect_converters::Error> {
    /// let (int, long) = (AvroSchema::parse("\"int\"")?, AvroSchema::parse("\"long\"")?);
    /// assert!(long.differences_from(&int)?.is_empty());
    /// assert_eq!(int.differences_from(&long)?[0].kind, DifferenceKind::TypeMismatch);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Data fault: the two schemas have more pairs of types, or deeper ones, than the limits allow.
    pub fn differences_from(&self, writer: &Self) -> Result<Vec<SchemaDifference>, Error> {
        let mut comparison = Comparison {
            reader: self,
            writer,
            known: HashMap::new(),
            results: Vec::new(),
            found: Vec::new(),
            depth: 0,
        };
        let mut place = Place::default();
        match comparison.pair(self.root(), writer.root(), &mut place) {
            Ok(Some(root)) => Ok(comparison.expand(root)),
            Ok(None) => Ok(Vec::new()),
            Err(Stop::Ambiguous(difference)) => Ok(vec![*difference]),
            Err(Stop::Failed(error)) => Err(error),
        }
    }
}

/// Compares types pair by pair. What a pair gives is a list of differences and of other pairs, so that a pair which comes
/// up many times is neither compared nor stored again.
struct Comparison<'a> {
    reader: &'a AvroSchema,
    writer: &'a AvroSchema,
    /// The result of a pair; none while it is being compared.
    known: HashMap<(TypeId, TypeId), Option<usize>>,
    results: Vec<Vec<Item>>,
    found: Vec<SchemaDifference>,
    depth: usize,
}

#[derive(Clone, Copy)]
enum Item {
    /// A place in `found`.
    Difference(usize),
    /// A place in `results` that is not empty.
    Pair(usize),
}

/// Why a comparison ends early.
enum Stop {
    /// Java throws.
    Ambiguous(Box<SchemaDifference>),
    Failed(Error),
}

/// Where in the reader's schema the comparison is.
#[derive(Clone, Default)]
struct Place(Vec<Step>);

#[derive(Clone, Copy)]
enum Step {
    Word(&'static str),
    Index(usize),
}

impl Place {
    fn path(&self) -> String {
        let mut path = String::from("/");
        for (index, step) in self.0.iter().enumerate() {
            if index > 0 {
                path.push('/');
            }
            let _ = match step {
                Step::Word(word) => path.write_str(word),
                Step::Index(index) => write!(path, "{index}"),
            };
        }
        path
    }
}

impl<'a> Comparison<'a> {
    /// Compares a pair at a place and gives the place of its result, unless that is empty.
    fn pair(
        &mut self,
        reader: TypeId,
        writer: TypeId,
        place: &mut Place,
    ) -> Result<Option<usize>, Stop> {
        if let Some(known) = self.known.get(&(reader, writer)) {
            return Ok(known.filter(|result| !self.results[*result].is_empty()));
        }
        if self.known.len() >= AVRO_PAIRS_MAX {
            let what = "it has more than 1,000,000 pairs of types to compare";
            return Err(Stop::Failed(Kind::TooMuch { what }.into()));
        }
        if self.depth >= AVRO_PAIR_DEPTH_MAX {
            return Err(Stop::Failed(too_deep()));
        }
        self.depth += 1;
        self.known.insert((reader, writer), None);
        let mut items = Vec::new();
        self.compare(reader, writer, place, &mut items)?;
        self.results.push(items);
        let result = self.results.len() - 1;
        self.known.insert((reader, writer), Some(result));
        self.depth -= 1;
        Ok(Some(result).filter(|result| !self.results[*result].is_empty()))
    }

    /// Compares a pair one step further down.
    fn at(
        &mut self,
        step: Step,
        (reader, writer): (TypeId, TypeId),
        place: &mut Place,
        items: &mut Vec<Item>,
    ) -> Result<(), Stop> {
        place.0.push(step);
        let result = self.pair(reader, writer, place)?;
        place.0.pop();
        items.extend(result.map(Item::Pair));
        Ok(())
    }

    fn compare(
        &mut self,
        reader: TypeId,
        writer: TypeId,
        place: &mut Place,
        items: &mut Vec<Item>,
    ) -> Result<(), Stop> {
        let (from, to) = (&self.writer.get(writer).kind, &self.reader.get(reader).kind);
        match (to, from) {
            (Type::Array(to), Type::Array(from)) => {
                self.at(Step::Word("items"), (*to, *from), place, items)
            }
            (Type::Map(to), Type::Map(from)) => {
                self.at(Step::Word("values"), (*to, *from), place, items)
            }
            (Type::Fixed(to), Type::Fixed(from)) => {
                self.fixed(to, from, place, items);
                Ok(())
            }
            (Type::Enum(to), Type::Enum(from)) => {
                self.enumeration(to, from, place, items);
                Ok(())
            }
            (Type::Record(to), Type::Record(from)) => {
                self.names((&to.name, &to.aliases), &from.name, place, items);
                self.fields(to, from, writer, place, items)
            }
            (Type::Union(_), Type::Union(branches)) => {
                for (index, branch) in branches.iter().enumerate() {
                    if self.pair(reader, *branch, &mut Place::default())?.is_some() {
                        place.0.push(Step::Index(index));
                        self.lacks(*branch, place, items);
                        place.0.pop();
                    }
                }
                Ok(())
            }
            (_, Type::Union(branches)) => {
                branches.iter().enumerate().try_for_each(|(i, branch)| {
                    self.at(Step::Index(i), (reader, *branch), place, items)
                })
            }
            (Type::Union(branches), _) => {
                for branch in branches {
                    if self.pair(*branch, writer, &mut Place::default())?.is_none() {
                        return Ok(());
                    }
                }
                self.lacks(writer, place, items);
                Ok(())
            }
            (to, from) => {
                if !is_read_as(to, from) {
                    let (to, from) = (java_word(to), java_word(from));
                    let detail =
                        format!("reader type: {to} not compatible with writer type: {from}");
                    self.add(DifferenceKind::TypeMismatch, detail, place, items);
                }
                Ok(())
            }
        }
    }

    fn lacks(&mut self, writer: TypeId, place: &Place, items: &mut Vec<Item>) {
        let word = java_word(&self.writer.get(writer).kind);
        let detail = format!("reader union lacking writer type: {word}");
        self.add(DifferenceKind::MissingUnionBranch, detail, place, items);
    }

    fn names(
        &mut self,
        (name, aliases): (&Name, &[Name]),
        from: &Name,
        place: &mut Place,
        items: &mut Vec<Item>,
    ) {
        if name.name == from.name || aliases.contains(from) {
            return;
        }
        place.0.push(Step::Word("name"));
        let detail = format!("expected: {from}");
        self.add(DifferenceKind::NameMismatch, detail, place, items);
        place.0.pop();
    }

    fn fixed(&mut self, to: &Fixed, from: &Fixed, place: &mut Place, items: &mut Vec<Item>) {
        self.names((&to.name, &to.aliases), &from.name, place, items);
        if to.size == from.size {
            return;
        }
        place.0.push(Step::Word("size"));
        let detail = format!("expected: {}, found: {}", from.size, to.size);
        self.add(DifferenceKind::FixedSizeMismatch, detail, place, items);
        place.0.pop();
    }

    fn enumeration(&mut self, to: &Enum, from: &Enum, place: &mut Place, items: &mut Vec<Item>) {
        self.names((&to.name, &to.aliases), &from.name, place, items);
        let known: HashSet<&str> = to.symbols.iter().map(|symbol| &**symbol).collect();
        let missing: BTreeSet<&str> = from
            .symbols
            .iter()
            .map(|symbol| &**symbol)
            .filter(|symbol| !known.contains(symbol))
            .collect();
        if missing.is_empty() || to.default.is_some() {
            return;
        }
        place.0.push(Step::Word("symbols"));
        let missing: Vec<&str> = missing.into_iter().collect();
        let detail = format!("[{}]", missing.join(", "));
        self.add(DifferenceKind::MissingEnumSymbols, detail, place, items);
        place.0.pop();
    }

    /// The writer's type is told beside its record: a missing field of an enum with a default is compared with that.
    fn fields(
        &mut self,
        to: &'a Record,
        from: &'a Record,
        writer: TypeId,
        place: &mut Place,
        items: &mut Vec<Item>,
    ) -> Result<(), Stop> {
        let known: HashMap<&str, &Field> = from.fields.iter().map(|f| (&*f.name, f)).collect();
        place.0.push(Step::Word("fields"));
        for (index, field) in to.fields.iter().enumerate() {
            place.0.push(Step::Index(index));
            let names = std::iter::once(&field.name).chain(&field.aliases);
            let mut matches = names.filter_map(|name| known.get(&**name));
            match (matches.next(), matches.next()) {
                (Some(_), Some(_)) => {
                    let stop = ambiguous(self.reader, field, index, (self.writer, writer));
                    return Err(stop);
                }
                (Some(known), None) => {
                    let pair = (field.schema, known.schema);
                    self.at(Step::Word("type"), pair, place, items)?;
                }
                (None, _) if field.default.is_some() => {}
                (None, _) => {
                    let kind = &self.reader.get(field.schema).kind;
                    if matches!(
                        kind,
                        Type::Enum(Enum {
                            default: Some(_),
                            ..
                        })
                    ) {
                        self.at(Step::Word("type"), (field.schema, writer), place, items)?;
                    } else {
                        let kind = DifferenceKind::ReaderFieldMissingDefaultValue;
                        self.add(kind, field.name.to_string(), place, items);
                    }
                }
            }
            place.0.pop();
        }
        place.0.pop();
        Ok(())
    }

    fn add(&mut self, kind: DifferenceKind, detail: String, place: &Place, items: &mut Vec<Item>) {
        items.push(Item::Difference(self.found.len()));
        self.found.push(SchemaDifference {
            kind,
            path: place.path(),
            detail,
        });
    }

    /// All differences below a result, in order, as often as they come up.
    fn expand(&self, root: usize) -> Vec<SchemaDifference> {
        let mut differences = Vec::new();
        let mut open = vec![self.results[root].iter()];
        while let Some(items) = open.last_mut() {
            match items.next() {
                None => {
                    open.pop();
                }
                Some(Item::Pair(result)) => open.push(self.results[*result].iter()),
                Some(Item::Difference(index)) => {
                    if differences.len() == AVRO_DIFFERENCES_MAX {
                        break;
                    }
                    differences.push(self.found[*index].clone());
                }
            }
        }
        differences
    }
}

/// Whether values of one type are read as another one that is no container and no named type.
fn is_read_as(to: &Type, from: &Type) -> bool {
    to.word() == from.word()
        || matches!(
            (to, from),
            (Type::Long, Type::Int)
                | (Type::Float, Type::Int | Type::Long)
                | (Type::Double, Type::Int | Type::Long | Type::Float)
                | (Type::Bytes, Type::String)
                | (Type::String, Type::Bytes)
        )
}

fn java_word(kind: &Type) -> String {
    kind.word().to_ascii_uppercase()
}

fn ambiguous(
    reader: &AvroSchema,
    field: &Field,
    index: usize,
    (schema, writer): (&AvroSchema, TypeId),
) -> Stop {
    let word = java_word(&reader.get(field.schema).kind);
    let text = match schema.text_of(writer) {
        Ok(text) => text,
        Err(error) => return Stop::Failed(error),
    };
    Stop::Ambiguous(Box::new(SchemaDifference {
        kind: DifferenceKind::AmbiguousField,
        path: String::from("/"),
        detail: format!(
            "Reader record field {} type:{word} pos:{index} matches multiple fields in writer record schema {text}",
            field.name
        ),
    }))
}
