use std::path::Path;

use super::*;

fn raw(pairs: &[(&str, &str)]) -> RawConfig {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn load(worker: &[(&str, &str)]) -> Result<Providers, String> {
    let environment = Environment::from([
        ("HOME".to_owned(), "/of/x".to_owned()),
        ("DB_PASSWORD".to_owned(), "hunter2".to_owned()),
    ]);
    Providers::load(&raw(worker), &Catalog::builtin(), &environment)
        .map_err(|problems| problems.to_string())
}

fn resolve(providers: &Providers, value: &str) -> Result<String, String> {
    providers
        .resolve(&raw(&[("k", value)]))
        .map(|resolved| resolved.config["k"].clone())
        .map_err(|problems| problems.to_string())
}

fn file_providers(allowed: Option<&Path>) -> Result<Providers, String> {
    let allowed = allowed.map(|path| path.display().to_string());
    let mut worker = vec![
        ("config.providers", "file,dir"),
        ("config.providers.file.class", FILE),
        ("config.providers.dir.class", DIRECTORY),
    ];
    if let Some(allowed) = &allowed {
        worker.push(("config.providers.file.param.allowed.paths", allowed));
        worker.push(("config.providers.dir.param.allowed.paths", allowed));
    }
    load(&worker)
}

#[test]
fn without_providers_nothing_is_touched() {
    let providers = load(&[]).unwrap();
    assert_eq!(resolve(&providers, "${env:HOME}").unwrap(), "${env:HOME}");
}

#[test]
fn variables_of_the_environment() {
    for class in [ENV_VAR, "EnvVarConfigProvider", "EnvVar", "env"] {
        let providers = load(&[
            ("config.providers", "e"),
            ("config.providers.e.class", class),
        ])
        .unwrap();
        assert_eq!(
            resolve(&providers, "a${e:HOME}b").unwrap(),
            "a/of/xb",
            "{class}"
        );
        assert_eq!(
            resolve(&providers, "${e:NO}").unwrap(),
            "${e:NO}",
            "a key that is not there"
        );
        assert_eq!(
            resolve(&providers, "${f:HOME}").unwrap(),
            "${f:HOME}",
            "another provider"
        );
    }
    let providers = load(&[
        ("config.providers", "e"),
        ("config.providers.e.class", "env"),
        ("config.providers.e.param.allowlist.pattern", "HO.E"),
    ])
    .unwrap();
    assert_eq!(resolve(&providers, "${e:HOME}").unwrap(), "/of/x");
    assert_eq!(
        resolve(&providers, "${e:DB_PASSWORD}").unwrap(),
        "${e:DB_PASSWORD}"
    );
    assert_eq!(
        resolve(&providers, "${e:x:HOME}").unwrap_err(),
        "Path is not supported for EnvVarConfigProvider, invalid value 'x'"
    );
}

#[test]
fn keys_of_properties_files_are_read_anew_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.properties");
    std::fs::write(&path, "user=ann\ndb.password = p\\u0061ss\\\n   word\n").unwrap();
    let providers = file_providers(None).unwrap();
    let text = format!(
        "${{file:{0}:user}}/${{file:{0}:db.password}}",
        path.display()
    );
    assert_eq!(resolve(&providers, &text).unwrap(), "ann/password");
    std::fs::write(&path, "user=bob\n").unwrap();
    let after = resolve(&providers, &text).unwrap();
    assert_eq!(
        after,
        format!("bob/${{file:{}:db.password}}", path.display())
    );
    let gone = resolve(&providers, "${file:/no/such/file:user}").unwrap_err();
    assert!(
        gone.starts_with("Could not read properties from file /no/such/file"),
        "{gone}"
    );
    assert_eq!(
        resolve(&providers, "${file:user}").unwrap(),
        "${file:user}",
        "no path, no values"
    );
}

#[test]
fn files_of_folders_are_taken_whole() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("password"), "p\n").unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let providers = file_providers(None).unwrap();
    let of = |key: &str| {
        resolve(
            &providers,
            &format!("${{dir:{}:{key}}}", folder.path().display()),
        )
        .unwrap()
    };
    assert_eq!(of("password"), "p\n", "with its last line end");
    for key in ["none", "sub", "../password", "."] {
        assert!(of(key).starts_with("${dir:"), "{key}");
    }
}

#[cfg(unix)]
#[test]
fn nothing_outside_of_the_allowed_paths_is_read() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
    for place in [&inside, &outside] {
        std::fs::create_dir(place).unwrap();
        std::fs::write(place.join("s.properties"), "k=secret").unwrap();
    }
    symlink(outside.join("s.properties"), inside.join("link.properties")).unwrap();
    symlink(inside.join("s.properties"), inside.join("near.properties")).unwrap();
    let providers = file_providers(Some(&inside)).unwrap();
    let of = |path: &str| resolve(&providers, &format!("${{file:{path}:k}}")).unwrap();
    let text = |path: &Path| path.display().to_string();
    assert_eq!(of(&text(&inside.join("s.properties"))), "secret");
    assert_eq!(of(&text(&inside.join("near.properties"))), "secret");
    for path in [
        text(&outside.join("s.properties")),
        text(&inside.join("../out/s.properties")),
        text(&inside.join("link.properties")),
    ] {
        assert!(of(&path).starts_with("${file:"), "{path}");
    }
    let dir =
        |key: &str| resolve(&providers, &format!("${{dir:{}:{key}}}", inside.display())).unwrap();
    assert_eq!(dir("s.properties"), "k=secret");
    assert!(dir("link.properties").starts_with("${dir:"));
    assert!(
        resolve(
            &providers,
            &format!("${{dir:{}:s.properties}}", outside.display())
        )
        .unwrap()
        .starts_with("${dir:")
    );
}

#[test]
fn every_wrong_provider_is_reported() {
    let said = load(&[
        ("config.providers", "a, b,c,d"),
        ("config.providers.b.class", "no.Such"),
        ("config.providers.c.class", FILE),
        (
            "config.providers.c.param.allowed.paths",
            "relative,/no/such/folder",
        ),
        ("config.providers.d.class", ENV_VAR),
        ("config.providers.d.param.ttl.ms", "0"),
    ])
    .unwrap_err();
    for part in [
        "\"config.providers.a.class\"",
        "ConfigProvider and which name matches no.Such",
        "Path relative is not absolute",
        "Path /no/such/folder does not exist",
        "Invalid value 0 for configuration config.providers.d.param.ttl.ms: Value must be at least 1",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}

#[test]
fn values_hold_for_a_time_when_asked_for() {
    let providers = load(&[
        ("config.providers", "e,f"),
        ("config.providers.e.class", ENV_VAR),
        ("config.providers.e.param.ttl.ms", "1500"),
        ("config.providers.f.class", ENV_VAR),
    ])
    .unwrap();
    let resolved = providers
        .resolve(&raw(&[("a", "${e:HOME}"), ("b", "${f:HOME}")]))
        .unwrap();
    assert_eq!(
        resolved.ttls,
        BTreeMap::from([("e:".to_owned(), Span::millis(1500))])
    );
    assert!(
        providers
            .resolve(&raw(&[("b", "${f:HOME}")]))
            .unwrap()
            .ttls
            .is_empty()
    );
}

#[test]
fn what_comes_in_is_secret_and_what_stays_is_told() {
    let providers = load(&[
        ("config.providers", "e"),
        ("config.providers.e.class", "env"),
    ])
    .unwrap();
    let resolved = providers
        .resolve(&raw(&[
            ("p", "${e:DB_PASSWORD}"),
            ("q", "${e:NO} ${f:x}"),
            ("r", "plain"),
        ]))
        .unwrap();
    assert_eq!(resolved.config["p"], "hunter2");
    assert!(!format!("{resolved:?}").contains("hunter2"));
    assert!(resolved.secrets.has_key("p") && !resolved.secrets.has_key("r"));
    assert_eq!(resolved.left.len(), 2, "{:?}", resolved.left);
    let mut findings = Findings::default();
    resolved.note("c.properties", &mut findings);
    findings.problems(
        "c.properties",
        Problem::invalid("p", "hunter2", "not hunter2 please").into(),
    );
    findings.problem("c.properties", "x hunter2 x");
    let text = findings.to_string();
    assert!(!text.contains("hunter2"), "{text}");
    assert!(
        text.contains("Invalid value [hidden] for configuration p"),
        "{text}"
    );
}

#[test]
fn the_workers_own_properties_are_replaced_but_not_where_plugins_and_providers_are() {
    let worker = raw(&[
        ("config.providers", "e"),
        ("config.providers.e.class", "env"),
        ("config.providers.e.param.x", "${e:HOME}"),
        ("plugin.path", "${e:HOME}"),
        ("offset.storage.file.filename", "${e:HOME}/offsets"),
    ]);
    let environment = Environment::from([("HOME".to_owned(), "/h".to_owned())]);
    let providers = Providers::load(&worker, &Catalog::builtin(), &environment).unwrap();
    let resolved = providers.resolve_worker(&worker).unwrap().config;
    assert_eq!(resolved["offset.storage.file.filename"], "/h/offsets");
    assert_eq!(resolved["plugin.path"], "${e:HOME}");
    assert_eq!(resolved["config.providers.e.param.x"], "${e:HOME}");
}
