//! The records that are measured: one shape each for what makes records expensive.

use ferroconnect_converters::Error;
use ferroconnect_converters::data::{
    Builder, Decimal, Schema, SchemaAndValue, SchemaBuilder, StructBuilder, logical,
};

/// A record with a name.
#[derive(Debug)]
pub struct Shape {
    /// Short name, part of the benchmark's name.
    pub name: &'static str,
    /// The record.
    pub data: SchemaAndValue,
}

/// All shapes, the bench record of the JVM baseline first.
///
/// # Errors
/// None in practice: the schemas are constant.
pub fn all() -> Result<Vec<Shape>, Error> {
    Ok(vec![
        Shape {
            name: "bench",
            data: bench()?,
        },
        Shape {
            name: "wide",
            data: wide()?,
        },
        Shape {
            name: "nested",
            data: nested()?,
        },
        Shape {
            name: "text-ascii",
            data: text(&"All work and no play makes Jack a dull boy. ".repeat(228))?,
        },
        Shape {
            name: "text-prose",
            data: text(
                &"Six lines of prose: a quote here and there, \"as people write\", and a line end.\n"
                    .repeat(128),
            )?,
        },
        Shape {
            name: "text-ascii-escapes",
            data: text(&"He said \"no\" twice,\n\tthen left C:\\tmp. ".repeat(256))?,
        },
        Shape {
            name: "text-multibyte",
            data: text(&"Größe: 12 µm, Preis 5 €, 東京都千代田区。".repeat(200))?,
        },
        Shape {
            name: "text-multibyte-escapes",
            data: text(&"Größe \"12 µm\"\n😀 東京都。".repeat(290))?,
        },
        Shape {
            name: "decimal",
            data: decimals()?,
        },
    ])
}

/// All shapes, and those that only a schema language tells apart from others.
///
/// # Errors
/// None in practice: the schemas are constant.
pub fn with_structures() -> Result<Vec<Shape>, Error> {
    let mut list = all()?;
    let more = [
        ("optional", optional()?),
        ("arrays", arrays()?),
        ("maps", maps()?),
        ("unions", unions()?),
    ];
    list.extend(more.map(|(name, data)| Shape { name, data }));
    Ok(list)
}

fn bench() -> Result<SchemaAndValue, Error> {
    let text = Schema::string;
    let address = SchemaBuilder::structure()
        .name("com.example.Address")
        .field("street", text())
        .field("city", text())
        .field("zip", text())
        .build()?;
    let schema = SchemaBuilder::structure()
        .name("com.example.Order")
        .field("id", Schema::int64())
        .field("name", text())
        .field("email", text())
        .field("active", Schema::boolean())
        .field("amount", Schema::float64())
        .field("quantity", Schema::int32())
        .field("created", logical::timestamp().build()?)
        .field("price", logical::decimal(2).build()?)
        .field("tags", SchemaBuilder::array(text()).build()?)
        .field("address", address.clone())
        .build()?;
    StructBuilder::new(&schema)?
        .set("id", 1_234_567_890_123i64)?
        .set("name", "Alexandra Hamilton-Whitfield")?
        .set("email", "alexandra.hamilton@example.com")?
        .set("active", true)?
        .set("amount", 1534.75)?
        .set("quantity", 42)?
        .set_with("created", |out| {
            out.timestamp(1_700_000_000_123);
        })?
        .set("price", &Decimal::new(1_999_995, 2))?
        .set("tags", ["priority", "gift-wrapped", "returning-customer"])?
        .set_with("address", |out| {
            out.begin_struct(&address)
                .string("1200 Northwest Harborview Avenue")
                .string("San Francisco")
                .string("94105-1804")
                .end_struct();
        })?
        .finish()
}

/// 100 fields: 34 int32, 33 int64, 33 short strings.
fn wide() -> Result<SchemaAndValue, Error> {
    let mut builder = SchemaBuilder::structure().name("com.example.Wide");
    for n in 0..100 {
        let schema = [Schema::int32(), Schema::int64(), Schema::string()][n % 3].clone();
        builder = builder.field(&format!("column_{n:02}"), schema);
    }
    let schema = builder.build()?;
    let mut out = Builder::new(Some(schema.clone()));
    out.begin_struct(&schema);
    for n in 0..100i64 {
        match n % 3 {
            0 => out.int32(i32::try_from(n * 7919).unwrap_or_default()),
            1 => out.int64(n * 1_234_567_891),
            _ => out.string(&format!("value of {n}")),
        };
    }
    out.end_struct();
    out.finish()
}

/// Three levels: 9 structs, 6 arrays, 19 strings.
fn nested() -> Result<SchemaAndValue, Error> {
    let text = Schema::string;
    let texts = || SchemaBuilder::array(text()).build();
    let leaf = SchemaBuilder::structure()
        .name("Leaf")
        .field("name", text())
        .field("count", Schema::int32())
        .field("tags", texts()?)
        .build()?;
    let branch = SchemaBuilder::structure()
        .name("Branch")
        .field("title", text())
        .field("leaf", leaf.clone())
        .build()?;
    let schema = SchemaBuilder::structure()
        .name("Root")
        .field("id", Schema::int64())
        .field("branches", SchemaBuilder::array(branch.clone()).build()?)
        .field("labels", texts()?)
        .build()?;
    let mut out = Builder::new(Some(schema.clone()));
    out.begin_struct(&schema).int64(42).begin_array();
    for n in 0..4 {
        out.begin_struct(&branch)
            .string(&format!("branch number {n}"))
            .begin_struct(&leaf);
        out.string(&format!("leaf of {n}")).int32(n);
        out.begin_array()
            .string("green")
            .string("autumn")
            .end_array();
        out.end_struct().end_struct();
    }
    out.end_array();
    out.begin_array()
        .string("first")
        .string("second")
        .string("third label")
        .end_array();
    out.end_struct();
    out.finish()
}

/// About 10 kB of one text.
fn text(body: &str) -> Result<SchemaAndValue, Error> {
    let schema = SchemaBuilder::structure()
        .name("com.example.Document")
        .field("id", Schema::int64())
        .field("body", Schema::string())
        .build()?;
    StructBuilder::new(&schema)?
        .set("id", 7i64)?
        .set("body", body)?
        .finish()
}

/// Twenty amounts, two of them beyond 64 bits.
fn decimals() -> Result<SchemaAndValue, Error> {
    let amount = logical::decimal(4).build()?;
    let mut builder = SchemaBuilder::structure().name("com.example.Ledger");
    for n in 0..20 {
        builder = builder.field(&format!("amount_{n:02}"), amount.clone());
    }
    let mut record = StructBuilder::new(&builder.build()?)?;
    for n in 0..20i128 {
        let unscaled = if n < 18 {
            n * 1_234_567_891 - 5
        } else {
            i128::MAX / (n + 3)
        };
        record = record.set(&format!("amount_{n:02}"), &Decimal::new(unscaled, 4))?;
    }
    record.finish()
}

/// Thirty fields that may be null; every third one is. In them, structs that may be null and hold such fields.
fn optional() -> Result<SchemaAndValue, Error> {
    let number = SchemaBuilder::int64().optional().build()?;
    let text = SchemaBuilder::string().optional().build()?;
    let inner = SchemaBuilder::structure()
        .name("com.example.Inner")
        .field("number", number.clone())
        .field("text", text.clone())
        .optional()
        .build()?;
    let mut builder = SchemaBuilder::structure().name("com.example.Optional");
    for n in 0..30 {
        let schema = [&number, &text, &inner][n % 3].clone();
        builder = builder.field(&format!("column_{n:02}"), schema);
    }
    let schema = builder.build()?;
    let mut out = Builder::new(Some(schema.clone()));
    out.begin_struct(&schema);
    for n in 0..30i64 {
        match (n / 3 % 3, n % 3) {
            (2, _) => out.null(),
            (_, 0) => out.int64(n * 1_234_567_891),
            (_, 1) => out.string(&format!("value of {n}")),
            _ => out.begin_struct(&inner).int64(n).null().end_struct(),
        };
    }
    out.end_struct();
    out.finish()
}

/// Fifty each of whole numbers, floating ones and texts; twenty structs.
fn arrays() -> Result<SchemaAndValue, Error> {
    let point = SchemaBuilder::structure()
        .name("com.example.Point")
        .field("x", Schema::int32())
        .field("y", Schema::int32())
        .build()?;
    let schema = SchemaBuilder::structure()
        .name("com.example.Arrays")
        .field("longs", SchemaBuilder::array(Schema::int64()).build()?)
        .field("doubles", SchemaBuilder::array(Schema::float64()).build()?)
        .field("texts", SchemaBuilder::array(Schema::string()).build()?)
        .field("points", SchemaBuilder::array(point.clone()).build()?)
        .build()?;
    let mut out = Builder::new(Some(schema.clone()));
    out.begin_struct(&schema).begin_array();
    for n in 0..50i64 {
        out.int64(n * n * n * 977);
    }
    out.end_array().begin_array();
    for n in 0..50 {
        out.float64(f64::from(n) / 7.0);
    }
    out.end_array().begin_array();
    for n in 0..50 {
        out.string(&format!("text number {n}"));
    }
    out.end_array().begin_array();
    for n in 0..20 {
        out.begin_struct(&point)
            .int32(n * 31)
            .int32(-n)
            .end_struct();
    }
    out.end_array().end_struct();
    out.finish()
}

/// Two maps with text keys of twenty entries each.
fn maps() -> Result<SchemaAndValue, Error> {
    let text = Schema::string;
    let schema = SchemaBuilder::structure()
        .name("com.example.Maps")
        .field(
            "counts",
            SchemaBuilder::map(text(), Schema::int64()).build()?,
        )
        .field("labels", SchemaBuilder::map(text(), text()).build()?)
        .build()?;
    let mut out = Builder::new(Some(schema.clone()));
    out.begin_struct(&schema).begin_map();
    for n in 0..20i64 {
        out.string(&format!("counter.{n}")).int64(n * 7919);
    }
    out.end_map().begin_map();
    for n in 0..20 {
        out.string(&format!("label-{n}"))
            .string(&format!("what label {n} says"));
    }
    out.end_map().end_struct();
    out.finish()
}

/// Twenty values, each of which is a text, a number or a yes or no: a struct with a field per type, of which one is set.
fn unions() -> Result<SchemaAndValue, Error> {
    let choice = SchemaBuilder::structure()
        .name("io.confluent.connect.avro.Union")
        .field("string", SchemaBuilder::string().optional().build()?)
        .field("long", SchemaBuilder::int64().optional().build()?)
        .field("boolean", SchemaBuilder::boolean().optional().build()?)
        .build()?;
    let schema = SchemaBuilder::structure()
        .name("com.example.Choices")
        .field("choices", SchemaBuilder::array(choice.clone()).build()?)
        .build()?;
    let mut out = Builder::new(Some(schema.clone()));
    out.begin_struct(&schema).begin_array();
    for n in 0..20i64 {
        out.begin_struct(&choice);
        match n % 3 {
            0 => out.string("one of three").null().null(),
            1 => out.null().int64(n * 7919).null(),
            _ => out.null().null().boolean(n % 2 == 0),
        };
        out.end_struct();
    }
    out.end_array().end_struct();
    out.finish()
}
