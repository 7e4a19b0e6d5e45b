use super::*;

fn parsed(keys: &[(&str, &str)]) -> ClientConfig {
    let url = [("schema.registry.url", "http://localhost:8081")];
    ClientConfig::parse(url.into_iter().chain(keys.iter().copied())).unwrap()
}

/// The problems of a configuration that has a URL.
fn problems(keys: &[(&str, &str)]) -> Vec<String> {
    let url = [("schema.registry.url", "http://localhost:8081")];
    let refused = ClientConfig::parse(url.into_iter().chain(keys.iter().copied())).unwrap_err();
    refused
        .iter()
        .map(|(key, why)| format!("{key}: {why}"))
        .collect()
}

fn address(url: &str) -> Result<Address, String> {
    ClientConfig::parse([("schema.registry.url", url)])
        .map(|config| config.address)
        .map_err(|problems| problems.to_string())
}

#[test]
fn the_defaults_are_those_of_the_java_client() {
    let config = parsed(&[]);
    assert_eq!(config.retries.retries, 3);
    assert_eq!(config.retries.first_wait, Duration::from_secs(1));
    assert_eq!(config.retries.longest_wait, Duration::from_secs(20));
    assert_eq!(config.timeouts.connect, Duration::from_secs(60));
    assert_eq!(config.timeouts.read, Duration::from_secs(60));
    assert_eq!(config.cache, CacheConfig::default());
    assert_eq!(config.auth, Auth::None);
    assert!(!config.randomize);
}

#[test]
fn addresses_lose_their_last_slash_and_their_user() {
    let Ok(Address::Http(nodes)) = address("http://one:8081/, HTTPS://a%40b:p%3Aw@two/reg/") else {
        panic!("two nodes");
    };
    assert_eq!(nodes[0].url, "http://one:8081");
    assert_eq!(nodes[0].user, None);
    assert_eq!(nodes[1].url, "https://two/reg");
    let user = nodes[1].user.clone().unwrap();
    assert_eq!((user.user.as_str(), user.password.reveal()), ("a@b", "p:w"));
}

#[test]
fn registries_within_the_process_are_addresses_too() {
    assert_eq!(address("embedded:"), Ok(Address::Embedded(String::new())));
    assert_eq!(address("mock://tests"), Ok(Address::Mock("tests".into())));
    for mixed in ["mock://a,http://b:1", "http://b:1,embedded:"] {
        assert!(address(mixed).unwrap_err().contains("cannot be mixed"));
    }
}

#[test]
fn an_address_that_is_none_is_refused_without_being_shown() {
    for url in [
        "",
        " , ",
        "localhost:8081",
        "ftp://u:hunter2@h",
        "http://",
        "http://u:hunter2@:80",
        "http://u:hunter2@h?x",
        "http://%ff:hunter2@h",
    ] {
        let why = address(url).unwrap_err();
        assert!(!why.contains("hunter2"), "{why}");
    }
}

#[test]
fn the_prefixed_key_wins() {
    let config = parsed(&[
        ("max.retries", "7"),
        ("schema.registry.max.retries", "9"),
        ("retries.wait.ms", "5"),
        ("schema.registry.basic.auth.credentials.source", "user_info"),
        ("schema.registry.basic.auth.user.info", "ann:s:cret"),
    ]);
    assert_eq!(config.retries.retries, 9);
    assert_eq!(config.retries.first_wait, Duration::from_millis(5));
    let Auth::Basic(basic) = config.auth else {
        panic!("basic");
    };
    assert_eq!(
        (basic.user.as_str(), basic.password.reveal()),
        ("ann", "s:cret")
    );
}

#[test]
fn every_problem_is_told_at_once_under_the_name_it_was_given_with() {
    let told = problems(&[
        ("max.retries", "-1"),
        ("schema.registry.retries.wait.ms", "soon"),
        ("proxy.host", "p"),
        ("request.header.a b", "x"),
        ("request.header.ok", "line\nbreak"),
        ("schema.registry.url.randomize", "perhaps"),
        ("missing.cache.size", "0"),
        ("ssl.endpoint.identification.algorithm", ""),
        ("schema.registry.ssl.cipher.suites", "X"),
    ]);
    assert_eq!(told.len(), 9, "{told:#?}");
    assert!(
        told.iter()
            .any(|line| line.starts_with("schema.registry.retries.wait.ms: "))
    );
    assert!(
        told.iter()
            .any(|line| line.contains("the host name is always checked"))
    );
}

#[test]
fn basic_and_bearer_exclude_each_other() {
    let told = problems(&[
        ("basic.auth.credentials.source", "URL"),
        ("bearer.auth.credentials.source", "STATIC_TOKEN"),
    ]);
    assert!(told[0].contains(
        "Only one of 'basic.auth.credentials.source' and 'bearer.auth.credentials.source' may be specified"
    ));
}

#[test]
fn user_and_password_come_from_the_kafka_clients_login() {
    let login = |module: &str| format!("{module} required username=\"u\" password=\"p\";");
    let inherit = ("basic.auth.credentials.source", "SASL_INHERIT");
    let plain = login("org.apache.kafka.common.security.plain.PlainLoginModule");
    let config = parsed(&[inherit, ("sasl.jaas.config", &plain)]);
    let expected = Basic {
        user: "u".into(),
        password: Secret::new("p"),
    };
    assert_eq!(config.auth, Auth::Basic(expected));

    let kerberos = login("com.sun.security.auth.module.Krb5LoginModule");
    assert!(problems(&[inherit, ("sasl.jaas.config", &kerberos)])[0].contains("Kerberos"));
    assert!(problems(&[inherit])[0].contains("is required"));
    let nameless = "M required password=\"hunter2\";";
    let told = problems(&[inherit, ("sasl.jaas.config", nameless)]);
    assert!(told[0].contains("username") && !told[0].contains("hunter2"));
}

fn credentials(config: ClientConfig) -> (ClientCredentials, Option<String>, Option<String>) {
    let Auth::Bearer(bearer) = config.auth else {
        panic!("a token");
    };
    let TokenSource::ClientCredentials(credentials) = bearer.token else {
        panic!("by client credentials");
    };
    (*credentials, bearer.cluster, bearer.identity_pool)
}

#[test]
fn tokens_of_an_identity_provider() {
    let (asked, cluster, pool) = credentials(parsed(&[
        ("bearer.auth.credentials.source", "OAUTHBEARER"),
        ("bearer.auth.issuer.endpoint.url", "https://idp/token"),
        ("bearer.auth.client.id", "me"),
        ("bearer.auth.client.secret", "s3cret"),
        ("bearer.auth.scope", "all of it"),
        ("bearer.auth.logical.cluster", "lsrc-1"),
        ("bearer.auth.identity.pool.id", "pool-1"),
    ]));
    assert_eq!(asked.endpoint, "https://idp/token");
    assert_eq!(asked.scope.as_deref(), Some("all of it"));
    assert_eq!(asked.renew_before, Duration::from_secs(300));
    assert_eq!(cluster.as_deref(), Some("lsrc-1"));
    assert_eq!(pool.as_deref(), Some("pool-1"));
}

#[test]
fn inherited_tokens_give_way_to_what_is_said_here() {
    let jaas = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required \
                clientId=\"kafka\" clientSecret=\"k\" scope=\"kafka\" extension_logicalCluster=\"lkc\" extension_identityPoolId=\"p\";";
    let (asked, cluster, pool) = credentials(parsed(&[
        ("bearer.auth.credentials.source", "SASL_OAUTHBEARER_INHERIT"),
        ("sasl.jaas.config", jaas),
        ("sasl.oauthbearer.token.endpoint.url", "https://kafka/token"),
        ("bearer.auth.client.id", "mine"),
        ("bearer.auth.logical.cluster", "lsrc"),
    ]));
    assert_eq!(asked.endpoint, "https://kafka/token");
    assert_eq!(asked.client_id, "mine");
    assert_eq!(asked.client_secret.reveal(), "k");
    assert_eq!(asked.scope.as_deref(), Some("kafka"));
    assert_eq!(
        (cluster.as_deref(), pool.as_deref()),
        (Some("lsrc"), Some("p"))
    );
}

#[test]
fn what_only_java_has_is_refused_with_a_way_out() {
    for source in ["CUSTOM", "UAMI", "nonsense"] {
        let told = problems(&[("bearer.auth.credentials.source", source)]);
        assert!(told[0].contains("OAUTHBEARER"), "{told:?}");
    }
    let told = problems(&[
        ("bearer.auth.credentials.source", "OAUTHBEARER"),
        ("bearer.auth.issuer.endpoint.url", "http://idp/token"),
        ("bearer.auth.cache.expiry.buffer.seconds", "3601"),
    ]);
    assert_eq!(told.len(), 4, "secret, id, clear text, buffer: {told:#?}");
}

#[test]
fn stores_are_named_as_kafkas_clients_do() {
    let config = parsed(&[
        ("schema.registry.ssl.truststore.location", "/t.p12"),
        ("schema.registry.ssl.truststore.type", "PKCS12"),
        ("schema.registry.ssl.truststore.password", "t"),
        ("schema.registry.ssl.keystore.type", "PEM"),
        ("schema.registry.ssl.keystore.key", "K"),
        ("schema.registry.ssl.keystore.certificate.chain", "C"),
        (
            "schema.registry.ssl.endpoint.identification.algorithm",
            "https",
        ),
        ("schema.registry.ssl.enabled.protocols", "TLSv1.2,TLSv1.3"),
    ]);
    assert!(matches!(config.tls.key, Some(KeyMaterial::Pem { .. })));
    assert!(matches!(config.tls.trust, Some(TrustMaterial::File(_))));
    let told = problems(&[("schema.registry.ssl.keystore.key", "K")]);
    assert!(told[0].starts_with(
        "schema.registry.ssl.keystore.key: SSL private key can be specified only for PEM"
    ));
}

#[test]
fn no_secret_shows() {
    let config = ClientConfig::parse([
        ("schema.registry.url", "http://u:hunter2@h"),
        ("bearer.auth.credentials.source", "STATIC_TOKEN"),
        ("bearer.auth.token", "hunter2"),
        ("request.header.X-Key", "hunter2"),
        ("schema.registry.ssl.truststore.location", "/t"),
        ("schema.registry.ssl.truststore.password", "hunter2"),
    ])
    .unwrap();
    assert!(!format!("{config:?}").contains("hunter2"));
    assert_eq!(config.headers[0].1.reveal(), "hunter2");
}

#[test]
fn times_may_be_for_ever() {
    let config = parsed(&[
        ("latest.cache.ttl.sec", "-1"),
        ("subject.name.strategy.cache.expiry.secs", "30"),
        ("cache.dir", "/var/cache/schemas"),
    ]);
    assert_eq!(config.cache.latest_ttl, None);
    assert_eq!(config.cache.associations_ttl, Some(Duration::from_secs(30)));
    assert_eq!(
        config.cache.folder.as_deref(),
        Some(std::path::Path::new("/var/cache/schemas"))
    );
}

proptest::proptest! {
    #[test]
    fn any_text_has_an_answer_that_shows_no_password(text in "[^,@:/?# ]{0,12}", rest in "\\PC{0,20}", password in "pw[a-z]{12}") {
        let url = format!("http://{text}:{password}@{rest}");
        match address(&url) {
            Ok(parsed) => assert!(!format!("{parsed:?}").contains(&password)),
            Err(why) => assert!(!why.contains(&password)),
        }
    }

    #[test]
    fn any_values_have_an_answer(values in proptest::collection::vec("\\PC{0,8}|-?[0-9]{0,20}", KEYS.len())) {
        let pairs = KEYS.iter().copied().zip(values.iter().map(String::as_str));
        let _answer = ClientConfig::parse(pairs);
    }
}

const KEYS: [&str; 14] = [
    "schema.registry.url",
    "max.retries",
    "retries.wait.ms",
    "schema.registry.retries.max.wait.ms",
    "http.read.timeout.ms",
    "proxy.host",
    "proxy.port",
    "basic.auth.credentials.source",
    "bearer.auth.credentials.source",
    "sasl.jaas.config",
    "bearer.auth.cache.expiry.buffer.seconds",
    "latest.cache.ttl.sec",
    "request.header.x",
    "schema.registry.ssl.keystore.type",
];
