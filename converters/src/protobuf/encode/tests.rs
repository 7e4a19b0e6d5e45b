//! Bytes of values, as protobuf-java writes them.
