//! From texts to the arena: schema by schema, without recursion.

use std::collections::HashMap;

use super::keywords::{CONDITIONAL, Draft, Members, NUMBER, STRING, invalid, names};
use super::resolve::{Addresses, Place, Source};
use super::{
    ArrayRules, Combined, Criterion, JsonSchema, Kind, Node, NumberRules, ObjectRules, SchemaId,
    StringRules,
};
use crate::error::{Error, json_schema_read};
use crate::json_text::{Comments, Document, document};
use crate::limits::{JSON_SCHEMA_BYTES_MAX, JSON_SCHEMA_TYPES_MAX, JSON_SCHEMAS_MAX};

pub(super) fn load(
    text: &str,
    references: &[(&str, &str)],
    ignore_modern_dialects: bool,
) -> Result<JsonSchema, Error> {
    let mut sources = vec![source("", text, ignore_modern_dialects)?];
    for (name, text) in references {
        sources.push(source(name, text, ignore_modern_dialects)?);
    }
    let mut loader = Loader {
        sources: &sources,
        addresses: Addresses::new(&sources),
        nodes: Vec::new(),
        places: HashMap::new(),
        open: Vec::new(),
    };
    let root = loader.schema(Place {
        source: 0,
        document: &sources[0].document,
    })?;
    while let Some((id, place)) = loader.open.pop() {
        let node = loader.node(place)?;
        loader.nodes[id.index()] = node;
    }
    let mut nodes = loader.nodes;
    combined_first(&mut nodes);
    Ok(JsonSchema { nodes, root })
}

fn source<'a>(
    name: &'a str,
    text: &str,
    ignore_modern_dialects: bool,
) -> Result<Source<'a>, Error> {
    if text.len() > JSON_SCHEMA_BYTES_MAX {
        return Err(json_schema_read::Kind::SchemaTooLarge {
            what: "bytes",
            limit: JSON_SCHEMA_BYTES_MAX,
        }
        .into());
    }
    let document = document(text, Comments::Refused).map_err(|flaw| {
        Error::from(json_schema_read::Kind::SchemaSyntax { what: flaw.what }).at(flaw.at)
    })?;
    Ok(Source {
        name,
        draft: Draft::of(&document, ignore_modern_dialects),
        document,
    })
}

/// The validator keeps combined schemas in front of others, and otherwise the order.
fn combined_first(nodes: &mut [Node]) {
    let is_combined: Vec<bool> = nodes
        .iter()
        .map(|node| matches!(node.kind, Kind::Combined(_)))
        .collect();
    for node in nodes {
        if let Kind::Combined(combined) = &mut node.kind {
            combined
                .parts
                .sort_by_key(|part| !is_combined[part.index()]);
        }
    }
}

struct Loader<'a> {
    sources: &'a [Source<'a>],
    addresses: Addresses<'a>,
    nodes: Vec<Node>,
    /// Schemas by the addresses of their places.
    places: HashMap<usize, SchemaId>,
    /// Schemas that have an id and are still to be read.
    open: Vec<(SchemaId, Place<'a>)>,
}

/// A schema that is being read.
#[derive(Clone, Copy)]
struct Reading<'a> {
    place: Place<'a>,
    draft: Draft,
    members: Members<'a>,
}

impl<'a> Loader<'a> {
    /// The id of the schema at a place.
    fn schema(&mut self, place: Place<'a>) -> Result<SchemaId, Error> {
        if let Some(id) = self.places.get(&place.address()) {
            return Ok(*id);
        }
        let id = self.add(bare(Kind::Empty))?;
        self.places.insert(place.address(), id);
        self.open.push((id, place));
        Ok(id)
    }

    fn add(&mut self, node: Node) -> Result<SchemaId, Error> {
        match u32::try_from(self.nodes.len()) {
            Ok(id) if self.nodes.len() < JSON_SCHEMAS_MAX => {
                self.nodes.push(node);
                Ok(SchemaId(id))
            }
            Ok(_) | Err(_) => Err(json_schema_read::Kind::SchemaTooLarge {
                what: "schemas",
                limit: JSON_SCHEMAS_MAX,
            }
            .into()),
        }
    }

    fn node(&mut self, place: Place<'a>) -> Result<Node, Error> {
        let members = match place.document {
            Document::Boolean(true) => return Ok(bare(Kind::True)),
            Document::Boolean(false) => return Ok(bare(Kind::False)),
            Document::Object(members) => Members(members),
            Document::Null | Document::Number { .. } | Document::Text(_) | Document::Array(_) => {
                return Err(json_schema_read::Kind::NoSchema.into());
            }
        };
        let draft = self.sources[place.source].draft;
        let reading = Reading {
            place,
            draft,
            members,
        };
        let kind = self.kind(reading)?;
        let connect = members.0.iter();
        Ok(Node {
            kind,
            title: members.text("title")?,
            description: members.text("description")?,
            default: members.get("default").cloned(),
            connect: connect
                .filter(|(key, _)| key.starts_with("connect."))
                .cloned()
                .collect(),
        })
    }

    fn kind(&mut self, reading: Reading<'a>) -> Result<Kind, Error> {
        if let Some(text) = reading.members.text("$ref")? {
            return self.reference(reading, text);
        }
        let mut kinds = Vec::new();
        if let Some(values) = reading.members.list("enum")? {
            kinds.push(Kind::Enum(values.to_vec()));
        }
        self.combinators(reading, &mut kinds)?;
        if let Some(schema) = self.child(reading, "not")? {
            kinds.push(Kind::Not(schema));
        }
        if reading.draft != Draft::Four
            && let Some(value) = reading.members.get("const")
        {
            kinds.push(Kind::Const(value.clone()));
        }
        let typed = self.typed(reading, &mut kinds)?;
        self.untyped(reading, &typed, &mut kinds)?;
        match kinds.len() {
            0 => Ok(Kind::Empty),
            1 => Ok(kinds.swap_remove(0)),
            _ => {
                let mut parts = Vec::with_capacity(kinds.len());
                for kind in kinds {
                    parts.push(self.add(bare(kind))?);
                }
                Ok(Kind::Combined(Combined {
                    criterion: Criterion::AllOf,
                    parts,
                }))
            }
        }
    }

    fn reference(&mut self, reading: Reading<'a>, text: Box<str>) -> Result<Kind, Error> {
        if let Some(place) = self.addresses.find(reading.place, &text) {
            let target = self.schema(place)?;
            return Ok(Kind::Reference { target });
        }
        // The schema of schemas is not at hand; what it allows is anything here.
        if text.contains("//json-schema.org/") {
            return Ok(Kind::Empty);
        }
        Err(json_schema_read::Kind::ReferenceUnknown { text }.into())
    }

    /// `allOf`, `anyOf` and `oneOf`, in the order in which the validator looks for them.
    fn combinators(&mut self, reading: Reading<'a>, kinds: &mut Vec<Kind>) -> Result<(), Error> {
        for criterion in [Criterion::AllOf, Criterion::AnyOf, Criterion::OneOf] {
            let Some(schemas) = reading.members.list(criterion.keyword())? else {
                continue;
            };
            let parts = self.all(reading, schemas)?;
            kinds.push(Kind::Combined(Combined { criterion, parts }));
        }
        Ok(())
    }

    /// What `type` makes, and the types it names.
    fn typed(
        &mut self,
        reading: Reading<'a>,
        kinds: &mut Vec<Kind>,
    ) -> Result<Vec<&'a str>, Error> {
        match reading.members.get("type") {
            None => Ok(Vec::new()),
            Some(Document::Text(name)) => {
                kinds.push(self.of_type(reading, name)?);
                Ok(vec![name])
            }
            Some(Document::Array(names)) => {
                if names.len() > JSON_SCHEMA_TYPES_MAX {
                    return Err(json_schema_read::Kind::SchemaTooLarge {
                        what: "types in one list",
                        limit: JSON_SCHEMA_TYPES_MAX,
                    }
                    .into());
                }
                let mut parts = Vec::with_capacity(names.len());
                let mut types = Vec::with_capacity(names.len());
                for name in names {
                    let Document::Text(name) = name else {
                        return invalid("type", "a type or a list of types");
                    };
                    let kind = self.of_type(reading, name)?;
                    parts.push(self.add(bare(kind))?);
                    types.push(&**name);
                }
                kinds.push(Kind::Combined(Combined {
                    criterion: Criterion::AnyOf,
                    parts,
                }));
                Ok(types)
            }
            Some(_) => invalid("type", "a type or a list of types"),
        }
    }

    fn of_type(&mut self, reading: Reading<'a>, name: &str) -> Result<Kind, Error> {
        Ok(match name {
            "string" => Kind::String(Box::new(strings(reading)?)),
            "integer" => Kind::Number(Box::new(NumberRules {
                integer: true,
                ..numbers(reading)?
            })),
            "number" => Kind::Number(Box::new(numbers(reading)?)),
            "boolean" => Kind::Boolean,
            "null" => Kind::Null,
            "array" => Kind::Array(Box::new(self.arrays(reading)?)),
            "object" => Kind::Object(Box::new(self.objects(reading)?)),
            _ => return invalid("type", "a type of JSON Schema"),
        })
    }

    /// What keywords make that no type has taken.
    fn untyped(
        &mut self,
        reading: Reading<'a>,
        types: &[&str],
        kinds: &mut Vec<Kind>,
    ) -> Result<(), Error> {
        let members = reading.members;
        if !types.contains(&"array") && members.has_any(reading.draft.array_keywords()) {
            kinds.push(Kind::Array(Box::new(self.arrays(reading)?)));
        }
        if !types.contains(&"object") && members.has_any(reading.draft.object_keywords()) {
            kinds.push(Kind::Object(Box::new(self.objects(reading)?)));
        }
        let is_number = types.iter().any(|t| matches!(*t, "number" | "integer"));
        if !is_number && members.has_any(NUMBER) {
            kinds.push(Kind::Number(Box::new(numbers(reading)?)));
        }
        if !types.contains(&"string") && members.has_any(STRING) {
            kinds.push(Kind::String(Box::new(strings(reading)?)));
        }
        if reading.draft >= Draft::Seven && members.has_any(CONDITIONAL) {
            for keyword in CONDITIONAL {
                self.child(reading, keyword)?;
            }
            kinds.push(Kind::Conditional);
        }
        Ok(())
    }

    fn arrays(&mut self, reading: Reading<'a>) -> Result<ArrayRules, Error> {
        let members = reading.members;
        if reading.draft > Draft::Four {
            self.child(reading, "contains")?;
        }
        let mut rules = ArrayRules {
            min_items: members.count("minItems")?,
            max_items: members.count("maxItems")?,
            unique_items: members.flag("uniqueItems")?.unwrap_or(false),
            all_items: None,
            tuple: None,
            permits_additional: true,
            additional_items: None,
        };
        let prefix = match reading.draft {
            Draft::Modern => members.list("prefixItems")?,
            Draft::Four | Draft::Six | Draft::Seven => None,
        };
        if let Some(schemas) = prefix {
            rules.tuple = Some(self.all(reading, schemas)?);
            self.additional(reading, "items", &mut rules)?;
            return Ok(rules);
        }
        match members.get("items") {
            None => {}
            Some(Document::Array(schemas)) => rules.tuple = Some(self.all(reading, schemas)?),
            Some(_) => rules.all_items = self.child(reading, "items")?,
        }
        self.additional(reading, "additionalItems", &mut rules)?;
        Ok(rules)
    }

    fn additional(
        &mut self,
        reading: Reading<'a>,
        keyword: &'static str,
        rules: &mut ArrayRules,
    ) -> Result<(), Error> {
        match reading.members.get(keyword) {
            Some(Document::Boolean(permitted)) => rules.permits_additional = *permitted,
            Some(_) => rules.additional_items = self.child(reading, keyword)?,
            None => {}
        }
        Ok(())
    }

    fn objects(&mut self, reading: Reading<'a>) -> Result<ObjectRules, Error> {
        let members = reading.members;
        if reading.draft > Draft::Four {
            self.child(reading, "propertyNames")?;
        }
        let mut rules = ObjectRules {
            properties: self.named(reading, "properties")?,
            required_properties: match members.list("required")? {
                Some(values) => names("required", values)?,
                None => Vec::new(),
            },
            permits_additional: true,
            additional_properties: None,
            pattern_properties: self.named(reading, "patternProperties")?,
            min_properties: members.count("minProperties")?,
            max_properties: members.count("maxProperties")?,
            property_dependencies: Vec::new(),
            schema_dependencies: Vec::new(),
        };
        match members.get("additionalProperties") {
            Some(Document::Boolean(permitted)) => rules.permits_additional = *permitted,
            Some(_) => rules.additional_properties = self.child(reading, "additionalProperties")?,
            None => {}
        }
        self.dependencies(reading, "dependencies", &mut rules)?;
        if reading.draft == Draft::Modern {
            self.dependencies(reading, "dependentRequired", &mut rules)?;
            self.dependencies(reading, "dependentSchemas", &mut rules)?;
        }
        Ok(rules)
    }

    fn dependencies(
        &mut self,
        reading: Reading<'a>,
        keyword: &'static str,
        rules: &mut ObjectRules,
    ) -> Result<(), Error> {
        let Some(Members(members)) = reading.members.object(keyword)? else {
            return Ok(());
        };
        for (name, value) in members {
            if let Document::Array(values) = value {
                let wanted = names(keyword, values)?;
                rules.property_dependencies.push((name.clone(), wanted));
            } else {
                let schema = self.inner(reading, value)?;
                rules.schema_dependencies.push((name.clone(), schema));
            }
        }
        Ok(())
    }

    /// The schema that a keyword holds.
    fn child(&mut self, reading: Reading<'a>, keyword: &str) -> Result<Option<SchemaId>, Error> {
        match reading.members.get(keyword) {
            Some(document) => self.inner(reading, document).map(Some),
            None => Ok(None),
        }
    }

    /// The schemas that a keyword holds by name.
    fn named(
        &mut self,
        reading: Reading<'a>,
        keyword: &'static str,
    ) -> Result<Vec<(Box<str>, SchemaId)>, Error> {
        let Some(Members(members)) = reading.members.object(keyword)? else {
            return Ok(Vec::new());
        };
        let schemas = members
            .iter()
            .map(|(name, document)| Ok((name.clone(), self.inner(reading, document)?)));
        schemas.collect()
    }

    fn all(
        &mut self,
        reading: Reading<'a>,
        documents: &'a [Document],
    ) -> Result<Vec<SchemaId>, Error> {
        let schemas = documents
            .iter()
            .map(|document| self.inner(reading, document));
        schemas.collect()
    }

    fn inner(&mut self, reading: Reading<'a>, document: &'a Document) -> Result<SchemaId, Error> {
        self.schema(Place {
            document,
            ..reading.place
        })
    }
}

/// A schema that has nothing but its kind.
const fn bare(kind: Kind) -> Node {
    Node {
        kind,
        title: None,
        description: None,
        default: None,
        connect: Vec::new(),
    }
}

fn strings(reading: Reading<'_>) -> Result<StringRules, Error> {
    let members = reading.members;
    members.text("format")?;
    Ok(StringRules {
        min_length: members.count("minLength")?,
        max_length: members.count("maxLength")?,
        pattern: members.text("pattern")?,
    })
}

fn numbers(reading: Reading<'_>) -> Result<NumberRules, Error> {
    let members = reading.members;
    let mut rules = NumberRules {
        integer: false,
        minimum: members.number("minimum")?,
        maximum: members.number("maximum")?,
        multiple_of: members.number("multipleOf")?,
        ..NumberRules::default()
    };
    if reading.draft == Draft::Four {
        rules.minimum_is_exclusive = members.flag("exclusiveMinimum")?.unwrap_or(false);
        rules.maximum_is_exclusive = members.flag("exclusiveMaximum")?.unwrap_or(false);
    } else {
        rules.exclusive_minimum = members.number("exclusiveMinimum")?;
        rules.exclusive_maximum = members.number("exclusiveMaximum")?;
    }
    Ok(rules)
}
