use std::collections::BTreeMap;

use super::{Key, Kind, Problem, RawConfig, Secret};

/// One parsed value.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    missing_docs,
    reason = "the variants are the kinds of `Kind`; class names are text"
)]
pub enum Setting {
    Null,
    Boolean(bool),
    Short(i16),
    Int(i32),
    Long(i64),
    Double(f64),
    Text(String),
    List(Vec<String>),
    Password(Secret),
}

impl Setting {
    /// Reads text as the given kind, with Kafka's trimming and words.
    ///
    /// # Errors
    /// The reason why the text does not fit.
    pub fn parse(kind: Kind, text: &str) -> Result<Self, String> {
        let trimmed = trim(text);
        match kind {
            Kind::Boolean => match trimmed {
                t if t.eq_ignore_ascii_case("true") => Ok(Self::Boolean(true)),
                t if t.eq_ignore_ascii_case("false") => Ok(Self::Boolean(false)),
                _ => Err("Expected value to be either true or false".to_owned()),
            },
            Kind::String | Kind::Class => Ok(Self::Text(trimmed.to_owned())),
            Kind::Short => number(trimmed, kind).map(Self::Short),
            Kind::Int => number(trimmed, kind).map(Self::Int),
            Kind::Long => number(trimmed, kind).map(Self::Long),
            Kind::Double => number(trimmed, kind).map(Self::Double),
            Kind::List => Ok(Self::List(list(trimmed))),
            Kind::Password => Ok(Self::Password(Secret::new(trimmed))),
        }
    }

    /// The text of a text value.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null
            | Self::Boolean(_)
            | Self::Short(_)
            | Self::Int(_)
            | Self::Long(_)
            | Self::Double(_)
            | Self::List(_)
            | Self::Password(_) => None,
        }
    }

    /// The number of a whole-number value.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Short(n) => Some(i64::from(*n)),
            Self::Int(n) => Some(i64::from(*n)),
            Self::Long(n) => Some(*n),
            Self::Null
            | Self::Boolean(_)
            | Self::Double(_)
            | Self::Text(_)
            | Self::List(_)
            | Self::Password(_) => None,
        }
    }

    /// The elements of a list value.
    pub fn as_list(&self) -> Option<&[String]> {
        match self {
            Self::List(list) => Some(list),
            Self::Null
            | Self::Boolean(_)
            | Self::Short(_)
            | Self::Int(_)
            | Self::Long(_)
            | Self::Double(_)
            | Self::Text(_)
            | Self::Password(_) => None,
        }
    }
}

/// Java trims every character up to and including the space, and nothing beyond ASCII.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c <= ' ')
}

/// `Character.isISOControl`.
pub(super) fn is_iso_control(c: char) -> bool {
    matches!(c, '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}')
}

fn number<T: std::str::FromStr>(text: &str, kind: Kind) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("Not a number of type {}", kind.name()))
}

fn list(text: &str) -> Vec<String> {
    if text.is_empty() {
        Vec::new()
    } else {
        text.split(',').map(|part| trim(part).to_owned()).collect()
    }
}

/// A configuration whose every defined key was parsed and checked.
#[derive(Clone, Debug)]
pub struct Settings {
    values: BTreeMap<Box<str>, Setting>,
    originals: RawConfig,
}

impl Settings {
    pub(super) fn new(values: BTreeMap<Box<str>, Setting>, originals: RawConfig) -> Self {
        Self { values, originals }
    }

    /// The value of a key in the type the caller needs; `Option<T>` takes a null.
    ///
    /// # Errors
    /// The key is not in the definition, is null where a value is needed, or holds another kind: all three are mistakes in the
    /// definition, never in the user's file.
    pub fn get<T: FromSetting>(&self, key: &str) -> Result<T, Problem> {
        let Some(setting) = self.values.get(key) else {
            return Err(Problem::said(key, format!("Unknown configuration '{key}'")));
        };
        T::from_setting(setting).ok_or_else(|| {
            Problem::said(
                key,
                format!("Configuration '{key}' does not hold the kind of value that is asked for"),
            )
        })
    }

    /// The text as it was given, whether the key is defined or not.
    pub fn original(&self, key: &str) -> Option<&str> {
        self.originals.get(key).map(String::as_str)
    }

    /// All text as it was given.
    pub fn originals(&self) -> &RawConfig {
        &self.originals
    }

    /// Keys that were given and that no definition knows.
    pub fn unknown<'a>(
        &'a self,
        is_defined: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = &'a str> + 'a {
        self.originals
            .keys()
            .map(String::as_str)
            .filter(move |key| !self.values.contains_key(*key) && !is_defined(key))
    }
}

/// A Rust type that a setting can be read as.
pub trait FromSetting: Sized {
    /// `None` when the setting holds another kind.
    fn from_setting(setting: &Setting) -> Option<Self>;
}

macro_rules! from_setting {
    ($($type:ty: $pattern:pat => $value:expr;)*) => {$(
        impl FromSetting for $type {
            fn from_setting(setting: &Setting) -> Option<Self> {
                if let $pattern = setting { Some($value) } else { None }
            }
        }
    )*};
}

from_setting! {
    bool: Setting::Boolean(value) => *value;
    i16: Setting::Short(value) => *value;
    i32: Setting::Int(value) => *value;
    i64: Setting::Long(value) => *value;
    f64: Setting::Double(value) => *value;
    String: Setting::Text(value) => value.clone();
    Vec<String>: Setting::List(value) => value.clone();
    Secret: Setting::Password(value) => value.clone();
}

impl<T: FromSetting> FromSetting for Option<T> {
    fn from_setting(setting: &Setting) -> Option<Self> {
        if matches!(setting, Setting::Null) {
            Some(None)
        } else {
            T::from_setting(setting).map(Some)
        }
    }
}

/// Parses and checks one key.
pub(super) fn parse_key(key: &Key, given: Option<&str>) -> Result<Setting, Problem> {
    use super::key::Presence;
    let text = match (given, &key.presence) {
        (Some(text), _) => text,
        (None, Presence::Default(text)) => text,
        (None, Presence::Null) => return Ok(Setting::Null),
        (None, Presence::Required) => return Err(Problem::missing(&key.name)),
    };
    let invalid = |reason: String| {
        if key.kind == Kind::Password {
            Problem::invalid_secret(&key.name, reason)
        } else {
            Problem::invalid(&key.name, text, reason)
        }
    };
    let setting = Setting::parse(key.kind, text).map_err(invalid)?;
    for validator in &key.validators {
        validator.check(&setting).map_err(invalid)?;
    }
    Ok(setting)
}
