//! Our documents as the checker reads them, with numbers as they were written: nothing is copied, and no digit is lost.

use std::borrow::Cow;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node as JsonNode, NodeIdentity, Object};
use serde_json::{Number, Value};

use super::number;
use crate::json_text::tree::{self, Text, Tree};

/// Documents of ours, to the checker.
#[derive(Debug)]
pub(super) struct Documents;

/// Which numbers are integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integers {
    /// Those without a point and an exponent.
    AsWritten,
    /// Those without a fraction: `1.0`, too.
    Whole,
    Never,
}

/// A place in a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'a> {
    tree: &'a Tree,
    integers: Integers,
}

impl<'a> Node<'a> {
    pub(super) const fn new(tree: &'a Tree, integers: Integers) -> Self {
        Self { tree, integers }
    }

    const fn at(self, tree: &'a Tree) -> Self {
        Self { tree, ..self }
    }
}

/// A name on its way to a schema of names.
pub(super) struct Name(Tree);

impl Default for Name {
    fn default() -> Self {
        Self(Tree::Null)
    }
}

impl Json for Documents {
    type Node<'a> = Node<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = Name;

    const ACYCLIC: bool = true;

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    fn with_string_node<T>(buffer: &mut Name, string: &str, f: impl FnOnce(Node<'_>) -> T) -> T {
        buffer.0 = Tree::Text(Text {
            value: string.into(),
            flaw: None,
        });
        f(Node::new(&buffer.0, Integers::Whole))
    }
}

impl<'a> JsonNode<'a, Documents> for Node<'a> {
    type Object = Members<'a>;
    type Array = Elements<'a>;
    type Number = Written<'a>;

    fn as_object(&self) -> Option<Members<'a>> {
        let Tree::Object(members) = self.tree else {
            return None;
        };
        Some(Members {
            node: *self,
            members,
        })
    }

    fn as_array(&self) -> Option<Elements<'a>> {
        let Tree::Array(values) = self.tree else {
            return None;
        };
        Some(Elements {
            node: *self,
            values,
        })
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        let Tree::Text(text) = self.tree else {
            return None;
        };
        Some(Cow::Borrowed(&text.value))
    }

    fn as_number(&self) -> Option<Written<'a>> {
        let Tree::Number(number) = self.tree else {
            return None;
        };
        Some(Written {
            number,
            integers: self.integers,
        })
    }

    fn as_boolean(&self) -> Option<bool> {
        let Tree::Boolean(value) = self.tree else {
            return None;
        };
        Some(*value)
    }

    fn is_null(&self) -> bool {
        self.tree.is_null()
    }

    fn json_type(&self) -> JsonType {
        match self.tree {
            Tree::Null => JsonType::Null,
            Tree::Boolean(_) => JsonType::Boolean,
            Tree::Number(_) => JsonType::Number,
            Tree::Text(_) => JsonType::String,
            Tree::Array(_) => JsonType::Array,
            Tree::Object(_) => JsonType::Object,
        }
    }

    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(match self.tree {
            Tree::Null => Value::Null,
            Tree::Boolean(value) => Value::Bool(*value),
            Tree::Number(written) => Value::Number(number(&written.text)),
            Tree::Text(text) => Value::String(text.value.clone()),
            Tree::Array(values) => {
                let values = values.iter().map(|tree| self.at(tree).to_value());
                Value::Array(values.map(Cow::into_owned).collect())
            }
            Tree::Object(members) => {
                let member = |(name, tree): &'a (Text, Tree)| {
                    (name.value.clone(), self.at(tree).to_value().into_owned())
                };
                Value::Object(members.iter().map(member).collect())
            }
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref(self.tree).addr()))
    }
}

/// An object of a document.
pub(super) struct Members<'a> {
    node: Node<'a>,
    members: &'a [(Text, Tree)],
}

impl<'a> Object<'a, Documents> for Members<'a> {
    type Node = Node<'a>;
    type MemberName = &'a str;
    type MembersIter = MembersIter<'a>;

    fn len(&self) -> usize {
        self.members.len()
    }

    fn get(&self, key: &Box<str>) -> Option<Node<'a>> {
        let found = self.members.iter().find(|(name, _)| name.value == **key);
        found.map(|(_, tree)| self.node.at(tree))
    }

    fn members(&self) -> MembersIter<'a> {
        MembersIter {
            node: self.node,
            rest: self.members.iter(),
        }
    }
}

pub(super) struct MembersIter<'a> {
    node: Node<'a>,
    rest: std::slice::Iter<'a, (Text, Tree)>,
}

impl<'a> Iterator for MembersIter<'a> {
    type Item = (&'a str, Node<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, tree) = self.rest.next()?;
        Some((&name.value, self.node.at(tree)))
    }
}

/// An array of a document.
pub(super) struct Elements<'a> {
    node: Node<'a>,
    values: &'a [Tree],
}

impl<'a> Array<'a, Documents> for Elements<'a> {
    type Node = Node<'a>;
    type ElementsIter = ElementsIter<'a>;

    fn len(&self) -> usize {
        self.values.len()
    }

    fn elements(&self) -> ElementsIter<'a> {
        ElementsIter {
            node: self.node,
            rest: self.values.iter(),
        }
    }
}

pub(super) struct ElementsIter<'a> {
    node: Node<'a>,
    rest: std::slice::Iter<'a, Tree>,
}

impl<'a> Iterator for ElementsIter<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        self.rest.next().map(|tree| self.node.at(tree))
    }
}

/// A number of a document.
pub(super) struct Written<'a> {
    number: &'a tree::Number,
    integers: Integers,
}

impl JsonNumber for Written<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.number.text.parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        self.number.text.parse().ok()
    }

    fn as_f64(&self) -> Option<f64> {
        let value: f64 = self.number.text.parse().ok()?;
        value.is_finite().then_some(value)
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.number.text)
    }

    fn to_number(&self) -> Cow<'_, Number> {
        Cow::Owned(number(&self.number.text))
    }

    fn is_integer(&self) -> bool {
        match self.integers {
            Integers::Never => false,
            Integers::AsWritten => self.number.integral,
            Integers::Whole => {
                self.number.integral || self.as_f64().is_some_and(|value| value.fract() == 0.0)
            }
        }
    }

    fn is_written_as_integer(&self) -> bool {
        self.number.integral && self.integers != Integers::Never
    }
}
