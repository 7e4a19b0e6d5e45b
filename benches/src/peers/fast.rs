//! `serde_avro_fast`, with structs for the bench record.
//!
//! The decimal is read as bytes, as ours is until somebody asks for its digits; so its schema says bytes.

use std::fmt;

use serde::de::{Deserializer, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_avro_fast::ser::SerializerConfig;

use super::{Given, NAME, Peer};
use crate::Trouble;

pub(super) fn peers(given: &Given<'_>) -> Result<[Peer; 2], Trouble> {
    let mut plain: serde_json::Value = serde_json::from_str(given.schema)?;
    for field in plain["fields"].as_array_mut().into_iter().flatten() {
        if field["name"] == "price" {
            field["type"] = "bytes".into();
        }
    }
    let parse = || plain.to_string().parse::<serde_avro_fast::Schema>();

    let (schema, body) = (parse()?, given.body.clone());
    let order: Order = serde_avro_fast::from_datum_slice(&body, &schema)?;
    assert_eq!(order.name, NAME);
    let owned = Box::new(move || {
        let order: Result<Order, _> = serde_avro_fast::from_datum_slice(&body, &schema);
        std::hint::black_box(order.ok());
    });

    let (schema, body) = (parse()?, given.body.clone());
    let seen: OrderView<'_> = serde_avro_fast::from_datum_slice(&body, &schema)?;
    assert_eq!(seen.name, NAME);
    let borrowed = Box::new(move || {
        let order: Result<OrderView<'_>, _> = serde_avro_fast::from_datum_slice(&body, &schema);
        std::hint::black_box(order.ok());
    });

    // The settings borrow the schema, and live as long as the program.
    let schema: &'static serde_avro_fast::Schema = Box::leak(Box::new(parse()?));
    let mut config = SerializerConfig::new(schema);
    let mut out = serde_avro_fast::to_datum(&order, Vec::new(), &mut config)?;
    assert_eq!(out, given.body);
    let write = Box::new(move || {
        out.clear();
        match serde_avro_fast::to_datum(&order, std::mem::take(&mut out), &mut config) {
            Ok(written) => out = written,
            Err(error) => assert!(error.to_string().is_empty(), "{error}"),
        }
        std::hint::black_box(&out);
    });
    Ok([
        Peer {
            library: "serde_avro_fast 2.1 struct",
            name: "serde_avro_fast",
            read: Some(owned),
            write: Some(write),
        },
        Peer {
            library: "serde_avro_fast 2.1 borrowed",
            name: "serde_avro_fast-borrowed",
            read: Some(borrowed),
            write: None,
        },
    ])
}

#[derive(Serialize, Deserialize)]
struct Order {
    id: i64,
    name: String,
    email: String,
    active: bool,
    amount: f64,
    quantity: i32,
    created: i64,
    price: Unscaled,
    tags: Vec<String>,
    address: Address,
}

#[derive(Serialize, Deserialize)]
struct Address {
    street: String,
    city: String,
    zip: String,
}

/// As [`Order`], with texts that lie in the record.
#[derive(Deserialize)]
#[expect(
    dead_code,
    reason = "read, and held against a hint that keeps the reading"
)]
struct OrderView<'a> {
    id: i64,
    name: &'a str,
    email: &'a str,
    active: bool,
    amount: f64,
    quantity: i32,
    created: i64,
    price: &'a [u8],
    #[serde(borrow)]
    tags: Vec<&'a str>,
    #[serde(borrow)]
    address: AddressView<'a>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "as OrderView")]
struct AddressView<'a> {
    street: &'a str,
    city: &'a str,
    zip: &'a str,
}

/// Bytes, which serde would take for a list of numbers.
struct Unscaled(Vec<u8>);

impl Serialize for Unscaled {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Unscaled {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Unscaled;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Unscaled, E> {
                Ok(Unscaled(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}
