use std::collections::hash_map::DefaultHasher;

use super::*;
use crate::data::{SchemaBuilder, Struct, StructBuilder, Value};

fn list() -> Schema {
    let mut knot = Knot::new();
    let id = knot.reserve();
    let rest = knot.reference(id, true);
    let list = knot.define(id, node(rest));
    knot.tie(list).unwrap()
}

fn node(next: Schema) -> Schema {
    SchemaBuilder::structure()
        .name("List")
        .field("v", Schema::int32())
        .field("next", next)
        .build()
        .unwrap()
}

/// A tree whose children are arrays of it.
fn tree(name: &str) -> Schema {
    let mut knot = Knot::new();
    let id = knot.reserve();
    let kids = SchemaBuilder::array(knot.reference(id, false))
        .build()
        .unwrap();
    let tree = SchemaBuilder::structure()
        .name(name)
        .field("kids", kids)
        .build()
        .unwrap();
    let tree = knot.define(id, tree);
    knot.tie(tree).unwrap()
}

fn next(schema: &Schema) -> &Schema {
    schema.field("next").unwrap().schema()
}

fn hash(schema: &Schema) -> u64 {
    let mut hasher = DefaultHasher::new();
    schema.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn a_schema_contains_itself_as_deep_as_anybody_looks() {
    let list = list();
    let mut at = list.clone();
    for _ in 0..10_000 {
        assert_eq!(at.name(), Some("List"));
        assert_eq!(at.recursion(), list.recursion());
        at = next(&at).clone();
    }
}

#[test]
fn one_unfolding_more_or_less_is_no_difference() {
    let list = list();
    let unrolled = node(next(&list).clone());
    assert_eq!(list, unrolled);
    assert_eq!(hash(&list), hash(&unrolled));
    assert_eq!(unrolled, node(next(&unrolled).clone()));
    assert_eq!(next(&list), next(next(&list)));
    assert_ne!(&list, next(&list), "one is optional");
}

#[test]
fn knots_tied_twice_are_equal_and_others_are_not() {
    assert_eq!(list(), list());
    assert_eq!(tree("T"), tree("T"));
    assert_ne!(tree("T"), tree("U"));
    assert_ne!(list(), tree("List"));
    assert_ne!(list(), node(Schema::optional_int32()));
    assert_ne!(
        list().recursion(),
        list().recursion(),
        "but different definitions"
    );
}

#[test]
fn schemas_may_contain_each_other() {
    let tied = || {
        let mut knot = Knot::new();
        let (a, b) = (knot.reserve(), knot.reserve());
        let inner = SchemaBuilder::structure()
            .name("B")
            .field("a", knot.reference(a, true))
            .field("b", knot.reference(b, true))
            .build()
            .unwrap();
        let inner = knot.define(b, inner);
        let outer = SchemaBuilder::structure()
            .name("A")
            .field("b", inner)
            .build()
            .unwrap();
        let outer = knot.define(a, outer);
        knot.tie(outer).unwrap()
    };
    let a = tied();
    let b = a.fields()[0].schema();
    assert_eq!((b.name(), b.is_optional()), (Some("B"), false));
    let again = b.field("a").unwrap().schema();
    assert_eq!(again.recursion(), a.recursion());
    assert_ne!(b.recursion(), a.recursion());
    assert_eq!(a, tied());
}

#[test]
fn occurrences_at_one_depth_share_what_is_unfolded() {
    let mut knot = Knot::new();
    let id = knot.reserve();
    let pair = SchemaBuilder::structure()
        .field("left", knot.reference(id, true))
        .field("right", knot.reference(id, true))
        .build()
        .unwrap();
    let pair = knot.define(id, pair);
    let pair = knot.tie(pair).unwrap();
    let [left, right] = [0, 1].map(|side| pair.fields()[side].schema());
    assert!(left.same(right));
    assert!(left.fields()[0].schema().same(right.fields()[1].schema()));
}

#[test]
fn what_refers_to_nothing_is_an_ordinary_schema() {
    let mut knot = Knot::new();
    let id = knot.reserve();
    let plain = node(Schema::optional_int32());
    let defined = knot.define(id, plain.clone());
    assert!(knot.tie(defined).unwrap().same(&plain));
    assert_eq!(plain.recursion(), None);
    assert!(!plain.is_recursive());
}

#[test]
fn a_reference_without_definition_is_refused() {
    let mut knot = Knot::new();
    let id = knot.reserve();
    let open = node(knot.reference(id, true));
    assert!(knot.tie(open).is_err());

    let mut knot = Knot::new();
    let id = knot.reserve();
    let itself = knot.reference(id, false);
    let nothing = knot.define(id, itself);
    assert!(knot.tie(nothing).is_err());
}

#[test]
fn values_of_a_recursive_schema_are_built_checked_and_read() {
    let list = list();
    let inner = StructBuilder::new(next(&list)).unwrap();
    let inner = inner.set("v", 2).unwrap().finish().unwrap();
    let outer = StructBuilder::new(&list).unwrap().set("v", 1).unwrap();
    let outer = outer
        .set_with("next", |builder| {
            builder.copy(inner.value());
        })
        .unwrap()
        .finish()
        .unwrap();
    let numbers = |of: Struct<'_>| of.get("v").and_then(Value::as_i64);
    let root = outer.value().as_struct().unwrap();
    let second = root.get("next").unwrap().as_struct().unwrap();
    assert_eq!((numbers(root), numbers(second)), (Some(1), Some(2)));
    assert_eq!(second.get("next"), Some(Value::Null));
}

#[test]
fn printing_and_freeing_come_to_an_end() {
    let list = list();
    assert!(format!("{list:?}").contains("recursive Schema{List:STRUCT}"));
    let mut at = list.clone();
    for _ in 0..200_000 {
        at = next(&at).clone();
    }
    drop((list, at));
}
