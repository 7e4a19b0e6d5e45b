//! Reading Avro by plan against the slow oracle, and both against another library.
#![expect(
    clippy::wildcard_enum_match_arm,
    deprecated,
    reason = "only kinds with parts are told apart; the short form of the other library does"
)]

use ferroconnect_converters::avro::oracle::{self, Tree};
use ferroconnect_converters::avro::{AvroDecoder, AvroSchema, Kind, TypeId};
use ferroconnect_converters::data::Value;
use ferroconnect_tests::checks::{
    AvroCase, avro_case, avro_reads_both_ways, avro_resolved, evolved, schema_parse,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn case() -> impl Strategy<Value = AvroCase> {
    vec(any::<u8>(), 0..400).prop_map(|entropy| avro_case(&entropy))
}

fn written(case: &AvroCase) -> Vec<u8> {
    let mut out = Vec::new();
    oracle::write(&case.schema, case.schema.root(), &case.tree, &mut out);
    out
}

/// A change of a body: a byte replaced, put in, taken out, or the rest cut off.
fn changed(body: &[u8], changes: &[(u8, u16, u8)]) -> Vec<u8> {
    let mut body = body.to_vec();
    for (what, place, byte) in changes {
        let place = usize::from(*place) % (body.len() + 1);
        match what % 5 {
            0 => body.insert(place, *byte),
            1 => body.truncate(place),
            2 if place < body.len() => drop(body.remove(place)),
            _ if place < body.len() => body[place] = *byte,
            _ => body.push(*byte),
        }
    }
    body
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn what_is_written_reads_the_same_by_plan_and_by_the_oracle(case in case()) {
        let body = written(&case);
        prop_assert_eq!(
            format!("{:?}", oracle::read(&case.schema, &body)),
            format!("{:?}", Ok::<_, String>((&case.tree, body.len()))),
        );
        let _ = avro_reads_both_ways(&case, &body);
    }

    #[test]
    fn changed_bytes_are_refused_by_both_or_read_the_same(
        case in case(),
        changes in vec(any::<(u8, u16, u8)>(), 1..6),
    ) {
        let body = changed(&written(&case), &changes);
        let _ = avro_reads_both_ways(&case, &body);
    }

    /// The schema of one's own as the reader's: another plan, the same data.
    #[test]
    fn reading_as_what_was_written_changes_nothing(
        case in case(),
        changes in vec(any::<(u8, u16, u8)>(), 0..3),
    ) {
        let body = changed(&written(&case), &changes);
        if matches!(case.schema.get(case.schema.root()).kind, Kind::Bytes) {
            // Raw at the root of a record of a registry, but not here.
            return Ok(());
        }
        let plain = AvroDecoder::new(&case.schema, &case.config, Some(1)).decode(&body.clone().into());
        let resolved = AvroDecoder::with_reader(&case.schema, &case.schema, &case.config, Some(1))
            .and_then(|mut decoder| decoder.decode(&body.into()));
        match (plain, resolved) {
            (Ok(plain), Ok(resolved)) => prop_assert_eq!(plain, resolved, "{}", case.text),
            (Err(_), Err(_)) => {}
            // A null needs no Connect schema, but a reader's schema must have one.
            (Ok(plain), Err(_)) if plain.is_null() => {}
            (plain, resolved) => prop_assert!(false, "{plain:?}, but {resolved:?}: {}", case.text),
        }
    }

    /// Reading with another schema is reading what the resolution makes of the value.
    #[test]
    fn another_schema_reads_what_the_resolution_makes_of_the_value(
        case in case(),
        changes in vec(any::<u8>(), 0..40),
    ) {
        let Some(reader) = evolved(&case, &changes) else { return Ok(()) };
        if [&case.schema, &reader].iter().any(|s| matches!(s.get(s.root()).kind, Kind::Bytes)) {
            return Ok(());
        }
        let expected = avro_resolved(&case, &reader).and_then(|body| {
            let mut decoder = AvroDecoder::new(&reader, &case.config, None);
            decoder.decode(&body.into()).map_err(|e| e.to_string())
        });
        let got = AvroDecoder::with_reader(&case.schema, &reader, &case.config, None)
            .and_then(|mut decoder| decoder.decode(&written(&case).into()));
        let wanted = reader.to_text();
        match (got, expected) {
            (Ok(got), Ok(expected)) => prop_assert_eq!(got, expected, "{} as {:?}", case.text, wanted),
            (Err(_), Err(_)) => {}
            // A null needs no Connect schema, but a reader's schema must have one.
            (Err(_), Ok(expected)) if expected.is_null() => {}
            // Entries of a map are not filled in.
            (Err(error), Ok(_)) if error.to_string().contains("Found record, expecting record") => {}
            (got, expected) => prop_assert!(false, "{got:?}, but {expected:?}: {} as {wanted:?}", case.text),
        }
    }

    /// What the reader does not want is passed over, whatever it is, and what it wants behind it is read.
    #[test]
    fn what_the_reader_does_not_want_is_passed_over(case in case(), last: i32) {
        let writer = format!(
            r#"{{"type":"record","name":"Outer","fields":[{{"name":"gone","type":{}}},{{"name":"last","type":"int"}}]}}"#,
            case.text
        );
        let reader = r#"{"type":"record","name":"Outer","fields":[{"name":"last","type":"long"}]}"#;
        let writer = AvroSchema::parse(&writer).expect("a record of a schema");
        let reader = AvroSchema::parse(reader).expect("a record");
        let mut body = written(&case);
        ferroconnect_converters::wire::write_i32(&mut body, last);
        let mut decoder = AvroDecoder::with_reader(&writer, &reader, &case.config, None)
            .expect("two records");
        let data = decoder.decode(&body.into()).expect("a value of the writer's");
        let field = data.field("last").expect("the field that is wanted");
        prop_assert_eq!(field.value(), Value::Int64(last.into()));
    }

    #[test]
    fn another_library_has_the_same_parsing_form_and_fingerprint(case in case()) {
        schema_parse(case.text.as_bytes());
        let form = case.schema.parsing_form().expect("it was parsed");
        // Of the text itself it keeps `{"type":"int"}` where there was a logical type.
        if let Ok(theirs) = apache_avro::Schema::parse_str(&form) {
            prop_assert_eq!(theirs.canonical_form(), form);
            let theirs = theirs.fingerprint::<apache_avro::rabin::Rabin>();
            let ours = case.schema.fingerprint().expect("it was parsed");
            prop_assert_eq!(theirs.bytes, ours.to_le_bytes());
        }
    }

    #[test]
    fn what_another_library_reads_with_another_schema_is_resolved(
        case in case(),
        changes in vec(prop_oneof![4 => 0..8u8, 1 => any::<u8>()], 0..60),
    ) {
        let Some(reader) = evolved(&case, &changes) else {
            return Ok(());
        };
        // The other library looks only at the last of equal keys, so it may read past what cannot be resolved.
        prop_assume!(!repeats_keys(&case.tree));
        // The other library takes the first branch of a union that a value fits, names or not, and all decimals for one type.
        if has_choice(&reader) || case.text.contains("\"fixed\"") && case.text.contains("\"decimal\"") {
            return Ok(());
        }
        let ours = avro_resolved(&case, &reader);
        let text = reader.to_text().expect("it was parsed");
        if let (Ok(from), Ok(to)) = (
            apache_avro::Schema::parse_str(&case.text),
            apache_avro::Schema::parse_str(&text),
        ) && let Ok(theirs) =
            apache_avro::from_avro_datum(&from, &mut &written(&case)[..], Some(&to))
        {
            let ours = ours.unwrap_or_else(|e| panic!("{e}: {} as {text}", case.text));
            let (ours, _) = oracle::read(&reader, &ours).expect("checked");
            let theirs = tree(&reader, reader.root(), theirs);
            prop_assert_eq!(
                format!("{:?}", canonical(ours)),
                format!("{:?}", canonical(theirs)),
                "{} as {}", case.text, text
            );
        }
    }

    #[test]
    fn another_library_reads_the_same(case in case()) {
        let body = written(&case);
        if let Ok(schema) = apache_avro::Schema::parse_str(&case.text)
            && let Ok(value) = apache_avro::from_avro_datum(&schema, &mut &body[..], None)
        {
            let theirs = tree(&case.schema, case.schema.root(), value);
            let ours = canonical(case.tree.clone());
            prop_assert_eq!(format!("{theirs:?}"), format!("{ours:?}"));
        }
    }
}

/// The other library's value as a tree.
fn tree(schema: &AvroSchema, id: TypeId, value: apache_avro::types::Value) -> Tree {
    use apache_avro::types::Value;
    match (value, &schema.get(id).kind) {
        (Value::Null, _) => Tree::Null,
        (Value::Boolean(v), _) => Tree::Boolean(v),
        (Value::Int(v) | Value::Date(v) | Value::TimeMillis(v), _) => Tree::Int(v),
        (
            Value::Long(v)
            | Value::TimeMicros(v)
            | Value::TimestampMillis(v)
            | Value::TimestampMicros(v)
            | Value::TimestampNanos(v)
            | Value::LocalTimestampMillis(v)
            | Value::LocalTimestampMicros(v)
            | Value::LocalTimestampNanos(v),
            _,
        ) => Tree::Long(v),
        (Value::Float(v), _) => Tree::Float(v),
        (Value::Double(v), _) => Tree::Double(v),
        (Value::Bytes(v), _) => Tree::Bytes(v),
        (Value::String(v), _) => Tree::String(v.into_bytes()),
        (Value::Fixed(_, v), _) => Tree::Fixed(v),
        (Value::Enum(n, _), _) => Tree::Enum(n as usize),
        (Value::Decimal(v), kind) => {
            let bytes = <Vec<u8>>::try_from(&v).expect("a decimal has bytes");
            match kind {
                Kind::Fixed(_) => Tree::Fixed(bytes),
                _ => Tree::Bytes(bytes),
            }
        }
        (Value::Uuid(v), _) => Tree::String(v.to_string().into_bytes()),
        (Value::Union(n, inner), Kind::Union(branches)) => {
            let n = n as usize;
            Tree::Union(n, Box::new(tree(schema, branches[n], *inner)))
        }
        (Value::Record(fields), Kind::Record(record)) => Tree::Record(
            (fields.into_iter().zip(&record.fields))
                .map(|((_, value), field)| tree(schema, field.schema, value))
                .collect(),
        ),
        (Value::Array(items), Kind::Array(item)) => {
            Tree::Array(items.into_iter().map(|v| tree(schema, *item, v)).collect())
        }
        (Value::Map(entries), Kind::Map(values)) => {
            let entries = entries
                .into_iter()
                .map(|(key, value)| (key.into_bytes(), tree(schema, *values, value)));
            canonical(Tree::Map(entries.collect(), 0))
        }
        (value, kind) => unreachable!("{value:?} for {kind:?}"),
    }
}

/// Maps as sets: in the order of their keys, the last of equal ones.
fn canonical(tree: Tree) -> Tree {
    match tree {
        Tree::Map(entries, _) => {
            let sorted: std::collections::BTreeMap<_, _> = entries.into_iter().collect();
            let entries = sorted.into_iter().map(|(k, v)| (k, canonical(v)));
            Tree::Map(entries.collect(), 0)
        }
        Tree::Record(fields) => Tree::Record(fields.into_iter().map(canonical).collect()),
        Tree::Array(items) => Tree::Array(items.into_iter().map(canonical).collect()),
        Tree::Union(n, inner) => Tree::Union(n, Box::new(canonical(*inner))),
        other => other,
    }
}

/// Whether a map somewhere holds a key twice.
fn repeats_keys(tree: &Tree) -> bool {
    match tree {
        Tree::Map(entries, _) => {
            let keys: std::collections::BTreeSet<_> = entries.iter().map(|(key, _)| key).collect();
            keys.len() < entries.len() || entries.iter().any(|(_, value)| repeats_keys(value))
        }
        Tree::Record(values) | Tree::Array(values) => values.iter().any(repeats_keys),
        Tree::Union(_, inner) => repeats_keys(inner),
        Tree::Null
        | Tree::Boolean(_)
        | Tree::Int(_)
        | Tree::Long(_)
        | Tree::Float(_)
        | Tree::Double(_)
        | Tree::Bytes(_)
        | Tree::String(_)
        | Tree::Enum(_)
        | Tree::Fixed(_) => false,
    }
}

/// Whether a union of a schema has more than one type besides null.
fn has_choice(schema: &AvroSchema) -> bool {
    let mut seen = vec![schema.root()];
    let mut at = 0;
    while let Some(id) = seen.get(at).copied() {
        at += 1;
        let kind = &schema.get(id).kind;
        if let Kind::Union(branches) = kind {
            let nulls = branches
                .iter()
                .filter(|b| matches!(schema.get(**b).kind, Kind::Null));
            if branches.len() - nulls.count() > 1 {
                return true;
            }
        }
        let new: Vec<TypeId> = kind.children().filter(|id| !seen.contains(id)).collect();
        seen.extend(new);
    }
    false
}
