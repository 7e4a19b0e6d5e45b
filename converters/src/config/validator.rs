use std::fmt;

use super::{Setting, setting};

/// A check of one parsed value. `Display` prints it as Kafka's documentation does.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Validator {
    /// One of these texts, exactly.
    OneOf(&'static [&'static str]),
    /// One of these texts in any case; written in upper case by Kafka.
    OneOfIgnoreCase(&'static [&'static str]),
    /// A number not smaller than this. Null is refused.
    AtLeast(i64),
    /// A number between both bounds, inclusive. Null is refused.
    Between(i64, i64),
    /// A fractional number between both bounds, inclusive. Null is refused.
    BetweenDoubles(f64, f64),
    /// A list without empty and without repeated elements (KIP-1161). Kafka's documentation says nothing about this check.
    Distinct {
        /// Whether the list may be empty.
        or_empty: bool,
        /// Whether the list may be null.
        or_null: bool,
    },
    /// A text that is not empty; null passes.
    NonEmpty,
    /// A text that is neither empty nor holds control characters.
    NonEmptyWithoutControl,
    /// A check of one's own.
    Custom {
        /// What the documentation says about the check.
        text: &'static str,
        /// Says why the value does not fit.
        check: fn(&Setting) -> Result<(), String>,
    },
}

impl Validator {
    /// Checks a value.
    ///
    /// # Errors
    /// The reason, in Kafka's words, without key and value.
    pub(super) fn check(&self, value: &Setting) -> Result<(), String> {
        match self {
            Self::OneOf(allowed) => one_of(value, allowed),
            Self::OneOfIgnoreCase(allowed) => one_of_ignore_case(value, allowed),
            Self::AtLeast(least) => at_least(value, *least),
            Self::Between(least, most) => {
                at_least(value, *least)?;
                match value.as_integer() {
                    Some(number) if number > *most => {
                        Err(format!("Value must be no more than {most}"))
                    }
                    Some(_) | None => Ok(()),
                }
            }
            Self::BetweenDoubles(least, most) => between_doubles(value, *least, *most),
            Self::Distinct { or_empty, or_null } => distinct(value, *or_empty, *or_null),
            Self::NonEmpty => match value.as_text() {
                Some("") => Err("String must be non-empty".to_owned()),
                Some(_) | None => Ok(()),
            },
            Self::NonEmptyWithoutControl => without_control(value),
            Self::Custom { check, .. } => check(value),
        }
    }
}

fn one_of(value: &Setting, allowed: &[&str]) -> Result<(), String> {
    match value.as_text() {
        Some(text) if allowed.contains(&text) => Ok(()),
        Some(_) | None => Err(format!("String must be one of: {}", allowed.join(", "))),
    }
}

fn one_of_ignore_case(value: &Setting, allowed: &[&str]) -> Result<(), String> {
    match value.as_text() {
        Some(text) if allowed.iter().any(|a| a.eq_ignore_ascii_case(text)) => Ok(()),
        Some(_) | None => Err(format!(
            "String must be one of (case insensitive): {}",
            allowed.join(", ")
        )),
    }
}

fn at_least(value: &Setting, least: i64) -> Result<(), String> {
    match (value, value.as_integer()) {
        (Setting::Null, _) => Err("Value must be non-null".to_owned()),
        (_, Some(number)) if number < least => Err(format!("Value must be at least {least}")),
        (_, _) => Ok(()),
    }
}

fn between_doubles(value: &Setting, least: f64, most: f64) -> Result<(), String> {
    match value {
        Setting::Null => Err("Value must be non-null".to_owned()),
        Setting::Double(number) if *number < least => {
            Err(format!("Value must be at least {least:?}"))
        }
        Setting::Double(number) if *number > most => {
            Err(format!("Value must be no more than {most:?}"))
        }
        Setting::Double(_)
        | Setting::Boolean(_)
        | Setting::Short(_)
        | Setting::Int(_)
        | Setting::Long(_)
        | Setting::Text(_)
        | Setting::List(_)
        | Setting::Password(_) => Ok(()),
    }
}

fn distinct(value: &Setting, or_empty: bool, or_null: bool) -> Result<(), String> {
    let Some(list) = value.as_list() else {
        return if or_null {
            Ok(())
        } else {
            Err("values must not be null.".to_owned())
        };
    };
    if list.is_empty() && !or_empty {
        return Err("must not be empty. Valid values include: any non-empty value".to_owned());
    }
    let repeated = list
        .iter()
        .enumerate()
        .any(|(at, element)| list[..at].contains(element));
    if repeated {
        return Err("values must not be duplicated.".to_owned());
    }
    if list.iter().any(String::is_empty) {
        return Err("values must not be empty.".to_owned());
    }
    Ok(())
}

fn without_control(value: &Setting) -> Result<(), String> {
    let Some(text) = value.as_text() else {
        return Err("entry must be non null".to_owned());
    };
    if text.is_empty() {
        return Err("String may not be empty".to_owned());
    }
    let found: Vec<String> = text
        .chars()
        .filter(|c| setting::is_iso_control(*c))
        .map(|c| u32::from(c).to_string())
        .collect();
    if found.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "String may not contain control sequences but had the following ASCII chars: {}",
            found.join(", ")
        ))
    }
}

impl fmt::Display for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneOf(allowed) => write!(f, "[{}]", allowed.join(", ")),
            Self::OneOfIgnoreCase(allowed) => {
                write!(f, "(case insensitive) [{}]", allowed.join(", "))
            }
            Self::AtLeast(least) => write!(f, "[{least},...]"),
            Self::Between(least, most) => write!(f, "[{least},...,{most}]"),
            Self::BetweenDoubles(least, most) => write!(f, "[{least:?},...,{most:?}]"),
            Self::Distinct { .. } => Ok(()),
            Self::NonEmpty => f.write_str("non-empty string"),
            Self::NonEmptyWithoutControl => {
                f.write_str("non-empty string without ISO control characters")
            }
            Self::Custom { text, .. } => f.write_str(text),
        }
    }
}
