//! The little of DER (X.690) that is needed to find a date in a certificate and the bytes in a key.

/// When a certificate is valid (RFC 5280, section 4.1.2.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_structs, reason = "fixed by X.509")]
pub struct Validity {
    /// Not before: seconds since 1970-01-01T00:00:00Z.
    pub from: i64,
    /// Not after: seconds since 1970-01-01T00:00:00Z.
    pub until: i64,
}

impl Validity {
    /// The validity of a certificate in DER; `None` if it is none.
    ///
    /// ```
    /// use ferroconnect_registry_client::keystore::Validity;
    /// assert_eq!(Validity::of(b"no certificate"), None);
    /// ```
    pub fn of(certificate: &[u8]) -> Option<Self> {
        let (dates, _) = inside(after_issuer(certificate)?, SEQUENCE)?;
        let (from, rest) = date(dates)?;
        let (until, _) = date(rest)?;
        Some(Self { from, until })
    }
}

/// What follows the issuer in a certificate: the dates, the subject, the public key (RFC 5280, section 4.1).
fn after_issuer(certificate: &[u8]) -> Option<&[u8]> {
    let (certificate, _) = inside(certificate, SEQUENCE)?;
    let (body, _) = inside(certificate, SEQUENCE)?;
    // The version is optional; serial number, algorithm and issuer come next.
    let body = inside(body, VERSION).map_or(body, |(_, rest)| rest);
    let (_, rest) = inside(body, INTEGER)?;
    let (_, rest) = inside(rest, SEQUENCE)?;
    let (_, rest) = inside(rest, SEQUENCE)?;
    Some(rest)
}

/// The content of the BIT STRING that is a certificate's public key.
pub(super) fn public_key(certificate: &[u8]) -> Option<&[u8]> {
    let (_, rest) = inside(after_issuer(certificate)?, SEQUENCE)?;
    let (_, rest) = inside(rest, SEQUENCE)?;
    let (key, _) = inside(rest, SEQUENCE)?;
    let (_, rest) = inside(key, SEQUENCE)?;
    inside(rest, BIT_STRING).map(|(key, _)| key)
}

/// The elements one after the other, by tag, as far as they can be read.
pub(super) fn elements(mut bytes: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let tag = *bytes.first()?;
        let (content, rest) = inside(bytes, tag)?;
        bytes = rest;
        Some((tag, content))
    })
}

/// An element with this tag.
pub(super) fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let digits = length.iter().skip_while(|byte| **byte == 0).copied();
    let digits: Vec<u8> = digits.collect();
    let mut out = vec![tag];
    match (u8::try_from(content.len()), u8::try_from(digits.len())) {
        (Ok(short), _) if short < 0x80 => out.push(short),
        // A length has at most eight digits.
        (_, count) => {
            out.push(0x80 | count.unwrap_or(0));
            out.extend(digits);
        }
    }
    out.extend_from_slice(content);
    out
}

/// Whether these bytes are one SEQUENCE and nothing after it (in the lengths that DER and BER allow).
pub(super) fn is_one_sequence(bytes: &[u8]) -> bool {
    // BER's indefinite length, which some programs write for PKCS#12.
    let is_indefinite = bytes.starts_with(&[SEQUENCE, 0x80]);
    is_indefinite || inside(bytes, SEQUENCE).is_some_and(|(_, rest)| rest.is_empty())
}

/// The bytes inside of the element with this tag at the front, and what comes after it.
pub(super) fn inside(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (found, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    if *found != tag {
        return None;
    }
    let (length, rest) = if *first < 0x80 {
        (usize::from(*first), rest)
    } else {
        let count = usize::from(*first & 0x7f);
        if count == 0 || count > LENGTH_BYTES_MAX {
            return None;
        }
        let (digits, rest) = rest.split_at_checked(count)?;
        let length = digits
            .iter()
            .fold(0, |length, byte| length << 8 | usize::from(*byte));
        (length, rest)
    };
    rest.split_at_checked(length)
}

/// A `Time` at the front, as seconds since the epoch.
fn date(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let (text, rest, year_digits) = match bytes.first()? {
        &UTC_TIME => {
            let (text, rest) = inside(bytes, UTC_TIME)?;
            (text, rest, 2)
        }
        _ => {
            let (text, rest) = inside(bytes, GENERALIZED_TIME)?;
            (text, rest, 4)
        }
    };
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    if !text.bytes().all(|byte| byte.is_ascii_digit()) || text.len() != year_digits + 10 {
        return None;
    }
    let number = |at: usize, digits: usize| text.get(at..at + digits)?.parse::<i64>().ok();
    let mut year = number(0, year_digits)?;
    if year_digits == 2 {
        year += if year < 50 { 2000 } else { 1900 };
    }
    let part = |nth: usize| number(year_digits + 2 * nth, 2);
    let (month, day) = (part(0)?, part(1)?);
    let days = days_since_epoch(year, month, day);
    Some((
        days * 86_400 + part(2)? * 3_600 + part(3)? * 60 + part(4)?,
        rest,
    ))
}

/// Days of the Gregorian calendar since 1970-01-01, with years that begin in March so that the leap day comes last.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

pub(super) const INTEGER: u8 = 0x02;
pub(super) const BIT_STRING: u8 = 0x03;
pub(super) const OBJECT_ID: u8 = 0x06;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
/// No element is larger than a store.
const LENGTH_BYTES_MAX: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_become_seconds() {
        for (bytes, expected) in [
            (&b"\x17\x0d700101000000Z"[..], 0),
            (b"\x17\x0d491231235959Z", 2_524_607_999),
            (b"\x17\x0d500101000000Z", -631_152_000),
            (b"\x18\x0f20240229120000Z", 1_709_208_000),
            (b"\x18\x0f99991231235959Z", 253_402_300_799),
        ] {
            assert_eq!(date(bytes), Some((expected, &[][..])), "{bytes:?}");
        }
        for bytes in [
            &b""[..],
            b"\x17\x0d700101000000+",
            b"\x17\x0c70010100000Z",
            b"\x18\x0d700101000000Z",
        ] {
            assert_eq!(date(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for length in [0, 1, 127, 128, 255, 256, 70_000] {
            let content = vec![7; length];
            let bytes = element(SEQUENCE, &content);
            assert_eq!(inside(&bytes, SEQUENCE), Some((&content[..], &[][..])));
        }
    }

    #[test]
    fn lengths_never_reach_beyond_the_bytes() {
        assert_eq!(
            inside(b"\x30\x02ab", SEQUENCE),
            Some((&b"ab"[..], &b""[..]))
        );
        assert_eq!(
            inside(b"\x30\x81\x02abc", SEQUENCE),
            Some((&b"ab"[..], &b"c"[..]))
        );
        for bytes in [
            &b"\x30"[..],
            b"\x30\x03ab",
            b"\x30\x80ab",
            b"\x30\x85\0\0\0\0\x01a",
            b"\x04\x01a",
            b"\x30\x84\xff\xff\xff\xff",
        ] {
            assert_eq!(inside(bytes, SEQUENCE), None, "{bytes:?}");
        }
    }
}
