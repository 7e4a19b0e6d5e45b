//! Elliptic curve keys as `keytool` writes them.
//!
//! The JDK leaves the public half out of the private key (RFC 5915 allows it), and the TLS library insists on it. The certificate has it.

use super::der::{self, BIT_STRING, INTEGER, OBJECT_ID, OCTET_STRING, SEQUENCE};

/// The same PKCS#8 key with its public half taken from `certificate`; the key as it is if it lacks nothing or is none of this kind.
pub(super) fn with_public_key(key: Vec<u8>, certificate: &[u8]) -> Vec<u8> {
    completed(&key, certificate).unwrap_or(key)
}

/// `None` when there is nothing to add.
fn completed(key: &[u8], certificate: &[u8]) -> Option<Vec<u8>> {
    let (info, _) = der::inside(key, SEQUENCE)?;
    let (version, rest) = der::inside(info, INTEGER)?;
    let (algorithm, rest) = der::inside(rest, SEQUENCE)?;
    let (private, attributes) = der::inside(rest, OCTET_STRING)?;
    let (kind, _) = der::inside(algorithm, OBJECT_ID)?;
    if kind != EC_PUBLIC_KEY {
        return None;
    }
    let (private, _) = der::inside(private, SEQUENCE)?;
    if der::elements(private).any(|(tag, _)| tag == PUBLIC_KEY) {
        return None;
    }
    let public = der::element(
        PUBLIC_KEY,
        &der::element(BIT_STRING, der::public_key(certificate)?),
    );
    let private = der::element(SEQUENCE, &[private, public.as_slice()].concat());
    let parts = [
        der::element(INTEGER, version),
        der::element(SEQUENCE, algorithm),
        der::element(OCTET_STRING, &private),
        attributes.to_vec(),
    ];
    Some(der::element(SEQUENCE, &parts.concat()))
}

/// Object identifier 1.2.840.10045.2.1.
const EC_PUBLIC_KEY: [u8; 7] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
/// The optional public key of an `ECPrivateKey`.
const PUBLIC_KEY: u8 = 0xa1;
