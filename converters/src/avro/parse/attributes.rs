//! Attributes of types and fields, and which of them are a schema's own.

use super::{Error, Json, Kind, Letters, Name, Props, Type};
use crate::avro::Order;

/// Attributes that are never properties of a type, whatever its kind.
pub(super) const SCHEMA: &[&str] = &[
    "doc",
    "fields",
    "items",
    "name",
    "namespace",
    "size",
    "symbols",
    "values",
    "type",
    "aliases",
];

/// Those of an enum.
pub(super) const ENUM: &[&str] = &[
    "default",
    "doc",
    "fields",
    "items",
    "name",
    "namespace",
    "size",
    "symbols",
    "values",
    "type",
    "aliases",
];

/// Those of a field.
pub(super) const FIELD: &[&str] = &["default", "doc", "name", "order", "type", "aliases"];

/// All other attributes, in order.
pub(super) fn props(json: &Json, reserved: &[&str]) -> Result<Props, Error> {
    let mut props = Props::default();
    let Json::Object(members) = json else {
        return Ok(props);
    };
    for (name, value) in members {
        if reserved.contains(&&**name) {
            continue;
        }
        // Avro 1.12 turns such an attribute into nothing, and then refuses nothing as a value.
        if matches!(value, Json::BigInteger(_)) {
            return Err(Kind::BigIntegerAttribute { name: name.clone() }.into());
        }
        // Names of members are distinct: this adds.
        props.push(name, value.clone());
    }
    Ok(props)
}

/// Whatever is no text counts as no doc.
pub(super) fn doc(json: &Json) -> Option<Box<str>> {
    json.get("doc").and_then(Json::as_text).map(Into::into)
}

pub(super) fn name(json: &Json, namespace: Option<&str>, letters: Letters) -> Result<Name, Error> {
    let own = json.get("namespace").and_then(Json::as_text);
    let name = json.get("name").and_then(Json::as_text);
    let name = name.ok_or(Kind::NoName)?;
    Ok(Name::resolve(name, own.or(namespace), letters)?)
}

/// Aliases in order, each once.
pub(super) fn aliases(json: &Json) -> Result<Vec<Box<str>>, Error> {
    let list = match json.get("aliases") {
        None => return Ok(Vec::new()),
        Some(Json::Array(list)) => list,
        Some(_) => return Err(Kind::AliasesNotArray.into()),
    };
    let mut seen = std::collections::HashSet::with_capacity(list.len());
    let mut aliases = Vec::with_capacity(list.len());
    for alias in list {
        let alias = alias.as_text().ok_or(Kind::AliasNotText)?;
        if seen.insert(alias) {
            aliases.push(alias.into());
        }
    }
    Ok(aliases)
}

/// Aliases of a named type: without a dot they are in the type's namespace.
pub(super) fn type_aliases(json: &Json, name: &Name, letters: Letters) -> Result<Vec<Name>, Error> {
    let mut seen = std::collections::HashSet::new();
    let mut names = Vec::new();
    for alias in aliases(json)? {
        let alias = Name::resolve(&alias, name.namespace.as_deref(), letters)?;
        if seen.insert(alias.clone()) {
            names.push(alias);
        }
    }
    Ok(names)
}

pub(super) fn order(json: &Json) -> Result<Order, Error> {
    let Some(order) = json.get("order") else {
        return Ok(Order::Ascending);
    };
    let word = order.as_text().unwrap_or_default().to_ascii_lowercase();
    match word.as_str() {
        "ascending" => Ok(Order::Ascending),
        "descending" => Ok(Order::Descending),
        "ignore" => Ok(Order::Ignore),
        _ => Err(Kind::Order.into()),
    }
}

/// The default of a field; the text that a float or double may have is read as its number.
pub(super) fn default(json: &Json, kind: &Type) -> Result<Option<Json>, Error> {
    Ok(match (json.get("default"), kind) {
        (Some(Json::Text(text)), Type::Float | Type::Double) => {
            Some(Json::Double(java_double(text).ok_or(Kind::NumberDefault)?))
        }
        (default, _) => default.cloned(),
    })
}

/// `Double.parseDouble`, except for hexadecimal forms.
fn java_double(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c: char| c <= ' ');
    let (negative, size) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let size = match size {
        "NaN" => f64::NAN,
        "Infinity" => f64::INFINITY,
        _ => {
            let digits = size.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(size);
            let begins = digits.bytes().next()?;
            let decimal =
                |b: u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-');
            if !(begins.is_ascii_digit() || begins == b'.') || !digits.bytes().all(decimal) {
                return None;
            }
            digits.parse().ok()?
        }
    };
    Some(if negative { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_doubles_are_javas() {
        for (text, value) in [
            ("1.5", 1.5),
            (" -1e3d\t", -1000.0),
            (".5f", 0.5),
            ("5.", 5.0),
            ("Infinity", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
        ] {
            assert_eq!(java_double(text), Some(value), "{text}");
        }
        assert!(java_double("NaN").is_some_and(f64::is_nan));
        for text in [
            "", "abc", "inf", "nan", "infinity", "1e", "--1", "1 2", "+-1", ".",
        ] {
            assert_eq!(java_double(text), None, "{text}");
        }
    }
}
