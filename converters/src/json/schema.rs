//! The schema of an envelope: JSON to Connect and back.

use super::convert::Reading;
use super::write::Writing;
use crate::data::{Schema, SchemaBuilder, Type};
use crate::error::{Error, data, json::Kind};
use crate::json_text::tree::Tree;

/// Reads a schema; JSON null is no schema.
pub(crate) fn from_tree(tree: &Tree, reading: &mut Reading) -> Result<Option<Schema>, Error> {
    if tree.is_null() {
        return Ok(None);
    }
    let Some(Tree::Text(kind)) = tree.get("type") else {
        return Err(Kind::TypeMissing.into());
    };
    let builder = match kind.get()? {
        "boolean" => SchemaBuilder::boolean(),
        "int8" => SchemaBuilder::int8(),
        "int16" => SchemaBuilder::int16(),
        "int32" => SchemaBuilder::int32(),
        "int64" => SchemaBuilder::int64(),
        "float" => SchemaBuilder::float32(),
        "double" => SchemaBuilder::float64(),
        "bytes" => SchemaBuilder::bytes(),
        "string" => SchemaBuilder::string(),
        "array" => {
            let items = tree.get("items").ok_or(Kind::ElementTypeMissing)?;
            let items = from_tree(items, reading).map_err(|e| e.in_field("items"))?;
            SchemaBuilder::array(items.ok_or(Kind::ElementTypeMissing)?)
        }
        "map" => {
            let keys = tree.get("keys").ok_or(Kind::KeyTypeMissing)?;
            let values = tree.get("values").ok_or(Kind::ValueTypeMissing)?;
            let keys = from_tree(keys, reading).map_err(|e| e.in_field("keys"))?;
            let values = from_tree(values, reading).map_err(|e| e.in_field("values"))?;
            SchemaBuilder::map(
                keys.ok_or(data::Kind::ElementSchemaMissing { which: "keySchema" })?,
                values.ok_or(data::Kind::ElementSchemaMissing {
                    which: "valueSchema",
                })?,
            )
        }
        "struct" => structure(tree, reading)?,
        other => return Err(Kind::TypeUnknown { name: other.into() }.into()),
    };
    attributes(builder, tree, reading).map(Some)
}

fn structure(tree: &Tree, reading: &mut Reading) -> Result<SchemaBuilder, Error> {
    let Some(Tree::Array(list)) = tree.get("fields") else {
        return Err(Kind::FieldsNotArray.into());
    };
    let mut fields = Vec::with_capacity(list.len());
    for (index, field) in list.iter().enumerate() {
        let Some(Tree::Text(name)) = field.get("field") else {
            let error: Error = Kind::FieldNameInvalid.into();
            return Err(error.in_element(index).in_field("fields"));
        };
        let name = name.get()?;
        let schema = from_tree(field, reading).map_err(|e| e.in_field(name))?;
        fields.push((name.into(), schema.ok_or(Kind::TypeMissing)?));
    }
    Ok(SchemaBuilder::structure().fields(fields))
}

fn attributes(
    mut builder: SchemaBuilder,
    tree: &Tree,
    reading: &mut Reading,
) -> Result<Schema, Error> {
    if let Some(Tree::Boolean(true)) = tree.get("optional") {
        builder = builder.optional();
    }
    if let Some(Tree::Text(name)) = tree.get("name") {
        builder = builder.name(name.get()?);
    }
    if let Some(Tree::Number(version)) = tree.get("version")
        && version.integral
    {
        let out_of_range = |_| Error::from(Kind::IntegerOutOfRange { expected: "int32" });
        builder = builder.version(
            version
                .text
                .parse()
                .map_err(out_of_range)
                .map_err(|e| e.in_field("version"))?,
        );
    }
    if let Some(Tree::Text(doc)) = tree.get("doc") {
        builder = builder.doc(doc.get()?);
    }
    if let Some(Tree::Object(parameters)) = tree.get("parameters")
        && !parameters.is_empty()
    {
        let mut list = Vec::with_capacity(parameters.len());
        for (name, value) in parameters {
            let Tree::Text(value) = value else {
                return Err(Kind::ParametersNotText.into());
            };
            list.push((name.get()?, value.get()?));
        }
        builder = builder.parameters(list);
    }
    let Some(default) = tree.get("default") else {
        return builder.build();
    };
    let bare = builder.build()?;
    let datum = reading
        .datum(Some(&bare), default)
        .map_err(|e| e.in_field("default"))?;
    if bare.kind() == Type::Struct && !datum.is_null() {
        // Java's builder compares the struct's schema with itself, unfinished, and never finds them equal.
        return Err(
            Error::from(data::Kind::StructSchemasDiffer).causing(data::Kind::DefaultInvalid)
        );
    }
    SchemaBuilder::from(bare).default_value(datum).build()
}

/// Writes a schema object, or `null`. `field` is the name of the struct member it describes.
pub(crate) fn write(
    schema: Option<&Schema>,
    field: Option<&str>,
    writing: Writing,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let Some(schema) = schema else {
        out.extend_from_slice(b"null");
        return Ok(());
    };
    if schema.is_recursive() {
        return Err(Kind::RecursiveSchema.into());
    }
    out.extend_from_slice(b"{\"type\":\"");
    out.extend_from_slice(type_word(schema.kind()).as_bytes());
    out.push(b'"');
    match schema.kind() {
        Type::Array => {
            out.extend_from_slice(b",\"items\":");
            write(schema.value_schema(), None, writing, out)?;
        }
        Type::Map => {
            out.extend_from_slice(b",\"keys\":");
            write(schema.key_schema(), None, writing, out)?;
            out.extend_from_slice(b",\"values\":");
            write(schema.value_schema(), None, writing, out)?;
        }
        Type::Struct => {
            out.extend_from_slice(b",\"fields\":[");
            for (index, member) in schema.fields().iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(Some(member.schema()), Some(member.name()), writing, out)?;
            }
            out.push(b']');
        }
        Type::Int8
        | Type::Int16
        | Type::Int32
        | Type::Int64
        | Type::Float32
        | Type::Float64
        | Type::Boolean
        | Type::String
        | Type::Bytes => {}
    }
    let optional: &[u8] = if schema.is_optional() {
        b"true"
    } else {
        b"false"
    };
    out.extend_from_slice(b",\"optional\":");
    out.extend_from_slice(optional);
    write_attributes(schema, writing, out)?;
    if let Some(field) = field {
        out.extend_from_slice(b",\"field\":");
        crate::json_text::text::write_string(field, out);
    }
    out.push(b'}');
    Ok(())
}

fn write_attributes(schema: &Schema, writing: Writing, out: &mut Vec<u8>) -> Result<(), Error> {
    if let Some(name) = schema.name() {
        out.extend_from_slice(b",\"name\":");
        crate::json_text::text::write_string(name, out);
    }
    if let Some(version) = schema.version() {
        out.extend_from_slice(b",\"version\":");
        out.extend_from_slice(itoa::Buffer::new().format(version).as_bytes());
    }
    if let Some(doc) = schema.doc() {
        out.extend_from_slice(b",\"doc\":");
        crate::json_text::text::write_string(doc, out);
    }
    if let Some(parameters) = schema.parameters() {
        out.extend_from_slice(b",\"parameters\":{");
        for (index, (name, value)) in parameters.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            crate::json_text::text::write_string(name, out);
            out.push(b':');
            crate::json_text::text::write_string(value, out);
        }
        out.push(b'}');
    }
    if let Some(default) = schema.default_value() {
        out.extend_from_slice(b",\"default\":");
        writing.value(Some(schema), default, out)?;
    }
    Ok(())
}

const fn type_word(kind: Type) -> &'static str {
    match kind {
        Type::Float32 => "float",
        Type::Float64 => "double",
        Type::Int8
        | Type::Int16
        | Type::Int32
        | Type::Int64
        | Type::Boolean
        | Type::String
        | Type::Bytes
        | Type::Array
        | Type::Map
        | Type::Struct => kind.name(),
    }
}
