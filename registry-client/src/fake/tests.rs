use super::FakeRegistry;
use crate::{
    Error, Lookup, LookupFlags, LookupId, Question, Registry, RegistryCode, SchemaGuid, SchemaId,
    SchemaText, SchemaType, Subject, Version,
};

fn subject(name: &str) -> Subject {
    Subject::new(name).unwrap()
}

fn avro(text: &str) -> SchemaText {
    SchemaText::new(SchemaType::Avro, text)
}

#[test]
fn ids_count_per_context_and_versions_per_subject() {
    let mut registry = FakeRegistry::default();
    let mut register = |name: &str, text: &str| {
        let schema = registry
            .register(&subject(name), &avro(text), false)
            .unwrap();
        (schema.id.get(), schema.version.map(Version::get))
    };
    assert_eq!(register("a-value", "\"int\""), (1, Some(1)));
    assert_eq!(register("a-value", "\"long\""), (2, Some(2)));
    assert_eq!(register("b-value", "\"string\""), (3, Some(1)));
    assert_eq!(
        register("b-value", "\"int\""),
        (1, Some(2)),
        "a known text keeps its id"
    );
    assert_eq!(
        register("a-value", "\"int\""),
        (1, Some(1)),
        "found, not registered again"
    );
    assert_eq!(
        register(":.eu:a-value", "\"float\""),
        (1, Some(1)),
        "a context counts for itself"
    );
}

#[test]
fn an_id_counts_in_the_context_of_the_subject() {
    let mut registry = FakeRegistry::default();
    let eu = subject(":.eu:a-value");
    registry.register(&eu, &avro("\"int\""), false).unwrap();
    let id = SchemaId::new(1).unwrap();
    assert_eq!(
        registry.by_id(id, Some(&eu)).unwrap().schema,
        avro("\"int\"")
    );
    let error = registry.by_id(id, None).unwrap_err();
    assert_eq!(error.code(), Some(RegistryCode::SCHEMA_NOT_FOUND));
}

#[test]
fn a_guid_finds_the_schema_without_naming_a_subject() {
    let mut registry = FakeRegistry::default();
    let known = registry
        .register(&subject("a-value"), &avro("\"int\""), false)
        .unwrap();
    let found = registry.by_guid(known.guid.unwrap()).unwrap();
    assert_eq!(
        (found.id, found.subject, found.version),
        (known.id, None, None)
    );
    let unknown = SchemaGuid::from_bytes([0; 16]);
    assert_eq!(
        registry.by_guid(unknown).unwrap_err().to_string(),
        "Schema 00000000-0000-0000-0000-000000000000 not found; error code: 40403"
    );
}

#[test]
fn soft_deletion_hides_a_version_but_not_its_id() {
    let mut registry = FakeRegistry::default();
    let orders = subject("orders-value");
    let first = registry.register(&orders, &avro("\"int\""), false).unwrap();
    registry
        .register(&orders, &avro("\"long\""), false)
        .unwrap();
    registry.delete_version(&orders, Version::FIRST).unwrap();

    let plain = LookupFlags::default();
    let deleted = LookupFlags {
        deleted: true,
        ..plain
    };
    assert!(registry.lookup(&orders, &avro("\"int\""), plain).is_err());
    assert_eq!(
        registry.lookup(&orders, &avro("\"int\""), deleted).unwrap(),
        first
    );
    assert!(registry.version(&orders, Version::FIRST, false).is_err());
    assert_eq!(
        registry.version(&orders, Version::FIRST, true).unwrap(),
        first
    );
    assert_eq!(registry.by_id(first.id, None).unwrap(), first);

    let again = registry.register(&orders, &avro("\"int\""), false).unwrap();
    assert_eq!((again.id, again.version), (first.id, Version::new(3)));
    assert!(
        registry.version(&orders, Version::FIRST, true).is_err(),
        "the old record vanishes"
    );
}

#[test]
fn what_is_missing_has_the_registrys_own_code() {
    let mut registry = FakeRegistry::default();
    let nowhere = subject("nowhere-value");
    assert_eq!(
        registry.latest(&nowhere).unwrap_err().to_string(),
        "Subject 'nowhere-value' not found.; error code: 40401"
    );
    let here = subject("here-value");
    assert!(
        registry.register(&here, &avro(""), false).is_err(),
        "an empty text is no schema"
    );
    registry.register(&here, &avro("\"int\""), false).unwrap();
    let ninth = registry
        .version(&here, Version::new(9).unwrap(), false)
        .unwrap_err();
    assert_eq!(ninth.code(), Some(RegistryCode::VERSION_NOT_FOUND));
}

#[test]
fn a_lookup_is_answered_under_its_own_id() {
    let mut registry = FakeRegistry::default();
    let orders = subject("orders-value");
    let schema = avro("\"int\"");
    let questions = [
        Question::Register {
            subject: orders.clone(),
            schema: schema.clone(),
            normalize: false,
            propagate_schema_tags: false,
        },
        Question::Find {
            subject: orders.clone(),
            schema,
            flags: LookupFlags::default(),
        },
        Question::Latest {
            subject: orders.clone(),
        },
        Question::Version {
            subject: orders,
            version: Version::FIRST,
            deleted: false,
        },
        Question::ById {
            id: SchemaId::new(1).unwrap(),
            subject: None,
        },
    ];
    let mut id = LookupId::FIRST;
    for question in questions {
        let resolved = registry.answer(&Lookup { id, question });
        assert_eq!(resolved.id, id);
        assert_eq!(resolved.answer.unwrap().into_schema().unwrap().id.get(), 1);
        id = id.next();
    }
    let question = Question::ByGuid {
        guid: SchemaGuid::from_bytes([9; 16]),
    };
    assert!(registry.answer(&Lookup { id, question }).answer.is_err());
    assert_eq!(registry.asked(), 6);
}

#[test]
fn scripted_trouble_passes_after_its_count() {
    let mut registry = FakeRegistry::default();
    let orders = subject("orders-value");
    registry.fail_next(2, Error::unreachable("scripted"));
    assert!(registry.latest(&orders).unwrap_err().is_retriable());
    assert!(registry.register(&orders, &avro("\"int\""), false).is_err());
    assert_eq!(
        registry.registered().count(),
        0,
        "a failed call leaves nothing behind"
    );
    assert!(registry.register(&orders, &avro("\"int\""), false).is_ok());
}
