//! Files of the command line: the worker's properties and the connectors' files.
//!
//! A connector file is a flat JSON object, a JSON creation request (`{"name", "config", "initial_state"}`) or Java properties, as
//! `connect-standalone.sh` takes them; what it is shows in its content, not in its name.

use std::path::Path;

use ferroconnect_converters::config::{Problem, RawConfig};
use serde_json::Value;

use super::{InitialState, properties};

/// A connector as it was asked for, before anything but its form was checked.
#[derive(Clone, PartialEq, Eq)]
pub struct RawConnector {
    /// Its name.
    pub name: String,
    /// All keys, `name` included.
    pub config: RawConfig,
    /// The state it starts in.
    pub initial_state: InitialState,
}

impl std::fmt::Debug for RawConnector {
    /// Names the keys and no value: settings may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RawConnector")
            .field("name", &self.name)
            .field("keys", &self.config.keys().collect::<Vec<_>>())
            .field("initial_state", &self.initial_state)
            .finish()
    }
}

/// Reads a file whole.
///
/// # Errors
/// It is missing, not a file, not readable or longer than [`FILE_BYTES_MAX`].
pub fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    let said = |text: String| Problem::said("", text);
    let length = std::fs::metadata(path)
        .map_err(|error| said(io_text(&error)))?
        .len();
    if length > FILE_BYTES_MAX {
        return Err(said(format!(
            "is {length} bytes long; a configuration has at most {FILE_BYTES_MAX}"
        )));
    }
    std::fs::read(path).map_err(|error| said(io_text(&error)))
}

/// Reads the worker's properties.
///
/// # Errors
/// What Java would refuse too, in words for people.
pub fn worker(bytes: &[u8]) -> Result<RawConfig, Problem> {
    properties::parse(bytes).map_err(|error| Problem::said("", error.to_string()))
}

/// Reads one connector file of any of the three forms.
///
/// # Errors
/// What is wrong with its form; what its keys mean is checked later.
pub fn connector(path: &Path, bytes: &[u8]) -> Result<RawConnector, Problem> {
    let is_json_name = path
        .extension()
        .is_some_and(|ext| ext.eq_ignore_ascii_case("json"));
    let begins_with_brace = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    if is_json_name || begins_with_brace {
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|error| Problem::said("", format!("is not valid JSON: {error}")))?;
        return json_connector(path, &value);
    }
    let config = worker(bytes)?;
    named(path, config, InitialState::Running)
}

fn json_connector(path: &Path, value: &Value) -> Result<RawConnector, Problem> {
    let Value::Object(object) = value else {
        return Err(Problem::said(
            "",
            "must be a JSON object of configuration keys",
        ));
    };
    let Some(config) = object.get("config").filter(|config| config.is_object()) else {
        return named(path, flat(object)?, InitialState::Running);
    };
    let Value::Object(config) = config else {
        return Err(Problem::said("config", "'config' must be a JSON object"));
    };
    let mut config = flat(config)?;
    let initial_state = match object.get("initial_state") {
        None | Some(Value::Null) => InitialState::Running,
        Some(Value::String(text)) => InitialState::parse(text)?,
        Some(other) => return Err(InitialState::refused(&other.to_string())),
    };
    if let Some(Value::String(name)) = object.get("name") {
        let in_config = config
            .entry("name".to_owned())
            .or_insert_with(|| name.clone());
        if in_config != name {
            return Err(Problem::said(
                "name",
                format!(
                    "Connector name configuration ({in_config}) in config doesn't match connector name in the request ({name})"
                ),
            ));
        }
    }
    named(path, config, initial_state)
}

/// Scalars become text, as Java's reader makes them.
fn flat(object: &serde_json::Map<String, Value>) -> Result<RawConfig, Problem> {
    object
        .iter()
        .map(|(key, value)| match value {
            Value::String(text) => Ok((key.clone(), text.clone())),
            Value::Bool(_) | Value::Number(_) => Ok((key.clone(), value.to_string())),
            Value::Null => Err(Problem::said(
                key,
                format!("{key}: Null value can not be supplied as the configuration value."),
            )),
            Value::Array(_) | Value::Object(_) => Err(Problem::said(
                key,
                format!("{key}: must be text, a number or a boolean, not a list or an object"),
            )),
        })
        .collect()
}

fn named(
    path: &Path,
    config: RawConfig,
    initial_state: InitialState,
) -> Result<RawConnector, Problem> {
    match config.get("name") {
        Some(name) => Ok(RawConnector {
            name: name.trim().to_owned(),
            config,
            initial_state,
        }),
        None => Err(Problem::said(
            "name",
            format!(
                "Connector configuration at '{}' is missing the mandatory 'name' configuration",
                path.display()
            ),
        )),
    }
}

/// What an I/O error means for somebody who named a file.
fn io_text(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    let kind = error.kind();
    if kind == ErrorKind::NotFound {
        "does not exist (check the path; relative paths start in the current folder)".to_owned()
    } else if kind == ErrorKind::PermissionDenied {
        "may not be read by this user (check its permissions)".to_owned()
    } else if kind == ErrorKind::IsADirectory {
        "is a folder, not a file".to_owned()
    } else {
        format!("cannot be read: {error}")
    }
}

/// Length of a configuration file in bytes, at most.
pub const FILE_BYTES_MAX: u64 = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, text: &str) -> Result<RawConnector, String> {
        connector(Path::new(name), text.as_bytes()).map_err(|problem| problem.to_string())
    }

    #[test]
    fn the_three_forms_give_the_same_connector() {
        let properties = parse("c.properties", "name=c\ntasks.max=2\n").unwrap();
        let flat = parse("c.json", r#"{"name":"c","tasks.max":2}"#).unwrap();
        let request = parse(
            "c.json",
            r#"{"name":"c","config":{"tasks.max":"2"},"more":1}"#,
        )
        .unwrap();
        assert_eq!(properties, flat);
        assert_eq!(flat, request);
    }

    #[test]
    fn the_content_decides_not_the_name() {
        assert_eq!(parse("c.properties", r#" {"name":"c"}"#).unwrap().name, "c");
    }

    #[test]
    fn a_creation_request_names_its_first_state() {
        let text = r#"{"name":"c","config":{},"initial_state":"stopped"}"#;
        assert_eq!(
            parse("c.json", text).unwrap().initial_state,
            InitialState::Stopped
        );
        let error = parse(
            "c.json",
            r#"{"name":"c","config":{},"initial_state":"gone"}"#,
        )
        .unwrap_err();
        assert!(error.contains("gone"), "{error}");
    }

    #[test]
    fn a_missing_name_is_said_in_javas_words() {
        assert_eq!(
            parse("dir/c.properties", "tasks.max=1").unwrap_err(),
            "Connector configuration at 'dir/c.properties' is missing the mandatory 'name' configuration"
        );
    }

    #[test]
    fn broken_json_names_line_and_column() {
        assert!(
            parse("c.json", "{\n\"name\" \"c\"}")
                .unwrap_err()
                .contains("line 2 column 8")
        );
        assert!(parse("c.json", "[1]").is_err());
        assert!(
            parse("c.json", r#"{"name":"c","a":null}"#)
                .unwrap_err()
                .contains("Null value")
        );
        assert!(parse("c.json", r#"{"name":"c","a":[1]}"#).is_err());
        assert!(
            parse("c.json", r#"{"name":"a","config":{"name":"b"}}"#)
                .unwrap_err()
                .contains("doesn't match")
        );
    }
}
