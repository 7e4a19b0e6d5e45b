//! With TLS.

use std::path::Path;

use ferroconnect_registry_client::client::{ClientConfig, Deleted, Page, RegistryClient};
use ferroconnect_registry_client::keystore::{self, KeyMaterial, StoreFile, StoreKind};
use ferroconnect_registry_client::{Error, Fault, Secret};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};

use super::server::{Server, client, identity, json};

struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        let issuer = Issuer::new(params, key);
        Self { pem, issuer }
    }

    /// Key and certificate for a name.
    fn issue(&self, name: &str, is_expired: bool) -> (String, String) {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        if is_expired {
            params.not_before = date_time_ymd(2001, 1, 1);
            params.not_after = date_time_ymd(2002, 1, 1);
        }
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        (key.serialize_pem(), certificate.pem())
    }

    fn server(&self, name: &str, is_expired: bool, clients: Option<&str>) -> Server {
        let (key, certificate) = self.issue(name, is_expired);
        let identity = identity(&format!("{key}{certificate}"), clients);
        Server::tls(json(200, r#"["a"]"#), identity)
    }
}

async fn subjects(client: &RegistryClient) -> Result<Vec<String>, Error> {
    client
        .subjects(None, Deleted::Without, Page::default())
        .await
}

fn url(server: &Server) -> String {
    format!("https://localhost:{}", server.address.port())
}

const PEM_TRUST: (&str, &str) = ("schema.registry.ssl.truststore.type", "PEM");
const INLINE: &str = "schema.registry.ssl.truststore.certificates";

#[tokio::test]
async fn an_authority_of_ones_own_from_a_file_or_inline() {
    let ours = Authority::new("ours");
    let server = ours.server("localhost", false, None);
    let inline = client(&url(&server), &[PEM_TRUST, (INLINE, &ours.pem)]);
    assert_eq!(subjects(&inline).await.unwrap(), ["a"]);

    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &ours.pem).unwrap();
    let path = file.path().to_str().unwrap();
    let keys = [PEM_TRUST, ("schema.registry.ssl.truststore.location", path)];
    assert_eq!(
        subjects(&client(&url(&server), &keys)).await.unwrap(),
        ["a"]
    );
}

#[tokio::test]
async fn whom_the_client_does_not_trust_it_does_not_ask() {
    let (ours, strangers) = (Authority::new("ours"), Authority::new("strangers"));
    for (server, expected) in [
        (
            strangers.server("localhost", false, None),
            "truststore.location",
        ),
        (
            ours.server("elsewhere.example", false, None),
            "another host name",
        ),
        (ours.server("localhost", true, None), "expired"),
    ] {
        let error = subjects(&client(&url(&server), &[PEM_TRUST, (INLINE, &ours.pem)]))
            .await
            .unwrap_err();
        assert_eq!(error.fault(), Fault::Config, "{error}");
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert!(server.requests().is_empty());
    }
}

#[tokio::test]
async fn tls_and_no_tls_do_not_meet() {
    let ours = Authority::new("ours");
    let plain = Server::plain(json(200, "[]"));
    let keys = [PEM_TRUST, (INLINE, ours.pem.as_str())];
    let error = subjects(&client(&url(&plain), &keys)).await.unwrap_err();
    assert!(error.to_string().contains("speaks no TLS"), "{error}");
    assert_eq!(error.fault(), Fault::Config);
}

fn stores() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/stores")
}

#[tokio::test]
async fn mutual_tls_with_stores_of_every_kind() {
    let ours = Authority::new("ours");
    let client_certificate = std::fs::read_to_string(stores().join("trusted.pem")).unwrap();
    let clients = format!("{}{client_certificate}", ours.pem);
    let server = ours.server("localhost", false, Some(&clients));
    let (key, certificate) = ours.issue("client", false);
    let trust = [PEM_TRUST, (INLINE, ours.pem.as_str())];
    let location = |name: &str| stores().join(name).to_str().unwrap().to_owned();
    let (jks, p12, pem) = (
        location("client.jks"),
        location("client.p12"),
        location("client.pem"),
    );
    let store_password = ("schema.registry.ssl.keystore.password", "store-secret");
    let key_password = ("schema.registry.ssl.key.password", "key-secret");
    let kind = |kind| ("schema.registry.ssl.keystore.type", kind);
    let at = "schema.registry.ssl.keystore.location";
    let ways: [Vec<(&str, &str)>; 4] = [
        vec![kind("JKS"), (at, &jks), store_password, key_password],
        vec![kind("PKCS12"), (at, &p12), store_password],
        vec![kind("PEM"), (at, &pem), key_password],
        vec![
            kind("PEM"),
            ("schema.registry.ssl.keystore.key", &key),
            (
                "schema.registry.ssl.keystore.certificate.chain",
                &certificate,
            ),
        ],
    ];
    for way in ways {
        let keys: Vec<_> = trust.iter().chain(&way).copied().collect();
        let found = subjects(&client(&url(&server), &keys)).await;
        assert_eq!(found.unwrap(), ["a"], "{}", way[0].1);
    }

    let without = subjects(&client(&url(&server), &trust)).await.unwrap_err();
    assert_eq!(without.fault(), Fault::Config, "{without}");
    assert!(without.to_string().contains("keystore"), "{without}");
}

#[tokio::test]
async fn trust_stores_of_java() {
    // The server shows the certificate that the stores trust, which is for no host name: that is all that is wrong with it.
    let material = KeyMaterial::File {
        store: StoreFile {
            path: stores().join("client.p12").to_str().unwrap().to_owned(),
            kind: StoreKind::Pkcs12,
            password: Some(Secret::new("store-secret")),
        },
        key_password: None,
    };
    let shown = keystore::identity(&material, &|path, _max| std::fs::read(path)).unwrap();
    let pem = format!("{}{}", shown.key_pem.reveal(), shown.chain_pem());
    let server = Server::tls(json(200, "[]"), identity(&pem, None));
    for (name, kind) in [
        ("trusted.jks", "JKS"),
        ("trusted.p12", "PKCS12"),
        ("trusted.p12", "JKS"),
    ] {
        let path = stores().join(name);
        let keys = [
            (
                "schema.registry.ssl.truststore.location",
                path.to_str().unwrap(),
            ),
            ("schema.registry.ssl.truststore.type", kind),
            ("schema.registry.ssl.truststore.password", "store-secret"),
        ];
        let error = subjects(&client(&url(&server), &keys)).await.unwrap_err();
        assert!(
            error.to_string().contains("another host name"),
            "{name}: {error}"
        );
    }
}

#[test]
fn a_store_that_cannot_be_read_is_told_at_once() {
    for (key, value) in [
        ("schema.registry.ssl.truststore.location", "/nowhere.jks"),
        ("schema.registry.ssl.keystore.location", "/nowhere.jks"),
    ] {
        let config = ClientConfig::parse([
            ("schema.registry.url", "http://localhost:1"),
            ("schema.registry.ssl.keystore.password", "hunter2"),
            ("schema.registry.ssl.truststore.password", "hunter2"),
            ("schema.registry.ssl.truststore.location", "/nowhere.jks"),
            ("schema.registry.ssl.keystore.location", "/nowhere.jks"),
            (key, value),
        ]);
        let error = RegistryClient::connect(config.unwrap()).unwrap_err();
        assert_eq!(error.fault(), Fault::Config);
        let text = error.to_string();
        assert!(
            text.contains("/nowhere.jks") && !text.contains("hunter2"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_proxy_is_only_a_tunnel() {
    let ours = Authority::new("ours");
    // The server plays the proxy too: the tunnel ends where it begins.
    let server = ours.server("registry.invalid", false, None);
    let port = server.address.port().to_string();
    let keys = [
        PEM_TRUST,
        (INLINE, ours.pem.as_str()),
        ("proxy.host", "127.0.0.1"),
        ("proxy.port", port.as_str()),
        ("basic.auth.credentials.source", "USER_INFO"),
        ("basic.auth.user.info", "ann:s3cret"),
    ];
    let client = client("https://registry.invalid:8081", &keys);
    assert_eq!(subjects(&client).await.unwrap(), ["a"]);
    let requests = server.requests();
    assert!(
        requests[0].starts_with("CONNECT registry.invalid:8081 "),
        "{requests:?}"
    );
    assert!(!requests[0].to_ascii_lowercase().contains("authorization"));
    assert!(requests[1].starts_with("GET /subjects "));
}

#[tokio::test]
async fn tokens_over_tls() {
    let ours = Authority::new("ours");
    let (key, certificate) = ours.issue("localhost", false);
    let pem = format!("{key}{certificate}");
    let token = json(200, r#"{"access_token":"tok","expires_in":3600}"#);
    let issuer = Server::tls(token, identity(&pem, None));
    let registry = Server::tls(json(200, r#"["a"]"#), identity(&pem, None));
    let endpoint = format!("{}/oauth/token", url(&issuer));
    let keys = [
        PEM_TRUST,
        (INLINE, ours.pem.as_str()),
        ("bearer.auth.credentials.source", "OAUTHBEARER"),
        ("bearer.auth.issuer.endpoint.url", endpoint.as_str()),
        ("bearer.auth.client.id", "me"),
        ("bearer.auth.client.secret", "s3cret"),
    ];
    let client = client(&url(&registry), &keys);
    for _ in 0..2 {
        assert_eq!(subjects(&client).await.unwrap(), ["a"]);
    }
    assert_eq!(issuer.requests().len(), 1);
    assert!(issuer.requests()[0].starts_with("POST /oauth/token "));
    assert!(registry.requests()[1].contains("Bearer tok"));
}
