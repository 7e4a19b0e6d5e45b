//! Everything that a schema imports, directly or not.
//!
//! [`References`] is the pure part: it says which versions are still unknown, takes them, and puts all in order. [`resolve`] asks an
//! [`AsyncRegistry`] for them, a level at a time.

use std::collections::{BTreeMap, BTreeSet};

use crate::format::ReferencedSchema;
use crate::{Answer, AsyncRegistry, Error, Question, Reference, SchemaText, Subject, Version};

/// Schemas that one schema may import, directly or not.
pub const REFERENCES_MAX: usize = 512;

/// How deep imports may be nested; the depth of the Java converters' backup envelope.
pub const REFERENCE_DEPTH_MAX: usize = 50;

/// The imports of one schema while they are being gathered.
#[derive(Debug)]
pub struct References {
    root: SchemaText,
    known: BTreeMap<Place, SchemaText>,
    asked: BTreeSet<Place>,
}

/// Where a text is registered.
type Place = (Subject, Version);

fn place(reference: &Reference) -> Place {
    (reference.subject.clone(), reference.version)
}

impl References {
    /// Nothing is known yet but the schema itself.
    pub fn of(root: &SchemaText) -> Self {
        Self {
            root: root.clone(),
            known: BTreeMap::new(),
            asked: BTreeSet::new(),
        }
    }

    /// What to ask next, each question once: the versions that the texts known so far import. Softly deleted ones will do, as for the
    /// Java client.
    ///
    /// # Errors
    /// More than [`REFERENCES_MAX`] of them.
    pub fn questions(&mut self) -> Result<Vec<Question>, Error> {
        let all = std::iter::once(&self.root).chain(self.known.values());
        let places: BTreeSet<Place> = all
            .flat_map(SchemaText::references)
            .map(place)
            .filter(|place| !self.asked.contains(place))
            .collect();
        if self.asked.len() + places.len() > REFERENCES_MAX {
            return Err(unusable(format!(
                "the schema imports more than {REFERENCES_MAX} others"
            )));
        }
        self.asked.extend(places.iter().cloned());
        let question = |(subject, version)| Question::Version {
            subject,
            version,
            deleted: true,
        };
        Ok(places.into_iter().map(question).collect())
    }

    /// Takes the text of a version.
    pub fn put(&mut self, subject: Subject, version: Version, schema: SchemaText) {
        self.known.insert((subject, version), schema);
    }

    /// All imports, each behind what it needs itself.
    ///
    /// # Errors
    /// A text that is still unknown, imports in a circle, or nested deeper than [`REFERENCE_DEPTH_MAX`].
    pub fn in_order(&self) -> Result<Vec<ReferencedSchema>, Error> {
        let mut order = Order {
            known: &self.known,
            path: Vec::new(),
            found: Vec::new(),
        };
        order.collect(self.root.references())?;
        Ok(order.found)
    }
}

struct Order<'a> {
    known: &'a BTreeMap<Place, SchemaText>,
    path: Vec<Place>,
    found: Vec<ReferencedSchema>,
}

impl Order<'_> {
    fn collect(&mut self, references: &[Reference]) -> Result<(), Error> {
        for reference in references {
            let here = place(reference);
            let named = || format!("{} version {}", reference.subject, reference.version);
            if self.path.contains(&here) {
                return Err(unusable(format!("{} imports itself", named())));
            }
            if self.path.len() >= REFERENCE_DEPTH_MAX {
                return Err(unusable(format!(
                    "imports are nested deeper than {REFERENCE_DEPTH_MAX}"
                )));
            }
            if self.found.iter().any(|found| found.reference == *reference) {
                continue;
            }
            let Some(schema) = self.known.get(&here) else {
                return Err(unusable(format!("{} is not known", named())));
            };
            self.path.push(here);
            self.collect(schema.references())?;
            self.path.pop();
            self.found.push(ReferencedSchema {
                reference: reference.clone(),
                text: schema.text().to_owned(),
            });
        }
        Ok(())
    }
}

#[cold]
fn unusable(why: String) -> Error {
    Error::refused(
        422,
        crate::RegistryCode::INVALID_SCHEMA,
        format!("{why}; register the schema anew"),
    )
}

/// Everything that a schema imports, each behind what it needs itself.
///
/// # Errors
/// A version that the registry does not have, no answer, or imports that make no sense.
///
/// ```
/// use ferroconnect_registry_client::{AsyncRegistry, Error, SchemaText, format::ReferencedSchema, references};
///
/// async fn imports(registry: &dyn AsyncRegistry, schema: &SchemaText) -> Result<Vec<ReferencedSchema>, Error> {
///     references::resolve(registry, schema).await
/// }
/// ```
pub async fn resolve(
    registry: &dyn AsyncRegistry,
    schema: &SchemaText,
) -> Result<Vec<ReferencedSchema>, Error> {
    let mut references = References::of(schema);
    loop {
        let questions = references.questions()?;
        if questions.is_empty() {
            return references.in_order();
        }
        for question in questions {
            let Question::Version {
                ref subject,
                version,
                ..
            } = question
            else {
                continue;
            };
            match registry.ask(&question).await? {
                Answer::Schema(answer) => {
                    references.put(subject.clone(), version, answer.schema);
                }
                Answer::Subjects(_) => {
                    return Err(Error::bug("subjects are no answer to a version"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SchemaType;

    fn reference(name: &str, version: i32) -> Reference {
        Reference {
            name: name.to_uppercase().into(),
            subject: Subject::new(name).unwrap(),
            version: Version::new(version).unwrap(),
        }
    }

    fn text(name: &str, imports: &[&str]) -> SchemaText {
        let references: Vec<_> = imports.iter().map(|name| reference(name, 1)).collect();
        SchemaText::new(SchemaType::Avro, name).with_references(references)
    }

    /// Asks a registry that consists of these texts.
    fn gather(root: &SchemaText, texts: &[SchemaText]) -> (Result<Vec<String>, Error>, usize) {
        let mut references = References::of(root);
        let mut rounds = 0;
        loop {
            let questions = match references.questions() {
                Ok(questions) => questions,
                Err(error) => return (Err(error), rounds),
            };
            if questions.is_empty() {
                let order = references.in_order();
                let names = order.map(|all| all.into_iter().map(|found| found.text).collect());
                return (names, rounds);
            }
            rounds += 1;
            for question in questions {
                let Question::Version {
                    subject,
                    version,
                    deleted: true,
                } = question
                else {
                    panic!("a version, deleted or not: {question:?}");
                };
                if let Some(text) = texts.iter().find(|text| text.text() == subject.as_str()) {
                    references.put(subject, version, text.clone());
                }
            }
        }
    }

    #[test]
    fn each_comes_behind_what_it_needs_and_once() {
        let texts = [text("a", &["c", "b"]), text("b", &["c"]), text("c", &[])];
        let (order, rounds) = gather(&text("root", &["a", "b"]), &texts);
        assert_eq!(order.unwrap(), ["c", "b", "a"]);
        assert_eq!(rounds, 2, "a level at a time, nothing twice");
        assert_eq!(gather(&text("root", &[]), &texts).0, Ok(Vec::new()));
    }

    #[test]
    fn one_text_under_two_names_stands_twice() {
        let other = Reference {
            name: "other".into(),
            ..reference("a", 1)
        };
        let root =
            SchemaText::new(SchemaType::Avro, "root").with_references([reference("a", 1), other]);
        let (order, rounds) = gather(&root, &[text("a", &[])]);
        assert_eq!((order.unwrap(), rounds), (vec!["a".into(), "a".into()], 1));
    }

    #[test]
    fn circles_depth_and_number_are_bounded() {
        let circle = [text("a", &["b"]), text("b", &["a"])];
        let (order, _) = gather(&text("root", &["a"]), &circle);
        assert!(order.unwrap_err().to_string().contains("imports itself"));

        let name = |n: usize| format!("n{n}");
        let chain: Vec<_> = (0..60).map(|n| text(&name(n), &[&name(n + 1)])).collect();
        let chain: Vec<_> = chain.into_iter().chain([text("n60", &[])]).collect();
        let (order, _) = gather(&text("root", &["n0"]), &chain);
        assert!(order.unwrap_err().to_string().contains("nested deeper"));
        assert_eq!(gather(&text("root", &["n15"]), &chain).0.unwrap().len(), 46);

        let many: Vec<String> = (0..600).map(name).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let (order, _) = gather(&text("root", &many), &[]);
        assert!(order.unwrap_err().to_string().contains("more than 512"));
        let (order, _) = gather(&text("root", &["gone"]), &[]);
        assert!(
            order
                .unwrap_err()
                .to_string()
                .contains("gone version 1 is not known")
        );
    }
}
