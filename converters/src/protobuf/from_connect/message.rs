//! Structs, field by field.

use super::super::ProtobufDataConfig;
use super::super::model::{
    Enum, EnumValue, Field, FieldType, Import, ImportKind, Label, Message, Oneof, OptionValue,
    ProtoFile, ProtoOption, Syntax,
};
use super::linked::{Scalar, invalid};
use super::{defaults, names, words, wrappers};
use crate::data::{Logical, Schema, Type};
use crate::error::{Error, protobuf_write::Kind};
use crate::limits::{PROTO_DEPTH_MAX, PROTO_GENERATED_FIELDS_MAX};

/// The logical type of a schema, which counts on its own base type only.
pub(in crate::protobuf) fn logical(schema: &Schema) -> Option<Logical> {
    let base = |logical: &Logical| match logical {
        Logical::Decimal => Type::Bytes,
        Logical::Date | Logical::Time => Type::Int32,
        Logical::Timestamp => Type::Int64,
    };
    schema
        .logical()
        .filter(|logical| base(logical) == schema.kind())
}

/// The parameter that makes the values of a schema symbols or numbers of an enum, if there is one.
pub(in crate::protobuf) fn enum_parameter(
    schema: &Schema,
    config: &ProtobufDataConfig,
) -> Option<&'static str> {
    // Only the format's own parameter counts for numbers, whatever the setting.
    let is_number = schema.kind() == Type::Int32 && logical(schema).is_none();
    let parameter = match is_number {
        true => words::ENUM,
        false if schema.kind() == Type::String => family(config),
        false => return None,
    };
    schema.parameter(parameter).map(|_| parameter)
}

/// The parameter of enums that the settings choose: symbols are in parameters that begin with it.
const fn family(config: &ProtobufDataConfig) -> &'static str {
    match config.generalized_sum_types {
        true => words::GENERALIZED_ENUM,
        false => words::ENUM,
    }
}

/// The name of the enum that is the type of a field.
fn enum_type<'s>(schema: &'s Schema, config: &ProtobufDataConfig) -> Option<&'s str> {
    if schema.kind() == Type::Int32 {
        return schema.parameter(words::ENUM);
    }
    let names = [family(config), words::ENUM, words::GENERALIZED_ENUM];
    let mut found = names.into_iter().filter_map(|name| schema.parameter(name));
    found.next().filter(|_| schema.kind() == Type::String)
}

/// Whether a struct stands for a oneof.
pub(in crate::protobuf) fn is_union(schema: &Schema) -> bool {
    schema.kind() == Type::Struct
        && (schema.parameter(words::GENERALIZED_UNION).is_some()
            || (schema.name()).is_some_and(|name| name.starts_with(words::UNION_PREFIX)))
}

/// Whether a struct stands for a Variant.
fn is_variant(schema: &Schema) -> bool {
    schema.kind() == Type::Struct && schema.name() == Some(words::VARIANT)
}

/// The scalar in the wrapper message that an optional scalar becomes; `None` where it stays a scalar.
pub(in crate::protobuf) fn wrapper(
    schema: &Schema,
    is_member: bool,
    config: &ProtobufDataConfig,
) -> Option<Scalar> {
    let wanted = config.wrapper_for_nullables && schema.is_optional();
    let exempt = is_member && schema.parameter(words::WRAPPER) != Some("true");
    if !wanted || exempt || logical(schema).is_some() || enum_type(schema, config).is_some() {
        return None;
    }
    Some(match schema.kind() {
        Type::Int8 | Type::Int16 | Type::Int32 => Scalar::Int32,
        Type::Int64 => match schema.parameter(words::TYPE) {
            Some("uint32" | "fixed32") => Scalar::Uint32,
            Some("uint64" | "fixed64") => Scalar::Uint64,
            Some(_) | None => Scalar::Int64,
        },
        Type::Float32 => Scalar::Float,
        Type::Float64 => Scalar::Double,
        Type::Boolean => Scalar::Bool,
        Type::String => Scalar::String,
        Type::Bytes => Scalar::Bytes,
        Type::Array | Type::Map | Type::Struct => return None,
    })
}

/// Whether it has the parameters of an enum, be it in the words of the other setting: then the enum has no symbols, and no file comes of it.
fn has_enum(schema: &Schema) -> bool {
    let has = |name| schema.parameter(name).is_some();
    matches!(schema.kind(), Type::String | Type::Int32)
        && (has(words::ENUM) || has(words::GENERALIZED_ENUM))
}

/// Where a field stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Message,
    Oneof,
}

/// Makes one file.
pub(super) struct Conversion<'c> {
    config: &'c ProtobufDataConfig,
    imports: Vec<Import>,
    /// How many names were made up.
    unnamed: u32,
    depth: usize,
    fields: usize,
}

impl<'c> Conversion<'c> {
    pub(super) const fn new(config: &'c ProtobufDataConfig) -> Self {
        Self {
            config,
            imports: Vec::new(),
            unnamed: 0,
            depth: 0,
            fields: 0,
        }
    }

    pub(super) fn file(mut self, root: &Schema) -> Result<ProtoFile, Error> {
        let (package, name) = self.name(root);
        let message = self.message(name, root)?;
        Ok(ProtoFile {
            syntax: Some(Syntax::Proto3),
            package,
            imports: self.imports,
            messages: vec![message],
            ..ProtoFile::default()
        })
    }

    /// Package and name of a schema; made up where it has none.
    fn name(&mut self, schema: &Schema) -> (Option<Box<str>>, String) {
        match schema.name() {
            Some(name) => names::split(name, self.config.scrub_invalid_names),
            None => {
                self.unnamed += 1;
                (None, format!("{}{}", words::UNNAMED, self.unnamed))
            }
        }
    }

    fn scrub(&self, name: &str) -> String {
        names::scrub(name, self.config.scrub_invalid_names)
    }

    fn import(&mut self, path: &str) {
        if !self.imports.iter().any(|import| &*import.path == path) {
            let kind = ImportKind::Plain;
            let path = path.into();
            self.imports.push(Import { kind, path });
        }
    }

    fn message(&mut self, name: String, schema: &Schema) -> Result<Message, Error> {
        self.enter()?;
        let mut message = Message {
            name: name.into(),
            ..Message::default()
        };
        let mut untagged = 0;
        for field in schema.fields() {
            let tag = match tag(field.schema())? {
                Some(tag) => tag,
                None => {
                    untagged += 1;
                    untagged
                }
            };
            self.add(&mut message, field.schema(), field.name(), tag)
                .map_err(|error| error.in_field(field.name()))?;
        }
        self.depth -= 1;
        Ok(message)
    }

    fn enter(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > PROTO_DEPTH_MAX {
            return Err(Kind::SchemaTooDeep.into());
        }
        Ok(())
    }

    fn add(
        &mut self,
        message: &mut Message,
        schema: &Schema,
        name: &str,
        tag: i32,
    ) -> Result<(), Error> {
        if is_union(schema) {
            return self.oneof(message, schema);
        }
        let name = self.scrub(name);
        let mut field = self.field(message, schema, &name, tag, Place::Message)?;
        let may_be_absent = self.config.optional_for_nullables && schema.is_optional();
        if field.label.is_none() && may_be_absent {
            field.label = Some(Label::Optional);
        }
        message.fields.push(field);
        Ok(())
    }

    fn oneof(&mut self, message: &mut Message, schema: &Schema) -> Result<(), Error> {
        let is_optional = |field: &Field| field.label == Some(Label::Optional);
        if message.fields.iter().any(is_optional) {
            let name = &message.name;
            let reason = "Synthetic oneofs must come last.";
            return Err(invalid(format!("{name}: {reason}")));
        }
        let mut oneof = Oneof {
            name: self.oneof_name(schema)?.into(),
            ..Oneof::default()
        };
        for member in schema.fields() {
            let schema = member.schema();
            if is_union(schema) {
                return Err(Kind::UnionInUnion.into());
            }
            let tag = tag(schema)?.unwrap_or_default();
            let name = self.scrub(member.name());
            let field = self.field(message, schema, &name, tag, Place::Oneof);
            let mut field = field.map_err(|error| error.in_field(member.name()))?;
            field.label = None;
            oneof.fields.push(field);
        }
        message.oneofs.push(oneof);
        Ok(())
    }

    fn oneof_name(&self, schema: &Schema) -> Result<String, Error> {
        if self.config.generalized_sum_types {
            let name = schema.parameter(words::GENERALIZED_UNION);
            let parameter = words::GENERALIZED_UNION;
            let name = name.ok_or(Kind::ParameterMissing { parameter })?;
            return Ok(self.scrub(name));
        }
        let name = schema.name().unwrap_or_default();
        let name = name
            .get(words::UNION_PREFIX.len()..)
            .ok_or(Kind::UnionUnnamed)?;
        Ok(names::split(name, self.config.scrub_invalid_names).1)
    }

    /// A field without a label, but for `repeated`. Messages and enums that it needs become parts of `message`.
    fn field(
        &mut self,
        message: &mut Message,
        schema: &Schema,
        name: &str,
        tag: i32,
        place: Place,
    ) -> Result<Field, Error> {
        self.fields += 1;
        if self.fields > PROTO_GENERATED_FIELDS_MAX {
            return Err(Kind::SchemaTooLarge.into());
        }
        let field = |ty: &str| Field::new(FieldType::Name(ty.into()), name, tag);
        if let Some(logical) = logical(schema) {
            let (ty, path) = match logical {
                Logical::Decimal => words::DECIMAL,
                Logical::Date => words::DATE,
                Logical::Time => words::TIME,
                Logical::Timestamp => words::TIMESTAMP,
            };
            self.import(path);
            let options = match logical {
                Logical::Decimal => decimal_options(schema),
                Logical::Date | Logical::Time | Logical::Timestamp => Vec::new(),
            };
            return Ok(Field {
                options,
                ..field(ty)
            });
        }
        match schema.kind() {
            Type::Array => self.array(message, schema, name, tag, place),
            Type::Map => {
                let entry = self.entry(message, schema)?;
                let label = Some(Label::Repeated);
                Ok(Field {
                    label,
                    ..field(&entry)
                })
            }
            Type::Struct => Ok(field(&self.structure(message, schema, name)?)),
            Type::Int8
            | Type::Int16
            | Type::Int32
            | Type::Int64
            | Type::Float32
            | Type::Float64
            | Type::Boolean
            | Type::String
            | Type::Bytes => {
                if has_enum(schema) {
                    self.enumeration(message, schema)?;
                }
                let ty = match enum_type(schema, self.config) {
                    Some(name) => {
                        defaults::check_symbol(schema, family(self.config))?;
                        self.scrub(name).into()
                    }
                    None => self.scalar(schema, place)?,
                };
                Ok(Field {
                    options: narrow_options(schema),
                    ..field(&ty)
                })
            }
        }
    }

    fn scalar(&mut self, schema: &Schema, place: Place) -> Result<Box<str>, Error> {
        if let Some(scalar) = wrapper(schema, place == Place::Oneof, self.config) {
            self.import(words::WRAPPERS);
            return Ok(wrappers::full_name(scalar).unwrap_or_default().into());
        }
        let scalar = match schema.kind() {
            Type::Int32 | Type::Int64 => {
                let plain = match schema.kind() == Type::Int32 {
                    true => Scalar::Int32,
                    false => Scalar::Int64,
                };
                let word = schema.parameter(words::TYPE).unwrap_or(plain.word());
                match Scalar::of(word) {
                    Some(scalar) => scalar,
                    // The name of a type, for all that is known here.
                    None => return Ok(word.into()),
                }
            }
            Type::Int8 | Type::Int16 => Scalar::Int32,
            Type::Float32 => Scalar::Float,
            Type::Float64 => Scalar::Double,
            Type::Boolean => Scalar::Bool,
            Type::String => Scalar::String,
            Type::Bytes | Type::Array | Type::Map | Type::Struct => Scalar::Bytes,
        };
        defaults::check_scalar(schema, scalar)?;
        Ok(scalar.word().into())
    }

    fn array(
        &mut self,
        message: &mut Message,
        schema: &Schema,
        name: &str,
        tag: i32,
        place: Place,
    ) -> Result<Field, Error> {
        let Some(element) = schema.value_schema() else {
            return Err(Kind::ElementsWithoutSchema.into());
        };
        if element.kind() == Type::Array {
            return Err(Kind::ArrayInArray.into());
        }
        if is_union(element) {
            return Err(Kind::UnionOutsideOfStruct.into());
        }
        let is_message = matches!(element.kind(), Type::Struct | Type::Map)
            || logical(element).is_some()
            || wrapper(element, place == Place::Oneof, self.config).is_some();
        if element.default_value().is_some() && !is_message {
            let reason = "Repeated fields cannot have default values.";
            return Err(invalid(format!("{name}: {reason}")));
        }
        let field = self.field(message, element, name, tag, place)?;
        let label = Some(Label::Repeated);
        Ok(Field { label, ..field })
    }

    /// The message of a struct, by its name: defined here unless a message of that name is, or is just being defined.
    fn structure(
        &mut self,
        message: &mut Message,
        schema: &Schema,
        field: &str,
    ) -> Result<String, Error> {
        if is_variant(schema) {
            return Err(Kind::Variant.into());
        }
        let (_, mut name) = self.name(schema);
        if name == field {
            name.push_str("Message");
        }
        let is_known = *message.name == *name || defines(message, &name);
        if !is_known {
            let inner = self.message(name.clone(), schema)?;
            message.messages.push(inner);
        }
        Ok(name)
    }

    fn entry(&mut self, message: &mut Message, schema: &Schema) -> Result<String, Error> {
        let (Some(key), Some(value)) = (schema.key_schema(), schema.value_schema()) else {
            return Err(Kind::ElementsWithoutSchema.into());
        };
        if is_union(key) || is_union(value) {
            return Err(Kind::UnionOutsideOfStruct.into());
        }
        let (_, name) = self.name(schema);
        let name = names::entry(&name);
        if !defines(message, &name) {
            self.enter()?;
            let mut entry = Message {
                name: name.as_str().into(),
                ..Message::default()
            };
            for (schema, name, tag) in [(key, "key", 1), (value, "value", 2)] {
                // Never with the word `optional`.
                let field = self.field(&mut entry, schema, name, tag, Place::Message)?;
                entry.fields.push(field);
            }
            self.depth -= 1;
            message.messages.push(entry);
        }
        Ok(name)
    }

    /// Defines the enum of a schema, unless one of that name is.
    fn enumeration(&mut self, message: &mut Message, schema: &Schema) -> Result<(), Error> {
        let parameter = family(self.config);
        let (_, name) = self.name(schema);
        if !message.enums.iter().any(|known| *known.name == *name) {
            let prefix = format!("{parameter}.");
            let mut values = Vec::new();
            for (key, number) in schema.parameters().unwrap_or_default() {
                let Some(symbol) = key.strip_prefix(&*prefix) else {
                    continue;
                };
                values.push(EnumValue {
                    name: symbol.into(),
                    number: parse(parameter, number)?,
                    options: Vec::new(),
                });
            }
            message.enums.push(Enum {
                name: name.into(),
                values,
                ..Enum::default()
            });
        }
        Ok(())
    }
}

fn defines(message: &Message, name: &str) -> bool {
    message.messages.iter().any(|known| &*known.name == name)
}

fn tag(schema: &Schema) -> Result<Option<i32>, Error> {
    let tag = schema.parameter(words::TAG);
    tag.map(|text| parse(words::TAG, text)).transpose()
}

fn parse(parameter: &'static str, text: &str) -> Result<i32, Error> {
    let not_a_number = |_| {
        let text = text.into();
        Kind::ParameterNotANumber { parameter, text }.into()
    };
    text.parse().map_err(not_a_number)
}

/// `(confluent.field_meta)` that says which of the small integers a number is.
fn narrow_options(schema: &Schema) -> Vec<ProtoOption> {
    let text = |text: &str| OptionValue::Text(text.into());
    let kind = schema.kind();
    if !matches!(kind, Type::Int8 | Type::Int16) {
        return Vec::new();
    }
    let key = ("key".into(), text("connect.type"));
    let value = ("value".into(), text(kind.name()));
    meta(vec![OptionValue::Message(vec![key, value])])
}

/// `(confluent.field_meta)` that says how many digits a decimal has. The JVM prints these two the other way round.
fn decimal_options(schema: &Schema) -> Vec<ProtoOption> {
    let text = |text: &str| OptionValue::Text(text.into());
    let numbers = [
        ("precision", schema.parameter(words::PRECISION)),
        (
            "scale",
            schema.parameter(crate::data::logical::SCALE_PARAMETER),
        ),
    ];
    let params = numbers.into_iter().filter_map(|(name, number)| {
        let value = ("value".into(), text(number?));
        let key = ("key".into(), text(name));
        Some(OptionValue::Message(vec![value, key]))
    });
    meta(params.collect())
}

fn meta(params: Vec<OptionValue>) -> Vec<ProtoOption> {
    if params.is_empty() {
        return Vec::new();
    }
    vec![ProtoOption {
        name: "confluent.field_meta".into(),
        is_custom: true,
        part: None,
        value: OptionValue::Message(vec![("params".into(), OptionValue::List(params))]),
    }]
}
