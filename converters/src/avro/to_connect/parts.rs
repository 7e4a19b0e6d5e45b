//! One type for one place: what it is, then what its attributes add.

use super::default::Defaults;
use super::words;
use super::{Begun, Conversion, is_map_entry, is_null, text};
use crate::avro::{AvroType, Enum, Field, Fixed, Kind as Avro, Name, Record, TypeId};
use crate::data::{Logical, Schema, SchemaBuilder, Type, logical};
use crate::error::{Error, avro_read::Kind};
use crate::json_text::Json;

/// What the place of a type adds to it.
#[derive(Clone, Copy, Default)]
pub(super) struct Place<'a> {
    pub(super) optional: bool,
    /// The default of the field.
    pub(super) default: Option<&'a Json>,
    /// The doc of the field; `discard.type.doc.default` makes it the schema's.
    pub(super) doc: Option<&'a str>,
    /// `connect.parameters` of the field.
    pub(super) parameters: Option<&'a Json>,
    /// The version that the registry gave, at the root.
    pub(super) version: Option<i32>,
}

impl Place<'_> {
    /// Whether it adds nothing but that it may be optional.
    pub(super) const fn is_plain(&self) -> bool {
        self.default.is_none()
            && self.doc.is_none()
            && self.parameters.is_none()
            && self.version.is_none()
    }
}

/// A schema on its way, with what the builder cannot be asked for.
struct Started {
    builder: SchemaBuilder,
    name: Option<Box<str>>,
    version: Option<i32>,
}

impl Started {
    const fn plain(builder: SchemaBuilder) -> Self {
        Self {
            builder,
            name: None,
            version: None,
        }
    }

    fn named(builder: SchemaBuilder, name: &str) -> Self {
        Self {
            builder: builder.name(name),
            name: Some(name.into()),
            version: None,
        }
    }

    fn logical(builder: SchemaBuilder, logical: Logical) -> Self {
        Self {
            builder,
            name: Some(logical.name().into()),
            version: Some(logical::LOGICAL_VERSION),
        }
    }

    /// Changes the builder.
    fn with(mut self, change: impl FnOnce(SchemaBuilder) -> SchemaBuilder) -> Self {
        self.builder = change(self.builder);
        self
    }
}

impl<'a> Conversion<'a> {
    pub(super) fn converted(&mut self, id: TypeId, place: &Place<'a>) -> Result<Schema, Error> {
        let avro = self.avro.get(id);
        let started = match &avro.kind {
            Avro::Record(record) => {
                let begun = Begun {
                    knot: self.knot.reserve(),
                    open: true,
                    recursive: false,
                };
                self.records.insert(id, begun);
                self.record(avro, record)?
            }
            Avro::Union(branches) => self.union(branches)?,
            Avro::Array(item) => self.array(*item)?,
            Avro::Map(values) => {
                let values = self.schema(*values, Place::default())?;
                Started::plain(SchemaBuilder::map(Schema::string(), values))
            }
            Avro::Enum(named) => Started::plain(self.enumeration(named)),
            Avro::Fixed(fixed) => {
                bytes(avro)?.with(|b| b.parameter(words::FIXED_SIZE, &fixed.size.to_string()))
            }
            Avro::Bytes => bytes(avro)?,
            Avro::Int => int(avro)?,
            Avro::Long => long(avro),
            Avro::Boolean => Started::plain(SchemaBuilder::boolean()),
            Avro::Float => Started::plain(SchemaBuilder::float32()),
            Avro::Double => Started::plain(SchemaBuilder::float64()),
            Avro::String => Started::plain(SchemaBuilder::string()),
            Avro::Null => return Err(Kind::StandaloneNull.into()),
        };
        let schema = self.attributed(started, id, place)?;
        let Some(begun) = self.records.get_mut(&id) else {
            return Ok(schema);
        };
        begun.open = false;
        Ok(self.knot.define(begun.knot, schema))
    }

    /// Adds what the attributes and the place say; in Java's order, since parameters keep it.
    fn attributed(
        &self,
        mut started: Started,
        id: TypeId,
        place: &Place<'a>,
    ) -> Result<Schema, Error> {
        let avro = self.avro.get(id);
        started = self.documented(started, avro, place);
        started = versioned(started, avro, place)?;
        if self.config.connect_meta_data {
            let own = avro.props.get(words::CONNECT_PARAMETERS);
            for json in [own, place.parameters].into_iter().flatten() {
                started.builder = parameters(started.builder, json)?;
            }
        }
        for (name, value) in avro.props.iter() {
            if name.starts_with(words::AVRO_PREFIX) {
                started = started.with(|b| b.parameter(name, &super::default::java_text(value)));
            }
        }
        let own = avro.props.get(words::CONNECT_DEFAULT);
        let flagged = self.config.connect_meta_data && !self.config.discard_type_doc_default;
        if place.default.is_some() && own.is_none() && flagged {
            started = started.with(|b| b.parameter(words::FIELD_DEFAULT, "true"));
        }
        started = named(started, avro)?;
        if place.optional {
            started = started.with(SchemaBuilder::optional);
        }
        let bare = started.builder.build()?;
        let Some(default) = place.default.or(own).filter(|json| **json != Json::Null) else {
            return Ok(bare);
        };
        let default = self.defaults().datum(&bare, id, default)?;
        SchemaBuilder::from(bare).default_value(default).build()
    }

    fn documented(&self, started: Started, avro: &AvroType, place: &Place<'_>) -> Started {
        let own = text(avro.props.get(words::CONNECT_DOC));
        let doc = if self.config.discard_type_doc_default {
            place.doc.or(doc_of(&avro.kind)).or(own)
        } else if self.config.connect_meta_data {
            own
        } else {
            None
        };
        let started = match doc {
            Some(doc) => started.with(|b| b.doc(doc)),
            None => started,
        };
        let discarded = self.config.discard_type_doc_default && self.config.connect_meta_data;
        match doc_of(&avro.kind).filter(|_| discarded) {
            Some(doc) => started.with(|b| b.parameter(words::DISCARDED_RECORD_DOC, doc)),
            None => started,
        }
    }

    fn defaults(&self) -> Defaults<'_> {
        Defaults {
            avro: self.avro,
            config: self.config,
            steps: &self.steps,
            depth: 0,
        }
    }

    /// Whether a field is taken to have this default: null says so, even where it is no value.
    /// Said once per schema, since a plan is made once; Java's converter says it of nulls alone.
    fn counts(&self, record: &Record, field: &Field, default: &Json) -> bool {
        let fits = self.defaults().fits(field.schema, default);
        if !fits {
            tracing::warn!(
                "the default of the field {} in the Avro record {} is left out: it does not fit the type {}. Register the schema with one that does",
                field.name,
                record.name,
                self.avro.get(field.schema).kind.word()
            );
        }
        fits || *default == Json::Null
    }

    fn record(&mut self, avro: &'a AvroType, record: &'a Record) -> Result<Started, Error> {
        let mut builder = SchemaBuilder::structure();
        let keeps_docs = self.config.connect_meta_data && !self.config.discard_type_doc_default;
        if keeps_docs {
            if let Some(doc) = &record.doc {
                builder = builder.parameter(words::RECORD_DOC, doc);
            }
            let docs = record.fields.iter().filter_map(|field| {
                let doc = field.doc.as_deref()?;
                Some((format!("{}{}", words::FIELD_DOC_PREFIX, field.name), doc))
            });
            for (name, doc) in docs {
                builder = builder.parameter(&name, doc);
            }
        }
        for field in &record.fields {
            let discards = self.config.discard_type_doc_default;
            let default = field.default.as_ref();
            let place = Place {
                default: default.filter(|json| self.counts(record, field, json)),
                doc: field.doc.as_deref().filter(|_| discards),
                parameters: field.props.get(words::CONNECT_PARAMETERS),
                ..Place::default()
            };
            let schema = self
                .schema(field.schema, place)
                .map_err(|error| error.in_field(&field.name))?;
            builder = builder.field(&field.name, schema);
        }
        let variant = record.name.to_string() == words::VARIANT_RECORD
            && text(avro.props.get(words::LOGICAL_TYPE)) == Some(words::VARIANT_LOGICAL);
        Ok(if variant {
            Started::named(builder, words::VARIANT)
        } else {
            Started::plain(builder)
        })
    }

    fn union(&mut self, branches: &[TypeId]) -> Result<Started, Error> {
        let generalized = self.config.generalized_sum_types;
        let mut started = if generalized {
            let name = format!("{}{}", words::GENERALIZED_UNION_PREFIX, self.unions);
            self.unions += 1;
            Started::named(SchemaBuilder::structure(), &name)
                .with(|b| b.parameter(words::GENERALIZED_UNION, &name))
        } else {
            Started::named(SchemaBuilder::structure(), words::UNION)
        };
        let mut names: Vec<Box<str>> = Vec::with_capacity(branches.len());
        for (position, branch) in branches.iter().enumerate() {
            if is_null(self.avro, *branch) {
                started = started.with(SchemaBuilder::optional);
                continue;
            }
            let name: Box<str> = if generalized {
                format!("{}{position}", words::GENERALIZED_FIELD_PREFIX).into()
            } else {
                self.branch_name(*branch)
            };
            if names.contains(&name) {
                return Err(Kind::UnionFieldClash { name }.into());
            }
            let place = Place {
                optional: true,
                ..Place::default()
            };
            let schema = self
                .schema(*branch, place)
                .map_err(|error| error.in_field(&name))?;
            started = started.with(|b| b.field(&name, schema));
            names.push(name);
        }
        Ok(started)
    }

    /// The name of a branch in a struct that stands for a union.
    fn branch_name(&self, id: TypeId) -> Box<str> {
        let kind = &self.avro.get(id).kind;
        match kind.name() {
            Some(name) if self.config.enhanced_schemas => name.to_string().into(),
            Some(name) => name.name.clone(),
            None => kind.word().into(),
        }
    }

    fn array(&mut self, item: TypeId) -> Result<Started, Error> {
        if !is_map_entry(self.avro, item) {
            let element = self.schema(item, Place::default())?;
            return Ok(Started::plain(SchemaBuilder::array(element)));
        }
        let (key, value) = entry(&self.avro.get(item).kind).ok_or(Kind::MapEntryShape)?;
        let key = self
            .schema(key, Place::default())
            .map_err(|e| e.in_field(words::KEY_FIELD))?;
        let value = self
            .schema(value, Place::default())
            .map_err(|e| e.in_field(words::VALUE_FIELD))?;
        Ok(Started::plain(SchemaBuilder::map(key, value)))
    }

    fn enumeration(&self, named: &Enum) -> SchemaBuilder {
        let mut builder = SchemaBuilder::string();
        if self.config.connect_meta_data {
            let discards = self.config.discard_type_doc_default;
            let (doc, default) = (named.doc.as_deref(), named.default.as_deref());
            if let Some(doc) = doc.filter(|_| discards) {
                builder = builder.parameter(words::DISCARDED_ENUM_DOC, doc);
            }
            if let Some(doc) = doc.filter(|_| !discards) {
                let name = format!("{}{}", words::ENUM_DOC_PREFIX, named.name.name);
                builder = builder.parameter(&name, doc);
            }
            if let Some(default) = default.filter(|_| !discards) {
                let name = format!("{}{}", words::ENUM_DEFAULT_PREFIX, named.name.name);
                builder = builder.parameter(&name, default);
            }
        }
        let generalized = self.config.generalized_sum_types;
        let parameter = if generalized {
            words::GENERALIZED_ENUM
        } else {
            words::ENUM
        };
        let symbols: Vec<(String, String)> = (named.symbols.iter().enumerate())
            .map(|(position, symbol)| {
                let value = if generalized {
                    position.to_string()
                } else {
                    symbol.to_string()
                };
                (format!("{parameter}.{symbol}"), value)
            })
            .collect();
        builder
            .parameter(parameter, &named.name.to_string())
            .parameters(symbols.iter().map(|(name, value)| (&**name, &**value)))
    }
}

/// Key and value of a record that is an entry of a map.
pub(in crate::avro) fn entry(kind: &Avro) -> Option<(TypeId, TypeId)> {
    let Avro::Record(record) = kind else {
        return None;
    };
    let of = |name: &str| {
        let field = record.fields.iter().find(|field| &*field.name == name)?;
        Some(field.schema)
    };
    (record.fields.len() == 2)
        .then(|| Some((of(words::KEY_FIELD)?, of(words::VALUE_FIELD)?)))
        .flatten()
}

fn doc_of(kind: &Avro) -> Option<&str> {
    match kind {
        Avro::Record(Record { doc, .. })
        | Avro::Enum(Enum { doc, .. })
        | Avro::Fixed(Fixed { doc, .. }) => doc.as_deref(),
        Avro::Null
        | Avro::Boolean
        | Avro::Int
        | Avro::Long
        | Avro::Float
        | Avro::Double
        | Avro::Bytes
        | Avro::String
        | Avro::Array(_)
        | Avro::Map(_)
        | Avro::Union(_) => None,
    }
}

pub(in crate::avro) fn logical_type(avro: &AvroType) -> Option<&str> {
    text(avro.props.get(words::LOGICAL_TYPE))
}

fn is(logical: Option<&str>, word: &str) -> bool {
    logical.is_some_and(|found| found.eq_ignore_ascii_case(word))
}

fn int(avro: &AvroType) -> Result<Started, Error> {
    let logical = logical_type(avro);
    if is(logical, "date") {
        return Ok(Started::logical(logical::date(), Logical::Date));
    }
    if is(logical, "time-millis") {
        return Ok(Started::logical(logical::time(), Logical::Time));
    }
    let kind = match text(avro.props.get(words::CONNECT_TYPE)) {
        Some("int8") if logical.is_none() => Type::Int8,
        Some("int16") if logical.is_none() => Type::Int16,
        Some(_) if logical.is_none() => return Err(Kind::IntAnnotation.into()),
        Some(_) | None => Type::Int32,
    };
    Ok(Started::plain(SchemaBuilder::of(kind)))
}

fn long(avro: &AvroType) -> Started {
    if is(logical_type(avro), "timestamp-millis") {
        Started::logical(logical::timestamp(), Logical::Timestamp)
    } else {
        Started::plain(SchemaBuilder::int64())
    }
}

fn bytes(avro: &AvroType) -> Result<Started, Error> {
    if !is(logical_type(avro), "decimal") {
        return Ok(Started::plain(SchemaBuilder::bytes()));
    }
    let scale = avro
        .props
        .get("scale")
        .and_then(java_int)
        .unwrap_or_default();
    let started = Started::logical(logical::decimal(scale), Logical::Decimal);
    let Some(precision) = avro.props.get("precision") else {
        return Ok(started);
    };
    let precision = java_int(precision).ok_or(Kind::PrecisionNotInteger)?;
    if i64::from(precision) == words::DEFAULT_PRECISION {
        return Ok(started);
    }
    Ok(started.with(|b| b.parameter(words::DECIMAL_PRECISION, &precision.to_string())))
}

/// `Number.intValue`, or nothing when it is no number.
fn java_int(json: &Json) -> Option<i32> {
    super::default::is_number(json).then(|| super::default::int_value(json))
}

fn versioned(started: Started, avro: &AvroType, place: &Place<'_>) -> Result<Started, Error> {
    let version = match avro.props.get(words::CONNECT_VERSION) {
        Some(json) => Some(java_int(json).ok_or_else(|| Kind::VersionInvalid {
            found: super::default::word(json),
        })?),
        None => place.version,
    };
    match (version.filter(|version| *version >= 0), started.version) {
        (Some(found), Some(built)) if found != built => {
            Err(Kind::VersionMismatch { built, found }.into())
        }
        (Some(found), None) => Ok(started.with(|b| b.version(found))),
        (Some(_) | None, _) => Ok(started),
    }
}

fn named(started: Started, avro: &AvroType) -> Result<Started, Error> {
    let name: Box<str> = match (avro.props.get(words::CONNECT_NAME), avro.kind.name()) {
        (Some(Json::Text(name)), _) => name.clone(),
        (Some(other), _) => {
            let found = super::default::word(other);
            return Err(Kind::NameInvalid { found }.into());
        }
        // The name of a logical type or a variant counts more than that of the Avro type that carries it.
        (None, Some(name)) if started.name.is_none() => Name::to_string(name).into(),
        (None, Some(_) | None) => return Ok(started),
    };
    match &started.name {
        // With or without the number behind it.
        _ if name.starts_with(words::DEFAULT_RECORD) => Ok(started),
        Some(built) if *built != name => Err(Kind::NameMismatch {
            built: built.clone(),
            found: name,
        }
        .into()),
        Some(_) => Ok(started),
        None => Ok(started.with(|b| b.name(&name))),
    }
}

fn parameters(mut builder: SchemaBuilder, json: &Json) -> Result<SchemaBuilder, Error> {
    let Json::Object(members) = json else {
        let found = super::default::word(json);
        return Err(Kind::ParametersInvalid { found }.into());
    };
    for (name, value) in members {
        let Json::Text(value) = value else {
            let found = super::default::word(value);
            return Err(Kind::ParameterNotText { found }.into());
        };
        builder = builder.parameter(name, value);
    }
    Ok(builder)
}
