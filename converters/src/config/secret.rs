use std::fmt;

/// What stands in the place of a secret in errors, logs and answers.
pub const HIDDEN: &str = "[hidden]";

/// A value that never shows itself: `Debug` and `Display` print [`HIDDEN`].
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    /// Wraps a secret.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The secret itself, for the one place that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// Whether a key's *name* says that its value is secret. Used where no definition says so: unknown keys, keys of foreign plugins.
pub fn is_secret_name(key: &str) -> bool {
    const PARTS: [&str; 9] = [
        "password",
        "passwd",
        "secret",
        "token",
        "credential",
        "jaas",
        "private.key",
        "keystore.key",
        "api.key",
    ];
    let key = key.to_ascii_lowercase();
    PARTS.iter().any(|part| key.contains(part)) || key.ends_with("user.info")
}

/// The value as it may be shown to people: hidden when the key's name says that it is secret.
pub fn shown<'a>(key: &str, value: &'a str) -> &'a str {
    if is_secret_name(key) { HIDDEN } else { value }
}
