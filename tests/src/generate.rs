//! Generators of schemas and of values that fit them, for property tests.
//!
//! [`datum`] is the everyday one: a schema of any shape with a legal value. [`untyped`] gives values without a schema.

use ferroconnect_converters::data::{
    Builder, Decimal, Schema, SchemaAndValue, SchemaBuilder, Type, logical,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Levels of containers in a generated schema.
const DEPTH: u32 = 3;
/// Elements of a generated container, and fields of a struct.
const WIDTH: usize = 4;

/// A value without its schema, in a form that shrinks.
#[derive(Clone, Debug)]
pub enum Plain {
    /// No value.
    Null,
    /// A boolean.
    Boolean(bool),
    /// An integer of the type that the schema declares.
    Integer(i64),
    /// A single precision number, by its bits.
    Float32(f32),
    /// A double precision number.
    Float64(f64),
    /// Milliseconds of a date, time or timestamp, as the schema declares.
    Temporal(i64),
    /// A decimal.
    Decimal(Decimal),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Elements.
    Array(Vec<Self>),
    /// Entries; of equal keys the last one counts.
    Map(Vec<(Self, Self)>),
    /// Fields in order.
    Struct(Vec<Self>),
}

impl Plain {
    /// The datum of this value under its schema.
    ///
    /// # Panics
    /// When the value was not generated for the schema.
    #[must_use]
    pub fn under(&self, schema: &Schema) -> SchemaAndValue {
        let mut out = Builder::new(Some(schema.clone()));
        self.put(schema, &mut out);
        out.finish().expect("generated values are whole")
    }

    fn put(&self, schema: &Schema, out: &mut Builder) {
        use logical::Logical;
        match self {
            Self::Null => out.null(),
            Self::Boolean(v) => out.boolean(*v),
            Self::Integer(v) => integer(schema.kind(), *v, out),
            Self::Float32(v) => out.float32(*v),
            Self::Float64(v) => out.float64(*v),
            Self::Temporal(v) => match schema.logical() {
                Some(Logical::Date) => out.date(*v),
                Some(Logical::Time) => out.time(*v),
                Some(Logical::Timestamp | Logical::Decimal) | None => out.timestamp(*v),
            },
            Self::Decimal(v) => out.decimal(v.view()),
            Self::Text(v) => out.string(v),
            Self::Bytes(v) => out.bytes(v),
            Self::Array(elements) => {
                out.begin_array();
                for (element, schema) in elements
                    .iter()
                    .zip(std::iter::repeat(schema.value_schema()))
                {
                    element.put(schema.expect("arrays have element schemas"), out);
                }
                out.end_array()
            }
            Self::Map(entries) => {
                let (key, value) = (schema.key_schema(), schema.value_schema());
                out.begin_map();
                for (k, v) in entries {
                    k.put(key.expect("maps have key schemas"), out);
                    v.put(value.expect("maps have value schemas"), out);
                }
                out.end_map()
            }
            Self::Struct(fields) => {
                out.begin_struct(schema);
                for (field, value) in schema.fields().iter().zip(fields) {
                    value.put(field.schema(), out);
                }
                out.end_struct()
            }
        };
    }
}

fn integer(kind: Type, value: i64, out: &mut Builder) -> &mut Builder {
    const FITS: &str = "generated integers fit their type";
    match kind {
        Type::Int8 => out.int8(value.try_into().expect(FITS)),
        Type::Int16 => out.int16(value.try_into().expect(FITS)),
        Type::Int32 => out.int32(value.try_into().expect(FITS)),
        Type::Int64
        | Type::Float32
        | Type::Float64
        | Type::Boolean
        | Type::String
        | Type::Bytes
        | Type::Array
        | Type::Map
        | Type::Struct => out.int64(value),
    }
}

/// A schema with a value that fits it.
pub fn datum() -> impl Strategy<Value = SchemaAndValue> {
    schema().prop_flat_map(|schema| datum_of(&schema))
}

/// A value that fits the schema.
pub fn datum_of(schema: &Schema) -> BoxedStrategy<SchemaAndValue> {
    let under = schema.clone();
    value(schema)
        .prop_map(move |plain| plain.under(&under))
        .boxed()
}

/// A value without a schema: everything but structs; maps have text keys.
pub fn untyped() -> impl Strategy<Value = SchemaAndValue> {
    datum_of(&Schema::string())
        .prop_union(
            primitive()
                .prop_flat_map(|schema| datum_of(&schema))
                .boxed(),
        )
        .boxed()
        .prop_recursive(DEPTH, 24, 4, |inner| {
            let array = vec(inner.clone(), 0..WIDTH).prop_map(|elements| {
                let mut out = Builder::new(None);
                out.begin_array();
                elements.iter().for_each(|e| {
                    out.copy(e.value());
                });
                out.end_array();
                out.finish().expect("whole")
            });
            let map = vec((text(), inner), 0..WIDTH).prop_map(|entries| {
                let mut out = Builder::new(None);
                out.begin_map();
                entries.iter().for_each(|(k, v)| {
                    out.string(k).copy(v.value());
                });
                out.end_map();
                out.finish().expect("whole")
            });
            prop_oneof![array, map]
        })
        .prop_map(|datum| datum.with_schema(None))
}

/// A schema of any shape: all types, nested, optional, with defaults, names, versions, docs and parameters.
pub fn schema() -> BoxedStrategy<Schema> {
    at_depth(DEPTH)
}

fn at_depth(depth: u32) -> BoxedStrategy<Schema> {
    if depth == 0 {
        return primitive().boxed();
    }
    let inner = move || at_depth(depth - 1);
    let array = inner().prop_map(|element| {
        SchemaBuilder::array(element)
            .build()
            .expect("an array of a schema")
    });
    let map = (required_primitive(), inner()).prop_map(|(key, value)| {
        SchemaBuilder::map(key, value)
            .build()
            .expect("a map of schemas")
    });
    let structure = vec((field_name(), inner()), 0..=WIDTH).prop_map(|fields| {
        let numbered = fields.into_iter().enumerate();
        let builder = numbered.fold(
            SchemaBuilder::structure(),
            |builder, (index, (name, schema))| builder.field(&format!("{name}{index}"), schema),
        );
        builder.build().expect("numbered names differ")
    });
    prop_oneof![
        3 => primitive(),
        1 => attributed(array.boxed()),
        1 => attributed(map.boxed()),
        3 => attributed(structure.boxed()),
    ]
    .boxed()
}

/// A schema whose values hold no other values, logical types among them.
pub fn primitive() -> BoxedStrategy<Schema> {
    attributed(prop_oneof![4 => bare(), 2 => logical_schema()].boxed())
}

fn required_primitive() -> impl Strategy<Value = Schema> {
    prop_oneof![3 => Just(Schema::string()), 2 => bare(), 1 => logical_schema()]
        // Byte arrays are compared by identity in Java, so nobody uses them as keys.
        .prop_filter("no bytes as keys", |schema| {
            schema.kind() != Type::Bytes || schema.logical().is_some()
        })
}

fn bare() -> impl Strategy<Value = Schema> {
    prop::sample::select(vec![
        Schema::int8(),
        Schema::int16(),
        Schema::int32(),
        Schema::int64(),
        Schema::float32(),
        Schema::float64(),
        Schema::boolean(),
        Schema::string(),
        Schema::bytes(),
    ])
}

fn logical_schema() -> impl Strategy<Value = Schema> {
    let builders = prop_oneof![
        (-3i32..12).prop_map(logical::decimal),
        Just(()).prop_map(|()| logical::date()),
        Just(()).prop_map(|()| logical::time()),
        Just(()).prop_map(|()| logical::timestamp()),
    ];
    builders.prop_map(|builder| builder.build().expect("logical schemas are whole"))
}

/// Adds attributes to some schemas, and a default to some of those that may have one.
fn attributed(base: BoxedStrategy<Schema>) -> BoxedStrategy<Schema> {
    let name = prop::option::weighted(
        0.2,
        prop::sample::select(vec!["com.example.Order", "a", "Größe"]),
    );
    let doc = prop::option::weighted(
        0.1,
        prop::sample::select(vec!["", "a doc", "with \"quotes\""]),
    );
    let parameter = prop::option::weighted(0.1, ("[a-z]{1,3}", text()));
    let version = prop::option::weighted(0.1, 1i32..9);
    let parts = (base, any::<bool>(), name, version, doc, parameter);
    let schema = parts.prop_map(|(base, optional, name, version, doc, parameter)| {
        let logical = base.logical().is_some();
        let mut builder = SchemaBuilder::from(base);
        if optional {
            builder = builder.optional();
        }
        if let Some(name) = name.filter(|_| !logical) {
            builder = builder.name(name);
        }
        if let Some(version) = version.filter(|_| !logical) {
            builder = builder.version(version);
        }
        if let Some(doc) = doc {
            builder = builder.doc(doc);
        }
        if let Some((key, value)) = &parameter {
            builder = builder.parameter(key, value);
        }
        builder.build().expect("each attribute once")
    });
    schema
        .prop_flat_map(|schema| {
            // A struct cannot have a default: it would have to carry the schema that is being built.
            if schema.kind() == Type::Struct {
                return Just(schema).boxed();
            }
            let default = prop::option::weighted(0.2, present(&schema));
            default
                .prop_map(move |default| with_default(&schema, default))
                .boxed()
        })
        .boxed()
}

fn with_default(schema: &Schema, default: Option<Plain>) -> Schema {
    match default {
        Some(plain) => SchemaBuilder::from(schema.clone())
            .default_value(plain.under(schema))
            .build()
            .expect("the default fits"),
        None => schema.clone(),
    }
}

/// A value that fits the schema; null where it may be.
pub fn value(schema: &Schema) -> BoxedStrategy<Plain> {
    let some = present(schema);
    if schema.is_optional() {
        prop_oneof![1 => Just(Plain::Null), 4 => some].boxed()
    } else {
        some
    }
}

fn present(schema: &Schema) -> BoxedStrategy<Plain> {
    use logical::Logical;
    match schema.logical() {
        Some(Logical::Decimal) => {
            let scale = schema
                .decimal_scale()
                .expect("generated decimals have a scale");
            return decimal(scale).prop_map(Plain::Decimal).boxed();
        }
        Some(Logical::Date) => {
            let days = prop_oneof![-1_000_000i64..3_000_000, Just(0)];
            return days
                .prop_map(|days| Plain::Temporal(days * logical::MILLIS_PER_DAY))
                .boxed();
        }
        Some(Logical::Time) => {
            return (0..=logical::MILLIS_PER_DAY)
                .prop_map(Plain::Temporal)
                .boxed();
        }
        Some(Logical::Timestamp) => {
            let millis = prop_oneof![any::<i64>(), -1_000_000_000_000i64..4_000_000_000_000];
            return millis.prop_map(Plain::Temporal).boxed();
        }
        None => {}
    }
    match schema.kind() {
        Type::Int8 => any::<i8>().prop_map(|v| Plain::Integer(v.into())).boxed(),
        Type::Int16 => any::<i16>().prop_map(|v| Plain::Integer(v.into())).boxed(),
        Type::Int32 => any::<i32>().prop_map(|v| Plain::Integer(v.into())).boxed(),
        Type::Int64 => any::<i64>().prop_map(Plain::Integer).boxed(),
        Type::Float32 => proptest::num::f32::ANY.prop_map(Plain::Float32).boxed(),
        Type::Float64 => proptest::num::f64::ANY.prop_map(Plain::Float64).boxed(),
        Type::Boolean => any::<bool>().prop_map(Plain::Boolean).boxed(),
        Type::String => text().prop_map(Plain::Text).boxed(),
        Type::Bytes => vec(any::<u8>(), 0..20).prop_map(Plain::Bytes).boxed(),
        Type::Array => {
            let element = value(schema.value_schema().expect("arrays have element schemas"));
            vec(element, 0..WIDTH).prop_map(Plain::Array).boxed()
        }
        Type::Map => {
            let key = value(schema.key_schema().expect("maps have key schemas"));
            let value = value(schema.value_schema().expect("maps have value schemas"));
            vec((key, value), 0..WIDTH).prop_map(Plain::Map).boxed()
        }
        Type::Struct => schema
            .fields()
            .iter()
            .map(|field| field_value(field.schema()))
            .collect::<Vec<_>>()
            .prop_map(Plain::Struct)
            .boxed(),
    }
}

/// What may stand in a field: a null also where there is only a default.
fn field_value(schema: &Schema) -> BoxedStrategy<Plain> {
    if schema.accepts_absence() {
        prop_oneof![1 => Just(Plain::Null), 3 => present(schema)].boxed()
    } else {
        present(schema)
    }
}

/// A decimal of that scale: small, of 128 bits, and longer.
pub fn decimal(scale: i32) -> impl Strategy<Value = Decimal> {
    prop_oneof![
        any::<i64>().prop_map(move |unscaled| Decimal::new(unscaled.into(), scale)),
        any::<i128>().prop_map(move |unscaled| Decimal::new(unscaled, scale)),
        vec(any::<u8>(), 0..30).prop_map(move |bytes| Decimal::from_be_bytes(&bytes, scale)),
    ]
}

/// Text: words, text with everything that needs an escape somewhere, and any characters.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9 _.-]{0,12}",
        "[\\\\\"/\u{0}-\u{1f}\u{7f}-\u{9f}\u{2028}é€😀{}\\[\\]:,]{0,8}",
        "\\PC{0,16}",
    ]
}

fn field_name() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-z]{1,8}", 1 => "\\PC{1,4}"]
}
