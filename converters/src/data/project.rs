//! [`Projection`]: data of one schema read under another, compiled once: `SchemaProjector`.
//!
//! Numbers widen, fields are matched by name: those only in the source are dropped, those only in the target take their default or stay
//! unset. Names and parameters must be equal, versions and docs need not.

use super::{Builder, Schema, SchemaAndValue, Struct, Type, Value};
use crate::error::{Error, data::Kind};

/// How values of a source schema become values of a target schema.
///
/// ```
/// use ferroconnect_converters::data::{Projection, Schema, SchemaBuilder, StructBuilder, Value};
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let old = SchemaBuilder::structure().field("id", Schema::int32()).field("gone", Schema::string()).build()?;
/// let new = SchemaBuilder::structure().field("id", Schema::int64()).field("note", Schema::optional_string()).build()?;
/// let projection = Projection::compile(&old, &new)?;
/// let order = StructBuilder::new(&old)?.set("id", 7i32)?.set("gone", "x")?.finish()?;
/// let projected = projection.project(&order)?;
/// assert_eq!(projected.value().as_struct().and_then(|s| s.get("id")), Some(Value::Int64(7)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Projection {
    /// Nothing when the schemas are equal: values pass as they are.
    node: Option<Node>,
}

#[derive(Debug)]
struct Node {
    target: Schema,
    /// A null becomes the target's default.
    default_for_null: bool,
    plan: Plan,
}

#[derive(Debug)]
enum Plan {
    Copy,
    Widen(Type),
    Array(Box<Node>),
    Map(Box<Node>, Box<Node>),
    Struct(Vec<Source>),
}

/// Where a field of the target comes from.
#[derive(Debug)]
enum Source {
    Field { index: usize, node: Node },
    Default,
    Unset,
}

impl Projection {
    /// Compiles a projection. Everything that cannot be projected is found here, even below arrays and maps that might be empty.
    ///
    /// # Errors
    /// Data fault with the path of the field: types that do not widen, other names or parameters, an optional source for a
    /// required target without a default, a required field that the source lacks.
    pub fn compile(source: &Schema, target: &Schema) -> Result<Self, Error> {
        if source == target {
            return Ok(Self { node: None });
        }
        if source.is_recursive() || target.is_recursive() {
            return Err(refused(
                "A schema that contains itself is projected only onto an equal one.",
            ));
        }
        let node = compile(source, target)?;
        Ok(Self { node: Some(node) })
    }

    /// Projects a value of the source schema.
    ///
    /// # Errors
    /// Data fault when the value is not one of the source schema.
    pub fn project(&self, datum: &SchemaAndValue) -> Result<SchemaAndValue, Error> {
        let Some(node) = &self.node else {
            return Ok(datum.clone());
        };
        let mut out = Builder::new(Some(node.target.clone()));
        run(node, datum.value(), &mut out)?;
        out.finish()
    }
}

fn compile(source: &Schema, target: &Schema) -> Result<Node, Error> {
    check_compatible(source, target)?;
    let narrows = source.is_optional() && !target.is_optional();
    if narrows && target.default_value().is_none() {
        return Err(refused(
            "Writer schema is optional, however, target schema does not provide a default value.",
        ));
    }
    let plan = if target.kind() == Type::Struct {
        let fields = target
            .fields()
            .iter()
            .map(|field| compile_field(source, field));
        Plan::Struct(fields.collect::<Result<_, _>>()?)
    } else if target.kind() == Type::Array {
        Plan::Array(Box::new(compile_child(
            source.value_schema(),
            target.value_schema(),
        )?))
    } else if target.kind() == Type::Map {
        Plan::Map(
            Box::new(compile_child(source.key_schema(), target.key_schema())?),
            Box::new(compile_child(source.value_schema(), target.value_schema())?),
        )
    } else if source.kind() == target.kind() {
        Plan::Copy
    } else {
        Plan::Widen(target.kind())
    };
    Ok(Node {
        target: target.clone(),
        default_for_null: narrows,
        plan,
    })
}

fn compile_child(source: Option<&Schema>, target: Option<&Schema>) -> Result<Node, Error> {
    match (source, target) {
        (Some(source), Some(target)) => compile(source, target),
        (Some(_) | None, None) | (None, Some(_)) => Err(refused("No schema defined for elements.")),
    }
}

fn compile_field(source: &Schema, field: &super::Field) -> Result<Source, Error> {
    let schema = field.schema();
    match source.field(field.name()) {
        Some(from) => {
            let node = compile(from.schema(), schema).map_err(|cause| {
                let text = format!("Error projecting {}", from.name());
                cause
                    .causing(Kind::Projection(text.into()))
                    .in_field(from.name())
            })?;
            Ok(Source::Field {
                index: from.index(),
                node,
            })
        }
        None if schema.default_value().is_some() => Ok(Source::Default),
        None if schema.is_optional() => Ok(Source::Unset),
        None => Err(refused(&format!(
            "Required field `{}` is missing from source schema: {source}",
            field.name()
        ))),
    }
}

fn check_compatible(source: &Schema, target: &Schema) -> Result<(), Error> {
    if source.kind() != target.kind() && !widens(source.kind(), target.kind()) {
        return Err(refused(&format!(
            "Schema type mismatch. source type: {} and target type: {}",
            source.kind(),
            target.kind()
        )));
    }
    if source.name() != target.name() {
        return Err(refused(&format!(
            "Schema name mismatch. source name: {} and target name: {}",
            source.name().unwrap_or("null"),
            target.name().unwrap_or("null")
        )));
    }
    if !source.same_parameters(target) {
        return Err(refused(&format!(
            "Schema parameters not equal. source parameters: {:?} and target parameters: {:?}",
            source.parameters().unwrap_or_default(),
            target.parameters().unwrap_or_default()
        )));
    }
    Ok(())
}

#[cold]
fn refused(text: &str) -> Error {
    Kind::Projection(text.into()).into()
}

/// Whether every number of one type has a place in the other: int8, int16, int32, int64, float32, float64.
fn widens(from: Type, to: Type) -> bool {
    matches!((rank(from), rank(to)), (Some(from), Some(to)) if from < to)
}

const fn rank(kind: Type) -> Option<u8> {
    match kind {
        Type::Int8 => Some(0),
        Type::Int16 => Some(1),
        Type::Int32 => Some(2),
        Type::Int64 => Some(3),
        Type::Float32 => Some(4),
        Type::Float64 => Some(5),
        Type::Boolean | Type::String | Type::Bytes | Type::Array | Type::Map | Type::Struct => None,
    }
}

fn run(node: &Node, value: Value<'_>, out: &mut Builder) -> Result<(), Error> {
    match (&node.plan, value) {
        (_, Value::Null) if node.default_for_null => {
            out.copy(node.target.default_value().unwrap_or(Value::Null));
        }
        (_, Value::Null) => {
            out.null();
        }
        (Plan::Copy, value) => {
            out.copy(value);
        }
        (Plan::Widen(kind), value) => widen(*kind, value, out)?,
        (Plan::Array(element), Value::Array(array)) => {
            out.begin_array();
            for (index, value) in array.iter().enumerate() {
                run(element, value, out).map_err(|error| error.in_element(index))?;
            }
            out.end_array();
        }
        (Plan::Map(key, value), Value::Map(map)) => {
            out.begin_map();
            for (index, (k, v)) in map.iter().enumerate() {
                run(key, k, out).map_err(|error| error.in_key(index))?;
                run(value, v, out).map_err(|error| error.in_map_value(index))?;
            }
            out.end_map();
        }
        (Plan::Struct(sources), Value::Struct(structure)) => {
            out.begin_struct(&node.target);
            for (field, source) in node.target.fields().iter().zip(sources) {
                run_field(field.schema(), source, structure, out)
                    .map_err(|error| error.in_field(field.name()))?;
            }
            out.end_struct();
        }
        (Plan::Array(_) | Plan::Map(..) | Plan::Struct(_), value) => {
            return Err(mismatch(value, node.target.kind()));
        }
    }
    Ok(())
}

fn run_field(
    target: &Schema,
    source: &Source,
    structure: Struct<'_>,
    out: &mut Builder,
) -> Result<(), Error> {
    match source {
        Source::Field { index, node } => {
            let declared = structure.schema().fields().get(*index);
            let value = match (structure.at(*index), declared) {
                (Value::Null, Some(field)) => field.schema().default_value().unwrap_or(Value::Null),
                (value, _) => value,
            };
            run(node, value, out)
        }
        Source::Default => {
            out.copy(target.default_value().unwrap_or(Value::Null));
            Ok(())
        }
        Source::Unset => {
            out.null();
            Ok(())
        }
    }
}

/// `Number.shortValue` … `Number.doubleValue` of a narrower number.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "Java's widening: floats round, integers were checked to widen"
)]
fn widen(kind: Type, value: Value<'_>, out: &mut Builder) -> Result<(), Error> {
    match (kind, value.as_i64(), value) {
        (Type::Int16, Some(v), _) => out.int16(v as i16),
        (Type::Int32, Some(v), _) => out.int32(v as i32),
        (Type::Int64, Some(v), _) => out.int64(v),
        (Type::Float32, Some(v), _) => out.float32(v as f32),
        (Type::Float64, Some(v), _) => out.float64(v as f64),
        (Type::Float64, None, Value::Float32(v)) => out.float64(v.into()),
        _ => return Err(mismatch(value, kind)),
    };
    Ok(())
}

#[cold]
fn mismatch(value: Value<'_>, to: Type) -> Error {
    Kind::NotConvertible {
        class: value.java_class(),
        to: to.name(),
    }
    .into()
}
