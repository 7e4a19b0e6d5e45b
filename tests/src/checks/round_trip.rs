//! Generated schemas and values through every format and back.
#![expect(clippy::panic, reason = "a check panics when a promise is broken")]

use bytes::Bytes;
use ferroconnect_converters::data::{SchemaAndValue, check::check};

use super::drawn::Draw;
use super::json_decode::{converter, read, write};
use crate::nulls::{defaults_hold_null, holds_null};

/// The first byte chooses the settings; the rest are the decisions that draw a schema and a value.
/// What is written is the same by plan and by definition, reads back the same both ways, and equals what was
/// written where the format keeps it.
pub fn round_trip(bytes: &[u8]) {
    let Some((settings, entropy)) = bytes.split_first() else {
        return;
    };
    let datum = Draw::new(entropy).datum();
    if let Some(schema) = datum.schema() {
        check(schema, datum.value()).unwrap_or_else(|e| panic!("generated values fit: {e}"));
    }
    json(*settings, &datum);
    json(*settings, &Draw::new(entropy).untyped());
}

fn json(settings: u8, datum: &SchemaAndValue) {
    // `schema.content` reads another schema than the one written.
    let settings = settings & !8;
    let mut fast = converter(settings);
    let mut slow = converter(settings).without_memory();
    let expected = write(&mut slow, datum);
    for pass in 0..2 {
        assert_eq!(write(&mut fast, datum), expected, "pass {pass}");
    }
    let Ok(Some(bytes)) = expected else { return };
    let document = Bytes::from(bytes);
    let back = read(&mut slow, &document);
    for pass in 0..2 {
        assert_eq!(read(&mut fast, &document), back, "pass {pass}");
    }
    let enveloped = settings & 1 != 0;
    let Ok(back) = back else {
        panic!("what was written does not read: {back:?}")
    };
    if let (true, Some(schema)) = (enveloped, datum.schema()) {
        // A null that stands for a default is written as the default: then they differ, and only then.
        if settings & 4 != 0 || !(holds_null(datum.value()) || defaults_hold_null(schema)) {
            assert_eq!(&back, datum);
        }
    }
}
