//! ConnectSchemaTest: access, equality, and the check of values.

use ferroconnect_converters::data::{
    Decimal, Schema, SchemaBuilder, StructBuilder, Type, Value, check, logical,
};

use crate::{built, datum, text};

/// A value of each class, with the schemas that take it.
fn check_value(schema: &Schema, value: Value<'_>) -> Result<(), String> {
    check::check(schema, value).map_err(|error| error.to_string())
}

#[test]
fn fields_of_structs_and_of_nothing_else() {
    let schema = built(
        SchemaBuilder::structure()
            .field("foo", Schema::boolean())
            .field("bar", Schema::int32()),
    );
    let listed: Vec<(usize, &str)> = schema
        .fields()
        .iter()
        .map(|f| (f.index(), f.name()))
        .collect();
    assert_eq!(listed, [(0, "foo"), (1, "bar")]);
    assert_eq!(schema.index_of("bar"), Some(1));
    assert!(schema.field("baz").is_none());
    assert!(Schema::int8().fields().is_empty() && Schema::int8().field("foo").is_none());
    assert!(built(SchemaBuilder::structure()).fields().is_empty());
    assert!(Schema::int8().key_schema().is_none() && Schema::int8().value_schema().is_none());
}

#[test]
fn fields_are_found_in_wide_structs_too() {
    let names: Vec<String> = (0..100).map(|i| format!("f{}", (i * 37) % 100)).collect();
    let wide = names.iter().fold(SchemaBuilder::structure(), |b, n| {
        b.field(n, Schema::int8())
    });
    let wide = built(wide);
    for (index, name) in names.iter().enumerate() {
        assert_eq!(wide.index_of(name), Some(index));
    }
    assert_eq!(wide.index_of("f100"), None);
}

#[test]
fn every_type_takes_its_own_class_and_no_other() {
    let array = built(SchemaBuilder::array(Schema::int32()));
    let map = built(SchemaBuilder::map(Schema::string(), Schema::int32()));
    let structure = built(SchemaBuilder::structure().field("a", Schema::int32()));
    let array_datum = datum(&array, |out| {
        out.begin_array().int32(1).int32(2).end_array();
    });
    let map_datum = datum(&map, |out| {
        out.begin_map().string("k").int32(1).end_map();
    });
    let struct_datum = datum(&structure, |out| {
        out.begin_struct(&structure).int32(1).end_struct();
    });
    let (decimal, date, time, timestamp) = (
        built(logical::decimal(2)),
        built(logical::date()),
        built(logical::time()),
        built(logical::timestamp()),
    );
    let number = Decimal::new(150, 2);
    // The group tells which schemas take the value: the three kinds of dates are one class in Java.
    let samples = [
        (Schema::int8(), Value::Int8(1), 0),
        (Schema::int16(), Value::Int16(1), 1),
        (Schema::int32(), Value::Int32(1), 2),
        (Schema::int64(), Value::Int64(1), 3),
        (Schema::float32(), Value::Float32(1.0), 4),
        (Schema::float64(), Value::Float64(1.0), 5),
        (Schema::boolean(), Value::Boolean(true), 6),
        (Schema::string(), Value::String("a"), 7),
        (Schema::bytes(), Value::Bytes(b"a"), 8),
        (array, array_datum.value(), 9),
        (map, map_datum.value(), 10),
        (structure, struct_datum.value(), 11),
        (decimal, Value::Decimal(number.view()), 12),
        (date, Value::Date(0), 13),
        (time, Value::Time(0), 13),
        (timestamp, Value::Timestamp(0), 13),
    ];
    for (schema, _, schema_group) in &samples {
        for (_, value, group) in &samples {
            let result = check_value(schema, *value);
            assert_eq!(
                result.is_ok(),
                schema_group == group,
                "{schema} {value:?} {result:?}"
            );
        }
    }
}

#[test]
fn null_needs_an_optional_schema_and_a_default_does_not_help() {
    for kind in [Type::Int8, Type::String, Type::Bytes, Type::Struct] {
        let text = check_value(&built(SchemaBuilder::of(kind)), Value::Null).unwrap_err();
        assert_eq!(
            text,
            format!("Invalid value: null used for required value, schema type: {kind}")
        );
        check_value(&built(SchemaBuilder::of(kind).optional()), Value::Null).unwrap();
    }
    let with_default = built(SchemaBuilder::int32().default_value(5));
    check_value(&with_default, Value::Null).unwrap_err();
}

#[test]
fn messages_name_the_class_and_the_place() {
    let named = built(SchemaBuilder::int32().name("com.example.Id"));
    assert_eq!(
        check_value(&named, Value::String("x")).unwrap_err(),
        "Invalid Java object for schema \"com.example.Id\" with type INT32: class java.lang.String for value"
    );
    let array = built(SchemaBuilder::array(Schema::int32()));
    let wrong = datum(&array, |out| {
        out.begin_array().int32(1).string("2").end_array();
    });
    assert_eq!(
        check_value(&array, wrong.value()).unwrap_err(),
        "Invalid Java object for schema with type INT32: class java.lang.String for element of array value (at [1])"
    );
    let map = built(SchemaBuilder::map(Schema::string(), Schema::int32()));
    for (fill_key, place) in [
        (true, "key of map value (at {key 0})"),
        (false, "value of map value (at {value 0})"),
    ] {
        let wrong = datum(&map, |out| {
            out.begin_map();
            if fill_key {
                out.int64(1).int32(1);
            } else {
                out.string("k").int64(1);
            }
            out.end_map();
        });
        let text = check_value(&map, wrong.value()).unwrap_err();
        assert!(
            text.ends_with(&format!("class java.lang.Long for {place}")),
            "{text}"
        );
    }
    let stamp = built(logical::timestamp());
    assert_eq!(
        check_value(&stamp, Value::Int64(1)).unwrap_err(),
        "Invalid Java object for schema \"org.apache.kafka.connect.data.Timestamp\" with type INT64: class java.lang.Long for value"
    );
}

#[test]
fn one_wrong_element_among_right_ones_is_found() {
    let map = built(SchemaBuilder::map(Schema::int32(), Schema::string()));
    let some = datum(&map, |out| {
        out.begin_map()
            .int32(1)
            .string("a")
            .int64(2)
            .string("b")
            .end_map();
    });
    assert!(
        check_value(&map, some.value())
            .unwrap_err()
            .contains("{key 1}")
    );
    let some = datum(&map, |out| {
        out.begin_map()
            .int32(1)
            .string("a")
            .int32(2)
            .boolean(true)
            .end_map();
    });
    assert!(
        check_value(&map, some.value())
            .unwrap_err()
            .contains("{value 1}")
    );
}

#[test]
fn structs_must_have_the_very_schema() {
    let inner = built(SchemaBuilder::structure().field("x", Schema::int32()));
    let other = built(SchemaBuilder::structure().field("x", Schema::int64()));
    let outer = built(SchemaBuilder::structure().field("inner", inner.clone()));
    let wrong = datum(&outer, |out| {
        out.begin_struct(&outer)
            .begin_struct(&other)
            .int64(1)
            .end_struct()
            .end_struct();
    });
    assert_eq!(
        check_value(&outer, wrong.value()).unwrap_err(),
        "Struct schemas do not match. (at inner)"
    );
    let right = datum(&other, |out| {
        out.begin_struct(&other).int64(1).end_struct();
    });
    assert!(
        check_value(&inner, right.value())
            .unwrap_err()
            .starts_with("Struct schemas do not match.")
    );
    // An equal schema will do, it need not be the same object.
    let twin = built(SchemaBuilder::structure().field("x", Schema::int32()));
    let same = datum(&twin, |out| {
        out.begin_struct(&twin).int32(1).end_struct();
    });
    check_value(&inner, same.value()).unwrap();
}

#[test]
fn containers_without_element_schemas_hold_nothing() {
    let open = built(SchemaBuilder::open_array(None));
    let some = datum(&open, |out| {
        out.begin_array().int32(1).end_array();
    });
    assert_eq!(
        check_value(&open, some.value()).unwrap_err(),
        "No schema defined for element of array value"
    );
}

#[test]
fn schemas_differ_by_every_attribute() {
    /// All attributes, but for the one that is left out.
    fn without(left_out: &str) -> SchemaBuilder {
        let mut builder = SchemaBuilder::int32().parameter("a", "1");
        if left_out != "optional" {
            builder = builder.optional();
        }
        if left_out != "name" {
            builder = builder.name("n");
        }
        if left_out != "version" {
            builder = builder.version(2);
        }
        if left_out != "doc" {
            builder = builder.doc("d");
        }
        if left_out != "parameter" {
            builder = builder.parameter("b", "2");
        }
        if left_out != "default" {
            builder = builder.default_value(7);
        }
        builder
    }
    let schema = built(without("nothing"));
    assert_eq!(schema, built(without("nothing")));
    for attribute in ["optional", "name", "version", "doc", "parameter", "default"] {
        assert_ne!(schema, built(without(attribute)), "{attribute}");
    }
    let others = [
        without("name").name("m"),
        without("version").version(3),
        without("doc").doc("e"),
        without("parameter").parameter("b", "3"),
        without("default").default_value(8),
    ];
    for other in others {
        assert_ne!(schema, built(other));
    }
    assert_ne!(Schema::int32(), Schema::int64());
    // Parameters are a map: their order does not count for equality.
    let turned = built(SchemaBuilder::int32().parameters([("b", "2"), ("a", "1")]));
    assert_eq!(
        turned,
        built(SchemaBuilder::int32().parameters([("a", "1"), ("b", "2")]))
    );
    // No parameters and an empty list of them are not the same.
    assert_ne!(
        built(SchemaBuilder::int32().parameters([])),
        Schema::int32()
    );
}

#[test]
fn nested_schemas_are_part_of_equality() {
    let array = |element| built(SchemaBuilder::array(element));
    assert_eq!(array(Schema::string()), array(Schema::string()));
    assert_ne!(array(Schema::string()), array(Schema::optional_string()));
    let map = |key, value| built(SchemaBuilder::map(key, value));
    assert_eq!(
        map(Schema::int8(), Schema::bytes()),
        map(Schema::int8(), Schema::bytes())
    );
    assert_ne!(
        map(Schema::int8(), Schema::bytes()),
        map(Schema::int16(), Schema::bytes())
    );
    assert_ne!(
        map(Schema::int8(), Schema::bytes()),
        map(Schema::int8(), Schema::string())
    );
    let structure = |fields: &[(&str, Schema)]| {
        let fields = fields.iter().cloned();
        built(
            fields.fold(SchemaBuilder::structure(), |b, (name, schema)| {
                b.field(name, schema)
            }),
        )
    };
    let (a, b) = (("a", Schema::int8()), ("b", Schema::string()));
    assert_eq!(
        structure(&[a.clone(), b.clone()]),
        structure(&[a.clone(), b.clone()])
    );
    assert_ne!(
        structure(&[a.clone(), b.clone()]),
        structure(&[b.clone(), a.clone()]),
        "order counts"
    );
    assert_ne!(structure(std::slice::from_ref(&a)), structure(&[a, b]));
    assert_ne!(
        structure(&[("a", Schema::int8())]),
        structure(&[("a", Schema::optional_int8())])
    );
}

#[test]
fn defaults_of_arrays_and_bytes_compare_by_content() {
    let array = |number: i32| {
        let bare = built(SchemaBuilder::array(Schema::int32()));
        let default = datum(&bare, |out| {
            out.begin_array().int32(number).end_array();
        });
        built(SchemaBuilder::array(Schema::int32()).default_value(default))
    };
    assert_eq!(array(1), array(1));
    assert_ne!(array(1), array(2));
    let bytes = |content: &[u8]| built(SchemaBuilder::bytes().default_value(content.to_vec()));
    assert_eq!(bytes(b"x"), bytes(b"x"));
    assert_ne!(bytes(b"x"), bytes(b"y"));
}

#[test]
fn equal_schemas_hash_alike() {
    use std::collections::HashSet;
    let schema =
        |order: [(&str, &str); 2]| built(SchemaBuilder::int32().name("n").parameters(order));
    let set = HashSet::from([
        schema([("a", "1"), ("b", "2")]),
        schema([("b", "2"), ("a", "1")]),
    ]);
    assert_eq!(set.len(), 1);
}

#[test]
fn handles_know_whether_they_are_the_same() {
    let schema = Schema::int32();
    assert!(
        schema.same(&Schema::int32()),
        "the predefined ones are one object each"
    );
    assert!(!schema.same(&built(SchemaBuilder::int32())));
    assert_eq!(schema, built(SchemaBuilder::int32()));
}

#[test]
fn display_is_javas() {
    assert_eq!(Schema::int8().to_string(), "Schema{INT8}");
    assert_eq!(
        built(SchemaBuilder::structure().name("a.B")).to_string(),
        "Schema{a.B:STRUCT}"
    );
}

#[test]
fn errors_carry_the_whole_path() {
    let line = built(SchemaBuilder::structure().field("amount", Schema::int32()));
    let lines = built(SchemaBuilder::array(line.clone()));
    let order = built(SchemaBuilder::structure().field("lines", lines));
    let wrong = datum(&order, |out| {
        out.begin_struct(&order).begin_array();
        out.begin_struct(&line).int32(1).end_struct();
        out.begin_struct(&line).string("secret").end_struct();
        out.end_array().end_struct();
    });
    let error = check::check(&order, wrong.value()).unwrap_err();
    assert_eq!(error.field_path(), "lines[1].amount");
    assert!(!error.to_string().contains("secret"), "values never show");
    assert!(
        text(StructBuilder::new(&Schema::int8())).contains("Not a struct schema: Schema{INT8}")
    );
}
