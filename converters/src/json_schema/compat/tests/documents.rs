//! Comparison against documents: what fits refuses nothing that was allowed.

use proptest::prelude::*;

use super::*;
use crate::json_schema::schema::Criterion;
use crate::json_text::{Comments, Document, document};

/// Documents that tell the schemas below apart.
const DOCUMENTS: &[&str] = &[
    "null",
    "true",
    "0",
    "1",
    "2",
    "3",
    "4",
    "1.5",
    "-1",
    "\"\"",
    "\"a\"",
    "\"ab\"",
    "\"abc\"",
    "[]",
    "[null]",
    "[1]",
    "[\"a\"]",
    "[1.5]",
    "[1,\"a\"]",
    "[\"a\",1]",
    "[\"ab\",null]",
    "[1,2,3]",
    "[[1]]",
    "[{}]",
    "{}",
    r#"{"a":1}"#,
    r#"{"a":null}"#,
    r#"{"a":"a"}"#,
    r#"{"a":"ab"}"#,
    r#"{"a":1.5}"#,
    r#"{"b":1}"#,
    r#"{"b":"abc"}"#,
    r#"{"a":1,"b":1}"#,
    r#"{"a":"a","b":2}"#,
    r#"{"a":1,"b":"ab","c":null}"#,
    r#"{"c":1}"#,
    r#"{"c":"a"}"#,
    r#"{"a":{"a":1}}"#,
    r#"{"a":{"b":"a"}}"#,
    r#"{"a":[]}"#,
    r#"{"a":[1]}"#,
    r#"{"b":{}}"#,
];

/// Whether a schema allows a document; for the keywords that are drawn here.
fn allows(schema: &JsonSchema, id: SchemaId, document: &Document) -> bool {
    let holds = |id: &SchemaId| allows(schema, *id, document);
    match (&schema.node(id).kind, document) {
        (Kind::Empty | Kind::True, _)
        | (Kind::Null, Document::Null)
        | (Kind::Boolean, Document::Boolean(_)) => true,
        (Kind::Combined(combined), _) => {
            let count = combined.parts.iter().filter(|part| holds(part)).count();
            match combined.criterion {
                Criterion::AllOf => count == combined.parts.len(),
                Criterion::AnyOf => count > 0,
                Criterion::OneOf => count == 1,
            }
        }
        (Kind::Not(inner), _) => !holds(inner),
        (Kind::Enum(values), _) => values.iter().any(|value| same(value, document)),
        (Kind::Const(value), _) => same(value, document),
        (Kind::String(rules), Document::Text(text)) => {
            let count = i64::try_from(text.chars().count()).unwrap();
            rules.min_length.is_none_or(|least| count >= least)
                && rules.max_length.is_none_or(|most| count <= most)
        }
        (Kind::Number(rules), Document::Number { text, .. }) => {
            let value = float(text);
            let bound = |limit: &Option<Box<str>>| limit.as_deref().map(float);
            (!rules.integer || value.fract() == 0.0)
                && bound(&rules.minimum).is_none_or(|least| value >= least)
                && bound(&rules.maximum).is_none_or(|most| value <= most)
                && bound(&rules.exclusive_maximum).is_none_or(|most| value < most)
                && bound(&rules.multiple_of).is_none_or(|unit| (value / unit).fract() == 0.0)
        }
        (Kind::Array(rules), Document::Array(values)) => {
            let tuple = rules.tuple.as_deref().unwrap_or_default();
            let is_good = |(index, value): (usize, &Document)| {
                if let Some(all) = rules.all_items {
                    allows(schema, all, value)
                } else if let Some(own) = tuple.get(index) {
                    allows(schema, *own, value)
                } else if let (Some(rest), Some(_)) = (rules.additional_items, &rules.tuple) {
                    allows(schema, rest, value)
                } else {
                    rules.permits_additional || rules.tuple.is_none()
                }
            };
            let count = i64::try_from(values.len()).unwrap();
            rules.max_items.is_none_or(|most| count <= most)
                && values.iter().enumerate().all(is_good)
        }
        (Kind::Object(rules), Document::Object(members)) => {
            let is_there = |name: &str| members.iter().any(|(known, _)| &**known == name);
            let is_good = |(name, value): &(Box<str>, Document)| {
                let mut properties = rules.properties.iter();
                match properties.find(|(known, _)| known == name) {
                    Some((_, own)) => allows(schema, *own, value),
                    None => match rules.additional_properties {
                        Some(rest) => allows(schema, rest, value),
                        None => rules.permits_additional,
                    },
                }
            };
            rules.required_properties.iter().all(|name| is_there(name))
                && members.iter().all(is_good)
        }
        (_, _) => false,
    }
}

fn float(text: &str) -> f64 {
    text.parse().unwrap()
}

/// Of the values that are drawn here.
fn same(a: &Document, b: &Document) -> bool {
    match (a, b) {
        (Document::Number { text: a, .. }, Document::Number { text: b, .. }) => {
            float(a) == float(b)
        }
        (Document::Text(a), Document::Text(b)) => a == b,
        (Document::Null, Document::Null) => true,
        (_, _) => false,
    }
}

/// Schemas of the keywords that are compared soundly: kinds have types, what is required is a property, nothing has a default, and
/// there is no `oneOf`, of which a registry asks no more than of `anyOf`.
fn schemas() -> impl Strategy<Value = String> {
    let texts: Vec<String> = [
        "true",
        "false",
        "{}",
        r#"{"type":"null"}"#,
        r#"{"type":"boolean"}"#,
        r#"{"type":"string"}"#,
        r#"{"type":"string","minLength":1}"#,
        r#"{"type":"string","minLength":1,"maxLength":2}"#,
        r#"{"type":"integer"}"#,
        r#"{"type":"number"}"#,
        r#"{"type":"number","minimum":1}"#,
        r#"{"type":"integer","minimum":1,"maximum":3}"#,
        r#"{"type":"number","multipleOf":2}"#,
        r#"{"type":"integer","exclusiveMaximum":4}"#,
        r#"{"enum":[1,"a",null]}"#,
        r#"{"enum":["a",1.0]}"#,
        r#"{"const":1}"#,
        r#"{"type":["string","null"]}"#,
        r#"{"type":["integer","string"],"minLength":1}"#,
        r#"{"type":"array"}"#,
        r#"{"type":"object"}"#,
    ]
    .map(str::to_owned)
    .into();
    let leaf = proptest::sample::select(texts);
    leaf.prop_recursive(3, 12, 3, |inner| {
        let rest = proptest::option::of(prop_oneof![Just("false".to_owned()), inner.clone()]);
        let property = proptest::option::of((inner.clone(), any::<bool>()));
        let object = (property.clone(), property, rest.clone()).prop_map(|(a, b, rest)| {
            let (mut properties, mut required) = (Vec::new(), Vec::new());
            for (name, property) in [("a", a), ("b", b)] {
                if let Some((schema, is_required)) = property {
                    properties.push(format!(r#""{name}":{schema}"#));
                    required.extend(is_required.then(|| format!(r#""{name}""#)));
                }
            }
            let rest = rest.map(|rest| format!(r#","additionalProperties":{rest}"#));
            let (properties, required) = (properties.join(","), required.join(","));
            let rest = rest.unwrap_or_default();
            format!(
                r#"{{"type":"object","properties":{{{properties}}},"required":[{required}]{rest}}}"#
            )
        });
        let list = inner
            .clone()
            .prop_map(|items| format!(r#"{{"type":"array","items":{items}}}"#));
        let parts = proptest::collection::vec(inner.clone(), 1..4);
        let tuple = (parts.clone(), rest).prop_map(|(items, rest)| {
            let rest = rest.map(|rest| format!(r#","additionalItems":{rest}"#));
            let (items, rest) = (items.join(","), rest.unwrap_or_default());
            format!(r#"{{"type":"array","items":[{items}]{rest}}}"#)
        });
        let keyword = proptest::sample::select(vec!["anyOf", "allOf"]);
        let combined = (keyword, parts)
            .prop_map(|(keyword, parts)| format!(r#"{{"{keyword}":[{}]}}"#, parts.join(",")));
        let not = inner.prop_map(|schema| format!(r#"{{"not":{schema}}}"#));
        prop_oneof![3 => object, 1 => list, 1 => tuple, 2 => combined, 1 => not]
    })
}

/// A text whose definitions lead into each other.
fn knotted() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(vec!["0", "1", "2", "#", "null", "string", "integer"]);
    let leaf = leaf.prop_map(|leaf| match leaf {
        "#" => r##"{"$ref":"#"}"##.to_owned(),
        "0" | "1" | "2" => format!(r##"{{"$ref":"#/definitions/{leaf}"}}"##),
        ty => format!(r#"{{"type":"{ty}"}}"#),
    });
    let schema = leaf.prop_recursive(3, 8, 2, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(|a| format!(r#"{{"type":"array","items":{a}}}"#)),
            inner.clone().prop_map(|a| format!(r#"{{"not":{a}}}"#)),
            two.clone().prop_map(|(a, b)| {
                format!(r#"{{"type":"object","properties":{{"a":{a},"b":{b}}},"additionalProperties":false}}"#)
            }),
            two.clone().prop_map(|(a, b)| format!(r#"{{"oneOf":[{a},{b}]}}"#)),
            two.prop_map(|(a, b)| format!(r#"{{"allOf":[{a},{b}]}}"#)),
            inner.prop_map(|a| format!(r#"{{"anyOf":[{a}]}}"#)),
        ]
    });
    proptest::collection::vec(schema, 4).prop_map(|all| {
        let [root, zero, one, two] = &all[..] else {
            return String::new();
        };
        format!(r#"{{"definitions":{{"0":{zero},"1":{one},"2":{two}}},"allOf":[{root}]}}"#)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_schema_fits_itself(text in schemas()) {
        let schema = schema(&text);
        for policy in [CompatibilityPolicy::Strict, CompatibilityPolicy::Lenient] {
            prop_assert_eq!(differences(&schema, &schema, policy).unwrap(), []);
        }
    }

    /// A comparison ends, whatever leads where.
    #[test]
    fn a_knot_fits_itself_and_any_two_are_compared(one in knotted(), other in knotted()) {
        let (one, other) = (schema(&one), schema(&other));
        prop_assert_eq!(differences(&one, &one, CompatibilityPolicy::Strict).unwrap(), []);
        let _ = differences(&one, &other, CompatibilityPolicy::Strict);
    }

    #[test]
    fn what_fits_refuses_nothing_that_was_allowed(reader in schemas(), writer in schemas()) {
        let (to, from) = (schema(&reader), schema(&writer));
        let strict = differences(&to, &from, CompatibilityPolicy::Strict).unwrap();
        let lenient = differences(&to, &from, CompatibilityPolicy::Lenient).unwrap();
        for difference in &lenient {
            prop_assert!(!difference.kind.is_lenient());
        }
        if strict.is_empty() {
            prop_assert_eq!(lenient, []);
            for text in DOCUMENTS {
                let document = document(text, Comments::Refused).unwrap();
                let is_refused = allows(&from, from.root(), &document)
                    && !allows(&to, to.root(), &document);
                prop_assert!(!is_refused, "{} {} {}", reader, writer, text);
            }
        }
    }
}
