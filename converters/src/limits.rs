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

/// Rounds of questions to a registry for one record or batch: more than the deepest references need, each of which takes one.
pub const LOOKUP_ROUNDS_MAX: usize = 64;

/// Questions to a registry that one converter has in flight at a time.
pub const LOOKUPS_IN_FLIGHT_MAX: usize = 16;

const _: () = assert!(
    LOOKUP_ROUNDS_MAX > REFERENCE_DEPTH_MAX + 4,
    "id, references, version, subject"
);

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

/// Answers of a registry that a converter remembers at the least, whatever the settings say: one record may need as many as
/// its schema has references.
pub const REGISTRY_ANSWERS_MIN: usize = 1024;

/// Questions to a registry that wait for their answers: many batches of records that all name schemas of their own.
pub const REGISTRY_QUESTIONS_MAX: usize = 10_000;

/// Topics that a converter remembers per schema that it writes.
pub const TOPICS_MAX: usize = 10_000;

/// Schemas that one schema refers to, directly or not.
pub const SCHEMA_REFERENCES_MAX: usize = 512;

/// Levels of references. Confluent's backup of schemas stops at 50.
pub const REFERENCE_DEPTH_MAX: usize = 50;

const _: () = assert!(SCHEMA_REFERENCES_MAX < REGISTRY_ANSWERS_MIN);
/// Levels of types inside types in one Avro schema, on the way from its root to each first use of a type. Everything
/// that follows a schema recurses, and a level must fit a task's stack; the deepest schemas in the wild have about 20.
pub const AVRO_SCHEMA_DEPTH_MAX: usize = 200;

/// Types of one Avro schema when its names are written out, which is what a Connect schema does: names that each use
/// the one before twice would otherwise ask for a number that doubles with each line.
pub const AVRO_SCHEMA_TYPES_MAX: usize = 100_000;

/// Bytes of one record's Avro body: offsets into a record's heaps are 32 bits wide, and text may grow to three times its
/// bytes when what is malformed is replaced.
pub const AVRO_RECORD_BYTES_MAX: usize = 1 << 30;

/// Values of one Avro record, counted with their containers. A union takes a place for each of its branches, and items
/// may take no bytes at all, so that the bytes of a record do not bound its values. 16 bytes each.
pub const AVRO_VALUES_MAX: usize = 1 << 26;

/// Items without bytes in one Avro record: empty records, nulls. Counted apart from the others, since a record of ten
/// bytes may announce 2^60 of them.
pub const AVRO_EMPTY_ITEMS_MAX: usize = 1_000_000;
/// Bytes of one Avro schema text: a registry carries it as one JSON string.
pub const AVRO_SCHEMA_BYTES_MAX: usize = STRING_CHARS_MAX;

/// Steps in which the defaults of one Avro schema are checked against their types: unions of records inside each other
/// could otherwise ask for a number of steps that grows with a power of the text's length.
pub const AVRO_DEFAULT_STEPS_MAX: usize = 10_000_000;

/// Pairs of a reader's and a writer's type that are compared or resolved: as many as the product of their numbers, which
/// only unions of unlike records come near to.
pub const AVRO_PAIRS_MAX: usize = 1_000_000;

/// Levels of pairs inside pairs when two Avro schemas are compared or resolved. Where types contain themselves, pairs go on
/// deeper than either schema does.
pub const AVRO_PAIR_DEPTH_MAX: usize = 2 * AVRO_SCHEMA_DEPTH_MAX;

/// Reasons that one comparison of two Avro schemas gives: a type that is used in many places repeats its own in each.
pub const AVRO_DIFFERENCES_MAX: usize = 10_000;

/// Bytes of one `.proto` text, read or printed. A Kafka broker takes records of 1 MB, and a Confluent registry keeps a text in one.
pub const PROTO_TEXT_BYTES_MAX: usize = 4 << 20;

/// Levels of messages inside messages in one `.proto` text, and of values inside values in one option. protoc stops at 32.
pub const PROTO_DEPTH_MAX: usize = 64;

/// Parts between dots of one full name in a `.proto` text, packages included: a lookup tries each level.
pub const PROTO_NAME_PARTS_MAX: usize = 128;

/// Members of one message in the value of an option of a `.proto` text: each new one is compared with all before.
pub const PROTO_OPTION_MEMBERS_MAX: usize = 1_000;

/// Levels of messages inside messages in one Protobuf record, entries of maps among them: where protobuf-java stops reading.
pub const PROTO_VALUE_DEPTH_MAX: usize = 100;

/// Levels of messages inside messages in one `.proto` schema when it is turned into a Connect schema. That recurses, and a level
/// must fit a task's stack; records nest no deeper than [`PROTO_VALUE_DEPTH_MAX`].
pub const PROTO_CONNECT_DEPTH_MAX: usize = 200;

/// Fields of the messages of one `.proto` schema when it is turned into a Connect schema.
pub const PROTO_CONNECT_FIELDS_MAX: usize = 100_000;

/// Bytes of one Protobuf record that is read: slots count them in 32 bits.
pub const PROTO_RECORD_BYTES_MAX: usize = 1 << 30;

/// Bytes of one Protobuf record that is read the fast way.
pub const PROTO_FAST_BYTES_MAX: usize = 1 << 28;

/// Values of one Protobuf record: a message takes a place for each of its fields, so that the bytes of a record do not bound its
/// values. 16 bytes each.
pub const PROTO_VALUES_MAX: usize = 1 << 26;

/// Fields and symbols in the table of one message and all messages in it; larger ones are read without a table.
pub const PROTO_PLAN_FIELDS_MAX: usize = 1 << 20;

/// Fields of one generated `.proto` file: a struct that is used in many places is written out in each, and more make no text that
/// anybody takes.
pub const PROTO_GENERATED_FIELDS_MAX: usize = 100_000;
/// Reasons that one comparison of two `.proto` files gives: each is a text of its own.
pub const PROTO_DIFFERENCES_MAX: usize = 10_000;

/// The highest number of a Protobuf field: 2^29 - 1. Not checked where a field has one; it is what `max` means.
pub const PROTO_NUMBER_MAX: i32 = 536_870_911;

/// Bytes of one JSON Schema text: a registry carries it as one JSON string.
pub const JSON_SCHEMA_BYTES_MAX: usize = STRING_CHARS_MAX;

/// Schemas inside one JSON Schema and the texts it refers to, counted. A text of one megabyte has a few thousand.
pub const JSON_SCHEMAS_MAX: usize = 1_000_000;

/// Levels of schemas inside schemas in one JSON Schema when it is turned into a Connect schema. That recurses, and a level must
/// fit a task's stack.
pub const JSON_SCHEMA_DEPTH_MAX: usize = 200;

/// Places of one JSON Schema when what it refers to is written out, which is what a Connect schema does: definitions that
/// each use the one before twice would otherwise ask for a number that doubles with each line.
pub const JSON_SCHEMA_PLACES_MAX: usize = 100_000;
/// Steps of one comparison of two JSON Schemas: each pair of schemas that is looked at is one. Combined schemas ask for the product
/// of their parts, and names that lead into each other for more; schemas in use ask for a few thousand.
pub const JSON_SCHEMA_STEPS_MAX: usize = 1_000_000;

/// Levels of pairs inside pairs when two JSON Schemas are compared: a level must fit a task's stack.
pub const JSON_SCHEMA_PAIR_DEPTH_MAX: usize = 200;

/// Reasons that one comparison of two JSON Schemas gives: each is a text of its own.
pub const JSON_SCHEMA_DIFFERENCES_MAX: usize = 10_000;

/// Bytes of one compiled regular expression of a JSON Schema.
pub const JSON_SCHEMA_PATTERN_BYTES_MAX: usize = 1 << 18;

/// Steps of a comparison that compiling a regular expression counts for, so that all of them together stay below 256 MB.
pub const JSON_SCHEMA_PATTERN_STEPS: usize = JSON_SCHEMA_STEPS_MAX / 1000;

/// Values of structs in one JSON document that was written under a JSON Schema. Two bytes of a document may stand for a struct with
/// as many fields as its schema likes, so that the bytes of a record do not bound its values. 16 bytes each.
pub const JSON_VALUES_MAX: usize = 1 << 26;

/// Names in one list of types; there are seven types, and each makes a schema of its own.
pub const JSON_SCHEMA_TYPES_MAX: usize = 32;

const _: () = assert!(VARINT_32_BYTES_MAX * 7 >= 32 && (VARINT_32_BYTES_MAX - 1) * 7 < 32);
const _: () = assert!(VARINT_64_BYTES_MAX * 7 >= 64 && (VARINT_64_BYTES_MAX - 1) * 7 < 64);
const _: () = assert!(
    NESTING_DEPTH_MAX <= 1000,
    "decoders recurse: a level must fit a task's stack"
);

/// Levels of schemas inside schemas in one generated JSON Schema: what follows it recurses, and a level must fit a task's stack.
pub const JSON_GENERATED_DEPTH_MAX: usize = 200;

/// Schemas in one generated JSON Schema: a struct that is used in many places is written out in each, and more make no text that
/// anybody takes.
pub const JSON_GENERATED_SCHEMAS_MAX: usize = 100_000;

/// Levels of a document that is checked with a JSON Schema, and of the schema itself: the checker recurses through both at once.
pub const JSON_CHECKED_DEPTH_MAX: usize = 200;

/// Failures that the report of one document lists.
pub const JSON_REPORT_LINES_MAX: usize = 10;
