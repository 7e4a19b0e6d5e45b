//! StructTest.

use ferroconnect_converters::data::{Schema, SchemaAndValue, SchemaBuilder, StructBuilder, Value};

use crate::{built, datum, text};

fn flat() -> Schema {
    built(
        SchemaBuilder::structure()
            .field("int8", Schema::int8())
            .field("int16", Schema::int16())
            .field("int32", Schema::int32())
            .field("int64", Schema::int64())
            .field("float32", Schema::float32())
            .field("float64", Schema::float64())
            .field("boolean", Schema::boolean())
            .field("string", Schema::string())
            .field("bytes", Schema::bytes()),
    )
}

fn flat_value() -> StructBuilder {
    let builder = StructBuilder::new(&flat()).unwrap();
    let builder = builder
        .set("int8", 12i8)
        .unwrap()
        .set("int16", 12i16)
        .unwrap();
    let builder = builder
        .set("int32", 12i32)
        .unwrap()
        .set("int64", 12i64)
        .unwrap();
    let builder = builder
        .set("float32", 12.0f32)
        .unwrap()
        .set("float64", 12.0f64)
        .unwrap();
    let builder = builder
        .set("boolean", true)
        .unwrap()
        .set("string", "foobar")
        .unwrap();
    builder.set("bytes", &b"foobar"[..]).unwrap()
}

#[test]
fn flat_structs_give_back_what_was_put() {
    let datum = flat_value().finish().unwrap();
    let view = datum.value().as_struct().unwrap();
    assert_eq!(view.get("int8"), Some(Value::Int8(12)));
    assert_eq!(view.get("int64"), Some(Value::Int64(12)));
    assert_eq!(view.get("float32"), Some(Value::Float32(12.0)));
    assert_eq!(view.get("boolean"), Some(Value::Boolean(true)));
    assert_eq!(view.get("string"), Some(Value::String("foobar")));
    assert_eq!(view.get("bytes"), Some(Value::Bytes(b"foobar")));
    assert_eq!(view.get("nothing"), None);
    assert_eq!(view.at(99), Value::Null);
}

#[test]
fn complex_structs() {
    let array = built(SchemaBuilder::array(Schema::int8()));
    let map = built(SchemaBuilder::map(Schema::int32(), Schema::string()));
    let nested = built(SchemaBuilder::structure().field("int8", Schema::int8()));
    let schema = built(
        SchemaBuilder::structure()
            .field("array", array)
            .field("map", map)
            .field("nested", nested.clone()),
    );
    let inner = StructBuilder::new(&nested)
        .unwrap()
        .set("int8", 12i8)
        .unwrap()
        .finish()
        .unwrap();
    let datum = StructBuilder::new(&schema)
        .unwrap()
        .set("array", vec![1i8, 2])
        .unwrap()
        .set_with("map", |out| {
            out.begin_map().int32(1).string("string").end_map();
        })
        .unwrap()
        .set("nested", &inner)
        .unwrap()
        .finish()
        .unwrap();
    let view = datum.value().as_struct().unwrap();
    assert!(
        matches!(view.get("array"), Some(Value::Array(a)) if a.len() == 2 && a.get(1) == Some(Value::Int8(2)))
    );
    assert!(
        matches!(view.get("map"), Some(Value::Map(m)) if m.get_value(Value::Int32(1)) == Some(Value::String("string")))
    );
    assert_eq!(view.get("nested"), Some(inner.value()));
    // A field taken out is a datum of its own.
    assert_eq!(datum.field("nested"), Some(inner));
    assert_eq!(
        datum.field("nested").unwrap().field("int8"),
        Some(SchemaAndValue::from(12i8).with_schema(Some(Schema::int8())))
    );
}

#[test]
fn wrong_values_are_refused_with_the_field_name() {
    let error = flat_value()
        .set("int8", "12")
        .unwrap()
        .finish()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "Invalid Java object for schema with type INT8: class java.lang.String for field: \"int8\" (at int8)"
    );
    assert_eq!(
        text(flat_value().set("nope", 1)),
        "nope is not a valid field name"
    );

    let array = built(SchemaBuilder::array(Schema::int8()));
    let map = built(SchemaBuilder::map(Schema::int8(), Schema::string()));
    let nested = built(SchemaBuilder::structure().field("x", Schema::int8()));
    let schema = built(
        SchemaBuilder::structure()
            .field("array", built(SchemaBuilder::from(array).optional()))
            .field("map", built(SchemaBuilder::from(map).optional()))
            .field("nested", built(SchemaBuilder::from(nested).optional())),
    );
    let fresh = || StructBuilder::new(&schema).unwrap();
    let message = text(fresh().set("array", ["should be int8"]).unwrap().finish());
    assert!(
        message.contains("for element of array field: \"array\" (at array[0])"),
        "{message}"
    );
    let wrong_key = fresh().set_with("map", |out| {
        out.begin_map()
            .string("should be int8")
            .string("v")
            .end_map();
    });
    let message = text(wrong_key.unwrap().finish());
    assert!(
        message.contains("for key of map field: \"map\""),
        "{message}"
    );
    let other = built(SchemaBuilder::structure().field("y", Schema::int8()));
    let foreign = StructBuilder::new(&other)
        .unwrap()
        .set("y", 1i8)
        .unwrap()
        .finish()
        .unwrap();
    let message = text(fresh().set("nested", &foreign).unwrap().finish());
    assert_eq!(message, "Struct schemas do not match. (at nested)");
}

#[test]
fn fields_that_were_not_set() {
    let required = built(SchemaBuilder::structure().field("a", Schema::string()));
    let message = text(StructBuilder::new(&required).unwrap().finish());
    assert_eq!(
        message,
        "Invalid value: null used for required field: \"a\", schema type: STRING (at a)"
    );

    let optional = built(SchemaBuilder::structure().field("a", Schema::optional_string()));
    let datum = StructBuilder::new(&optional).unwrap().finish().unwrap();
    assert_eq!(
        datum.value().as_struct().unwrap().get("a"),
        Some(Value::Null)
    );

    let with_default = built(SchemaBuilder::string().default_value("dv"));
    let schema = built(SchemaBuilder::structure().field("a", with_default));
    let datum = StructBuilder::new(&schema).unwrap().finish().unwrap();
    let view = datum.value().as_struct().unwrap();
    assert_eq!(view.get("a"), Some(Value::String("dv")));
    assert_eq!(view.get_without_default("a"), Some(Value::Null));
    assert_eq!(view.at(0), Value::Null);
}

#[test]
fn equality() {
    assert_eq!(
        flat_value().finish().unwrap(),
        flat_value().finish().unwrap()
    );
    assert_ne!(
        flat_value().finish().unwrap(),
        flat_value()
            .set("string", "other")
            .unwrap()
            .finish()
            .unwrap()
    );
    assert_ne!(
        flat_value().finish().unwrap(),
        flat_value()
            .set("bytes", &b"other"[..])
            .unwrap()
            .finish()
            .unwrap()
    );
    // An unset field and one set to its default are not the same, as in Java.
    let schema = built(
        SchemaBuilder::structure().field("a", built(SchemaBuilder::int8().default_value(1i8))),
    );
    let unset = StructBuilder::new(&schema).unwrap().finish().unwrap();
    let set = StructBuilder::new(&schema)
        .unwrap()
        .set("a", 1i8)
        .unwrap()
        .finish()
        .unwrap();
    assert_ne!(unset, set);
    // The schema is part of it.
    let named = built(SchemaBuilder::from(schema).name("n"));
    assert_ne!(
        unset.value(),
        StructBuilder::new(&named)
            .unwrap()
            .finish()
            .unwrap()
            .value()
    );
}

#[test]
fn values_are_equal_as_java_objects_are() {
    assert_ne!(Value::Int32(1), Value::Int64(1));
    assert_eq!(Value::Float64(f64::NAN), Value::Float64(-f64::NAN));
    assert_ne!(Value::Float32(0.0), Value::Float32(-0.0));
    assert_eq!(Value::Date(5), Value::Timestamp(5));
    let map = |entries: [(&str, i32); 2]| {
        datum(
            &built(SchemaBuilder::map(Schema::string(), Schema::int32())),
            |out| {
                out.begin_map();
                for (key, value) in entries {
                    out.string(key).int32(value);
                }
                out.end_map();
            },
        )
    };
    assert_eq!(map([("a", 1), ("b", 2)]), map([("b", 2), ("a", 1)]));
    assert_ne!(map([("a", 1), ("b", 2)]), map([("a", 1), ("b", 3)]));
}

#[test]
fn an_edited_copy_shares_the_rest() {
    let datum = flat_value().finish().unwrap();
    let (string, int8, bytes) = (7, 0, 8);
    let edited = datum
        .edit()
        .unwrap()
        .set_at(string, Value::String("a longer text than before"))
        .unwrap()
        .set_at(int8, Value::Int8(-1))
        .unwrap()
        .set_at(bytes, Value::Bytes(b""))
        .unwrap()
        .finish();
    let expected = flat_value()
        .set("string", "a longer text than before")
        .unwrap();
    let expected = expected
        .set("int8", -1i8)
        .unwrap()
        .set("bytes", &b""[..])
        .unwrap()
        .finish()
        .unwrap();
    assert_eq!(edited, expected);
    assert_eq!(datum, flat_value().finish().unwrap(), "the original stays");

    assert!(
        datum
            .edit()
            .unwrap()
            .set_at(int8, Value::String("x"))
            .is_err()
    );
    assert!(datum.edit().unwrap().set_at(99, Value::Null).is_err());
    assert!(SchemaAndValue::from(1).edit().is_err());
}

#[test]
fn the_null_datum() {
    assert!(SchemaAndValue::NULL.is_null() && SchemaAndValue::NULL.schema().is_none());
    let typed = SchemaAndValue::null_of(Some(Schema::optional_int8()));
    assert!(typed.is_null());
    assert_ne!(typed, SchemaAndValue::NULL);
}

#[test]
fn data_travels_between_threads() {
    fn is_shareable<T: Send + Sync + Clone + 'static>() {}
    is_shareable::<SchemaAndValue>();
    is_shareable::<Schema>();
    let datum = flat_value().finish().unwrap();
    let copy = datum.clone();
    let there = std::thread::spawn(move || copy.value().as_struct().map(|s| s.values().len()));
    assert_eq!(there.join().unwrap(), Some(9));
    assert_eq!(datum.value().as_struct().map(|s| s.values().len()), Some(9));
}
