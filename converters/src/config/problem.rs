use std::fmt;

use super::secret;

/// One thing that is wrong with a configuration.
///
/// The text is Kafka's own where Kafka has one, so that people find it with a search engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    key: Box<str>,
    value: Option<Box<str>>,
    form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Missing,
    Invalid(Box<str>),
    Said(Box<str>),
}

impl Problem {
    /// A required key is not set.
    pub fn missing(key: &str) -> Self {
        Self {
            key: key.into(),
            value: None,
            form: Form::Missing,
        }
    }

    /// A value that does not fit. The value is hidden when the key's name says that it is secret.
    pub fn invalid(key: &str, value: &str, reason: impl Into<Box<str>>) -> Self {
        Self {
            key: key.into(),
            value: Some(secret::shown(key, value).into()),
            form: Form::Invalid(reason.into()),
        }
    }

    /// A value that does not fit and is secret whatever the key is called.
    pub fn invalid_secret(key: &str, reason: impl Into<Box<str>>) -> Self {
        Self {
            key: key.into(),
            value: Some(secret::HIDDEN.into()),
            form: Form::Invalid(reason.into()),
        }
    }

    /// A problem that needs its own sentence, for example one about two keys together.
    pub fn said(key: &str, text: impl Into<Box<str>>) -> Self {
        Self {
            key: key.into(),
            value: None,
            form: Form::Said(text.into()),
        }
    }

    /// The same problem of the key with a prefix in front: a converter's `schemas.enable` is `key.converter.schemas.enable` to the
    /// person who wrote the file.
    #[must_use]
    pub fn under(mut self, prefix: &str) -> Self {
        self.key = format!("{prefix}{}", self.key).into();
        self
    }

    /// The same problem without its value: for values that came from a place of secrets.
    #[must_use]
    pub fn without_value(mut self) -> Self {
        if self.value.is_some() {
            self.value = Some(secret::HIDDEN.into());
        }
        self
    }

    /// The key that has to change.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The offending value, already hidden when it is secret; `None` when the key is not set.
    pub fn value(&self) -> Option<&str> {
        self.value.as_deref()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Missing => write!(
                f,
                "Missing required configuration \"{}\" which has no default value.",
                self.key
            ),
            Form::Invalid(reason) => {
                let value = self.value.as_deref().unwrap_or("null");
                write!(
                    f,
                    "Invalid value {value} for configuration {}: {reason}",
                    self.key
                )
            }
            Form::Said(text) => f.write_str(text),
        }
    }
}

/// Everything that is wrong with a configuration, in the order of the definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// No problem yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a problem.
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Adds all problems of `other`.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Keeps the value and collects the problem, so that checking can go on.
    pub fn collect<T>(&mut self, result: Result<T, impl Into<Self>>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(problems) => {
                self.extend(problems.into());
                None
            }
        }
    }

    /// `Ok` when nothing was found.
    ///
    /// # Errors
    /// The problems, when there are any.
    pub fn into_result(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many problems were found.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The problems.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, problem) in self.0.iter().enumerate() {
            if nth > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}
impl std::error::Error for Problems {}
