use std::path::Path;

use super::*;

const STORE: &str = "store-secret";
const KEY: &str = "key-secret";

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/stores")
}

fn read(name: &str, max: usize) -> io::Result<Vec<u8>> {
    let bytes = std::fs::read(folder().join(name))?;
    if bytes.len() > max {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

fn store(name: &str, kind: StoreKind, password: Option<&str>) -> StoreFile {
    StoreFile {
        path: name.to_owned(),
        kind,
        password: password.map(Secret::new),
    }
}

fn key_of(
    name: &str,
    kind: StoreKind,
    password: Option<&str>,
    key_password: Option<&str>,
) -> Result<Identity, String> {
    let material = KeyMaterial::File {
        store: store(name, kind, password),
        key_password: key_password.map(Secret::new),
    };
    identity(&material, &read).map_err(|error| error.to_string())
}

fn trust_of(name: &str, kind: StoreKind, password: Option<&str>) -> Result<Trusted, String> {
    let material = TrustMaterial::File(store(name, kind, password));
    trusted(&material, &read).map_err(|error| error.to_string())
}

/// The certificate that every store here holds.
fn certificate() -> Vec<u8> {
    pem::certificates(&read("trusted.pem", STORE_BYTES_MAX).unwrap())
        .unwrap()
        .remove(0)
}

/// The key that every store here holds, completed from the certificate.
fn key() -> Secret {
    let pem = read("key.pem", STORE_BYTES_MAX).unwrap();
    pem::private_key(&pem, None).unwrap()
}

#[test]
fn every_store_gives_the_same_key_and_certificate() {
    use StoreKind::{Jks, Pem, Pkcs12};
    for (name, kind, password, key_password) in [
        ("client.jks", Jks, Some(STORE), Some(KEY)),
        ("client.p12", Pkcs12, Some(STORE), None),
        ("client-legacy.p12", Pkcs12, Some(STORE), None),
        // As Java, a store is recognised whatever type it is said to have.
        ("client.p12", Jks, Some(STORE), None),
        ("client.jks", Pkcs12, Some(STORE), Some(KEY)),
        ("client.pem", Pem, None, Some(KEY)),
    ] {
        let identity = key_of(name, kind, password, key_password).unwrap();
        assert_eq!(identity.chain, [certificate()], "{name}");
        let whole = ec::with_public_key(key_der(&key()), &certificate());
        let found = ec::with_public_key(key_der(&identity.key_pem), &certificate());
        assert_eq!(found, whole, "{name}");
    }
}

fn key_der(pem: &Secret) -> Vec<u8> {
    let text = pem.reveal().lines().filter(|line| !line.starts_with('-'));
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD
        .decode(text.collect::<String>())
        .unwrap()
}

#[test]
fn the_public_half_is_added_once() {
    let completed = ec::with_public_key(key_der(&key()), &certificate());
    assert!(completed.len() > key_der(&key()).len());
    assert_eq!(
        ec::with_public_key(completed.clone(), &certificate()),
        completed
    );
    assert_eq!(
        ec::with_public_key(b"other".to_vec(), &certificate()),
        b"other"
    );
}

#[test]
fn trust_stores_give_their_certificates() {
    use StoreKind::{Jks, Pem, Pkcs12};
    for (name, kind, password) in [
        ("trusted.jks", Jks, Some(STORE)),
        // Java reads a JKS trust store without a password, unchecked.
        ("trusted.jks", Jks, None),
        ("trusted.p12", Pkcs12, Some(STORE)),
        ("trusted.pem", Pem, None),
        // A key's certificate counts as trusted, as in Java.
        ("client.jks", Jks, Some(STORE)),
        ("client.p12", Jks, Some(STORE)),
    ] {
        let trusted = trust_of(name, kind, password).unwrap();
        assert_eq!(trusted.certificates, [certificate()], "{name}");
        assert_eq!(
            pem::certificates(trusted.to_pem().as_bytes()).unwrap(),
            [certificate()]
        );
    }
}

#[test]
fn certificates_tell_when_they_are_valid() {
    let identity = key_of("client.p12", StoreKind::Pkcs12, Some(STORE), None).unwrap();
    let validity = identity.validity().unwrap();
    // 36,500 days.
    assert_eq!(validity.until - validity.from, 36_500 * 86_400);
}

fn expect(outcome: Result<Identity, String>, name: &str, expected: &str) {
    let error = outcome.unwrap_err();
    assert!(error.starts_with(&format!("key store {name}: ")), "{error}");
    assert!(error.contains(expected), "{name}: {error}");
    assert!(!error.contains("secret"), "{error}");
}

#[test]
fn wrong_and_missing_passwords_are_told_apart() {
    use StoreKind::{Jks, Pem, Pkcs12};
    let store = "wrong password, or the file is damaged; check ssl.keystore.password";
    let key = "wrong password of the private key; check ssl.key.password";
    for (name, kind, password, key_password, expected) in [
        ("client.jks", Jks, Some("wrong"), Some(KEY), store),
        ("client.p12", Pkcs12, Some("wrong"), None, store),
        ("client-legacy.p12", Pkcs12, Some("wrong"), None, store),
        ("client.jks", Jks, Some(STORE), None, key),
        ("client.jks", Jks, Some(STORE), Some("wrong"), key),
        ("client.pem", Pem, None, Some("wrong"), key),
        (
            "client.jks",
            Jks,
            None,
            None,
            "needs a password; set ssl.keystore.password",
        ),
        (
            "client.pem",
            Pem,
            None,
            None,
            "the private key is encrypted; set ssl.key.password",
        ),
    ] {
        expect(key_of(name, kind, password, key_password), name, expected);
    }
}

#[test]
fn what_is_no_key_store_is_told_with_the_next_step() {
    use StoreKind::{Jks, Pem, Pkcs12};
    for (name, kind, expected) in [
        (
            "nowhere.jks",
            Jks,
            "cannot be read: entity not found; check ssl.keystore.location",
        ),
        (
            "make.sh",
            Jks,
            "is no JKS, PKCS#12 or PEM file; check ssl.keystore.location",
        ),
        (
            "trusted.jks",
            Jks,
            "holds no private key; import the client's key",
        ),
        ("trusted.p12", Pkcs12, "holds no private key"),
        (
            "client.jceks",
            Jks,
            "is a JCEKS file, which is not supported; convert it",
        ),
        (
            "client.pem",
            Jks,
            "is a PEM file, not what its type says; set ssl.keystore.type",
        ),
    ] {
        expect(key_of(name, kind, Some(STORE), None), name, expected);
    }
    for (name, expected) in [
        (
            "client.p12",
            "is a PKCS12 file, not what its type says; set ssl.keystore.type",
        ),
        (
            "key-weak.pem",
            "the encryption is not supported; encrypt the key again",
        ),
        ("key-old.pem", "encrypted the old way of OpenSSL"),
        ("key.pem", "there is no section -----BEGIN CERTIFICATE-----"),
        ("trusted.pem", "holds no private key"),
    ] {
        expect(key_of(name, Pem, None, Some(KEY)), name, expected);
    }
}

#[test]
fn what_is_wrong_with_a_trust_store_is_said_with_the_next_step() {
    use StoreKind::{Jks, Pkcs12};
    for (name, kind, password, expected) in [
        (
            "trusted.jks",
            Jks,
            Some("wrong"),
            "check ssl.truststore.password",
        ),
        (
            "trusted.p12",
            Pkcs12,
            Some("wrong"),
            "check ssl.truststore.password",
        ),
        (
            "trusted.p12",
            Pkcs12,
            None,
            "needs a password; set ssl.truststore.password",
        ),
        (
            "unmarked.p12",
            Pkcs12,
            Some(STORE),
            "holds no trusted certificate; import the authority's certificate with keytool -importcert",
        ),
    ] {
        let error = trust_of(name, kind, password).unwrap_err();
        assert!(
            error.contains(expected) && error.starts_with("trust store"),
            "{name}: {error}"
        );
    }
}

#[test]
fn inline_pem_may_be_on_one_line() {
    let read_text = |name: &str| String::from_utf8(read(name, STORE_BYTES_MAX).unwrap()).unwrap();
    let line = |name: &str| Secret::new(&read_text(name).replace('\n', " "));
    let material = KeyMaterial::Pem {
        chain: line("trusted.pem"),
        key: line("key-encrypted.pem"),
        key_password: Some(Secret::new(KEY)),
    };
    let identity = identity(&material, &read).unwrap();
    assert_eq!(identity.chain, [certificate()]);
    assert!(!format!("{identity:?} {material:?}").contains("BEGIN"));
    let trust = trusted(&TrustMaterial::Pem(line("trusted.pem")), &read).unwrap();
    assert_eq!(trust.certificates, [certificate()]);
}

/// Stores cut short and with flipped bytes: an error or, where the byte does not count, the same result; never a panic.
#[test]
fn damaged_stores_never_panic() {
    for (name, kind) in [
        ("client.jks", StoreKind::Jks),
        ("client.pem", StoreKind::Pem),
        ("trusted.jks", StoreKind::Jks),
    ] {
        let whole = read(name, STORE_BYTES_MAX).unwrap();
        let damaged = |bytes: Vec<u8>| {
            let give = move |_: &str, _: usize| Ok(bytes.clone());
            let password = (kind == StoreKind::Jks).then_some(STORE);
            let material = KeyMaterial::File {
                store: store(name, kind, password),
                // Deriving a key from a password so often would take long; the text around it is what is damaged.
                key_password: (kind == StoreKind::Jks).then(|| Secret::new(KEY)),
            };
            let key = identity(&material, &give);
            let trust = trusted(&TrustMaterial::File(store(name, kind, None)), &give);
            (key, trust)
        };
        for length in 0..whole.len() {
            let (key, _) = damaged(whole[..length].to_vec());
            assert!(kind == StoreKind::Pem || key.is_err(), "{name} at {length}");
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            let (key, _) = damaged(bytes);
            assert!(kind == StoreKind::Pem || key.is_err(), "{name} at {at}");
        }
    }
}
