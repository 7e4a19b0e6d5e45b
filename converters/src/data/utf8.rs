//! UTF-8 as `new String(bytes, UTF_8)` reads it: every malformed part becomes U+FFFD.

use std::borrow::Cow;

/// Reads UTF-8; borrows when nothing is malformed.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(replace(bytes)),
    }
}

/// Whether all bytes are ASCII: [`slice::is_ascii`](u8::is_ascii) looks at the last bytes of a text one by one, this does not.
#[inline]
pub(crate) fn is_ascii(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk() else {
        return bytes.is_ascii();
    };
    let (words, _) = bytes.as_chunks();
    // The last word overlaps the one before it.
    let last = u64::from_le_bytes(*last);
    let all = (words.iter()).fold(last, |all, word| all | u64::from_le_bytes(*word));
    all & 0x8080_8080_8080_8080 == 0
}

/// As [`String::from_utf8_lossy`], but for encoded surrogates: the JVM replaces all their bytes by one character.
#[cold]
fn replace(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    let mut rest = bytes;
    while !rest.is_empty() {
        let (valid, malformed) = match std::str::from_utf8(rest) {
            Ok(text) => (text, 0),
            Err(error) => {
                let valid = rest.get(..error.valid_up_to()).unwrap_or_default();
                let malformed = rest.get(valid.len()..).unwrap_or_default();
                // The standard library has checked this part.
                let text = std::str::from_utf8(valid).unwrap_or_default();
                (
                    text,
                    surrogate(malformed)
                        .or(error.error_len())
                        .unwrap_or(malformed.len()),
                )
            }
        };
        out.push_str(valid);
        if malformed > 0 {
            out.push(char::REPLACEMENT_CHARACTER);
        }
        rest = rest.get(valid.len() + malformed..).unwrap_or_default();
    }
    out
}

/// Bytes of an encoded surrogate at the start, complete or cut off.
fn surrogate(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [0xed, 0xa0..=0xbf, 0x80..=0xbf, ..] => Some(3),
        [0xed, 0xa0..=0xbf, ..] => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, is_ascii};

    #[test]
    fn one_byte_beyond_ascii_is_found_wherever_it_stands() {
        for len in 0..100 {
            let mut bytes = vec![b'a'; len];
            assert!(is_ascii(&bytes), "{len}");
            for at in 0..len {
                bytes[at] = 0x80;
                assert!(!is_ascii(&bytes), "{at} of {len}");
                bytes[at] = 0x7f;
            }
        }
    }

    #[test]
    fn malformed_parts_are_replaced_as_in_java() {
        for (bytes, text) in [
            (&b"abc"[..], "abc"),
            (b"a\xffb", "a\u{fffd}b"),
            (b"\xc0\xaf", "\u{fffd}\u{fffd}"),
            (b"\xc3", "\u{fffd}"),
            (b"\xe2\x82", "\u{fffd}"),
            (b"\xe2\x82A", "\u{fffd}A"),
            (b"\xf0\x9f\x98", "\u{fffd}"),
            (b"\xf0\x9f\x98A", "\u{fffd}A"),
            (b"\xf0\x80\x80\x80", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
            (b"\xf4\x90\x80\x80", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
            // Surrogates: one replacement for three bytes, where Rust's own makes three.
            (b"\xed\xa0\xbd\xed\xb8\x80", "\u{fffd}\u{fffd}"),
            (b"\xed\xa0", "\u{fffd}"),
            (b"\xed\xa0A", "\u{fffd}A"),
            (b"\xed\x9f\xbf", "\u{d7ff}"),
        ] {
            assert_eq!(decode(bytes), text, "{bytes:02x?}");
        }
    }
}
