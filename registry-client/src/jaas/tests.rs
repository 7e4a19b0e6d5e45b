use super::*;

fn options(text: &str) -> Vec<(String, String)> {
    let entry = parse(&format!("M required {text};")).unwrap();
    let pairs = entry.options.iter();
    pairs
        .map(|(key, value)| (key.clone(), value.reveal().to_owned()))
        .collect()
}

fn one(text: &str) -> String {
    options(text).remove(0).1
}

#[test]
fn kafkas_own_example() {
    let entry = parse(
        "org.apache.kafka.common.security.plain.PlainLoginModule required \\\n username=\"alice\" \\\n password=\"alice-secret\";"
            .replace("\\\n", "\n")
            .as_str(),
    )
    .unwrap();
    assert_eq!(
        entry.module,
        "org.apache.kafka.common.security.plain.PlainLoginModule"
    );
    assert_eq!(entry.options["username"].reveal(), "alice");
    assert_eq!(entry.options["password"].reveal(), "alice-secret");
}

#[test]
fn quotes_and_escapes_are_javas() {
    for (text, expected) in [
        (r#"a="b""#, "b"),
        ("a='b'", "b"),
        (r#"a="it's""#, "it's"),
        (r#"a='say "it"'"#, r#"say "it""#),
        (r#"a="\"\\\q""#, r#""\q"#),
        (r#"a="\t\n\101\0""#, "\t\nA\0"),
        (r#"a="\400""#, " 0"),
        (r#"a="x;y=z // no comment""#, "x;y=z // no comment"),
        ("a=word-1.x_$", "word-1.x_$"),
        ("a=\"über\"", "über"),
        ("a = \"b\"", "b"),
        ("a/* in between */=\"b\"", "b"),
        ("a=\"b\" // to the end\n", "b"),
        ("a=\"first\" a=\"last\"", "last"),
        ("a=\"\"", ""),
    ] {
        assert_eq!(one(text), expected, "{text}");
    }
}

#[test]
fn any_control_flag_in_any_case() {
    for flag in ["required", "REQUISITE", "Sufficient", "optional"] {
        assert!(parse(&format!("M {flag};")).is_ok(), "{flag}");
    }
    assert_eq!(parse("M never;"), Err(JaasError::WrongControlFlag));
    assert_eq!(parse("M 1;"), Err(JaasError::WrongControlFlag));
}

#[test]
fn what_java_refuses_is_refused() {
    for (text, expected) in [
        ("", JaasError::NoModule),
        (" // nothing", JaasError::NoModule),
        ("= required;", JaasError::NoModule),
        ("foo", JaasError::NoControlFlag),
        ("M required", JaasError::NotTerminated),
        ("M required a=\"b\"", JaasError::NotTerminated),
        ("M required password;", JaasError::NoValue(Some("password"))),
        (
            "M required password=;",
            JaasError::NoValue(Some("password")),
        ),
        // A number is no text for Java.
        (
            "M required password=123;",
            JaasError::NoValue(Some("password")),
        ),
        ("M required other=@;", JaasError::NoValue(None)),
        ("M required =\"x\";", JaasError::NoKey),
        ("M required; M required;", JaasError::Several(2)),
    ] {
        assert_eq!(parse(text), Err(expected), "{text}");
    }
    let long = format!("M required a=\"{}\";", "x".repeat(JAAS_CHARS_MAX));
    assert_eq!(parse(&long), Err(JaasError::TooLong));
}

#[test]
fn errors_and_debug_show_no_secret() {
    let secret = "hunter2";
    for text in [
        format!("M required username=\"a\" password=\"{secret}\"; M required x;"),
        format!("M required username=\"a\" \"{secret}\";"),
        format!("M required password=\"x{secret}"),
        secret.to_owned(),
        format!("M {secret};"),
        format!("M required {secret} {secret};"),
    ] {
        let error = parse(&text).unwrap_err();
        assert!(!format!("{error} {error:?}").contains(secret), "{error}");
    }
    let entry = parse(&format!("M required password=\"{secret}\";")).unwrap();
    assert!(!format!("{entry:?}").contains(secret));
}
