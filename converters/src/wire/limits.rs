//! Every limit of this folder: its unit, and why it has this size.
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

const _: () = assert!(VARINT_32_BYTES_MAX * 7 >= 32 && (VARINT_32_BYTES_MAX - 1) * 7 < 32);
const _: () = assert!(VARINT_64_BYTES_MAX * 7 >= 64 && (VARINT_64_BYTES_MAX - 1) * 7 < 64);
