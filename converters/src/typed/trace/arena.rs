//! What is known of a Rust type so far: nodes for anonymous parts, definitions for structs and enums.

use super::stop::Stop;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeId(usize);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DefId(pub(super) usize);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaf {
    Boolean,
    Int8,
    Int16,
    Int32,
    Int64,
    /// Alone an int16; a sequence of it is bytes.
    Byte,
    Float32,
    Float64,
    String,
    Bytes,
    Date,
    Time,
    Timestamp,
    Decimal(i32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Node {
    Unknown,
    Leaf(Leaf),
    Option(NodeId),
    /// Any number of elements.
    Sequence(NodeId),
    /// That many elements, all of one type.
    Tuple(NodeId),
    Map(NodeId, NodeId),
    Named(DefId),
}

/// What tells two structs or enums apart: the Rust type of the code that reads them, where serde's name alone may be
/// that of several; and what serde says of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Identity {
    pub(super) rust: &'static str,
    pub(super) name: &'static str,
    pub(super) parts: &'static [&'static str],
    /// The enum, if these are the fields of a variant.
    pub(super) of_enum: Option<&'static str>,
}

impl Identity {
    /// The name of its schema. A variant's begins with the name of its enum, as its namespace.
    pub(super) fn schema_name(&self) -> String {
        match self.of_enum {
            Some(of_enum) => format!("{of_enum}.{}", self.name),
            None => self.name.to_owned(),
        }
    }
}

#[derive(Debug)]
pub(super) struct Definition {
    pub(super) identity: Identity,
    pub(super) body: Body,
    /// How many values of it are being made at the moment.
    pub(super) open: usize,
}

#[derive(Debug)]
pub(super) enum Body {
    Struct(Vec<Member>),
    Enum(Vec<Variant>),
}

#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) node: NodeId,
}

#[derive(Debug)]
pub(super) struct Variant {
    pub(super) name: &'static str,
    pub(super) content: Content,
    pub(super) open: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Content {
    Unknown,
    Unit,
    Some(NodeId),
}

#[derive(Debug, Default)]
pub(super) struct Arena {
    nodes: Vec<Node>,
    /// How many sample values of a leaf were refused.
    refused: Vec<usize>,
    pub(super) definitions: Vec<Definition>,
    /// Grows with everything that is learnt: a round that learns nothing is the last.
    pub(super) learnt: usize,
}

impl Arena {
    pub(super) fn fresh(&mut self) -> NodeId {
        self.nodes.push(Node::Unknown);
        self.refused.push(0);
        NodeId(self.nodes.len() - 1)
    }

    pub(super) fn node(&self, id: NodeId) -> Node {
        self.nodes[id.0]
    }

    pub(super) fn refused(&self, id: NodeId) -> usize {
        self.refused[id.0]
    }

    pub(super) fn refuse(&mut self, id: NodeId) {
        self.refused[id.0] += 1;
        self.learnt += 1;
    }

    fn set(&mut self, id: NodeId, node: Node) {
        self.nodes[id.0] = node;
        self.learnt += 1;
    }

    pub(super) fn leaf(&mut self, id: NodeId, leaf: Leaf) -> Result<(), Stop> {
        self.learn(id, Node::Leaf(leaf))
    }

    pub(super) fn named(&mut self, id: NodeId, definition: DefId) -> Result<(), Stop> {
        self.learn(id, Node::Named(definition))
    }

    fn learn(&mut self, id: NodeId, node: Node) -> Result<(), Stop> {
        let known = self.node(id);
        if known == Node::Unknown {
            self.set(id, node);
        } else if known != node {
            return Err(mixed());
        }
        Ok(())
    }

    pub(super) fn option(&mut self, id: NodeId) -> Result<NodeId, Stop> {
        self.around(id, Node::Option)
    }

    pub(super) fn sequence(&mut self, id: NodeId) -> Result<NodeId, Stop> {
        self.around(id, Node::Sequence)
    }

    pub(super) fn tuple(&mut self, id: NodeId) -> Result<NodeId, Stop> {
        self.around(id, Node::Tuple)
    }

    fn around(&mut self, id: NodeId, make: fn(NodeId) -> Node) -> Result<NodeId, Stop> {
        match self.node(id) {
            Node::Unknown => {
                let inner = self.fresh();
                self.set(id, make(inner));
                Ok(inner)
            }
            node @ (Node::Option(inner) | Node::Sequence(inner) | Node::Tuple(inner))
                if std::mem::discriminant(&node) == std::mem::discriminant(&make(inner)) =>
            {
                Ok(inner)
            }
            Node::Leaf(_)
            | Node::Option(_)
            | Node::Sequence(_)
            | Node::Tuple(_)
            | Node::Map(..)
            | Node::Named(_) => Err(mixed()),
        }
    }

    pub(super) fn map(&mut self, id: NodeId) -> Result<(NodeId, NodeId), Stop> {
        match self.node(id) {
            Node::Unknown => {
                let (key, value) = (self.fresh(), self.fresh());
                self.set(id, Node::Map(key, value));
                Ok((key, value))
            }
            Node::Map(key, value) => Ok((key, value)),
            Node::Leaf(_)
            | Node::Option(_)
            | Node::Sequence(_)
            | Node::Tuple(_)
            | Node::Named(_) => Err(mixed()),
        }
    }

    /// The definition of that identity; a new one starts with all its parts unknown.
    pub(super) fn define(&mut self, identity: Identity, is_enum: bool) -> DefId {
        let known = (self.definitions.iter())
            .position(|d| d.identity == identity && matches!(d.body, Body::Enum(_)) == is_enum);
        if let Some(known) = known {
            return DefId(known);
        }
        let names = identity.parts.iter().copied();
        let body = if is_enum {
            let variant = |name| Variant {
                name,
                content: Content::Unknown,
                open: 0,
            };
            Body::Enum(names.map(variant).collect())
        } else {
            let members = names.map(|name| Member {
                name,
                node: self.fresh(),
            });
            Body::Struct(members.collect())
        };
        self.definitions.push(Definition {
            identity,
            body,
            open: 0,
        });
        self.learnt += 1;
        DefId(self.definitions.len() - 1)
    }

    pub(super) fn members(&self, id: DefId) -> &[Member] {
        match &self.definitions[id.0].body {
            Body::Struct(members) => members,
            Body::Enum(_) => &[],
        }
    }

    pub(super) fn variants(&self, id: DefId) -> &[Variant] {
        match &self.definitions[id.0].body {
            Body::Enum(variants) => variants,
            Body::Struct(_) => &[],
        }
    }

    fn variant(&mut self, id: DefId, index: usize) -> Option<&mut Variant> {
        match &mut self.definitions[id.0].body {
            Body::Enum(variants) => variants.get_mut(index),
            Body::Struct(_) => None,
        }
    }

    /// Another name of a member is none of its own: takes it away.
    pub(super) fn forget_member(&mut self, id: DefId, index: usize) {
        if let Body::Struct(members) = &mut self.definitions[id.0].body
            && index < members.len()
        {
            members.remove(index);
            self.learnt += 1;
        }
    }

    pub(super) fn enter(&mut self, id: DefId, variant: Option<usize>) {
        self.definitions[id.0].open += 1;
        if let Some(variant) = variant.and_then(|index| self.variant(id, index)) {
            variant.open += 1;
        }
    }

    pub(super) fn leave(&mut self, id: DefId, variant: Option<usize>) {
        self.definitions[id.0].open -= 1;
        if let Some(variant) = variant.and_then(|index| self.variant(id, index)) {
            variant.open -= 1;
        }
    }

    /// The variant has no content.
    pub(super) fn unit(&mut self, id: DefId, index: usize) {
        let Some(variant) = self.variant(id, index) else {
            return;
        };
        if matches!(variant.content, Content::Unknown) {
            variant.content = Content::Unit;
            self.learnt += 1;
        }
    }

    /// Where the content of the variant is.
    pub(super) fn content(&mut self, id: DefId, index: usize) -> NodeId {
        if let Some(Content::Some(node)) = self.variants(id).get(index).map(|v| v.content) {
            return node;
        }
        let node = self.fresh();
        if let Some(variant) = self.variant(id, index) {
            variant.content = Content::Some(node);
        }
        node
    }

    /// Whether all parts are known, but for those that are being found out right now.
    pub(super) fn settled(&self, id: NodeId) -> bool {
        self.settled_but(id, &mut Vec::new())
    }

    fn settled_but(&self, id: NodeId, seen: &mut Vec<DefId>) -> bool {
        match self.node(id) {
            Node::Unknown => false,
            Node::Leaf(_) => true,
            Node::Option(inner) | Node::Sequence(inner) | Node::Tuple(inner) => {
                self.settled_but(inner, seen)
            }
            Node::Map(key, value) => self.settled_but(key, seen) && self.settled_but(value, seen),
            Node::Named(definition) => {
                if self.definitions[definition.0].open > 0 || seen.contains(&definition) {
                    return true;
                }
                seen.push(definition);
                match &self.definitions[definition.0].body {
                    Body::Struct(members) => members.iter().all(|m| self.settled_but(m.node, seen)),
                    Body::Enum(variants) => {
                        (variants.iter()).all(|v| self.content_settled(v.content, seen))
                    }
                }
            }
        }
    }

    fn content_settled(&self, content: Content, seen: &mut Vec<DefId>) -> bool {
        match content {
            Content::Unknown => false,
            Content::Unit => true,
            Content::Some(node) => self.settled_but(node, seen),
        }
    }

    /// Whether a value can be made without making one of the definitions in `path`.
    fn finite(&self, id: NodeId, path: &mut Vec<DefId>) -> bool {
        match self.node(id) {
            Node::Unknown => false,
            Node::Leaf(_) | Node::Option(_) | Node::Sequence(_) | Node::Map(..) => true,
            Node::Tuple(inner) => self.finite(inner, path),
            Node::Named(definition) => {
                if path.contains(&definition) {
                    return false;
                }
                path.push(definition);
                let finite = match &self.definitions[definition.0].body {
                    Body::Struct(members) => members.iter().all(|m| self.finite(m.node, path)),
                    Body::Enum(variants) => {
                        (variants.iter()).any(|v| self.content_finite(v.content, path))
                    }
                };
                path.pop();
                finite
            }
        }
    }

    fn content_finite(&self, content: Content, path: &mut Vec<DefId>) -> bool {
        match content {
            Content::Unknown => false,
            Content::Unit => true,
            Content::Some(node) => self.finite(node, path),
        }
    }

    /// Which variant to make next: one that is not known yet, unless the enum is inside of itself. Then one that ends.
    pub(super) fn choose(&self, id: DefId) -> Option<usize> {
        let variants = self.variants(id);
        let ends = |v: &Variant| self.content_finite(v.content, &mut vec![id]);
        if self.definitions[id.0].open == 0 {
            let unsettled = |v: &Variant| !self.content_settled(v.content, &mut vec![id]);
            return (variants.iter().position(unsettled))
                .or_else(|| variants.iter().position(ends));
        }
        let unseen = |v: &Variant| matches!(v.content, Content::Unknown) && v.open == 0;
        (variants.iter().position(ends)).or_else(|| variants.iter().position(unseen))
    }
}

#[cold]
fn mixed() -> Stop {
    Stop::untraceable(
        "a sequence of a fixed length holds values of different types",
        "Use a struct instead of a tuple",
    )
}
