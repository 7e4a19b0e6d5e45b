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
