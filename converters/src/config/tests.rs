use super::*;

fn raw(pairs: &[(&str, &str)]) -> RawConfig {
    pairs
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
        .collect()
}

fn one(key: Key, value: &str) -> Result<Setting, String> {
    let name = key.name().to_owned();
    let def = ConfigDef::new().define(key);
    let mut checked = def.check(&raw(&[(&name, value)]));
    checked
        .remove(0)
        .value
        .map_err(|problem| problem.to_string())
}

fn key(kind: Kind) -> Key {
    Key::new("k", kind, Importance::Low, "")
}

#[test]
fn every_kind_is_read_with_javas_trimming() {
    assert_eq!(
        one(key(Kind::Boolean), " TRUE ").unwrap(),
        Setting::Boolean(true)
    );
    assert_eq!(
        one(key(Kind::String), "\t a b \n").unwrap(),
        Setting::Text("a b".into())
    );
    assert_eq!(one(key(Kind::Short), "-7").unwrap(), Setting::Short(-7));
    assert_eq!(one(key(Kind::Int), "+7").unwrap(), Setting::Int(7));
    assert_eq!(
        one(key(Kind::Long), "9223372036854775807").unwrap(),
        Setting::Long(i64::MAX)
    );
    assert_eq!(one(key(Kind::Double), "0.5").unwrap(), Setting::Double(0.5));
    assert_eq!(
        one(key(Kind::List), " a , b,,c ").unwrap(),
        Setting::List(vec!["a".into(), "b".into(), String::new(), "c".into()])
    );
    assert_eq!(one(key(Kind::List), "  ").unwrap(), Setting::List(vec![]));
    assert_eq!(
        one(key(Kind::Class), " a.B ").unwrap(),
        Setting::Text("a.B".into())
    );
}

#[test]
fn what_does_not_fit_is_refused_in_kafkas_words() {
    let cases = [
        (
            key(Kind::Int),
            "1.5",
            "Invalid value 1.5 for configuration k: Not a number of type INT",
        ),
        (
            key(Kind::Short),
            "70000",
            "Invalid value 70000 for configuration k: Not a number of type SHORT",
        ),
        (
            key(Kind::Boolean),
            "yes",
            "Invalid value yes for configuration k: Expected value to be either true or false",
        ),
        (
            key(Kind::Int).check(Validator::AtLeast(1)),
            "0",
            "Invalid value 0 for configuration k: Value must be at least 1",
        ),
        (
            key(Kind::Int).check(Validator::Between(0, 5)),
            "6",
            "Invalid value 6 for configuration k: Value must be no more than 5",
        ),
        (
            key(Kind::String).check(Validator::OneOf(&["none", "all"])),
            "some",
            "Invalid value some for configuration k: String must be one of: none, all",
        ),
        (
            key(Kind::String).check(Validator::OneOfIgnoreCase(&["POLL", "INTERVAL"])),
            "x",
            "Invalid value x for configuration k: String must be one of (case insensitive): POLL, INTERVAL",
        ),
        (
            key(Kind::String).check(Validator::NonEmpty),
            " ",
            "Invalid value   for configuration k: String must be non-empty",
        ),
    ];
    for (key, value, message) in cases {
        assert_eq!(one(key, value).unwrap_err(), message);
    }
}

#[test]
fn case_is_ignored_only_where_it_says_so() {
    assert!(
        one(
            key(Kind::String).check(Validator::OneOfIgnoreCase(&["POLL"])),
            "Poll"
        )
        .is_ok()
    );
    assert!(one(key(Kind::String).check(Validator::OneOf(&["poll"])), "Poll").is_err());
}

#[test]
fn every_problem_is_reported_at_once_and_in_order() {
    let def = ConfigDef::new()
        .define(Key::new("a", Kind::Int, Importance::High, ""))
        .define(Key::new("b", Kind::Int, Importance::High, "").default("1"))
        .define(Key::new("c", Kind::Boolean, Importance::High, ""));
    let problems = def.parse(&raw(&[("b", "x"), ("c", "maybe")])).unwrap_err();
    let keys: Vec<&str> = problems.iter().map(Problem::key).collect();
    assert_eq!(keys, ["a", "b", "c"]);
}

#[test]
fn secrets_never_show() {
    let def = ConfigDef::new().define(
        Key::new("ssl.key", Kind::Password, Importance::High, "").check(Validator::Custom {
            text: "",
            check: |_| Err("no".to_owned()),
        }),
    );
    let problems = def.parse(&raw(&[("ssl.key", "hunter2")])).unwrap_err();
    assert_eq!(
        problems.to_string(),
        "Invalid value [hidden] for configuration ssl.key: no"
    );
    let by_name = Problem::invalid("connection.password", "hunter2", "no");
    assert!(!format!("{by_name} {by_name:?}").contains("hunter2"));
    assert!(!format!("{:?}", Secret::new("hunter2")).contains("hunter2"));
}

#[test]
fn null_and_default_are_told_apart() {
    let def = ConfigDef::new()
        .define(Key::new("n", Kind::Long, Importance::Low, "").optional())
        .define(Key::new("d", Kind::Long, Importance::Low, "").default("5"));
    let settings = def.parse(&RawConfig::new()).unwrap();
    assert_eq!(settings.get::<Option<i64>>("n").unwrap(), None);
    assert_eq!(settings.get::<Option<i64>>("d").unwrap(), Some(5));
    assert!(settings.get::<i64>("n").is_err(), "a null is not a number");
    assert!(settings.get::<String>("d").is_err(), "a number is not text");
    assert!(settings.get::<i64>("missing").is_err());
}

#[test]
fn unknown_keys_are_named_and_allowed() {
    let def = ConfigDef::new().define(Key::new("a", Kind::Int, Importance::Low, "").default("1"));
    let settings = def
        .parse(&raw(&[("aa", "1"), ("producer.x", "1")]))
        .unwrap();
    let unknown: Vec<&str> = settings
        .unknown(|key| key.starts_with("producer."))
        .collect();
    assert_eq!(unknown, ["aa"]);
}

#[test]
fn a_prefix_is_cut_off() {
    let all = raw(&[
        ("key.converter", "x"),
        ("key.converter.schemas.enable", "false"),
        ("value.converter.a", "b"),
    ]);
    assert_eq!(
        prefixed(&all, "key.converter."),
        raw(&[("schemas.enable", "false")])
    );
}

#[test]
fn the_table_documents_every_key() {
    let def = ConfigDef::new().define(
        Key::new("a", Kind::Int, Importance::Low, "One | two.")
            .default("1")
            .check(Validator::AtLeast(0)),
    );
    assert!(
        def.table()
            .contains("| `a` | INT [0,...] | 1 | LOW | One \\| two. |")
    );
}
