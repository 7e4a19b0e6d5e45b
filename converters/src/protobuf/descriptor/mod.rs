//! `FileDescriptorProto`: a file as protoc hands it on, and as a registry answers `format=serialized`.
//!
//! It says less than the text: custom options other than Confluent's are gone, and so are groups. Written as a registry writes it,
//! which differs from protoc in that names are as they were in the text, that messages have the fields of oneofs first, that map
//! fields have no type number, and that fields without a label have none.
//!
//! Source: `google/protobuf/descriptor.proto`.

mod options;
mod read;
mod write;

pub(super) use read::read_base64;
pub(super) use write::write;

/// Field numbers of descriptor.proto.
mod numbers {
    pub(super) mod file {
        pub(in super::super) const NAME: u32 = 1;
        pub(in super::super) const PACKAGE: u32 = 2;
        pub(in super::super) const DEPENDENCY: u32 = 3;
        pub(in super::super) const MESSAGE: u32 = 4;
        pub(in super::super) const ENUM: u32 = 5;
        pub(in super::super) const SERVICE: u32 = 6;
        pub(in super::super) const EXTENSION: u32 = 7;
        pub(in super::super) const OPTIONS: u32 = 8;
        pub(in super::super) const PUBLIC_DEPENDENCY: u32 = 10;
        pub(in super::super) const WEAK_DEPENDENCY: u32 = 11;
        pub(in super::super) const SYNTAX: u32 = 12;
    }

    pub(super) mod message {
        pub(in super::super) const NAME: u32 = 1;
        pub(in super::super) const FIELD: u32 = 2;
        pub(in super::super) const NESTED: u32 = 3;
        pub(in super::super) const ENUM: u32 = 4;
        pub(in super::super) const EXTENSION_RANGE: u32 = 5;
        pub(in super::super) const EXTENSION: u32 = 6;
        pub(in super::super) const OPTIONS: u32 = 7;
        pub(in super::super) const ONEOF: u32 = 8;
        pub(in super::super) const RESERVED_RANGE: u32 = 9;
        pub(in super::super) const RESERVED_NAME: u32 = 10;
    }

    pub(super) mod field {
        pub(in super::super) const NAME: u32 = 1;
        pub(in super::super) const EXTENDEE: u32 = 2;
        pub(in super::super) const NUMBER: u32 = 3;
        pub(in super::super) const LABEL: u32 = 4;
        pub(in super::super) const TYPE: u32 = 5;
        pub(in super::super) const TYPE_NAME: u32 = 6;
        pub(in super::super) const DEFAULT: u32 = 7;
        pub(in super::super) const OPTIONS: u32 = 8;
        pub(in super::super) const ONEOF_INDEX: u32 = 9;
        pub(in super::super) const JSON_NAME: u32 = 10;
        pub(in super::super) const PROTO3_OPTIONAL: u32 = 17;
    }

    pub(super) mod enumeration {
        pub(in super::super) const NAME: u32 = 1;
        pub(in super::super) const VALUE: u32 = 2;
        pub(in super::super) const OPTIONS: u32 = 3;
        pub(in super::super) const RESERVED_RANGE: u32 = 4;
        pub(in super::super) const RESERVED_NAME: u32 = 5;
    }

    /// Oneofs, values of enums, services: a name and options, where they have nothing else of that number.
    pub(super) mod method {
        pub(in super::super) const NAME: u32 = 1;
        pub(in super::super) const INPUT: u32 = 2;
        pub(in super::super) const OUTPUT: u32 = 3;
        pub(in super::super) const OPTIONS: u32 = 4;
        pub(in super::super) const CLIENT_STREAMING: u32 = 5;
        pub(in super::super) const SERVER_STREAMING: u32 = 6;
    }

    pub(super) const NAME: u32 = 1;
    pub(super) const ONEOF_OPTIONS: u32 = 2;
    pub(super) const VALUE_NUMBER: u32 = 2;
    pub(super) const VALUE_OPTIONS: u32 = 3;
    pub(super) const SERVICE_METHOD: u32 = 2;
    pub(super) const SERVICE_OPTIONS: u32 = 3;
    pub(super) const RANGE_START: u32 = 1;
    pub(super) const RANGE_END: u32 = 2;
    pub(super) const RANGE_OPTIONS: u32 = 3;
    pub(super) const TYPE_MESSAGE: u32 = 11;
    pub(super) const TYPE_ENUM: u32 = 14;
    pub(super) const MAP_ENTRY: u32 = 7;
}
