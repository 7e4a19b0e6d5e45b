//! UTF-8 as `new String(bytes, UTF_8)` reads it: every malformed part becomes U+FFFD.

use std::borrow::Cow;

/// Reads UTF-8; borrows when nothing is malformed.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(replace(bytes)),
    }
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
    use super::decode;

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
