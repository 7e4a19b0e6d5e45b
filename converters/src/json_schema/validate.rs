//! Whether documents are what their schema allows (`json.fail.invalid.schema`).
//!
//! Schemas are of the draft that their `$schema` names: 4, 6, 7, 2019-09 or 2020-12. Without one, and with one of another name, they
//! are of draft 7. References lead to the schemas that the registry names with a schema, and to nothing else.

mod node;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use jsonschema::{Draft, Retrieve, Uri};
use serde_json::{Map, Number, Value};

use crate::error::{Error, json_schema_read, json_schema_write::Kind};
use crate::json_text::tree::{self, Tree};
use crate::json_text::{Comments, Document, document};
use crate::limits::{JSON_CHECKED_DEPTH_MAX, JSON_REPORT_LINES_MAX};
use node::{Documents, Integers, Node};

/// A schema that documents are checked with.
#[derive(Clone, Debug)]
pub(super) struct Validator(Arc<Compiled>);

#[derive(Debug)]
enum Compiled {
    Usable {
        schema: jsonschema::Validator<Documents>,
        integers: Integers,
    },
    /// Said of each document.
    Unusable(Box<str>),
}

/// What is wrong with a document, or with the schema.
enum Flaw {
    Document(Box<str>),
    Schema(Box<str>),
}

impl Validator {
    /// Compiles a schema. One that cannot be used fails with each document, not here: without documents it does no harm.
    pub(super) fn compile(text: &str, references: &[(&str, &str)], modern_dialects: bool) -> Self {
        let compiled = compile(text, references, modern_dialects);
        Self(Arc::new(compiled.unwrap_or_else(Compiled::Unusable)))
    }

    /// Checks a document that was written. `is_short`: an integer of 8 or 16 bits, which Java's validator takes for no integer
    /// where it is the whole document.
    pub(super) fn check_written(&self, document: &[u8], is_short: bool) -> Result<(), Error> {
        self.check(document, is_short).map_err(|flaw| match flaw {
            Flaw::Document(report) => Kind::Invalid { report }.into(),
            Flaw::Schema(reason) => Kind::CannotValidate { reason }.into(),
        })
    }

    /// Checks a document that is to be read.
    pub(super) fn check_read(&self, document: &[u8]) -> Result<(), Error> {
        self.check(document, false).map_err(|flaw| match flaw {
            Flaw::Document(report) => json_schema_read::Kind::Invalid { report }.into(),
            Flaw::Schema(reason) => Kind::CannotValidate { reason }.into(),
        })
    }

    fn check(&self, document: &[u8], is_short: bool) -> Result<(), Flaw> {
        // What is no JSON is for the reader to refuse.
        let Ok(Some(tree)) = tree::parse(document) else {
            return Ok(());
        };
        let (schema, integers) = match &*self.0 {
            Compiled::Usable { schema, integers } => (schema, *integers),
            Compiled::Unusable(reason) => return Err(Flaw::Schema(reason.clone())),
        };
        if is_deeper(&tree, JSON_CHECKED_DEPTH_MAX) {
            let report = format!("it nests deeper than {JSON_CHECKED_DEPTH_MAX} levels");
            return Err(Flaw::Document(report.into()));
        }
        let root = Node::new(&tree, integers);
        if !schema.is_valid(root) {
            return Err(Flaw::Document(report(schema, root)));
        }
        if is_short && !schema.is_valid(Node::new(&tree, Integers::Never)) {
            return Err(Flaw::Document(SHORT.into()));
        }
        Ok(())
    }
}

const SHORT: &str = "#: type (a whole document of type int8 or int16 counts as no integer, as in the JVM; give it a wider type)";

/// Where a document fails and by which keywords; never its values.
#[cold]
fn report(schema: &jsonschema::Validator<Documents>, root: Node<'_>) -> Box<str> {
    let mut lines = String::new();
    for error in schema.iter_errors(root).take(JSON_REPORT_LINES_MAX) {
        if !lines.is_empty() {
            lines.push('\n');
        }
        let place = error.instance_path().as_str();
        let keyword = error.kind().keyword();
        lines.push_str(&format!(
            "#{place}: {keyword} (schema: #{})",
            error.schema_path().as_str()
        ));
    }
    lines.into()
}

fn compile(
    text: &str,
    references: &[(&str, &str)],
    modern_dialects: bool,
) -> Result<Compiled, Box<str>> {
    let mut root = value(text)?;
    let draft = draft(&root, modern_dialects);
    prepare(&mut root, draft);
    let mut known = Vec::with_capacity(references.len());
    for (name, text) in references {
        let mut schema = value(text).map_err(|reason| format!("{name}: {reason}"))?;
        let draft = self::draft(&schema, modern_dialects);
        prepare(&mut schema, draft);
        known.push(((*name).into(), schema));
    }
    let schema = jsonschema::options_for::<Documents>()
        .with_draft(draft)
        .with_retriever(Known(known))
        .build(&root)
        .map_err(|error| format!("{} at #{}", error.kind().keyword(), error.instance_path()))?;
    // Java's validator of the older drafts takes 1.0 for no integer.
    let integers = match matches!(draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7) {
        true => Integers::AsWritten,
        false => Integers::Whole,
    };
    Ok(Compiled::Usable { schema, integers })
}

fn draft(schema: &Value, modern_dialects: bool) -> Draft {
    let named = schema.get("$schema").and_then(Value::as_str);
    let named = named.unwrap_or_default().trim_end_matches('#');
    let (_, draft) = named.split_once("json-schema.org/").unwrap_or_default();
    match draft {
        "draft-04/schema" => Draft::Draft4,
        "draft-06/schema" => Draft::Draft6,
        "draft/2019-09/schema" if modern_dialects => Draft::Draft201909,
        "draft/2020-12/schema" if modern_dialects => Draft::Draft202012,
        _ => Draft::Draft7,
    }
}

/// Takes away what would have the schema be of another draft, and gives addresses that Connect schemas have the name that they have in
/// this one.
fn prepare(schema: &mut Value, draft: Draft) {
    if let Value::Object(members) = schema {
        members.remove("$schema");
    }
    if draft != Draft::Draft4 {
        rename_ids(schema);
    }
}

/// `id` with an address in the same document becomes `$id`. Where two places have one address, one around the other, the outer has it.
fn rename_ids(schema: &mut Value) {
    let mut met = Vec::new();
    rename_ids_in(schema, &mut met);
}

fn rename_ids_in(schema: &mut Value, met: &mut Vec<String>) {
    match schema {
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| rename_ids_in(value, met)),
        Value::Object(members) => {
            let is_address = |id: &Value| id.as_str().is_some_and(|id| id.starts_with('#'));
            if members.get("id").is_some_and(is_address)
                && !members.contains_key("$id")
                && let Some(Value::String(id)) = members.remove("id")
                && !met.contains(&id)
            {
                met.push(id.clone());
                members.insert("$id".into(), Value::String(id));
            }
            members
                .values_mut()
                .for_each(|value| rename_ids_in(value, met));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The schemas that references lead to, by name.
struct Known(Vec<(Box<str>, Value)>);

impl Retrieve for Known {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let address = uri.as_str();
        let relative = address.strip_prefix(DEFAULT_BASE).unwrap_or(address);
        let named = |name: &str| name == relative || name == address;
        let calls_itself = |schema: &Value| {
            let id = schema.get("$id").or_else(|| schema.get("id"));
            let id = id.and_then(Value::as_str).unwrap_or_default();
            id.trim_end_matches('#') == address
        };
        // A relative name stands behind the address of the document that uses it.
        let ends = |name: &str| {
            address
                .strip_suffix(name)
                .is_some_and(|base| base.ends_with('/'))
        };
        let known = &self.0;
        let found = (known.iter().find(|(name, _)| named(name)))
            .or_else(|| known.iter().find(|(_, schema)| calls_itself(schema)))
            .or_else(|| known.iter().find(|(name, _)| ends(name)));
        match found {
            Some((_, schema)) => Ok(schema.clone()),
            None => Err("the registry names no such schema".into()),
        }
    }
}

/// The address of a document that says none.
const DEFAULT_BASE: &str = "json-schema:///";

/// A schema text as the checker takes it. Numbers beyond 64 bits are rounded to doubles.
fn value(text: &str) -> Result<Value, Box<str>> {
    let document = document(text, Comments::Refused).map_err(|flaw| flaw.what)?;
    converted(document, 0)
}

fn converted(document: Document, depth: usize) -> Result<Value, Box<str>> {
    if depth > JSON_CHECKED_DEPTH_MAX {
        return Err(format!("it nests deeper than {JSON_CHECKED_DEPTH_MAX} levels").into());
    }
    Ok(match document {
        Document::Null => Value::Null,
        Document::Boolean(value) => Value::Bool(value),
        Document::Number { text, .. } => Value::Number(number(&text)),
        Document::Text(text) => Value::String(text.into()),
        Document::Array(values) => {
            let values = values.into_iter().map(|value| converted(value, depth + 1));
            Value::Array(values.collect::<Result<_, _>>()?)
        }
        Document::Object(members) => {
            let members = members
                .into_iter()
                .map(|(name, value)| Ok((name.into(), converted(value, depth + 1)?)));
            Value::Object(members.collect::<Result<Map<_, _>, Box<str>>>()?)
        }
    })
}

fn number(text: &str) -> Number {
    if let Ok(number) = text.parse::<u64>() {
        return number.into();
    }
    if let Ok(number) = text.parse::<i64>() {
        return number.into();
    }
    let float: f64 = text.parse().unwrap_or_default();
    Number::from_f64(float.clamp(f64::MIN, f64::MAX)).unwrap_or_else(|| 0.into())
}

fn is_deeper(tree: &Tree, levels: usize) -> bool {
    match tree {
        Tree::Array(values) => {
            levels == 0 || values.iter().any(|value| is_deeper(value, levels - 1))
        }
        Tree::Object(members) => {
            levels == 0
                || members
                    .iter()
                    .any(|(_, value)| is_deeper(value, levels - 1))
        }
        Tree::Null | Tree::Boolean(_) | Tree::Number(_) | Tree::Text(_) => false,
    }
}
