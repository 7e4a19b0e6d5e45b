//! Which types there are, and which one a name means.
//!
//! A name is looked up from the inside outwards, as a whole: in the message it stands in, in the messages around it, in the
//! package, in the packages around that. Imports do not count: every type of the file, of its references and of the
//! [known files](super::known) is there.

use std::collections::HashMap;

use super::known::KNOWN;
use super::model::{Enum, Message, ProtoFile};
use crate::error::{Error, protobuf_schema::Kind};
use crate::limits::PROTO_NAME_PARTS_MAX;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TypeKind {
    Message,
    Enum,
}

/// A package, a message or an enum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scope(usize);

#[derive(Debug, Default)]
struct Node {
    name: Box<str>,
    outer: usize,
    depth: usize,
    kind: Option<TypeKind>,
    inner: HashMap<Box<str>, usize>,
}

/// The types that a text can name.
#[derive(Debug)]
pub(super) struct Names {
    /// The first one is the root, which is outside of itself.
    nodes: Vec<Node>,
}

impl Names {
    pub(super) const ROOT: Scope = Scope(0);

    /// The types of `files` and the known ones.
    pub(super) fn new<'a>(files: impl IntoIterator<Item = &'a ProtoFile>) -> Result<Self, Error> {
        let mut names = Self {
            nodes: vec![Node::default()],
        };
        for (package, kind, types) in KNOWN {
            let package = names.enter(Self::ROOT, package)?;
            for name in types {
                names.define(package, name, kind)?;
            }
        }
        for file in files {
            let package = names.enter(Self::ROOT, file.package.as_deref().unwrap_or(""))?;
            names.define_types(package, &file.messages, &file.enums)?;
        }
        Ok(names)
    }

    fn define_types(
        &mut self,
        outer: Scope,
        messages: &[Message],
        enums: &[Enum],
    ) -> Result<(), Error> {
        for message in messages {
            let scope = self.define(outer, &message.name, TypeKind::Message)?;
            self.define_types(scope, &message.messages, &message.enums)?;
        }
        for ty in enums {
            self.define(outer, &ty.name, TypeKind::Enum)?;
        }
        Ok(())
    }

    fn define(&mut self, outer: Scope, name: &str, kind: TypeKind) -> Result<Scope, Error> {
        let scope = self.enter(outer, name)?;
        // The first definition counts.
        self.nodes[scope.0].kind.get_or_insert(kind);
        Ok(scope)
    }

    /// The scope of that name inside of `outer`, new or not.
    fn enter(&mut self, outer: Scope, name: &str) -> Result<Scope, Error> {
        let mut at = outer.0;
        for part in name.split('.').filter(|part| !part.is_empty()) {
            if let Some(&known) = self.nodes[at].inner.get(part) {
                at = known;
                continue;
            }
            let depth = self.nodes[at].depth + 1;
            if depth > PROTO_NAME_PARTS_MAX {
                let what = "a full name has more than PROTO_NAME_PARTS_MAX parts";
                return Err(Kind::TooMuch { what }.into());
            }
            let new = self.nodes.len();
            self.nodes.push(Node {
                name: part.into(),
                outer: at,
                depth,
                ..Node::default()
            });
            self.nodes[at].inner.insert(part.into(), new);
            at = new;
        }
        Ok(Scope(at))
    }

    /// The scope of a name that is there.
    pub(super) fn inside(&self, outer: Scope, name: &str) -> Scope {
        self.walk(outer.0, name).map_or(outer, Scope)
    }

    fn walk(&self, from: usize, name: &str) -> Option<usize> {
        let mut parts = name.split('.').filter(|part| !part.is_empty());
        parts.try_fold(from, |at, part| self.nodes[at].inner.get(part).copied())
    }

    /// What `name`, written inside of `scope`, means.
    pub(super) fn find(&self, scope: Scope, name: &str) -> Result<(Scope, TypeKind), Error> {
        let type_at = |from| {
            let at = self.walk(from, name)?;
            self.nodes[at].kind.map(|kind| (Scope(at), kind))
        };
        let mut from = scope.0;
        if name.starts_with('.') {
            from = Self::ROOT.0;
        }
        loop {
            if let Some(found) = type_at(from) {
                return Ok(found);
            }
            if from == Self::ROOT.0 {
                let name = name.into();
                return Err(Kind::Unresolved { name }.into());
            }
            from = self.nodes[from].outer;
        }
    }

    /// `.a.b.N`.
    pub(super) fn full_name(&self, scope: Scope) -> Box<str> {
        let mut parts = Vec::new();
        let mut at = scope.0;
        while at != Self::ROOT.0 {
            parts.extend([&*self.nodes[at].name, "."]);
            at = self.nodes[at].outer;
        }
        parts.reverse();
        parts.concat().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Names {
        Names::new([&ProtoFile::parse(text).unwrap()]).unwrap()
    }

    fn full(names: &Names, scope: &str, name: &str) -> Option<String> {
        let scope = names.inside(Names::ROOT, scope);
        let found = names.find(scope, name).ok()?;
        Some(names.full_name(found.0).into())
    }

    #[test]
    fn a_name_is_looked_up_from_the_inside_outwards() {
        let names = names(
            "package a.b; message M { message N {} message I {} } message N {} enum E { A = 0; }",
        );
        assert_eq!(full(&names, "a.b.M.I", "N").as_deref(), Some(".a.b.M.N"));
        assert_eq!(full(&names, "a.b", "N").as_deref(), Some(".a.b.N"));
        assert_eq!(full(&names, "a.b.M", "b.N").as_deref(), Some(".a.b.N"));
        assert_eq!(full(&names, "a.b.M", ".a.b.N").as_deref(), Some(".a.b.N"));
        assert_eq!(full(&names, "a.b.M", ".N"), None);
        assert_eq!(full(&names, "a.b.M", "X"), None);
        let found = names.find(names.inside(Names::ROOT, "a.b"), "E").unwrap();
        assert_eq!(found.1, TypeKind::Enum);
    }

    #[test]
    fn known_types_are_there_without_an_import() {
        let names = names("package a; message M {}");
        let known = [
            "google.protobuf.Timestamp",
            "google.type.Money",
            "confluent.type.Decimal",
        ];
        for name in known {
            assert_eq!(full(&names, "a.M", name), Some(format!(".{name}")));
        }
        assert_eq!(full(&names, "a.M", "google.rpc.Status"), None);
    }

    #[test]
    fn a_package_is_no_type() {
        assert_eq!(full(&names("package a.b; message M {}"), "a.b", "a"), None);
    }
}
