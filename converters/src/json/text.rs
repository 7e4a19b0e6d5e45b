//! JSON strings on the way out: Jackson's escapes.
//!
//! Escaped are `"`, `\`, control characters, and every character above U+FFFF, which Jackson writes as two `\uXXXX`
//! (12 bytes of ASCII). Everything else is copied. Short pieces are searched eight bytes at a time, long ones in
//! blocks that the compiler turns into vector code.

/// Appends `text` as a JSON string with its quotes.
#[inline]
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    write_escaped(text, out);
    out.push(b'"');
}

/// Text of up to this many bytes is copied with one fixed move and cut back: cheaper than a move of variable length.
pub(crate) const SHORT: usize = 32;

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

/// Appends the first `len` bytes of a chunk; `len` is at most [`SHORT`].
#[inline]
pub(crate) fn copy_short(chunk: &[u8; SHORT], len: usize, out: &mut Vec<u8>) {
    let end = out.len() + len;
    out.extend_from_slice(chunk);
    out.truncate(end);
}

/// Whether the first `len` bytes need no escape.
#[inline]
fn is_clean(chunk: &[u8; SHORT], len: usize) -> bool {
    let (words, _) = chunk.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        if index * 8 >= len {
            break;
        }
        let hits = special_bytes(u64::from_le_bytes(*word));
        if hits != 0 {
            return index * 8 + (hits.trailing_zeros() / 8) as usize >= len;
        }
    }
    true
}

/// Appends `text` escaped, without quotes.
#[inline]
pub(crate) fn write_escaped(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let clean = clean_prefix(bytes);
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
        let clean = clean_prefix(rest);
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

/// Bytes of one block of the long search.
const BLOCK: usize = 64;

/// Words that are looked at one by one before blocks are: where one escape was, the next is often near.
const NEAR_WORDS: usize = 6;

/// Length of the leading part that needs no escape; it ends on a character boundary.
#[inline]
fn clean_prefix(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<8>();
    let mut at = 0;
    for word in words.iter().take(NEAR_WORDS) {
        let hits = special_bytes(u64::from_le_bytes(*word));
        if hits != 0 {
            return at + (hits.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    at + clean_far(&bytes[at..])
}

/// The same for what lies farther: whole blocks, then words, then bytes.
#[inline(never)]
fn clean_far(bytes: &[u8]) -> usize {
    let mut at = clean_blocks(bytes);
    while let Some(word) = bytes[at..].first_chunk::<8>() {
        let hits = special_bytes(u64::from_le_bytes(*word));
        if hits != 0 {
            return at + (hits.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let tail = &bytes[at..];
    at + tail
        .iter()
        .position(|b| is_special(*b))
        .unwrap_or(tail.len())
}

/// Length of the leading whole blocks that need no escape.
#[inline]
fn clean_blocks(bytes: &[u8]) -> usize {
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let dirty = |block: &[u8; BLOCK]| {
        block
            .iter()
            .fold(0u8, |any, b| any | u8::from(is_special(*b)))
    };
    blocks.iter().take_while(|block| dirty(block) == 0).count() * BLOCK
}

#[inline]
const fn is_special(b: u8) -> bool {
    (b < 0x20) | (b == b'"') | (b == b'\\') | (b >= 0xf0)
}

/// The high bit of each byte that must be escaped; the lowest hit is exact, higher ones may be false.
#[inline]
const fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let equal = (quote.wrapping_sub(ONES) & !quote) | (backslash.wrapping_sub(ONES) & !backslash);
    let beyond = word & (word << 1) & (word << 2) & (word << 3);
    (control | equal | beyond) & HIGHS
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

    #[test]
    fn the_word_search_agrees_with_the_byte_search_on_every_byte() {
        for b in 0..=255u8 {
            for place in 0..8 {
                let mut bytes = [b'a'; 8];
                bytes[place] = b;
                let hits = special_bytes(u64::from_le_bytes(bytes));
                let found = (hits != 0).then(|| hits.trailing_zeros() as usize / 8);
                assert_eq!(found, is_special(b).then_some(place), "{b:#x}");
            }
        }
    }
}
