//! From a Connect schema to a plan.

use std::collections::HashMap;

use super::super::JsonSchemaDataConfig;
use super::super::names::{additional, has_text_keys, is_union, is_variant};
use super::{EncodePlan, FieldSite, Fields, Node, Null, Piece, Site};
use crate::data::{Logical, Recursion, Schema, Type};
use crate::error::{Error, json_schema_write::Kind};
use crate::json::DecimalFormat;
use crate::json_text::text::write_string;
use crate::limits::{JSON_GENERATED_DEPTH_MAX, JSON_GENERATED_SCHEMAS_MAX};
use crate::plan::{Arena, NodeId};
use crate::wire::SHORT;

pub(super) struct Compiler<'c> {
    config: &'c JsonSchemaDataConfig,
    plan: EncodePlan,
    /// Schemas that contain themselves, and where their sites are.
    known: HashMap<Recursion, NodeId>,
    depth: usize,
    sites: usize,
}

impl<'c> Compiler<'c> {
    pub(super) fn new(config: &'c JsonSchemaDataConfig) -> Self {
        Self {
            config,
            plan: EncodePlan {
                sites: Arena::default(),
                fields: Vec::new(),
                names: Vec::new(),
                text: Vec::new(),
                root: None,
                indented: false,
            },
            known: HashMap::new(),
            depth: 0,
            sites: 0,
        }
    }

    pub(super) fn finish(mut self) -> EncodePlan {
        // So that every key can be read as one chunk.
        self.plan.text.resize(self.plan.text.len() + SHORT, 0);
        self.plan
    }

    pub(super) fn site(&mut self, schema: &Schema) -> Result<NodeId, Error> {
        self.depth += 1;
        self.sites += 1;
        if self.depth > JSON_GENERATED_DEPTH_MAX {
            return Err(Kind::SchemaTooDeep.into());
        }
        if self.sites > JSON_GENERATED_SCHEMAS_MAX {
            return Err(Kind::SchemaTooLarge.into());
        }
        // Held free for the nodes below that are the same as this one.
        let id = self.plan.sites.add(Site {
            node: Node::Nowhere(schema.kind()),
            null: Null::Nothing,
        });
        let node = match schema.recursion() {
            Some(recursion) => match self.known.get(&recursion) {
                Some(known) => Node::Same(*known),
                None => {
                    self.known.insert(recursion, id);
                    self.node(schema)?
                }
            },
            None => self.node(schema)?,
        };
        let mut site = Site {
            node,
            null: match schema.is_optional() {
                true => Null::Written,
                false => Null::Nothing,
            },
        };
        if let Some(default) = schema.default_datum()
            && !self.config.ignore_default_for_nullables
        {
            let mut text = Vec::new();
            if self.plan.datum(&site, default, &mut text)? && !text.is_empty() {
                site.null = Null::Default(self.piece(&text));
            }
        }
        self.plan.sites.set(id, site);
        self.depth -= 1;
        Ok(id)
    }

    /// Writes the default of a schema.
    pub(super) fn write_default(
        &mut self,
        schema: &Schema,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let site = Site {
            node: self.node(schema)?,
            null: Null::Written,
        };
        if let Some(default) = schema.default_datum() {
            self.plan.datum(&site, default, out)?;
        }
        Ok(())
    }

    fn node(&mut self, schema: &Schema) -> Result<Node, Error> {
        match schema.logical() {
            Some(Logical::Decimal) => return Ok(self.decimal(schema)),
            Some(Logical::Date) => return Ok(Node::Date),
            Some(Logical::Time) => return Ok(Node::Time),
            Some(Logical::Timestamp) => return Ok(Node::Timestamp),
            None => {}
        }
        Ok(match schema.kind() {
            Type::Int8 => Node::Int8,
            Type::Int16 => Node::Int16,
            Type::Int32 => Node::Int32,
            Type::Int64 => Node::Int64,
            Type::Float32 => Node::Float32,
            Type::Float64 => Node::Float64,
            Type::Boolean => Node::Boolean,
            Type::String => Node::Text,
            Type::Bytes => Node::Bytes,
            Type::Array => match schema.value_schema() {
                Some(element) => Node::Array(self.site(element)?),
                None => Node::Nowhere(Type::Array),
            },
            Type::Map => match (schema.key_schema(), schema.value_schema()) {
                (Some(_), Some(value)) if has_text_keys(schema) => Node::Object(self.site(value)?),
                (Some(key), Some(value)) => Node::Entries(self.site(key)?, self.site(value)?),
                _ => Node::Nowhere(Type::Map),
            },
            Type::Struct if is_variant(schema) => variant(schema),
            Type::Struct if is_union(schema) => Node::Union(self.fields(schema, None)?),
            Type::Struct => {
                let spread =
                    additional(schema).filter(|_| self.config.preserve_additional_properties);
                Node::Struct(self.fields(schema, spread)?)
            }
        })
    }

    fn decimal(&self, schema: &Schema) -> Node {
        match self.config.decimal_format {
            DecimalFormat::Numeric => Node::DecimalNumeric,
            DecimalFormat::Base64 => match schema.decimal_scale() {
                Ok(scale) => Node::DecimalBase64 { scale },
                Err(_) => Node::DecimalUnclear(schema.clone()),
            },
        }
    }

    /// The fields of a struct; `spread` is the one whose entries become members of the object.
    fn fields(&mut self, schema: &Schema, spread: Option<usize>) -> Result<Fields, Error> {
        let mut sites = Vec::with_capacity(schema.fields().len());
        for field in schema.fields() {
            let inner = match spread == Some(field.index()) {
                true => field.schema().value_schema().unwrap_or(field.schema()),
                false => field.schema(),
            };
            let site = self.site(inner);
            sites.push(site.map_err(|error| error.in_field(field.name()))?);
        }
        let fields = Fields {
            first: narrow(self.plan.fields.len()),
            len: narrow(sites.len()),
        };
        for (field, site) in schema.fields().iter().zip(sites) {
            let field_site = if spread == Some(field.index()) {
                let spread = Site {
                    node: Node::Additional(fields, site),
                    null: Null::Nothing,
                };
                FieldSite {
                    key: self.piece(&[]),
                    site: self.plan.sites.add(spread),
                }
            } else {
                let mut key = vec![b','];
                write_string(field.name(), &mut key);
                key.push(b':');
                FieldSite {
                    key: self.piece(&key),
                    site,
                }
            };
            self.plan.fields.push(field_site);
            self.plan.names.push(field.name().into());
        }
        Ok(fields)
    }

    fn piece(&mut self, text: &[u8]) -> Piece {
        let at = narrow(self.plan.text.len());
        self.plan.text.extend_from_slice(text);
        Piece {
            at,
            len: narrow(text.len()),
        }
    }
}

fn variant(schema: &Schema) -> Node {
    match (schema.index_of("metadata"), schema.index_of("value")) {
        (Some(metadata), Some(value)) => Node::Variant {
            metadata,
            value,
            fields: schema.fields().len(),
        },
        _ => Node::Nowhere(Type::Struct),
    }
}

/// A schema's names and defaults lie in memory many times over: far below 4 GiB.
fn narrow(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
