//! Certificates and stores, made by the test.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};

/// Password of every store.
pub(crate) const STORE: &str = "store-secret";

/// A certificate authority.
pub(crate) struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self {
            pem,
            issuer: Issuer::new(params, key),
        }
    }

    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    /// A key and a certificate for these names, as one PEM text.
    pub(crate) fn issue(&self, names: &[&str], is_expired: bool) -> String {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names.clone()).unwrap();
        params
            .distinguished_name
            .push(DnType::CommonName, names.join("+"));
        if is_expired {
            params.not_before = date_time_ymd(2001, 1, 1);
            params.not_after = date_time_ymd(2002, 1, 1);
        }
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        format!("{}{}", key.serialize_pem(), certificate.pem())
    }
}

/// A folder with everything that brokers and clients need.
pub(crate) struct Material {
    folder: tempfile::TempDir,
}

impl Material {
    pub(crate) fn make() -> Self {
        let made = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let ours = Authority::new("ours");
        let here = ["localhost", "127.0.0.1"];
        made.write("ca.pem", ours.pem());
        made.write("broker.pem", &ours.issue(&here, false));
        made.write("elsewhere.pem", &ours.issue(&["elsewhere.example"], false));
        made.write("expired.pem", &ours.issue(&here, true));
        made.write("client.pem", &ours.issue(&["client"], false));
        made.write("expired-client.pem", &ours.issue(&["old client"], true));
        let strangers = Authority::new("strangers");
        made.write("strangers-ca.pem", strangers.pem());
        made.write(
            "strangers-client.pem",
            &strangers.issue(&["stranger"], false),
        );
        let rsa = ["-keyalg", "RSA", "-keysize", "2048"];
        made.client_store("client.jks", "JKS", &rsa);
        let curve = ["-keyalg", "EC", "-groupname", "secp256r1"];
        made.client_store("client.p12", "PKCS12", &curve);
        for (name, kind) in [("trusted.jks", "JKS"), ("trusted.p12", "PKCS12")] {
            let ca = made.path("ca.pem");
            made.keytool(
                name,
                kind,
                &["-importcert", "-noprompt", "-alias", "ca", "-file", &ca],
            );
        }
        // The clients of keytool have certificates of their own, so the broker trusts each.
        let trusted: String = ["ca.pem", "client.jks.pem", "client.p12.pem"]
            .map(|name| std::fs::read_to_string(made.path(name)).unwrap())
            .concat();
        made.write("clients.pem", &trusted);
        made
    }

    /// The path of a file in the folder.
    pub(crate) fn path(&self, name: &str) -> String {
        let path: PathBuf = self.folder.path().join(name);
        path.to_str().unwrap().to_owned()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// A store with a key and a certificate that it signed itself, and the certificate as `NAME.pem`.
    fn client_store(&self, name: &str, kind: &str, algorithm: &[&str]) {
        let mut arguments = vec![
            "-genkeypair",
            "-alias",
            "client",
            "-dname",
            "CN=client",
            "-validity",
            "2",
        ];
        arguments.extend(algorithm);
        if kind == "JKS" {
            arguments.extend(["-keypass", "key-secret"]);
        }
        self.keytool(name, kind, &arguments);
        let pem = self.path(&format!("{name}.pem"));
        self.keytool(
            name,
            kind,
            &["-exportcert", "-rfc", "-alias", "client", "-file", &pem],
        );
    }

    fn keytool(&self, name: &str, kind: &str, arguments: &[&str]) {
        let store = self.path(name);
        let outcome = Command::new(keytool())
            .args(arguments)
            .args(["-storetype", kind, "-keystore", &store, "-storepass", STORE])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(
            outcome.status.success(),
            "keytool {arguments:?}: {outcome:?}"
        );
    }
}

/// The JDK's tool for key stores; where a node runs, there is a JDK.
fn keytool() -> PathBuf {
    match std::env::var_os("JAVA_HOME") {
        Some(home) => Path::new(&home).join("bin/keytool"),
        None => PathBuf::from("keytool"),
    }
}
