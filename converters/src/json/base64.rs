//! Base64 as `JsonConverter` reads it: padded, with white space allowed between groups of four.

/// Decodes, or `None` when the text is not base64 by Jackson's rules.
///
/// White space (anything up to U+0020) may stand in front of, between and behind groups; padding is required; a padded
/// group may be followed by more; bits that padding leaves over are not looked at.
pub(crate) fn decode_lenient(text: &str) -> Option<Vec<u8>> {
    let mut rest = text.as_bytes();
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    loop {
        while let [..=b' ', tail @ ..] = rest {
            rest = tail;
        }
        let [a, b, c, d, tail @ ..] = rest else {
            return rest.is_empty().then_some(out);
        };
        rest = tail;
        let high = (digit(*a)? << 6) | digit(*b)?;
        match (*c, *d) {
            (b'=', b'=') => out.push(low_byte(high >> 4)),
            (c, b'=') => {
                let bits = (high << 6) | digit(c)?;
                out.extend([low_byte(bits >> 10), low_byte(bits >> 2)]);
            }
            (c, d) => {
                let bits = (high << 12) | (digit(c)? << 6) | digit(d)?;
                out.extend([low_byte(bits >> 16), low_byte(bits >> 8), low_byte(bits)]);
            }
        }
    }
}

fn digit(b: u8) -> Option<u32> {
    Some(match b {
        b'A'..=b'Z' => u32::from(b - b'A'),
        b'a'..=b'z' => u32::from(b - b'a') + 26,
        b'0'..=b'9' => u32::from(b - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[expect(clippy::cast_possible_truncation, reason = "takes the lowest byte")]
const fn low_byte(bits: u32) -> u8 {
    (bits & 0xff) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_must_be_whole_and_padded() {
        for (text, bytes) in [
            ("", Some(&b""[..])),
            ("AQID", Some(&[1, 2, 3])),
            (" AQ==\n", Some(&[1])),
            ("AQI= AQID", Some(&[1, 2, 1, 2, 3])),
            ("AR==", Some(&[1])),
            ("AQ", None),
            ("AQ=", None),
            ("A===", None),
            ("AQ I", None),
            ("AQ_-", None),
            ("=AQI", None),
        ] {
            assert_eq!(decode_lenient(text).as_deref(), bytes, "{text:?}");
        }
    }
}
