//! Content models: what a schema says about properties and items that it does not name.

use std::collections::HashMap;

use regex::{Regex, RegexBuilder};

use super::{At, Comparison, Kind, Seen};
use crate::error::Error;
use crate::json_schema::schema::{ArrayRules, ObjectRules, SchemaId};
use crate::limits::{JSON_SCHEMA_PATTERN_BYTES_MAX, JSON_SCHEMA_PATTERN_STEPS};

/// What is said about one property or item.
pub(super) enum Model {
    Open,
    Closed,
    /// All of these schemas hold.
    Partial(Vec<SchemaId>),
}

/// What to take an unreadable pattern for: Java's expressions have more than ours.
#[derive(Clone, Copy)]
pub(super) enum Unreadable {
    Matching,
    NotMatching,
}

/// Regular expressions that were compiled; nothing where one cannot be.
#[derive(Default)]
pub(super) struct Patterns<'a>(HashMap<&'a str, Option<Regex>>);

impl<'a> Comparison<'a> {
    pub(super) fn property_model(
        &mut self,
        rules: &'a ObjectRules,
        name: &str,
        unreadable: Unreadable,
    ) -> Result<Model, Error> {
        let mut covering = Vec::new();
        for (pattern, schema) in &rules.pattern_properties {
            if self.matches(pattern, name, unreadable)? {
                covering.push(*schema);
            }
        }
        if covering.is_empty() {
            covering.extend(rules.additional_properties);
        }
        Ok(match (covering.is_empty(), rules.permits_additional) {
            (false, _) => Model::Partial(covering),
            (true, true) => Model::Open,
            (true, false) => Model::Closed,
        })
    }

    fn matches(
        &mut self,
        pattern: &'a str,
        name: &str,
        unreadable: Unreadable,
    ) -> Result<bool, Error> {
        self.spend(1)?;
        if !self.patterns.0.contains_key(pattern) {
            self.spend(JSON_SCHEMA_PATTERN_STEPS)?;
            let compiled = RegexBuilder::new(pattern)
                .size_limit(JSON_SCHEMA_PATTERN_BYTES_MAX)
                .build();
            self.patterns.0.insert(pattern, compiled.ok());
        }
        Ok(match self.patterns.0.get(pattern) {
            Some(Some(pattern)) => pattern.is_match(name),
            Some(None) | None => matches!(unreadable, Unreadable::Matching),
        })
    }

    /// Whether a schema says nothing.
    pub(super) fn is_anything(&self, at: At) -> bool {
        matches!(self.resolved(at), (Kind::Empty | Kind::True, _))
    }

    /// Whether a schema refuses everything.
    pub(super) fn is_nothing(&self, at: At) -> bool {
        matches!(self.resolved(at), (Kind::False, _))
    }

    /// Whether the schema of a property has a default, by itself or behind a reference.
    pub(super) fn has_default(&self, at: At) -> bool {
        let has = |at: At| self.schemas[at.side].node(at.id).default.is_some();
        has(at) || has(self.resolved(at).1)
    }
}

/// What is said about items behind the tuple. Without one, there is nothing to be behind of.
pub(super) fn item_model((rules, _): Seen<'_, ArrayRules>) -> Model {
    match (&rules.tuple, rules.additional_items) {
        (Some(_), Some(schema)) => Model::Partial(vec![schema]),
        (Some(_), None) if !rules.permits_additional => Model::Closed,
        (Some(_), None) | (None, _) => Model::Open,
    }
}
