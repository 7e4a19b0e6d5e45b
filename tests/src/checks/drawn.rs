//! Schemas and values drawn from bytes: each byte is one decision, so a fuzzer can change one at a time.
#![expect(clippy::panic, reason = "a check panics when a promise is broken")]

use ferroconnect_converters::data::{
    Builder, Decimal, Logical, Schema, SchemaAndValue, SchemaBuilder, Type, logical,
};

/// Levels of containers.
const DEPTH_MAX: usize = 4;

/// Decisions that are left. When there are none, every further one is zero, which ends all recursion.
pub(super) struct Draw<'a> {
    rest: &'a [u8],
}

impl<'a> Draw<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// A schema with a value that fits it.
    pub(super) fn datum(&mut self) -> SchemaAndValue {
        let schema = self.schema(0);
        let mut out = Builder::new(Some(schema.clone()));
        self.value(&schema, &mut out);
        out.finish()
            .unwrap_or_else(|e| panic!("drawn values are whole: {e}"))
    }

    /// A value without a schema.
    pub(super) fn untyped(&mut self) -> SchemaAndValue {
        let mut out = Builder::new(None);
        self.plain(0, &mut out);
        out.finish()
            .unwrap_or_else(|e| panic!("drawn values are whole: {e}"))
    }

    pub(super) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else {
            return 0;
        };
        self.rest = rest;
        *first
    }

    pub(super) fn below(&mut self, bound: u8) -> u8 {
        self.byte() % bound
    }

    pub(super) fn word(&mut self) -> u64 {
        let len = usize::from(self.below(9));
        (0..len).fold(0, |sum, _| (sum << 8) | u64::from(self.byte()))
    }

    pub(super) fn integer(&mut self) -> i64 {
        let word = self.word().cast_signed();
        if self.below(2) == 1 {
            word.wrapping_neg()
        } else {
            word
        }
    }

    pub(super) fn text(&mut self) -> String {
        const PIECES: [&str; 16] = [
            "a",
            "Z9",
            " ",
            "\"",
            "\\",
            "\n",
            "\u{0}",
            "\u{1f}",
            "\u{7f}",
            "é",
            "€",
            "\u{2028}",
            "😀",
            "</",
            "null",
            "a longer piece of plain text, long enough for whole words",
        ];
        (0..self.below(7))
            .map(|_| PIECES[usize::from(self.below(16))])
            .collect()
    }

    fn decimal(&mut self, scale: i32) -> Decimal {
        let bytes: Vec<u8> = (0..self.below(20)).map(|_| self.byte()).collect();
        Decimal::from_be_bytes(&bytes, scale)
    }

    fn schema(&mut self, depth: usize) -> Schema {
        let leaves_only = depth >= DEPTH_MAX;
        let builder = match self.below(if leaves_only { 13 } else { 17 }) {
            0 => SchemaBuilder::string(),
            1 => SchemaBuilder::int8(),
            2 => SchemaBuilder::int16(),
            3 => SchemaBuilder::int32(),
            4 => SchemaBuilder::int64(),
            5 => SchemaBuilder::float32(),
            6 => SchemaBuilder::float64(),
            7 => SchemaBuilder::boolean(),
            8 => SchemaBuilder::bytes(),
            9 => logical::date(),
            10 => logical::time(),
            11 => logical::timestamp(),
            12 => logical::decimal(i32::from(self.byte()) - 100),
            13 => SchemaBuilder::array(self.schema(depth + 1)),
            14 => SchemaBuilder::map(Schema::string(), self.schema(depth + 1)),
            15 => SchemaBuilder::map(self.key_schema(), self.schema(depth + 1)),
            _ => {
                let mut builder = SchemaBuilder::structure();
                for n in 0..self.below(6) {
                    builder = builder.field(&format!("{}{n}", self.text()), self.schema(depth + 1));
                }
                builder
            }
        };
        let bare = self
            .attributes(builder)
            .build()
            .unwrap_or_else(|e| panic!("drawn schemas are legal: {e}"));
        if bare.kind() == Type::Struct || self.below(4) != 1 {
            return bare;
        }
        let mut default = Builder::new(Some(bare.clone()));
        self.present(&bare, &mut default);
        let default = default.finish().unwrap_or_else(|e| panic!("{e}"));
        SchemaBuilder::from(bare)
            .default_value(default)
            .build()
            .unwrap_or_else(|e| panic!("{e}"))
    }

    fn attributes(&mut self, mut builder: SchemaBuilder) -> SchemaBuilder {
        let choices = self.byte();
        if choices & 1 != 0 {
            builder = builder.optional();
        }
        if choices & 2 != 0 {
            builder = builder.doc(&self.text());
        }
        if choices & 4 != 0 {
            builder = builder.parameter("p", &self.text());
        }
        builder
    }

    fn key_schema(&mut self) -> Schema {
        [
            Schema::int32(),
            Schema::int64(),
            Schema::boolean(),
            Schema::int8(),
        ][usize::from(self.below(4))]
        .clone()
    }

    fn value(&mut self, schema: &Schema, out: &mut Builder) {
        if schema.is_optional() && self.below(4) == 1 {
            out.null();
        } else {
            self.present(schema, out);
        }
    }

    fn present(&mut self, schema: &Schema, out: &mut Builder) {
        match schema.logical() {
            Some(logical) => self.logical(logical, schema, out),
            None => self.typed(schema, out),
        }
    }

    fn logical(&mut self, logical: Logical, schema: &Schema, out: &mut Builder) {
        match logical {
            Logical::Decimal => {
                let value = self.decimal(schema.decimal_scale().unwrap_or(0));
                out.decimal(value.view());
            }
            Logical::Date => {
                let days = i32::from(self.byte()) * 256 - 20_000;
                out.date(logical::date_from_days(days));
            }
            Logical::Time => {
                let millis = i64::from(self.byte()) * 338_823;
                out.time(millis);
            }
            Logical::Timestamp => {
                let millis = self.integer();
                out.timestamp(millis);
            }
        }
    }

    fn typed(&mut self, schema: &Schema, out: &mut Builder) {
        match schema.kind() {
            Type::Int8 => out.int8(i8::from_le_bytes([self.byte()])),
            Type::Int16 => out.int16(i16::from_le_bytes([self.byte(), self.byte()])),
            Type::Int32 => out.int32(i32::from_le_bytes([
                self.byte(),
                self.byte(),
                self.byte(),
                self.byte(),
            ])),
            Type::Int64 => out.int64(self.integer()),
            Type::Float32 => out.float32(f32::from_le_bytes([
                self.byte(),
                self.byte(),
                self.byte(),
                self.byte(),
            ])),
            Type::Float64 => out.float64(f64::from_bits(self.word())),
            Type::Boolean => out.boolean(self.below(2) == 1),
            Type::String => out.string(&self.text()),
            Type::Bytes => {
                let bytes: Vec<u8> = (0..self.below(12)).map(|_| self.byte()).collect();
                out.bytes(&bytes)
            }
            Type::Array => {
                out.begin_array();
                for _ in 0..self.below(5) {
                    schema
                        .value_schema()
                        .into_iter()
                        .for_each(|element| self.value(element, out));
                }
                out.end_array()
            }
            Type::Map => {
                out.begin_map();
                for _ in 0..self.below(5) {
                    schema
                        .key_schema()
                        .into_iter()
                        .for_each(|key| self.present(key, out));
                    schema
                        .value_schema()
                        .into_iter()
                        .for_each(|value| self.value(value, out));
                }
                out.end_map()
            }
            Type::Struct => {
                out.begin_struct(schema);
                for field in schema.fields() {
                    self.value(field.schema(), out);
                }
                out.end_struct()
            }
        };
    }

    fn plain(&mut self, depth: usize, out: &mut Builder) {
        match self.below(if depth >= DEPTH_MAX { 8 } else { 10 }) {
            0 => out.null(),
            1 => out.boolean(self.below(2) == 1),
            2 => out.int64(self.integer()),
            3 => out.float64(f64::from_bits(self.word())),
            4 => out.string(&self.text()),
            5 => out.int8(i8::from_le_bytes([self.byte()])),
            6 => out.float32(f32::from_le_bytes([
                self.byte(),
                self.byte(),
                self.byte(),
                self.byte(),
            ])),
            7 => out.bytes(self.text().as_bytes()),
            8 => {
                out.begin_array();
                (0..self.below(5)).for_each(|_| self.plain(depth + 1, out));
                out.end_array()
            }
            _ => {
                out.begin_map();
                for _ in 0..self.below(5) {
                    out.string(&self.text());
                    self.plain(depth + 1, out);
                }
                out.end_map()
            }
        };
    }
}
