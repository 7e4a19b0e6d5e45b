//! Which form is read and which is written: the `*.schema.id.deserializer` and
//! `*.schema.id.serializer` settings.

use super::{Carrier, Frame, FrameError, Identity, Layout, MessageIndexes};

/// Where a reader looks for the identity of the schema (`value.schema.id.deserializer`).
///
/// ```
/// use ferroconnect_converters::wire::{Carrier, IdReader, Layout};
/// // A body that begins with 00 is a body all the same when the identity stands in a header.
/// let (header, record) = ([0, 0, 0, 0, 9], [0x00, 0x06, 0, 0, 0]);
/// let frame = IdReader::Dual.read(Some(&header), &record, Layout::Plain)?;
/// assert_eq!((frame.carrier, frame.body), (Carrier::Header, &record[..]));
/// # Ok::<(), ferroconnect_converters::wire::FrameError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IdReader {
    /// In the header when there is one, else in front. The default.
    #[default]
    Dual,
    /// In front; headers are not looked at.
    Prefix,
    /// Nowhere: the configuration names the schema, and the whole record is the body.
    Config {
        /// `use.schema.id` or `use.schema.guid`.
        identity: Identity,
        /// `use.message.indexes`; `[0]` when it is not set.
        indexes: MessageIndexes,
    },
}

impl IdReader {
    /// The last part of the Java class names, in the order of the variants.
    pub const CLASS_NAMES: [&str; 3] = [
        "DualSchemaIdDeserializer",
        "PrefixSchemaIdDeserializer",
        "ConfigSchemaIdDeserializer",
    ];

    /// Takes a record apart. `header` is the newest header of the role's name, see
    /// [`last_header`](super::last_header).
    ///
    /// # Errors
    /// As [`read_prefix`](super::read_prefix).
    pub fn read<'a>(
        &'a self,
        header: Option<&'a [u8]>,
        record: &'a [u8],
        layout: Layout,
    ) -> Result<Frame<'a>, FrameError> {
        match (self, header) {
            (Self::Dual, Some(header)) => super::read_header(header, record, layout),
            (Self::Dual, None) | (Self::Prefix, _) => super::read_prefix(record, layout),
            (Self::Config { identity, indexes }, _) => Ok(Frame {
                identity: *identity,
                indexes: match layout {
                    Layout::Plain => None,
                    Layout::Indexed => Some(indexes.as_indexes()),
                },
                carrier: Carrier::Config,
                body: record,
                body_at: 0,
            }),
        }
    }
}

/// Where a writer puts the identity of the schema (`value.schema.id.serializer`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdWriter {
    /// In front of the body, by id. The default.
    #[default]
    Prefix,
    /// In a record header, by GUID; the record is the body alone.
    Header,
}

impl IdWriter {
    /// The writer that a Java class name names, with or without its package.
    ///
    /// ```
    /// use ferroconnect_converters::wire::IdWriter;
    /// let class = "io.confluent.kafka.serializers.schema.id.HeaderSchemaIdSerializer";
    /// assert_eq!(IdWriter::from_class_name(class), Some(IdWriter::Header));
    /// assert_eq!(IdWriter::from_class_name("com.acme.HeaderSchemaIdSerializer"), None);
    /// ```
    pub fn from_class_name(class: &str) -> Option<Self> {
        match class.strip_prefix(PACKAGE).unwrap_or(class) {
            "PrefixSchemaIdSerializer" => Some(Self::Prefix),
            "HeaderSchemaIdSerializer" => Some(Self::Header),
            _ => None,
        }
    }
}

const PACKAGE: &str = "io.confluent.kafka.serializers.schema.id.";
