//! Where `$ref` leads: places in the text itself, and in the texts it refers to.

use std::collections::HashMap;

use super::keywords::{Draft, Members};
use super::uri::resolved;
use crate::json_schema::check::percent_decoded;
use crate::json_text::Document;

/// A text that was read.
pub(super) struct Source<'a> {
    /// The name of a reference; empty for the text itself.
    pub(super) name: &'a str,
    pub(super) document: Document,
    pub(super) draft: Draft,
}

/// A value of a text: a schema, if something refers to it as one.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) source: usize,
    pub(super) document: &'a Document,
}

impl Place<'_> {
    /// Its identity: texts stay where they are while they are read.
    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self.document) as usize
    }
}

/// All places by the addresses that they have.
pub(super) struct Addresses<'a> {
    sources: &'a [Source<'a>],
    /// By full address, with a fragment where it is an anchor.
    known: HashMap<String, Place<'a>>,
    /// By what stands there, where no address is known for it.
    written: HashMap<String, Place<'a>>,
    /// The address in force at places that call themselves something, or lie in such a place.
    bases: HashMap<usize, (String, Place<'a>)>,
}

impl<'a> Addresses<'a> {
    pub(super) fn new(sources: &'a [Source<'a>]) -> Self {
        let mut addresses = Self {
            sources,
            known: HashMap::new(),
            written: HashMap::new(),
            bases: HashMap::new(),
        };
        for (source, text) in sources.iter().enumerate() {
            let root = Place {
                source,
                document: &text.document,
            };
            addresses.note_source(root, text);
        }
        addresses
    }

    /// Walks a text for what calls itself something.
    fn note_source(&mut self, root: Place<'a>, text: &Source<'_>) {
        let mut open = vec![(root, text.name.to_owned(), root)];
        if !text.name.is_empty() {
            self.known.entry(text.name.to_owned()).or_insert(root);
        }
        while let Some((place, mut base, mut resource)) = open.pop() {
            let at = |document| Place { document, ..place };
            match place.document {
                Document::Object(list) => {
                    let members = Members(list);
                    for keyword in ["$id", "id"] {
                        if let Some(Document::Text(id)) = members.get(keyword) {
                            self.note(&mut base, &mut resource, place, id);
                        }
                    }
                    for keyword in ["$anchor", "$dynamicAnchor"] {
                        if let Some(Document::Text(anchor)) = members.get(keyword) {
                            let address = format!("{base}#{anchor}");
                            self.known.entry(address).or_insert(place);
                            self.written.entry(format!("#{anchor}")).or_insert(place);
                        }
                    }
                    if !base.is_empty() && members.get("$ref").is_some() {
                        self.bases.insert(place.address(), (base.clone(), resource));
                    }
                    let inner = list.iter().rev();
                    open.extend(inner.map(|(_, value)| (at(value), base.clone(), resource)));
                }
                Document::Array(values) => {
                    let inner = values.iter().rev();
                    open.extend(inner.map(|value| (at(value), base.clone(), resource)));
                }
                Document::Null
                | Document::Boolean(_)
                | Document::Number { .. }
                | Document::Text(_) => {}
            }
        }
    }

    fn note(&mut self, base: &mut String, resource: &mut Place<'a>, place: Place<'a>, id: &str) {
        self.written.entry(id.to_owned()).or_insert(place);
        let (address, fragment) = id.split_once('#').unwrap_or((id, ""));
        let address = resolved(base, address);
        if fragment.is_empty() {
            self.known.entry(address.clone()).or_insert(place);
            *base = address;
            *resource = place;
        } else {
            self.known
                .entry(format!("{address}#{fragment}"))
                .or_insert(place);
        }
    }

    /// The place that a `$ref` at `from` means.
    pub(super) fn find(&self, from: Place<'a>, target: &str) -> Option<Place<'a>> {
        let (address, fragment) = target.split_once('#').unwrap_or((target, ""));
        let root = Place {
            source: from.source,
            document: &self.sources[from.source].document,
        };
        let (base, resource) = match self.bases.get(&from.address()) {
            Some((base, resource)) => (base.as_str(), *resource),
            None => ("", root),
        };
        if address.is_empty() {
            return self
                .part(resource, base, fragment)
                .or_else(|| self.part(root, "", fragment));
        }
        let full = resolved(base, address);
        if let Some(place) = self.known.get(target) {
            return Some(*place);
        }
        let found = self
            .known
            .get(&full)
            .or_else(|| self.known.get(address))
            .or_else(|| self.written.get(address));
        match found {
            Some(place) => self.part(*place, &full, fragment),
            None => self.written.get(target).copied(),
        }
    }

    /// A part of a place: by JSON pointer, or by a name that it calls itself.
    fn part(&self, place: Place<'a>, base: &str, fragment: &str) -> Option<Place<'a>> {
        if fragment.is_empty() {
            return Some(place);
        }
        let Some(pointer) = fragment.strip_prefix('/') else {
            let anchor = format!("#{fragment}");
            return self
                .known
                .get(&format!("{base}{anchor}"))
                .or_else(|| self.written.get(&anchor))
                .copied();
        };
        let mut document = place.document;
        for step in pointer.split('/') {
            let step = percent_decoded(step).replace("~1", "/").replace("~0", "~");
            document = match document {
                Document::Array(values) => values.get(step.parse::<usize>().ok()?)?,
                Document::Object(members) => Members(members).get(&step)?,
                Document::Null
                | Document::Boolean(_)
                | Document::Number { .. }
                | Document::Text(_) => return None,
            };
        }
        Some(Place { document, ..place })
    }
}
