//! Numbers as they were written, compared by value: `1e3` is `1000.0`. Exponents may be huge, so nothing is scaled.

use std::cmp::Ordering;

use num_bigint::BigInt;

use crate::limits::NUMBER_CHARS_MAX;

/// A number: sign, digits without zeros at either end, and the power of ten of the first digit. Zero has no digits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Number {
    negative: bool,
    digits: String,
    power: i64,
}

/// The number that a JSON text says; the reader of documents has checked it.
pub(super) fn number(text: &str) -> Number {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    let zeros = all.len() - significant.len();
    let digits = significant.trim_end_matches('0');
    let power = i64::try_from(whole.len()).unwrap_or(0) - i64::try_from(zeros).unwrap_or(0) - 1;
    if digits.is_empty() {
        return Number {
            negative: false,
            digits: String::new(),
            power: 0,
        };
    }
    Number {
        negative,
        digits: digits.to_owned(),
        power: power.saturating_add(exponent),
    }
}

impl Number {
    /// A text that only equal numbers have.
    pub(super) fn to_text(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", self.digits, self.power)
    }

    /// Without the sign.
    fn size(&self) -> (bool, i64, &str) {
        (!self.digits.is_empty(), self.power, &self.digits)
    }

    /// The power of ten of the last digit.
    fn last_power(&self) -> i64 {
        let digits = i64::try_from(self.digits.len()).unwrap_or(0);
        self.power.saturating_sub(digits - 1)
    }

    /// The number in units of a power of ten that is not above its last one.
    fn scaled(&self, power: i64) -> Option<BigInt> {
        let zeros = usize::try_from(self.last_power().checked_sub(power)?).ok()?;
        if zeros > 2 * NUMBER_CHARS_MAX {
            return None;
        }
        let text = format!("{}{}", self.digits, "0".repeat(zeros));
        BigInt::parse_bytes(text.as_bytes(), 10)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            // Digits without zeros at the end compare as texts.
            (false, false) => self.size().cmp(&other.size()),
            (true, true) => other.size().cmp(&self.size()),
        }
    }
}

/// How a new `multipleOf` relates to an old one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Multiple {
    /// Equal, or the old one is a multiple of it: what was good is good.
    Reduced,
    /// It is a multiple of the old one.
    Expanded,
    Neither,
}

/// How `to` relates to `from`. Numbers too far apart to be divided count as neither.
pub(super) fn multiple(from: &Number, to: &Number) -> Multiple {
    if from == to {
        return Multiple::Reduced;
    }
    if from.digits.is_empty() || to.digits.is_empty() {
        return Multiple::Neither;
    }
    let power = from.last_power().min(to.last_power());
    let (Some(from), Some(to)) = (from.scaled(power), to.scaled(power)) else {
        return Multiple::Neither;
    };
    let zero = BigInt::ZERO;
    if &from % &to == zero {
        Multiple::Reduced
    } else if &to % &from == zero {
        Multiple::Expanded
    } else {
        Multiple::Neither
    }
}
