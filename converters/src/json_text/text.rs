//! JSON strings on the way out: Jackson's escapes.
//!
//! Escaped are `"`, `\`, control characters, and every character above U+FFFF, which Jackson writes as two `\uXXXX`
//! (12 bytes of ASCII). Everything else is copied.

use super::scan::{clean_prefix, first_special};
use crate::wire::{SHORT, copy_short};

/// The writer also stops at characters above U+FFFF.
const BEYOND: bool = true;

/// Appends `text` as a JSON string with its quotes.
#[inline]
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    write_escaped(text, out);
    out.push(b'"');
}

/// Appends `heap[at..at + len]` as a JSON string with its quotes.
#[inline]
pub(crate) fn write_heap_string(heap: &str, at: u32, len: u32, out: &mut Vec<u8>) {
    let (start, len) = (at as usize, len as usize);
    if len <= SHORT
        && let Some(chunk) = heap
            .as_bytes()
            .get(start..)
            .and_then(|rest| rest.first_chunk::<SHORT>())
        && is_clean(chunk, len)
    {
        out.push(b'"');
        copy_short(chunk, len, out);
        out.push(b'"');
        return;
    }
    write_string(heap.get(start..start + len).unwrap_or_default(), out);
}

/// Whether the first `len` bytes need no escape.
#[inline]
fn is_clean(chunk: &[u8; SHORT], len: usize) -> bool {
    let (words, _) = chunk.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        if index * 8 >= len {
            break;
        }
        if let Some(found) = first_special::<BEYOND>(word) {
            return index * 8 + found >= len;
        }
    }
    true
}

/// Appends `text` escaped, without quotes.
#[inline]
pub(crate) fn write_escaped(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let clean = clean_prefix::<BEYOND>(bytes);
    out.extend_from_slice(&bytes[..clean]);
    if clean < bytes.len() {
        write_rest(&text[clean..], out);
    }
}

/// Appends a text whose first byte must be escaped.
#[cold]
fn write_rest(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(special) = bytes.get(at) {
        if *special < 0x80 {
            match SHORT_ESCAPES[usize::from(*special)] {
                0 => escape_unit(u16::from(*special), out),
                letter => out.extend_from_slice(&[b'\\', letter]),
            }
            at += 1;
        } else {
            // The lead byte of four: a character above U+FFFF.
            let character = text[at..].chars().next().unwrap_or_default();
            let mut units = [0; 2];
            let pair = character.encode_utf16(&mut units);
            pair.iter().for_each(|unit| escape_unit(*unit, out));
            at += character.len_utf8();
        }
        let rest = &bytes[at..];
        let clean = clean_prefix::<BEYOND>(rest);
        match rest.first_chunk::<SHORT>() {
            Some(chunk) if clean <= SHORT => copy_short(chunk, clean, out),
            _ => out.extend_from_slice(&rest[..clean]),
        }
        at += clean;
    }
}

/// The letter behind the backslash, for the characters that have a short escape.
const SHORT_ESCAPES: [u8; 128] = {
    let mut table = [0; 128];
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table[b'\n' as usize] = b'n';
    table[b'\r' as usize] = b'r';
    table[b'\t' as usize] = b't';
    table[8] = b'b';
    table[12] = b'f';
    table
};

fn escape_unit(unit: u16, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |shift: u16| DIGITS[usize::from((unit >> shift) & 15)];
    out.extend_from_slice(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write_string(text, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn escapes_are_jacksons() {
        assert_eq!(written("a\"b\\c/d"), r#""a\"b\\c/d""#);
        assert_eq!(
            written("\u{8}\t\n\u{c}\r\u{1f}\u{0}\u{7f}"),
            "\"\\b\\t\\n\\f\\r\\u001F\\u0000\u{7f}\""
        );
        assert_eq!(written("é€\u{2028}<>&'"), "\"é€\u{2028}<>&'\"");
        assert_eq!(written("😀"), r#""\uD83D\uDE00""#);
    }

    #[test]
    fn a_special_character_is_found_at_every_place_of_every_length() {
        for length in (0..40).chain(60..70).chain(120..140) {
            for place in 0..length {
                for special in ['"', '\\', '\n', '\u{1}', '😀'] {
                    let text: String = (0..length)
                        .map(|i| if i == place { special } else { 'é' })
                        .collect();
                    let plain: String = text.chars().flat_map(slow).collect();
                    assert_eq!(written(&text), format!("\"{plain}\""));
                }
            }
        }
    }

    fn slow(c: char) -> Vec<char> {
        let mut out = Vec::new();
        if u32::from(c) < 0x20 || matches!(c, '"' | '\\') || u32::from(c) > 0xffff {
            write_rest(&c.to_string(), &mut out);
            return String::from_utf8(out).unwrap().chars().collect();
        }
        vec![c]
    }
}
