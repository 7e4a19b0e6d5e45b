//! The offset file of Kafka's standalone worker: a serialised `java.util.HashMap<byte[], byte[]>`.
//!
//! The form is that of the Java Object Serialization Specification, chapter 6. Only what such a map needs is read: anything else is an
//! error that says where, whatever the bytes are. Nothing is allocated in proportion to a number that was merely read.

use std::fmt;

/// Entries in the order of the file: key bytes, and value bytes or null.
pub type Entries = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// Reads a whole file. An empty one is an empty map, as Java reads it.
///
/// # Errors
/// The bytes are not a map from byte arrays to byte arrays.
pub fn read(bytes: &[u8]) -> Result<Entries, MapError> {
    if bytes.is_empty() {
        return Ok(Entries::new());
    }
    let mut reader = Reader {
        bytes,
        at: 0,
        handles: Vec::new(),
    };
    let entries = reader.map()?;
    if reader.at < bytes.len() {
        return Err(reader.error("nothing more after the map"));
    }
    Ok(entries)
}

/// Writes entries as Java does, in their order. Java's own order is that of object addresses, so any order is right.
///
/// # Errors
/// More than 2^31 - 1 entries or bytes in one of them.
pub fn write<'a>(
    entries: impl ExactSizeIterator<Item = (&'a [u8], Option<&'a [u8]>)>,
) -> Result<Vec<u8>, TooLarge> {
    let count = i32::try_from(entries.len()).map_err(|_| TooLarge)?;
    let (capacity, threshold) = table_size(count);
    let mut out = Vec::new();
    out.extend_from_slice(&[0xac, 0xed, 0, 5, OBJECT]);
    class(
        &mut out,
        MAP_CLASS,
        MAP_VERSION,
        SERIALIZABLE | WRITE_METHOD,
    );
    out.extend_from_slice(&[0, 2]);
    for (kind, name) in [(b'F', "loadFactor"), (b'I', "threshold")] {
        out.push(kind);
        utf(&mut out, name);
    }
    out.extend_from_slice(&[END_BLOCK, NULL]);
    out.extend_from_slice(&LOAD_FACTOR.to_be_bytes());
    out.extend_from_slice(&threshold.to_be_bytes());
    out.extend_from_slice(&[BLOCK, 8]);
    out.extend_from_slice(&capacity.to_be_bytes());
    out.extend_from_slice(&count.to_be_bytes());
    let mut is_first = true;
    for (key, value) in entries {
        array(&mut out, key, &mut is_first)?;
        match value {
            Some(value) => array(&mut out, value, &mut is_first)?,
            None => out.push(NULL),
        }
    }
    out.push(END_BLOCK);
    Ok(out)
}

/// Buckets and growth limit of a `HashMap` that `count` entries were put into.
fn table_size(count: i32) -> (i32, i32) {
    let mut capacity = 16_i32;
    while i64::from(count) * 4 > i64::from(capacity) * 3 && capacity < 1 << 30 {
        capacity *= 2;
    }
    (capacity, capacity / 4 * 3)
}

fn class(out: &mut Vec<u8>, name: &str, version: u64, flags: u8) {
    out.push(CLASS);
    utf(out, name);
    out.extend_from_slice(&version.to_be_bytes());
    out.push(flags);
}

fn utf(out: &mut Vec<u8>, text: &str) {
    // Only the names of this file are written, which are short and plain.
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// The class is described once and named by its handle afterwards.
fn array(out: &mut Vec<u8>, bytes: &[u8], is_first: &mut bool) -> Result<(), TooLarge> {
    out.push(ARRAY);
    if std::mem::take(is_first) {
        class(out, ARRAY_CLASS, ARRAY_VERSION, SERIALIZABLE);
        out.extend_from_slice(&[0, 0, END_BLOCK, NULL]);
    } else {
        out.push(REFERENCE);
        out.extend_from_slice(&(FIRST_HANDLE + 2).to_be_bytes());
    }
    let length = i32::try_from(bytes.len()).map_err(|_| TooLarge)?;
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

/// More entries, or a longer one, than Java can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there are more source offsets than a Java map holds")
    }
}

impl std::error::Error for TooLarge {}

/// Where the bytes stop being an offset file, and what was expected there. Never what the file holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapError {
    at: usize,
    expected: &'static str,
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: expected {}", self.at, self.expected)
    }
}

impl std::error::Error for MapError {}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// What the stream can refer back to, in the order in which it appeared.
    handles: Vec<Handle>,
}

#[derive(Clone, Copy)]
enum Handle {
    Class(Class),
    Map,
    /// Bytes of the file, from and to.
    Array(usize, usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Map,
    Array,
}

impl<'a> Reader<'a> {
    fn map(&mut self) -> Result<Entries, MapError> {
        if self.take(4, MAGIC)? != [0xac, 0xed, 0, 5] {
            self.at = 0;
            return Err(self.error(MAGIC));
        }
        self.expect(OBJECT, "an object")?;
        let fields = self.class(Class::Map)?;
        self.handles.push(Handle::Map);
        // Load factor and growth limit: Java works out its own when it reads them, and so do we.
        self.take(fields, "the fields of the map")?;
        self.expect(BLOCK, "the size of the map")?;
        self.expect(8, "the size of the map")?;
        self.number("the number of buckets")?;
        let size = self.number("the number of entries")?;
        let size = u32::try_from(size)
            .map_err(|_| self.error("a number of entries that is not negative"))?;
        let mut entries = Entries::new();
        for _ in 0..size {
            let key = self.array()?;
            let value = self.array()?;
            // Java allows a null key; a worker never writes one, and there is nothing that it could mean.
            if let Some(key) = key {
                entries.push((key.to_vec(), value.map(<[u8]>::to_vec)));
            }
        }
        self.expect(END_BLOCK, "the end of the map")?;
        Ok(entries)
    }

    /// A description of the class, or a handle of one; gives the length of its fields in bytes.
    fn class(&mut self, wanted: Class) -> Result<usize, MapError> {
        let (name, version, expected) = match wanted {
            Class::Map => (MAP_CLASS, MAP_VERSION, "a java.util.HashMap"),
            Class::Array => (ARRAY_CLASS, ARRAY_VERSION, "a byte array or null"),
        };
        match self.byte("a class")? {
            REFERENCE => match self.handle()? {
                Handle::Class(class) if class == wanted => Ok(0),
                Handle::Class(_) | Handle::Map | Handle::Array(..) => Err(self.error(expected)),
            },
            CLASS => {
                if self.utf()? != name.as_bytes()
                    || self.take(8, "a class version")? != version.to_be_bytes()
                {
                    return Err(self.error(expected));
                }
                self.handles.push(Handle::Class(wanted));
                self.byte("the flags of a class")?;
                let fields = self.fields()?;
                self.expect(END_BLOCK, "a class without annotations")?;
                self.expect(NULL, "a class without a super class")?;
                Ok(fields)
            }
            _ => Err(self.error(expected)),
        }
    }

    /// The fields a class describes; gives their length in bytes.
    fn fields(&mut self) -> Result<usize, MapError> {
        let count = self.take(2, "the number of fields")?;
        let mut length = 0;
        for _ in 0..u16::from_be_bytes([count[0], count[1]]) {
            length += match self.byte("the type of a field")? {
                b'B' | b'Z' => 1,
                b'C' | b'S' => 2,
                b'F' | b'I' => 4,
                b'D' | b'J' => 8,
                _ => return Err(self.error("a field of a primitive type")),
            };
            self.utf()?;
        }
        Ok(length)
    }

    fn array(&mut self) -> Result<Option<&'a [u8]>, MapError> {
        match self.byte("a byte array or null")? {
            NULL => Ok(None),
            REFERENCE => match self.handle()? {
                Handle::Array(from, to) => Ok(self.bytes.get(from..to)),
                Handle::Class(_) | Handle::Map => Err(self.error("a reference to a byte array")),
            },
            ARRAY => {
                self.class(Class::Array)?;
                let length = self.number("the length of a byte array")?;
                let length = usize::try_from(length)
                    .map_err(|_| self.error("a length that is not negative"))?;
                let from = self.at;
                let bytes = self.take(length, "all bytes of an array")?;
                self.handles.push(Handle::Array(from, self.at));
                Ok(Some(bytes))
            }
            _ => Err(self.error("a byte array or null")),
        }
    }

    fn handle(&mut self) -> Result<Handle, MapError> {
        let number = self.take(4, "a handle")?;
        let number = u32::from_be_bytes([number[0], number[1], number[2], number[3]]);
        let at = number
            .checked_sub(FIRST_HANDLE)
            .and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.handles.get(at).copied())
            .ok_or_else(|| self.error("a handle of something before"))
    }

    fn utf(&mut self) -> Result<&'a [u8], MapError> {
        let length = self.take(2, "a name")?;
        self.take(
            usize::from(u16::from_be_bytes([length[0], length[1]])),
            "a name",
        )
    }

    fn number(&mut self, expected: &'static str) -> Result<i32, MapError> {
        let bytes = self.take(4, expected)?;
        Ok(i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn byte(&mut self, expected: &'static str) -> Result<u8, MapError> {
        self.take(1, expected).map(|bytes| bytes[0])
    }

    fn expect(&mut self, wanted: u8, expected: &'static str) -> Result<(), MapError> {
        let is_it = self.bytes.get(self.at) == Some(&wanted);
        if !is_it {
            return Err(self.error(expected));
        }
        self.at += 1;
        Ok(())
    }

    fn take(&mut self, length: usize, expected: &'static str) -> Result<&'a [u8], MapError> {
        let end = self.at.checked_add(length);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let Some(taken) = taken else {
            return Err(self.error(expected));
        };
        self.at += length;
        Ok(taken)
    }

    #[cold]
    fn error(&self, expected: &'static str) -> MapError {
        MapError {
            at: self.at,
            expected,
        }
    }
}

const MAGIC: &str =
    "a Java serialisation stream (ac ed 00 05), as Kafka's standalone worker writes it";
const MAP_CLASS: &str = "java.util.HashMap";
const MAP_VERSION: u64 = 0x0507_dac1_c316_60d1;
const ARRAY_CLASS: &str = "[B";
const ARRAY_VERSION: u64 = 0xacf3_17f8_0608_54e0;
const LOAD_FACTOR: f32 = 0.75;
const FIRST_HANDLE: u32 = 0x7e_0000;
const NULL: u8 = 0x70;
const REFERENCE: u8 = 0x71;
const CLASS: u8 = 0x72;
const OBJECT: u8 = 0x73;
const ARRAY: u8 = 0x75;
const BLOCK: u8 = 0x77;
const END_BLOCK: u8 = 0x78;
const WRITE_METHOD: u8 = 1;
const SERIALIZABLE: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    fn write_all(entries: &Entries) -> Vec<u8> {
        write(
            entries
                .iter()
                .map(|(key, value)| (key.as_slice(), value.as_deref())),
        )
        .unwrap()
    }

    fn entries(count: u32) -> Entries {
        (0..count)
            .map(|n| {
                let value = (n % 3 > 0).then(|| vec![7; n as usize % 300]);
                (n.to_be_bytes().to_vec(), value)
            })
            .collect()
    }

    #[test]
    fn what_is_written_is_read_back() {
        for count in [0, 1, 2, 12, 13, 24, 25, 1_000] {
            let entries = entries(count);
            assert_eq!(read(&write_all(&entries)).unwrap(), entries, "{count}");
        }
    }

    #[test]
    fn an_empty_file_is_an_empty_map() {
        assert_eq!(read(b"").unwrap(), Entries::new());
    }

    #[test]
    fn buckets_grow_as_in_java() {
        assert_eq!(table_size(0), (16, 12));
        assert_eq!(table_size(12), (16, 12));
        assert_eq!(table_size(13), (32, 24));
        assert_eq!(table_size(i32::MAX), (1 << 30, (1 << 30) / 4 * 3));
    }

    #[test]
    fn one_array_in_two_places_is_written_once_by_java() {
        let mut bytes = write_all(&vec![(b"k".to_vec(), None)]);
        // The value, a null, becomes a reference to the key: handle 3 after two classes and the map.
        let end = bytes.len() - 2;
        bytes.splice(end..=end, [REFERENCE, 0, 0x7e, 0, 3]);
        assert_eq!(
            read(&bytes).unwrap(),
            [(b"k".to_vec(), Some(b"k".to_vec()))]
        );
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_an_answer_or_an_error() {
        let good = write_all(&entries(4));
        for length in 1..good.len() {
            assert!(read(&good[..length]).is_err(), "cut at {length}");
        }
        for at in 0..good.len() {
            for value in [0, 1, 0x70, 0x71, 0x7f, 0x80, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = value;
                // No panic, and no memory in proportion to a length that is not there.
                let _ = read(&bytes);
            }
        }
    }

    #[test]
    fn foreign_files_are_named_as_such() {
        let said = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert!(said(b"{\"a\":1}").starts_with("at byte 0: expected a Java serialisation stream"));
        assert!(said(&[0xac, 0xed, 0, 5, 0x74, 0, 1, b'x']).contains("an object"));
        let mut more = write_all(&entries(1));
        more.push(0);
        assert!(said(&more).contains("nothing more"));
        let mut many = write_all(&Entries::new());
        let at = many.len() - 5;
        many[at..at + 4].copy_from_slice(&i32::MAX.to_be_bytes());
        assert!(said(&many).contains("a byte array or null"));
    }
}
