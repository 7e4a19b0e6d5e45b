//! apache-avro.

use apache_avro::Schema;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::types::Value;
use apache_avro::writer::datum::GenericDatumWriter;

use super::{Given, NAME, Peer};
use crate::Trouble;

pub(super) fn peer(given: &Given<'_>) -> Result<Peer, Trouble> {
    // Reader and writer borrow the schema, and live as long as the program.
    let schema: &'static Schema = Box::leak(Box::new(Schema::parse_str(given.schema)?));
    let reader = GenericDatumReader::builder(schema).build()?;
    let writer = GenericDatumWriter::builder(schema).build()?;

    let value = reader.read_value(&mut &given.body[..])?;
    if let Value::Record(fields) = &value
        && let Some((_, name)) = fields.iter().find(|(name, _)| name == "name")
    {
        assert_eq!(*name, Value::String(NAME.to_owned()));
    }
    let mut out = Vec::with_capacity(given.body.len() * 2);
    writer.write_value_ref(&mut out, &value)?;
    // Maps come in another order.
    assert_eq!(out.len(), given.body.len(), "{}", given.schema);

    let body = given.body.clone();
    Ok(Peer {
        library: "apache-avro 0.23 Value",
        name: "apache-avro",
        read: Some(Box::new(move || {
            std::hint::black_box(reader.read_value(&mut &body[..]).ok());
        })),
        write: Some(Box::new(move || {
            out.clear();
            std::hint::black_box(writer.write_value_ref(&mut out, &value).ok());
        })),
    })
}
