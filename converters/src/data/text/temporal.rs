//! The three patterns of dates and times, as Java's lenient `SimpleDateFormat` reads and prints them, in UTC.

use std::borrow::Cow;

use crate::data::Logical;
use crate::data::calendar::{self, Moment};
use crate::data::java_text::padded;
use crate::data::logical::MILLIS_PER_DAY;

/// `yyyy-MM-dd`.
const DATE_CHARS: usize = 10;
/// `HH:mm:ss.SSS'Z'`.
const TIME_CHARS: usize = 13;
/// `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'`.
const TIMESTAMP_CHARS: usize = 24;

/// Appends a date by its milliseconds alone: which pattern it gets does not depend on its schema.
pub(super) fn write(millis: i64, out: &mut Vec<u8>) {
    let moment = Moment::of(millis);
    let of_day = millis < MILLIS_PER_DAY;
    if !of_day {
        padded(moment.year_of_era, 4, out);
        out.push(b'-');
        padded(moment.month, 2, out);
        out.push(b'-');
        padded(moment.day, 2, out);
        if millis % MILLIS_PER_DAY == 0 {
            return;
        }
        out.push(b'T');
    }
    padded(moment.hour, 2, out);
    out.push(b':');
    padded(moment.minute, 2, out);
    out.push(b':');
    padded(moment.second, 2, out);
    out.push(b'.');
    padded(moment.milli, 3, out);
    out.push(b'Z');
}

/// Reads a date, time or timestamp. Its length decides which; colons may be escaped; parts may run over (`2019-13-45`).
pub(super) fn parse(text: &str) -> Option<(Logical, i64)> {
    let text = if text.contains("\\:") {
        Cow::Owned(text.replace("\\:", ":"))
    } else {
        Cow::Borrowed(text)
    };
    // Java counts UTF-16 units; only texts of these lengths are worth looking at.
    let units = text.encode_utf16().take(TIMESTAMP_CHARS + 1).count();
    let text = super::tokens::ascii_digits(&text);
    let mut parts = Parts(text.as_bytes());
    match units {
        DATE_CHARS => Some((Logical::Date, parts.date()? * MILLIS_PER_DAY)),
        TIME_CHARS => Some((Logical::Time, parts.time()?)),
        TIMESTAMP_CHARS => {
            let days = parts.date()?;
            parts.literal(b'T')?;
            let of_day = parts.time()?;
            // Years of eleven digits run over, as in Java.
            let millis = days.wrapping_mul(MILLIS_PER_DAY).wrapping_add(of_day);
            Some((Logical::Timestamp, millis))
        }
        _ => None,
    }
}

/// What is left of the text. Text behind the pattern does not matter.
struct Parts<'t>(&'t [u8]);

impl Parts<'_> {
    fn date(&mut self) -> Option<i64> {
        let year = self.number()?;
        self.literal(b'-')?;
        let month = self.number()?;
        self.literal(b'-')?;
        let day = self.number()?;
        Some(calendar::days(year, month, day))
    }

    fn time(&mut self) -> Option<i64> {
        let hour = i64::from(self.number()?);
        self.literal(b':')?;
        let minute = i64::from(self.number()?);
        self.literal(b':')?;
        let second = i64::from(self.number()?);
        self.literal(b'.')?;
        let milli = i64::from(self.number()?);
        self.literal(b'Z')?;
        Some(((hour * 60 + minute) * 60 + second) * 1_000 + milli)
    }

    fn literal(&mut self, expected: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        (*first == expected).then_some(())
    }

    /// Blanks, perhaps a minus, then digits, as many as there are, and even an exponent: what Java's `DecimalFormat` takes.
    fn number(&mut self) -> Option<i32> {
        while let [b' ' | b'\t', rest @ ..] = self.0 {
            self.0 = rest;
        }
        let negative = self.sign();
        let number: i64 = self.digits()?;
        let number = if negative { -number } else { number };
        let before = self.0;
        if let [b'E', rest @ ..] = before {
            self.0 = rest;
            let negative = self.sign();
            match self.digits() {
                Some(exponent) => {
                    return Some(scaled(number, if negative { -exponent } else { exponent }));
                }
                None => self.0 = before,
            }
        }
        Some(low_bits(number))
    }

    fn sign(&mut self) -> bool {
        let negative = matches!(self.0, [b'-', ..]);
        if negative {
            self.0 = &self.0[1..];
        }
        negative
    }

    fn digits(&mut self) -> Option<i64> {
        let count = self
            .0
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }
}

/// `Number.intValue` of a whole number with an exponent.
fn scaled(number: i64, exponent: i64) -> i32 {
    let exponent = i32::try_from(exponent).unwrap_or(i32::MAX);
    let whole = u32::try_from(exponent)
        .ok()
        .and_then(|power| number.checked_mul(10i64.checked_pow(power)?));
    match whole {
        Some(whole) => low_bits(whole),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "`Double.intValue` saturates, as this cast does"
        )]
        None => (number as f64 * 10f64.powi(exponent)) as i32,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "`Long.intValue` keeps the low bits"
)]
const fn low_bits(number: i64) -> i32 {
    number as i32
}
