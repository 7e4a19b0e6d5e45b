//! Every limit of this crate: its unit, and why it has this size.
//!
//! A limit is met by an error that names it, never by a panic or by memory that grows with what a stranger
//! wrote.

/// Message indexes in a Protobuf frame, counted. The path leads from the file to a nested message; protoc
/// itself refuses declarations nested deeper than a few dozen.
pub const MESSAGE_INDEXES_MAX: usize = 128;

/// Bytes at the start of a record that are looked at to say what they look like. The look serves an error
/// text, so it must cost the same for 1 kB and for 100 MB.
pub const RECOGNISE_BYTES_MAX: usize = 1_024;

/// Bytes of a 32-bit varint: 5 * 7 bits >= 32 bits.
pub const VARINT_32_BYTES_MAX: usize = 5;

/// Bytes of a 64-bit varint: 10 * 7 bits >= 64 bits.
pub const VARINT_64_BYTES_MAX: usize = 10;

/// Levels of nested containers in one value. Jackson, and so the JVM's `JsonConverter`, stops at 1000.
pub const NESTING_DEPTH_MAX: usize = 1000;

/// Levels that a Rust type may recurse when its values are read or written: containers, options and wrappers are
/// counted. The code that serde generates recurses on the stack, in frames whose size we do not know.
pub const TYPED_DEPTH_MAX: usize = 256;

/// Values that are made up to find out what a Rust type is made of. Types are finite, but may share parts so often
/// that walking all of them takes for ever.
pub const TRACE_VALUES_MAX: usize = 1_000_000;

/// Characters of one JSON number. Jackson's `StreamReadConstraints`.
pub const NUMBER_CHARS_MAX: usize = 1000;

/// Characters of one JSON string, in UTF-16 units. Jackson's `StreamReadConstraints`.
pub const STRING_CHARS_MAX: usize = 20_000_000;

/// Characters of one JSON member name, in UTF-16 units. Jackson's `StreamReadConstraints`.
pub const NAME_CHARS_MAX: usize = 50_000;

/// Digits of a decimal read from text: more is an attack, not an amount.
pub const DECIMAL_DIGITS_MAX: usize = 1000;

/// Bytes of one record's JSON document: offsets into a record's heaps are 32 bits wide.
pub const DOCUMENT_BYTES_MAX: usize = u32::MAX as usize;

/// Shapes of JSON objects that a reader remembers, to predict the keys of the next record.
pub const OBJECT_SHAPES_MAX: usize = 256;

/// Bytes of a JSON key up to which it is remembered, so that what is remembered stays below a few megabytes.
pub const SHAPE_KEY_BYTES_MAX: usize = 64;

/// Keys of a JSON object up to which its shape is remembered.
pub const SHAPE_KEYS_MAX: usize = 128;

const _: () = assert!(VARINT_32_BYTES_MAX * 7 >= 32 && (VARINT_32_BYTES_MAX - 1) * 7 < 32);
const _: () = assert!(VARINT_64_BYTES_MAX * 7 >= 64 && (VARINT_64_BYTES_MAX - 1) * 7 < 64);
const _: () = assert!(
    NESTING_DEPTH_MAX <= 1000,
    "decoders recurse: a level must fit a task's stack"
);
