//! `oneOf`, `anyOf` and lists of types as optional schemas and unions; `allOf` as the one schema that says most.

use super::{Conversion, Naming, Place, properties, structure, words};
use crate::data::{Schema, SchemaBuilder};
use crate::error::{Error, json_schema_read::Kind};
use crate::json_schema::names;
use crate::json_schema::schema::{Combined, Criterion, Kind as Json, Node, SchemaId};

impl Conversion<'_> {
    pub(super) fn combined(
        &mut self,
        node: &Node,
        combined: &Combined,
        place: Place,
    ) -> Result<Schema, Error> {
        match combined.criterion {
            Criterion::AllOf => self.all_of(combined, place),
            Criterion::AnyOf | Criterion::OneOf => self.union(node, combined, place),
        }
    }

    fn union(&mut self, node: &Node, combined: &Combined, place: Place) -> Result<Schema, Error> {
        // Schemas that turn out to be no union are counted, too.
        let number = self.unions;
        self.unions += 1;
        let is_null = |id: &SchemaId| matches!(self.schema.node(*id).kind, Json::Null);
        match *combined.parts {
            [first, second] if is_null(&first) => return self.optional(second, place),
            [first, second] if is_null(&second) => return self.optional(first, place),
            [only] if self.config.flatten_singleton_unions => {
                let place = Place {
                    version: None,
                    ..place
                };
                return self.place(only, place);
            }
            _ => {}
        }
        let has_null = combined.parts.iter().any(is_null);
        let members = combined.parts.iter().filter(|part| !is_null(part));
        let members: Vec<SchemaId> = members.copied().collect();
        if members.is_empty() {
            return super::unsupported("NullSchema");
        }
        let (mut builder, field_word) = if self.config.generalized_sum_types {
            let name = format!("{}{}", words::GENERAL_UNION_NAME, number);
            let builder = SchemaBuilder::structure().name(&name);
            let builder = builder.parameter(names::UNION, &name);
            (builder, words::GENERAL_UNION_FIELD)
        } else {
            let builder = SchemaBuilder::structure().name(names::ONE_OF);
            (builder, words::ONE_OF_FIELD)
        };
        for (index, member) in members.into_iter().enumerate() {
            let place = Place {
                version: None,
                optional: true,
            };
            let schema = self.place(member, place)?;
            builder = builder.field(&format!("{field_word}{index}"), schema);
        }
        let place = Place {
            optional: place.optional || has_null,
            ..place
        };
        // A default of the union is lost in the JVM, too.
        let bare = Node {
            kind: Json::Empty,
            title: None,
            description: node.description.clone(),
            default: None,
            connect: node.connect.clone(),
        };
        self.finished(builder, &bare, place, Naming::Named)
    }

    fn optional(&mut self, id: SchemaId, place: Place) -> Result<Schema, Error> {
        let place = Place {
            optional: true,
            ..place
        };
        self.place(id, place)
    }

    fn all_of(&mut self, combined: &Combined, place: Place) -> Result<Schema, Error> {
        let schema = self.schema;
        let merged = properties::of_all(schema, &combined.parts);
        if !merged.is_empty() {
            let fields = self.fields(&merged)?;
            let builder = structure(fields, false)?;
            let builder = if place.optional {
                builder.optional()
            } else {
                builder
            };
            return builder.build();
        }
        let part = |wanted: fn(&Json) -> bool| {
            let mut parts = combined.parts.iter().copied();
            parts.find(|id| wanted(&schema.node(*id).kind))
        };
        let nested = part(|kind| matches!(kind, Json::Combined(_)));
        let constant = part(|kind| matches!(kind, Json::Const(_)));
        let symbols = part(|kind| matches!(kind, Json::Enum(_)));
        let text = part(|kind| matches!(kind, Json::String(_)));
        let number = part(|kind| matches!(kind, Json::Number(_)));
        let reference = part(|kind| matches!(kind, Json::Reference { .. }));
        let chosen = nested
            .or_else(|| text.filter(|_| constant.is_some()))
            .or_else(|| symbols.filter(|_| text.is_some()))
            .or_else(|| {
                number.filter(|_| constant.is_some() || symbols.is_some() || text.is_some())
            })
            .or(reference);
        let chosen = chosen.ok_or(Kind::Criterion {
            keyword: combined.criterion.keyword(),
        })?;
        self.place(chosen, place)
    }
}
