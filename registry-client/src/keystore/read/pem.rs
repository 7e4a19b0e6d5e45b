//! PEM (RFC 7468), read as leniently as Kafka's own reader: sections may share a line, and other text may stand between them.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use pkcs8::EncryptedPrivateKeyInfoRef;

use super::Trouble;
use crate::Secret;

/// Whether there is a section at all.
pub(super) fn is_pem(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| Sections(text).next().is_some())
}

/// All certificates, in order.
pub(super) fn certificates(bytes: &[u8]) -> Result<Vec<Vec<u8>>, Trouble> {
    let text = std::str::from_utf8(bytes).map_err(|_| NOT_PEM)?;
    let mut certificates = Vec::new();
    for section in Sections(text) {
        if matches!(
            section.label,
            "CERTIFICATE" | "TRUSTED CERTIFICATE" | "X509 CERTIFICATE"
        ) {
            certificates.push(section.decode()?);
        }
    }
    if certificates.is_empty() {
        return Err(Trouble::Damaged(
            "there is no section -----BEGIN CERTIFICATE-----",
        ));
    }
    Ok(certificates)
}

/// The private key as PEM, decrypted.
pub(super) fn private_key(bytes: &[u8], password: Option<&Secret>) -> Result<Secret, Trouble> {
    let text = std::str::from_utf8(bytes).map_err(|_| NOT_PEM)?;
    let mut keys = Sections(text).filter(|section| section.label.ends_with("PRIVATE KEY"));
    let section = keys.next().ok_or(Trouble::NoKey)?;
    if section.body.contains("Proc-Type:") {
        return Err(Trouble::OldPem);
    }
    let der = section.decode()?;
    if section.label != "ENCRYPTED PRIVATE KEY" {
        return Ok(write(section.label, &der));
    }
    let password = password.ok_or(Trouble::NeedsKeyPassword)?;
    let sealed =
        EncryptedPrivateKeyInfoRef::try_from(der.as_slice()).map_err(|_| Trouble::Encryption)?;
    match sealed.decrypt(password.reveal()) {
        Ok(key) => Ok(write_key(key.as_bytes())),
        Err(pkcs8::Error::EncryptedPrivateKey(error)) if is_unknown(error) => {
            Err(Trouble::Encryption)
        }
        Err(_) => Err(Trouble::WrongKeyPassword),
    }
}

/// The content of a key that [`private_key`] gave, if it is PKCS#8.
pub(super) fn pkcs8(key: &Secret) -> Option<Vec<u8>> {
    let section = Sections(key.reveal()).next()?;
    if section.label != "PRIVATE KEY" {
        return None;
    }
    section.decode().ok()
}

/// Whether this is no wrong password but an encryption that is not known.
fn is_unknown(error: pkcs8::pkcs5::Error) -> bool {
    use pkcs8::pkcs5::Error;
    matches!(
        error,
        Error::UnsupportedAlgorithm { .. }
            | Error::NoPbes1CryptSupport
            | Error::AlgorithmParametersInvalid { .. }
    )
}

/// A PKCS#8 key as PEM.
pub(super) fn write_key(der: &[u8]) -> Secret {
    write("PRIVATE KEY", der)
}

fn write(label: &str, der: &[u8]) -> Secret {
    Secret::new(&section(label, der))
}

/// Certificates as PEM.
pub(super) fn write_certificates(certificates: &[Vec<u8>]) -> String {
    let sections = certificates.iter();
    sections.map(|der| section("CERTIFICATE", der)).collect()
}

fn section(label: &str, der: &[u8]) -> String {
    let text = BASE64.encode(der);
    let mut out = format!("-----BEGIN {label}-----\n");
    for line in text.as_bytes().chunks(LINE_CHARS) {
        out.extend(line.iter().copied().map(char::from));
        out.push('\n');
    }
    out.push_str("-----END ");
    out.push_str(label);
    out.push_str("-----\n");
    out
}

struct Section<'a> {
    label: &'a str,
    body: &'a str,
}

impl Section<'_> {
    fn decode(&self) -> Result<Vec<u8>, Trouble> {
        let text: String = self.body.chars().filter(|c| !c.is_whitespace()).collect();
        BASE64
            .decode(text)
            .map_err(|_| Trouble::Damaged("a PEM section that is not base64"))
    }
}

/// The sections that begin and end with the same label.
struct Sections<'a>(&'a str);

impl<'a> Iterator for Sections<'a> {
    type Item = Section<'a>;

    fn next(&mut self) -> Option<Section<'a>> {
        loop {
            let (_, rest) = self.0.split_once("-----BEGIN ")?;
            let (label, rest) = rest.split_once("-----")?;
            self.0 = rest;
            let end = format!("-----END {label}-----");
            if let Some((body, rest)) = rest.split_once(&end) {
                self.0 = rest;
                return Some(Section { label, body });
            }
        }
    }
}

const NOT_PEM: Trouble = Trouble::NotAStore;
const LINE_CHARS: usize = 64;
/// Padding may be missing: Java's reader does not mind.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
