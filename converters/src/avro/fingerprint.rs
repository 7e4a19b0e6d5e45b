//! Parsing Canonical Form and its CRC-64-AVRO fingerprint.
//!
//! Source: Avro 1.12 specification, "Parsing Canonical Form for Schemas" and "Schema Fingerprints".

use std::collections::HashSet;

use super::model::{AvroSchema, Kind as Type, Name, TypeId};
use super::print::too_deep;
use crate::error::Error;
use crate::json_text::write_text;
use crate::limits::AVRO_SCHEMA_DEPTH_MAX;

impl AvroSchema {
    /// The text that is the same for all schemas that read the same data: names in full, and nothing but `name`, `type`,
    /// `fields`, `symbols`, `items`, `values` and `size`.
    ///
    /// ```
    /// use ferroconnect_converters::avro::AvroSchema;
    ///
    /// # fn main() -> Result<(), ferroconnect_converters::Error> {
    /// let schema = AvroSchema::parse(r#"{"type":"fixed","size":2,"name":"F","namespace":"n","doc":"d"}"#)?;
    /// assert_eq!(schema.parsing_form()?, r#"{"name":"n.F","type":"fixed","size":2}"#);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Data fault: types nest deeper than [`AVRO_SCHEMA_DEPTH_MAX`]; never for a schema that was parsed.
    pub fn parsing_form(&self) -> Result<String, Error> {
        let mut writer = Writer {
            schema: self,
            known: HashSet::new(),
            out: String::new(),
            depth: 0,
        };
        writer.write(self.root())?;
        Ok(writer.out)
    }

    /// CRC-64-AVRO of the [Parsing Canonical Form](Self::parsing_form): what single object encoding names a schema by.
    ///
    /// # Errors
    /// As [`parsing_form`](Self::parsing_form).
    pub fn fingerprint(&self) -> Result<u64, Error> {
        Ok(crc_64_avro(self.parsing_form()?.as_bytes()))
    }
}

/// CRC-64-AVRO, the Rabin fingerprint that the specification defines.
///
/// ```
/// use ferroconnect_converters::avro::crc_64_avro;
/// assert_eq!(crc_64_avro(b"\"int\""), 0x7275_d51a_3f39_5c8f);
/// ```
#[must_use]
pub fn crc_64_avro(bytes: &[u8]) -> u64 {
    bytes.iter().fold(EMPTY, |sum, byte| {
        (sum >> 8) ^ TABLE[usize::from(sum.to_le_bytes()[0] ^ byte)]
    })
}

/// The fingerprint of nothing, and the polynomial.
const EMPTY: u64 = 0xc15d_213a_a4d7_a795;

const TABLE: [u64; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut sum = index as u64;
        let mut bit = 0;
        while bit < 8 {
            sum = (sum >> 1) ^ (EMPTY & (sum & 1).wrapping_neg());
            bit += 1;
        }
        table[index] = sum;
        index += 1;
    }
    table
};

struct Writer<'a> {
    schema: &'a AvroSchema,
    known: HashSet<&'a Name>,
    out: String,
    depth: usize,
}

impl<'a> Writer<'a> {
    fn write(&mut self, id: TypeId) -> Result<(), Error> {
        if self.depth > AVRO_SCHEMA_DEPTH_MAX {
            return Err(too_deep());
        }
        self.depth += 1;
        let schema = self.schema;
        let kind = &schema.get(id).kind;
        match kind {
            Type::Union(branches) => {
                self.out.push('[');
                for (index, branch) in branches.iter().enumerate() {
                    self.separate(index);
                    self.write(*branch)?;
                }
                self.out.push(']');
            }
            Type::Array(items) => {
                self.out.push_str("{\"type\":\"array\",\"items\":");
                self.write(*items)?;
                self.out.push('}');
            }
            Type::Map(values) => {
                self.out.push_str("{\"type\":\"map\",\"values\":");
                self.write(*values)?;
                self.out.push('}');
            }
            Type::Record(record) => {
                if self.begin(&record.name, "record") {
                    self.out.push_str(",\"fields\":[");
                    for (index, field) in record.fields.iter().enumerate() {
                        self.separate(index);
                        self.out.push_str("{\"name\":");
                        write_text(&field.name, &mut self.out);
                        self.out.push_str(",\"type\":");
                        self.write(field.schema)?;
                        self.out.push('}');
                    }
                    self.out.push_str("]}");
                }
            }
            Type::Enum(enumeration) => {
                if self.begin(&enumeration.name, "enum") {
                    self.out.push_str(",\"symbols\":[");
                    for (index, symbol) in enumeration.symbols.iter().enumerate() {
                        self.separate(index);
                        write_text(symbol, &mut self.out);
                    }
                    self.out.push_str("]}");
                }
            }
            Type::Fixed(fixed) => {
                if self.begin(&fixed.name, "fixed") {
                    self.out.push_str(&format!(",\"size\":{}}}", fixed.size));
                }
            }
            Type::Null
            | Type::Boolean
            | Type::Int
            | Type::Long
            | Type::Float
            | Type::Double
            | Type::Bytes
            | Type::String => write_text(kind.word(), &mut self.out),
        }
        self.depth -= 1;
        Ok(())
    }

    /// Writes the name of a known type and says `false`, or begins its definition.
    fn begin(&mut self, name: &'a Name, word: &str) -> bool {
        let is_new = self.known.insert(name);
        if is_new {
            self.out.push_str("{\"name\":");
        }
        write_text(&name.to_string(), &mut self.out);
        if is_new {
            self.out.push_str(",\"type\":");
            write_text(word, &mut self.out);
        }
        is_new
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.out.push(',');
        }
    }
}
