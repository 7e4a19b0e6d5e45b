//! SchemaBuilderTest, and the value builder's own rules.

use ferroconnect_converters::Fault;
use ferroconnect_converters::data::{
    Builder, Decimal, Schema, SchemaAndValue, SchemaBuilder, StructBuilder, Type, Value, logical,
};

use crate::{built, datum, text};

#[test]
fn every_attribute_of_every_primitive_type() {
    let cases: [(Type, SchemaAndValue, SchemaAndValue); 9] = [
        (Type::Int8, 12i8.into(), "x".into()),
        (Type::Int16, 12i16.into(), 12i8.into()),
        (Type::Int32, 12i32.into(), 12i64.into()),
        (Type::Int64, 12i64.into(), 12i32.into()),
        (Type::Float32, 12.5f32.into(), 12.5f64.into()),
        (Type::Float64, 12.5f64.into(), 12.5f32.into()),
        (Type::Boolean, true.into(), "true".into()),
        (Type::String, "a default".into(), true.into()),
        (Type::Bytes, b"default".to_vec().into(), "default".into()),
    ];
    for (kind, default, wrong) in cases {
        let plain = built(SchemaBuilder::of(kind));
        assert_eq!((plain.kind(), plain.is_optional()), (kind, false));
        assert!(plain.name().is_none() && plain.version().is_none() && plain.doc().is_none());
        assert!(plain.parameters().is_none() && plain.default_value().is_none());

        let full = built(
            SchemaBuilder::of(kind)
                .name("name")
                .optional()
                .default_value(default.clone())
                .version(2)
                .doc("doc")
                .parameter("k", "v"),
        );
        assert_eq!((full.kind(), full.is_optional()), (kind, true));
        assert_eq!(
            (full.name(), full.version(), full.doc()),
            (Some("name"), Some(2), Some("doc"))
        );
        assert_eq!(full.parameter("k"), Some("v"));
        assert_eq!(full.default_value(), Some(default.value()));

        let error = SchemaBuilder::of(kind)
            .default_value(wrong)
            .build()
            .unwrap_err();
        assert!(
            error.to_string().starts_with("Invalid default value"),
            "{error}"
        );
        assert_eq!(
            error.java_class(),
            "org.apache.kafka.connect.errors.SchemaBuilderException"
        );
        assert!(error.cause().is_some());
    }
}

#[test]
fn an_attribute_is_set_once() {
    let cases = [
        (SchemaBuilder::int8().name("a").name("b"), "name"),
        (SchemaBuilder::int8().version(1).version(2), "version"),
        (SchemaBuilder::int8().doc("a").doc("b"), "doc"),
        (SchemaBuilder::int8().optional().required(), "optional"),
        (SchemaBuilder::int8().required().optional(), "optional"),
        (
            SchemaBuilder::int8().default_value(1i8).default_value(2i8),
            "default",
        ),
    ];
    for (builder, attribute) in cases {
        assert_eq!(
            text(builder.build()),
            format!("Invalid SchemaBuilder call: {attribute} has already been set.")
        );
    }
    // The same again is fine.
    built(
        SchemaBuilder::int8()
            .name("a")
            .name("a")
            .optional()
            .optional()
            .version(1)
            .version(1),
    );
    built(SchemaBuilder::int8().default_value(1i8).default_value(1i8));
}

#[test]
fn parameters_keep_their_order_and_are_replaced_in_place() {
    let schema = built(
        SchemaBuilder::int8()
            .parameter("z", "1")
            .parameter("a", "2")
            .parameter("z", "3"),
    );
    let listed: Vec<(&str, &str)> = schema
        .parameters()
        .unwrap()
        .iter()
        .map(|(k, v)| (&**k, &**v))
        .collect();
    assert_eq!(listed, [("z", "3"), ("a", "2")]);
}

#[test]
fn fields() {
    let schema = built(
        SchemaBuilder::structure()
            .field("field1", Schema::int8())
            .field("field2", Schema::optional_float32()),
    );
    assert_eq!(schema.fields()[0].schema(), &Schema::int8());
    assert_eq!(
        schema.field("field2").map(|f| (f.index(), f.schema())),
        Some((1, &Schema::optional_float32()))
    );

    let builders = [
        (
            SchemaBuilder::int8().field("a", Schema::int8()),
            "Cannot create fields on type INT8",
        ),
        (
            SchemaBuilder::structure().field("", Schema::int8()),
            "fieldName cannot be null.",
        ),
        (
            SchemaBuilder::structure()
                .field("id", Schema::int8())
                .field("id", Schema::int16()),
            "Cannot create field because of field name duplication id",
        ),
    ];
    for (builder, expected) in builders {
        assert_eq!(text(builder.build()), expected);
    }
}

#[test]
fn arrays_and_maps() {
    let array = built(SchemaBuilder::array(Schema::int8()));
    assert_eq!(
        (array.kind(), array.value_schema()),
        (Type::Array, Some(&Schema::int8()))
    );
    assert!(array.key_schema().is_none());
    let right = datum(&array, |out| {
        out.begin_array().int8(1).int8(2).end_array();
    });
    let with_default = built(SchemaBuilder::array(Schema::int8()).default_value(right.clone()));
    assert_eq!(with_default.default_value(), Some(right.value()));
    let wrong = datum(&array, |out| {
        out.begin_array().string("1").end_array();
    });
    assert!(
        text(
            SchemaBuilder::array(Schema::int8())
                .default_value(wrong)
                .build()
        )
        .starts_with("Invalid default value")
    );

    let map = built(SchemaBuilder::map(Schema::int8(), Schema::string()));
    assert_eq!(
        (map.key_schema(), map.value_schema()),
        (Some(&Schema::int8()), Some(&Schema::string()))
    );
    let wrong = datum(&map, |out| {
        out.begin_map().string("k").string("v").end_map();
    });
    let builder = SchemaBuilder::map(Schema::int8(), Schema::string()).default_value(wrong);
    assert!(text(builder.build()).starts_with("Invalid default value"));
    let empty = datum(&map, |out| {
        out.begin_map().end_map();
    });
    built(SchemaBuilder::map(Schema::int8(), Schema::string()).default_value(empty));
}

#[test]
fn a_struct_carries_a_default_of_its_own_schema_only() {
    let builder = || SchemaBuilder::structure().field("a", Schema::int8());
    let value = |schema: &Schema| {
        let value = StructBuilder::new(schema).unwrap();
        value.set("a", 1i8).unwrap().finish().unwrap()
    };
    let bare = built(builder());
    let with_default = built(builder().default_value(value(&bare)));
    let default = with_default.default_value().unwrap().as_struct().unwrap();
    assert_eq!(default.get("a"), Some(Value::Int8(1)));
    assert_eq!(with_default, built(builder().default_value(value(&bare))));
    assert_ne!(with_default, bare);

    let other = built(builder().name("Other"));
    assert_eq!(
        text(builder().default_value(value(&other)).build()),
        "Invalid default value: Struct schemas do not match."
    );
}

#[test]
fn a_null_default_is_none() {
    let schema = built(
        SchemaBuilder::int8()
            .optional()
            .default_value(SchemaAndValue::NULL),
    );
    assert!(schema.default_value().is_none());
}

#[test]
fn a_builder_from_a_schema_keeps_all_but_the_default() {
    let schema = built(
        SchemaBuilder::int8()
            .name("n")
            .doc("d")
            .parameter("a", "b")
            .default_value(1i8),
    );
    let copy = built(SchemaBuilder::from(schema.clone()).optional());
    assert_eq!(
        (copy.name(), copy.doc(), copy.is_optional()),
        (Some("n"), Some("d"), true)
    );
    assert!(copy.default_value().is_none() && schema.default_value().is_some());
}

#[test]
fn logical_defaults_take_logical_values() {
    built(logical::date().default_value(SchemaAndValue::from(Value::Date(86_400_000))));
    built(logical::decimal(2).default_value(&Decimal::new(156, 2)));
    assert!(logical::date().default_value(1).build().is_err());
}

#[test]
fn misuse_of_the_value_builder_is_a_plugin_fault() {
    let misuses: [fn(&mut Builder); 9] = [
        |_| {},
        |out| {
            out.int8(1).int8(2);
        },
        |out| {
            out.end_array();
        },
        |out| {
            out.begin_array().end_map();
        },
        |out| {
            out.begin_map().string("key without value").end_map();
        },
        |out| {
            out.begin_array();
        },
        |out| {
            out.field(0);
        },
        |out| {
            out.begin_map().end_struct();
        },
        |out| {
            out.begin_struct(&SchemaBuilder::structure().build().unwrap())
                .int8(1)
                .end_struct();
        },
    ];
    for (number, misuse) in misuses.into_iter().enumerate() {
        let mut out = Builder::new(None);
        misuse(&mut out);
        let error = out.finish().unwrap_err();
        assert_eq!(error.fault(), Fault::Plugin, "{number}: {error}");
    }
}

#[test]
fn depth_is_limited() {
    let nested = |levels: usize| {
        let mut out = Builder::new(None);
        for _ in 0..levels {
            out.begin_array();
        }
        for _ in 0..levels {
            out.end_array();
        }
        out.finish()
    };
    assert!(nested(1000).is_ok());
    assert_eq!(text(nested(1001)), "value nests deeper than 1000 levels");
}

#[test]
fn of_equal_keys_the_last_value_stays_at_the_place_of_the_first() {
    let datum = datum(
        &built(SchemaBuilder::map(Schema::string(), Schema::int32())),
        |out| {
            out.begin_map()
                .string("a")
                .int32(1)
                .string("b")
                .int32(2)
                .string("a")
                .int32(3)
                .end_map();
        },
    );
    let Value::Map(map) = datum.value() else {
        panic!("{datum:?}")
    };
    let entries: Vec<_> = map.iter().collect();
    assert_eq!(
        entries,
        [
            (Value::String("a"), Value::Int32(3)),
            (Value::String("b"), Value::Int32(2))
        ]
    );
}

#[test]
fn keys_are_equal_as_in_java() {
    let count = |fill: fn(&mut Builder)| {
        let mut out = Builder::new(None);
        out.begin_map();
        fill(&mut out);
        out.end_map();
        let datum = out.finish().unwrap();
        let Value::Map(map) = datum.value() else {
            panic!("{datum:?}")
        };
        map.len()
    };
    // Not across types; decimals with their scale; 0.0 and -0.0 differ; every NaN is the same.
    assert_eq!(
        count(|out| {
            out.int8(1).null().int16(1).null();
        }),
        2
    );
    assert_eq!(
        count(|out| {
            out.decimal(Decimal::new(10, 1).view())
                .null()
                .decimal(Decimal::new(1, 0).view())
                .null();
        }),
        2
    );
    assert_eq!(
        count(|out| {
            out.float64(0.0).null().float64(-0.0).null();
        }),
        2
    );
    assert_eq!(
        count(|out| {
            out.float64(f64::NAN)
                .null()
                .float64(f64::from_bits(0x7ff8_0000_0000_0001))
                .null();
        }),
        1
    );
    assert_eq!(
        count(|out| {
            out.null().int8(1).null().int8(2);
        }),
        1
    );
    assert_eq!(
        count(|out| {
            out.date(5).null().timestamp(5).null();
        }),
        1
    );
}
