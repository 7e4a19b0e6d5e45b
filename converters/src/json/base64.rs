//! Base64 of JSON: what `JsonConverter` reads (padded, white space between groups of four), and short integers, fast.

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
        let six = |b: u8| digit(b).map(u32::from);
        let high = (six(*a)? << 6) | six(*b)?;
        match (*c, *d) {
            (b'=', b'=') => out.push(low_byte(high >> 4)),
            (c, b'=') => {
                let bits = (high << 6) | six(c)?;
                out.extend([low_byte(bits >> 10), low_byte(bits >> 2)]);
            }
            (c, d) => {
                let bits = (high << 12) | (six(c)? << 6) | six(d)?;
                out.extend([low_byte(bits >> 16), low_byte(bits >> 8), low_byte(bits)]);
            }
        }
    }
}

/// Longest base64 of an integer that fits 64 bits, in characters.
const SHORT_CHARS: usize = 12;

/// Reads the base64 of a big-endian two's complement integer of 1 to 8 bytes. `None` is no verdict: it may be longer, or
/// written in an unusual way.
#[inline]
pub(super) fn decode_integer(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > SHORT_CHARS || !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take_while(|b| **b == b'=').count();
    if padding > 2 {
        return None;
    }
    let mut bits = 0u128;
    for b in &text[..text.len() - padding] {
        let digit = DIGITS[usize::from(*b)];
        if digit > 63 {
            return None;
        }
        bits = (bits << 6) | u128::from(digit);
    }
    // One padding character stands for two bits that are left over, two for four.
    let spare = padding * 2;
    let bytes = text.len() / 4 * 3 - padding;
    if bytes > 8 || bits & ((1 << spare) - 1) != 0 {
        return None;
    }
    let value = u64::try_from(bits >> spare).ok()?;
    let unused = 64 - 8 * bytes;
    Some((value << unused).cast_signed() >> unused)
}

/// Appends the base64 of an integer's shortest big-endian two's complement.
#[inline]
pub(super) fn encode_integer(value: i64, out: &mut Vec<u8>) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    // Bits that say something, the sign among them.
    let significant = 65
        - if value < 0 {
            (!value).leading_zeros()
        } else {
            value.leading_zeros()
        };
    let bytes = significant.div_ceil(8) as usize;
    let groups = bytes.div_ceil(3);
    let padding = groups * 3 - bytes;
    // Left-aligned in as many whole groups as it takes: 24 bits each.
    let wide = u128::from(value.cast_unsigned() & (u64::MAX >> (64 - 8 * bytes))) << (8 * padding);
    let mut text = [b'='; SHORT_CHARS];
    for (index, place) in text.iter_mut().enumerate().take(groups * 4 - padding) {
        *place = ALPHABET[(wide >> (groups * 24 - 6 - index * 6)) as usize & 63];
    }
    let end = out.len() + groups * 4;
    out.extend_from_slice(&text);
    out.truncate(end);
}

/// The value of each base64 digit; 255 for other bytes.
const DIGITS: [u8; 256] = {
    let mut table = [255; 256];
    let mut b = 0u8;
    while b < 128 {
        if let Some(digit) = digit(b) {
            table[b as usize] = digit;
        }
        b += 1;
    }
    table
};

const fn digit(b: u8) -> Option<u8> {
    Some(match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

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

    #[test]
    fn integers_take_the_short_way_to_the_same_text() {
        use base64::Engine;
        let standard = base64::engine::general_purpose::STANDARD;
        let edges = (0..64).flat_map(|bit| {
            let power = 1i64 << bit;
            [
                power,
                power.wrapping_sub(1),
                power.wrapping_neg(),
                power.wrapping_neg().wrapping_sub(1),
            ]
        });
        for value in edges.chain([0, -1, 1_999_995, 255, i64::MIN, i64::MAX]) {
            let decimal = crate::data::Decimal::new(value.into(), 0);
            let expected = decimal.view().with_be_bytes(|bytes| standard.encode(bytes));
            let mut out = Vec::new();
            encode_integer(value, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{value}");
            assert_eq!(decode_integer(expected.as_bytes()), Some(value));
        }
        for text in [
            "",
            "A",
            "AA",
            "AAA",
            "====",
            "A===",
            "AR==",
            "AAAAAAAAAAAA",
            "AA=A",
            "A A=",
            "AAAAAAAAAAAAAAAA",
        ] {
            assert_eq!(decode_integer(text.as_bytes()), None, "{text}");
        }
    }
}
