//! [`Knot`]: how a schema comes to contain itself.
//!
//! A schema is immutable and counted, so it cannot simply point at itself: that would be a circle which is never freed.
//! What is kept instead is the *definition*, a finite tree with marks in it ([`Definitions`]), and a schema that
//! contains itself is a link to a definition. Looking at the parts of a link copies the definition once, with links in
//! place of the marks. All occurrences at the same depth share that copy, so a schema takes as much memory as the
//! deepest value that was walked along it. Nothing points upwards, so everything is freed with its last handle.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use super::Schema;
use super::schema::{Field, Node, Parameters};
use crate::error::{Error, data::Kind};

/// Ties schemas that contain themselves.
///
/// ```
/// use ferroconnect_converters::data::{Knot, Schema, SchemaBuilder};
///
/// # fn main() -> Result<(), ferroconnect_converters::Error> {
/// let mut knot = Knot::new();
/// let id = knot.reserve();
/// let rest = knot.reference(id, true); // the list again, optional
/// let list = SchemaBuilder::structure().name("List").field("v", Schema::int32()).field("next", rest).build()?;
/// let list = knot.define(id, list);
/// let list = knot.tie(list)?;
///
/// let next = list.fields()[1].schema();
/// assert_eq!(next.name(), Some("List"));
/// assert!(next.is_optional() && !list.is_optional());
/// assert_eq!(next.recursion(), list.recursion());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Knot {
    definitions: Vec<Definition>,
}

/// A name for a schema that is still being built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnotId(u32);

#[derive(Debug, Default)]
struct Definition {
    schema: Option<Schema>,
    referenced: bool,
}

impl Knot {
    /// No schema yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            definitions: Vec::new(),
        }
    }

    /// Names a schema that is about to be built.
    pub fn reserve(&mut self) -> KnotId {
        // One per named type of a schema text, which lies in memory: far below 2^32.
        let id = KnotId(u32::try_from(self.definitions.len()).unwrap_or(u32::MAX));
        self.definitions.push(Definition::default());
        id
    }

    /// Stands for the named schema inside itself, until [`tie`](Self::tie).
    pub fn reference(&mut self, id: KnotId, optional: bool) -> Schema {
        self.definitions[id.0 as usize].referenced = true;
        mark(id, optional, None)
    }

    /// As [`reference`](Self::reference), with parameters of its own in place of those of the named schema.
    pub fn reference_with<'p>(
        &mut self,
        id: KnotId,
        optional: bool,
        parameters: impl IntoIterator<Item = (&'p str, &'p str)>,
    ) -> Schema {
        self.definitions[id.0 as usize].referenced = true;
        let parameters = parameters.into_iter();
        let parameters = parameters.map(|(name, value)| (name.into(), value.into()));
        mark(id, optional, Some(parameters.collect()))
    }

    /// Says what the named schema is. If nothing referred to it, that is all there is to it; otherwise what comes back
    /// stands for it in whatever is built around it.
    pub fn define(&mut self, id: KnotId, schema: Schema) -> Schema {
        let definition = &mut self.definitions[id.0 as usize];
        if !definition.referenced {
            return schema;
        }
        let optional = schema.is_optional();
        definition.schema = Some(schema);
        mark(id, optional, None)
    }

    /// The finished schema: every reference in it means its definition.
    ///
    /// # Errors
    /// Plugin fault: a reference to a schema that was never defined, or a schema that is nothing but itself.
    pub fn tie(self, schema: Schema) -> Result<Schema, Error> {
        if !schema.is_recursive() {
            return Ok(schema);
        }
        let mut templates = Vec::with_capacity(self.definitions.len());
        for definition in self.definitions {
            match definition.schema {
                Some(schema) if is_mark(&schema) => return Err(unfinished()),
                Some(schema) => templates.push(schema),
                None if definition.referenced => return Err(unfinished()),
                // Nothing points at it.
                None => templates.push(Schema::boolean()),
            }
        }
        let definitions = Arc::new(Definitions {
            templates,
            shared: Mutex::default(),
        });
        Ok(unfold(&schema, &definitions, 0))
    }
}

fn unfinished() -> Error {
    Kind::BuilderMisuse("a schema refers to one that was never defined").into()
}

/// A schema without parts that stands for a definition.
fn mark(id: KnotId, optional: bool, parameters: Option<Box<Parameters>>) -> Schema {
    let mut node = Node::new(super::Type::Struct);
    node.optional = optional;
    let own_parameters = parameters.is_some();
    node.parameters = parameters;
    node.link = Some(Box::new(Link {
        id,
        own_parameters,
        level: 0,
        definitions: None,
        body: OnceLock::new(),
    }));
    Schema::from_node(node)
}

fn is_mark(schema: &Schema) -> bool {
    (schema.node().link.as_ref()).is_some_and(|link| link.definitions.is_none())
}

/// All definitions of one knot; references in them are marks.
#[derive(Debug)]
struct Definitions {
    templates: Vec<Schema>,
    /// The links of each depth that somebody still holds.
    shared: Mutex<HashMap<Occurrence, Weak<Node>>>,
}

/// Depth, definition, whether it is optional, and parameters of its own.
type Occurrence = (u32, u32, bool, Option<Box<Parameters>>);

impl Definitions {
    /// The link to a definition at a depth; one object as long as anybody has it.
    fn link(self: &Arc<Self>, mark: &Node, id: KnotId, level: u32) -> Schema {
        let optional = mark.optional;
        let own = mark.link.as_ref().is_some_and(|link| link.own_parameters);
        let parameters = mark.parameters.clone().filter(|_| own);
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let known = shared
            .entry((level, id.0, optional, parameters.clone()))
            .or_default();
        if let Some(node) = known.upgrade() {
            return Schema::from_shared(node);
        }
        let mut node = self.templates[id.0 as usize].node().header();
        node.optional = optional;
        if own {
            node.parameters = parameters;
        }
        node.link = Some(Box::new(Link {
            id,
            own_parameters: own,
            level,
            definitions: Some(Arc::clone(self)),
            body: OnceLock::new(),
        }));
        let schema = Schema::from_node(node);
        *known = Arc::downgrade(schema.node());
        schema
    }
}

/// An occurrence of a definition.
#[derive(Debug)]
pub(crate) struct Link {
    id: KnotId,
    /// The parameters beside it are its own, not those of the definition.
    own_parameters: bool,
    level: u32,
    /// `None` in a mark.
    definitions: Option<Arc<Definitions>>,
    body: OnceLock<Arc<Node>>,
}

impl Link {
    /// The node with the parts. A mark has none.
    pub(crate) fn body(&self) -> &Node {
        self.body.get_or_init(|| match &self.definitions {
            None => Arc::new(Node::new(super::Type::Struct)),
            Some(definitions) => {
                let template = &definitions.templates[self.id.0 as usize];
                let node = unfolded(template.node(), definitions, self.level + 1);
                Arc::clone(Schema::from_node(node).node())
            }
        })
    }

    /// Whether it lies inside another occurrence.
    pub(crate) const fn is_inner(&self) -> bool {
        self.level > 0 || self.definitions.is_none()
    }

    pub(crate) fn identity(&self) -> Recursion {
        Recursion {
            definitions: self.definitions.clone(),
            id: self.id.0,
        }
    }
}

/// Marks are copied while definitions are put together; a link is never copied but shared.
impl Clone for Link {
    fn clone(&self) -> Self {
        Self {
            id: self.id,
            own_parameters: self.own_parameters,
            level: self.level,
            definitions: self.definitions.clone(),
            body: OnceLock::new(),
        }
    }
}

/// Frees what was unfolded level by level: a long chain must not need a deep stack.
impl Drop for Link {
    fn drop(&mut self) {
        let mut nodes: Vec<Node> = self
            .body
            .take()
            .and_then(Arc::into_inner)
            .into_iter()
            .collect();
        while let Some(mut node) = nodes.pop() {
            let fields = std::mem::take(&mut node.fields)
                .into_iter()
                .map(|f| f.schema);
            let parts = fields.chain(node.key.take()).chain(node.value.take());
            nodes.extend(parts.filter_map(Schema::into_inner));
            if let Some(link) = &mut node.link {
                nodes.extend(link.body.take().and_then(Arc::into_inner));
            }
        }
    }
}

/// A schema with links in place of its marks. What holds no mark is shared.
fn unfold(schema: &Schema, definitions: &Arc<Definitions>, level: u32) -> Schema {
    if !schema.is_recursive() {
        return schema.clone();
    }
    let node = schema.node();
    match &node.link {
        Some(link) if link.definitions.is_none() => definitions.link(node, link.id, level),
        // A schema of another knot, finished long ago.
        Some(_) => schema.clone(),
        None => Schema::from_node(unfolded(node, definitions, level)),
    }
}

fn unfolded(node: &Arc<Node>, definitions: &Arc<Definitions>, level: u32) -> Node {
    let part = |schema: &Schema| unfold(schema, definitions, level);
    let mut copy = node.header();
    copy.fields = (node.fields.iter())
        .map(|field| Field {
            schema: part(&field.schema),
            ..field.clone()
        })
        .collect();
    copy.key = node.key.as_ref().map(part);
    copy.value = node.value.as_ref().map(part);
    copy.origin = Some(Origin(Arc::as_ptr(node) as usize));
    copy
}

/// Where a schema comes from: the same for all unfoldings of a place in a definition. Only compared, never followed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Origin(usize);

impl Origin {
    pub(crate) fn of(schema: &Schema) -> Self {
        let node = schema.node();
        match &node.link {
            Some(link) => match &link.definitions {
                Some(definitions) => {
                    Self(Arc::as_ptr(definitions.templates[link.id.0 as usize].node()) as usize)
                }
                None => Self(Arc::as_ptr(node) as usize),
            },
            None => node.origin.unwrap_or(Self(Arc::as_ptr(node) as usize)),
        }
    }
}

/// Which definition a schema is an occurrence of; see [`Schema::recursion`].
#[derive(Clone, Debug)]
pub struct Recursion {
    definitions: Option<Arc<Definitions>>,
    id: u32,
}

impl Recursion {
    fn key(&self) -> (usize, u32) {
        (
            self.definitions
                .as_ref()
                .map_or(0, |d| Arc::as_ptr(d) as usize),
            self.id,
        )
    }
}

impl PartialEq for Recursion {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Recursion {}

impl Hash for Recursion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

#[cfg(test)]
mod tests;
