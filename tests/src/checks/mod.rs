//! One function per fuzz target: bytes in, panic on a broken promise.
//!
//! The same function runs under the fuzzer (`fuzz/targets/<name>.rs`), over the committed seeds on a stable
//! compiler (`tests/tests/replay.rs`), and wherever a test wants it. A new check is a file here, a line in
//! [`CHECKS`], a three-line shell and a folder of seeds.

mod avro_decode;
mod avro_resolve;
mod drawn;
mod drawn_avro;
mod json_decode;
mod json_envelope_memory;
mod json_schema;
mod offset_file;
mod proto_parse;
mod round_trip;
mod schema_parse;
mod values_text;
mod wire_frame;
mod wire_varint;

pub use avro_decode::{avro_decode, avro_reads_both_ways};
pub use avro_resolve::{avro_resolve, avro_resolved, evolved};
pub use drawn_avro::{AvroCase, avro_case};
pub use json_decode::json_decode;
pub use json_envelope_memory::json_envelope_memory;
pub use json_schema::json_schema;
pub use offset_file::offset_file;
pub use proto_parse::proto_parse;
pub use round_trip::round_trip;
pub use schema_parse::schema_parse;
pub use values_text::values_text;
pub use wire_frame::wire_frame;
pub use wire_varint::wire_varint;

/// A check: any bytes in, panics when a promise is broken.
pub type Check = fn(&[u8]);

/// Every check by the name of its fuzz target.
pub const CHECKS: &[(&str, Check)] = &[
    ("avro_decode", avro_decode),
    ("avro_resolve", avro_resolve),
    ("json_decode", json_decode),
    ("json_envelope_memory", json_envelope_memory),
    ("json_schema", json_schema),
    ("offset_file", offset_file),
    ("proto_parse", proto_parse),
    ("round_trip", round_trip),
    ("schema_parse", schema_parse),
    ("values_text", values_text),
    ("wire_frame", wire_frame),
    ("wire_varint", wire_varint),
];
