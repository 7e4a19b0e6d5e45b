//! SchemaProjectorTest.

use ferroconnect_converters::Error;
use ferroconnect_converters::data::{
    Decimal, Projection, Schema, SchemaAndValue, SchemaBuilder, StructBuilder, Value, logical,
};

use crate::{built, datum, text};

fn project(
    source: &Schema,
    value: impl Into<SchemaAndValue>,
    target: &Schema,
) -> Result<SchemaAndValue, Error> {
    let value = value.into().with_schema(Some(source.clone()));
    Projection::compile(source, target)?.project(&value)
}

fn refused(source: &Schema, target: &Schema) -> String {
    let error = Projection::compile(source, target).unwrap_err();
    assert_eq!(
        error.java_class(),
        "org.apache.kafka.connect.errors.SchemaProjectorException"
    );
    error.to_string()
}

#[test]
fn equal_types_pass() {
    for value in [
        SchemaAndValue::from(true),
        127i8.into(),
        "abc".into(),
        b"abc".to_vec().into(),
        1.5f64.into(),
    ] {
        let schema = ferroconnect_converters::data::infer_schema(value.value()).unwrap();
        // Version and doc do not count.
        let target = built(SchemaBuilder::from(schema.clone()).version(9).doc("d"));
        assert_eq!(
            project(&schema, value.clone(), &target).unwrap().value(),
            value.value()
        );
    }
    assert_eq!(
        refused(&Schema::boolean(), &Schema::string()),
        "Schema type mismatch. source type: BOOLEAN and target type: STRING"
    );
}

#[test]
fn numbers_widen_and_never_narrow() {
    let numbers: [(Schema, SchemaAndValue); 6] = [
        (Schema::int8(), 127i8.into()),
        (Schema::int16(), 255i16.into()),
        (Schema::int32(), 32_767i32.into()),
        (Schema::int64(), 327_890i64.into()),
        (Schema::float32(), 1.25f32.into()),
        (Schema::float64(), 1.25f64.into()),
    ];
    for (from, (source, value)) in numbers.iter().enumerate() {
        for (to, (target, _)) in numbers.iter().enumerate() {
            if from > to {
                assert!(refused(source, target).starts_with("Schema type mismatch."));
                continue;
            }
            let projected = project(source, value.clone(), target).unwrap();
            ferroconnect_converters::data::check::check(target, projected.value()).unwrap();
            let double =
                |v| ferroconnect_converters::data::text::convert::to_double(None, v).unwrap();
            assert_eq!(
                double(projected.value()),
                double(value.value()),
                "{source} {target}"
            );
        }
    }
    let long = project(&Schema::int64(), i64::MAX, &Schema::float32()).unwrap();
    assert_eq!(long.value(), Value::Float32(9.223_372e18));
}

#[test]
fn null_and_default() {
    let optional = Schema::optional_int32();
    let required = Schema::int32();
    let with_default = built(SchemaBuilder::int64().default_value(5i64));
    let optional_with_default = built(SchemaBuilder::int64().optional().default_value(5i64));
    assert_eq!(
        refused(&optional, &required),
        "Writer schema is optional, however, target schema does not provide a default value."
    );
    assert_eq!(
        project(&optional, SchemaAndValue::NULL, &with_default)
            .unwrap()
            .value(),
        Value::Int64(5)
    );
    assert_eq!(
        project(&optional, 7, &with_default).unwrap().value(),
        Value::Int64(7)
    );
    assert_eq!(
        project(&optional, SchemaAndValue::NULL, &optional_with_default)
            .unwrap()
            .value(),
        Value::Null
    );
    assert_eq!(
        project(&required, 7, &Schema::optional_int64())
            .unwrap()
            .value(),
        Value::Int64(7)
    );
}

#[test]
fn structs_gain_and_lose_fields() {
    let source = built(
        SchemaBuilder::structure()
            .field("a", Schema::int32())
            .field("gone", Schema::string()),
    );
    let target = built(
        SchemaBuilder::structure()
            .field("new", built(SchemaBuilder::int32().default_value(123)))
            .field("unset", Schema::optional_string())
            .field(
                "both",
                built(SchemaBuilder::string().optional().default_value("dv")),
            )
            .field("a", Schema::int64()),
    );
    let value = StructBuilder::new(&source)
        .unwrap()
        .set("a", 1)
        .unwrap()
        .set("gone", "x")
        .unwrap();
    let projected = project(&source, value.finish().unwrap(), &target).unwrap();
    assert_eq!(projected.schema(), Some(&target));
    let view = projected.value().as_struct().unwrap();
    assert_eq!(view.schema(), &target);
    let stored: Vec<Value<'_>> = view.values().collect();
    assert_eq!(
        stored,
        [
            Value::Int32(123),
            Value::Null,
            Value::String("dv"),
            Value::Int64(1)
        ]
    );
}

#[test]
fn a_missing_required_field_is_found_when_compiling() {
    let source = built(SchemaBuilder::structure().field("a", Schema::int32()));
    let target = built(
        SchemaBuilder::structure()
            .field("a", Schema::int32())
            .field("b", Schema::int32()),
    );
    assert_eq!(
        refused(&source, &target),
        "Required field `b` is missing from source schema: Schema{STRUCT}"
    );
}

#[test]
fn a_null_field_takes_the_default_of_its_source() {
    let defaulted = built(SchemaBuilder::int32().default_value(42));
    let source = built(SchemaBuilder::structure().field("a", defaulted));
    let target = built(SchemaBuilder::structure().field("a", Schema::int64()));
    let value = StructBuilder::new(&source).unwrap().finish().unwrap();
    let projected = project(&source, value, &target).unwrap();
    assert_eq!(
        projected.value().as_struct().unwrap().at(0),
        Value::Int64(42)
    );
}

#[test]
fn nested_structs_name_the_field_that_fails() {
    let inner = |schema| built(SchemaBuilder::structure().field("x", schema));
    let outer = |schema| built(SchemaBuilder::structure().field("inner", inner(schema)));
    let error = Projection::compile(&outer(Schema::int64()), &outer(Schema::int32())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Error projecting inner: Error projecting x: Schema type mismatch. source type: INT64 and target type: INT32"
    );
    assert_eq!(error.field_path(), "inner.x");
    let (source, target) = (outer(Schema::int32()), outer(Schema::int64()));
    let value = datum(&source, |out| {
        out.begin_struct(&source)
            .begin_struct(&inner(Schema::int32()))
            .int32(3)
            .end_struct()
            .end_struct();
    });
    let projected = project(&source, value, &target).unwrap();
    let inner = projected.value().as_struct().unwrap().at(0);
    assert_eq!(inner.as_struct().unwrap().at(0), Value::Int64(3));
}

#[test]
fn names_and_parameters_must_be_equal() {
    let named = |name: &str| built(SchemaBuilder::int32().name(name));
    assert_eq!(
        refused(&named("a"), &named("b")),
        "Schema name mismatch. source name: a and target name: b"
    );
    assert_eq!(
        refused(&named("a"), &Schema::int32()),
        "Schema name mismatch. source name: a and target name: null"
    );
    let with = |value: &str| built(SchemaBuilder::int32().parameters([("k", value), ("z", "z")]));
    assert!(
        refused(&with("1"), &with("2"))
            .starts_with("Schema parameters not equal. source parameters: ")
    );
    let turned = built(SchemaBuilder::int32().parameters([("z", "z"), ("k", "1")]));
    assert_eq!(
        project(&with("1"), 5, &turned).unwrap().value(),
        Value::Int32(5)
    );
}

#[test]
fn logical_types() {
    for (schema, value) in [
        (logical::date(), Value::Date(86_400_000)),
        (logical::time(), Value::Time(1)),
        (logical::timestamp(), Value::Timestamp(1)),
    ] {
        let schema = built(schema);
        let optional = built(SchemaBuilder::from(schema.clone()).optional());
        assert_eq!(project(&schema, value, &optional).unwrap().value(), value);
        assert!(refused(&schema, &Schema::int64()).contains("mismatch"));
    }
    let decimal = |scale| built(logical::decimal(scale));
    let value = Decimal::new(156, 2);
    let target = built(SchemaBuilder::from(decimal(2)).optional());
    assert_eq!(
        project(&decimal(2), &value, &target).unwrap().value(),
        Value::Decimal(value.view())
    );
    assert!(refused(&decimal(2), &decimal(3)).starts_with("Schema parameters not equal."));
    assert!(refused(&Schema::bytes(), &decimal(2)).starts_with("Schema name mismatch."));
}

#[test]
fn arrays_and_maps() {
    let array = |element| built(SchemaBuilder::array(element));
    let numbers = datum(&array(Schema::int32()), |out| {
        out.begin_array().int32(1).int32(2).end_array();
    });
    let projected = project(&array(Schema::int32()), numbers, &array(Schema::int64())).unwrap();
    assert!(matches!(projected.value(), Value::Array(a) if a.get(1) == Some(Value::Int64(2))));
    assert!(
        refused(&array(Schema::string()), &array(Schema::int8()))
            .contains("STRING and target type: INT8")
    );
    // Found at once, though the array may be empty.
    assert!(
        refused(&array(Schema::optional_int8()), &array(Schema::int8()))
            .starts_with("Writer schema is optional")
    );

    let map = |key, value| built(SchemaBuilder::map(key, value));
    let (source, target) = (
        map(Schema::int8(), Schema::int16()),
        map(Schema::int32(), Schema::int64()),
    );
    let value = datum(&source, |out| {
        out.begin_map().int8(1).int16(2).end_map();
    });
    let projected = project(&source, value, &target).unwrap();
    assert!(
        matches!(projected.value(), Value::Map(m) if m.get_value(Value::Int32(1)) == Some(Value::Int64(2)))
    );
    assert!(
        refused(
            &map(Schema::int8(), Schema::int8()),
            &map(Schema::string(), Schema::int8())
        )
        .contains("mismatch")
    );
}

#[test]
fn a_value_that_is_not_of_the_source_is_refused() {
    let message = text(project(&Schema::int32(), "secret", &Schema::int64()));
    assert_eq!(
        message,
        "Unable to convert a value (class java.lang.String) to int64"
    );
}
