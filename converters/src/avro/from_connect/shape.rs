//! One name for two types: Avro's library prints the first and calls the second by its name, so that a reader takes the
//! bytes of the second for values of the first.

use std::collections::{HashMap, HashSet};

use super::super::{AvroSchema, Kind as Avro, Name, TypeId};

/// The first name under which the schema holds types whose values are written differently. Attributes do not count: they
/// do not change a byte.
pub(super) fn redefined(schema: &AvroSchema) -> Option<&Name> {
    let mut first: HashMap<&Name, TypeId> = HashMap::new();
    let mut equal = Equality {
        schema,
        seen: HashSet::new(),
    };
    let mut open = vec![schema.root()];
    let mut visited = HashSet::new();
    while let Some(id) = open.pop() {
        if !visited.insert(id) {
            continue;
        }
        let kind = &schema.get(id).kind;
        if let Some(name) = kind.name()
            && let Some(known) = first.insert(name, id)
            && !equal.types(known, id)
        {
            return Some(name);
        }
        open.extend(kind.children());
    }
    None
}

struct Equality<'s> {
    schema: &'s AvroSchema,
    seen: HashSet<(TypeId, TypeId)>,
}

impl Equality<'_> {
    fn types(&mut self, a: TypeId, b: TypeId) -> bool {
        if a == b || !self.seen.insert((a, b)) {
            return true;
        }
        let (left, right) = (&self.schema.get(a).kind, &self.schema.get(b).kind);
        let own = match (left, right) {
            (Avro::Record(left), Avro::Record(right)) => {
                let names = |record: &super::Record| {
                    record
                        .fields
                        .iter()
                        .map(|field| field.name.clone())
                        .collect::<Vec<_>>()
                };
                left.name == right.name && names(left) == names(right)
            }
            (Avro::Enum(left), Avro::Enum(right)) => {
                left.name == right.name && left.symbols == right.symbols
            }
            (Avro::Fixed(left), Avro::Fixed(right)) => {
                left.name == right.name && left.size == right.size
            }
            (left, right) => std::mem::discriminant(left) == std::mem::discriminant(right),
        };
        let (left, right): (Vec<_>, Vec<_>) =
            (left.children().collect(), right.children().collect());
        own && left.len() == right.len()
            && left
                .into_iter()
                .zip(right)
                .all(|(left, right)| self.types(left, right))
    }
}
