pub use ferroconnect_registry_client::{HIDDEN, Secret};

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
