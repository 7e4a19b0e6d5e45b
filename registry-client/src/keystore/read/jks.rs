//! Java's own key store format, as the JDK's `sun.security.provider.JavaKeyStore` writes it.
//!
//! A magic number, a version, entries, and a SHA-1 digest of it all with the password. A private key is hidden by a stream of SHA-1
//! digests of the password. Both are weak by today's measure; the format is what existing installations have.

use sha1::{Digest, Sha1};

use super::der::{self, OCTET_STRING, SEQUENCE};
use super::{KeyEntry, Trouble};
use crate::Secret;

pub(super) const MAGIC: [u8; 4] = [0xfe, 0xed, 0xfe, 0xed];
pub(super) const JCEKS_MAGIC: [u8; 4] = [0xce, 0xce, 0xce, 0xce];

/// The first private key by alias, with its certificates.
pub(super) fn key(
    bytes: &[u8],
    password: &Secret,
    key_password: Option<&Secret>,
) -> Result<KeyEntry, Trouble> {
    let entries = entries(bytes, Some(password))?;
    let keys = entries.into_iter().filter_map(|entry| match entry.content {
        Content::Key { sealed, chain } => Some((entry.alias, sealed, chain)),
        Content::Certificate(_) => None,
    });
    let (_, sealed, chain) = keys
        .min_by(|(a, ..), (b, ..)| a.cmp(b))
        .ok_or(Trouble::NoKey)?;
    let key = unseal(sealed, key_password.unwrap_or(password))?;
    let chain = chain.into_iter().map(<[u8]>::to_vec).collect();
    Ok(KeyEntry { key, chain })
}

/// Trusted certificates, and as in Java the first certificate of each key.
pub(super) fn trusted(bytes: &[u8], password: Option<&Secret>) -> Result<Vec<Vec<u8>>, Trouble> {
    let entries = entries(bytes, password)?;
    let certificates = entries.into_iter().filter_map(|entry| match entry.content {
        Content::Certificate(certificate) => Some(certificate.to_vec()),
        Content::Key { chain, .. } => chain.first().map(|certificate| certificate.to_vec()),
    });
    Ok(certificates.collect())
}

struct Entry<'a> {
    alias: &'a [u8],
    content: Content<'a>,
}

enum Content<'a> {
    Key {
        sealed: &'a [u8],
        chain: Vec<&'a [u8]>,
    },
    Certificate(&'a [u8]),
}

/// Reads all entries. Without a password the digest is not checked, as in Java.
fn entries<'a>(bytes: &'a [u8], password: Option<&Secret>) -> Result<Vec<Entry<'a>>, Trouble> {
    let digest_at = bytes.len().checked_sub(DIGEST_BYTES);
    let (body, digest) = digest_at
        .and_then(|at| bytes.split_at_checked(at))
        .ok_or(CUT_SHORT)?;
    if let Some(password) = password {
        let mut sha = Sha1::new();
        sha.update(utf16(password));
        sha.update(WHITENER);
        sha.update(body);
        if sha.finalize().as_slice() != digest {
            return Err(Trouble::WrongPassword);
        }
    }
    let mut cursor = Cursor(body);
    cursor.take(MAGIC.len())?;
    let version = cursor.number()?;
    if version != 1 && version != 2 {
        return Err(Trouble::Damaged("an unknown version of the format"));
    }
    let count = cursor.number()?;
    let mut entries = Vec::new();
    for _ in 0..count {
        entries.push(entry(&mut cursor, version)?);
    }
    if cursor.0.is_empty() {
        Ok(entries)
    } else {
        Err(Trouble::Damaged("something follows the last entry"))
    }
}

fn entry<'a>(cursor: &mut Cursor<'a>, version: u32) -> Result<Entry<'a>, Trouble> {
    let tag = cursor.number()?;
    let alias = cursor.text()?;
    cursor.take(TIMESTAMP_BYTES)?;
    let content = match tag {
        1 => {
            let sealed = cursor.block()?;
            let count = cursor.number()?;
            let mut chain = Vec::new();
            for _ in 0..count {
                chain.push(certificate(cursor, version)?);
            }
            Content::Key { sealed, chain }
        }
        2 => Content::Certificate(certificate(cursor, version)?),
        _ => return Err(Trouble::Damaged("an unknown kind of entry")),
    };
    Ok(Entry { alias, content })
}

fn certificate<'a>(cursor: &mut Cursor<'a>, version: u32) -> Result<&'a [u8], Trouble> {
    // Version 1 knew X.509 only.
    if version == 2 && cursor.text()? != b"X.509" {
        return Err(Trouble::Damaged("a certificate that is not X.509"));
    }
    cursor.block()
}

/// Takes the private key out of its `EncryptedPrivateKeyInfo` with Java's own algorithm (object identifier 1.3.6.1.4.1.42.2.17.1.1).
fn unseal(sealed: &[u8], password: &Secret) -> Result<Vec<u8>, Trouble> {
    let damaged = Trouble::Damaged("a private key that is not sealed the way of Java");
    let parts = der::inside(sealed, SEQUENCE).and_then(|(inside, _)| {
        let (algorithm, rest) = der::inside(inside, SEQUENCE)?;
        let (bytes, _) = der::inside(rest, OCTET_STRING)?;
        Some((algorithm, bytes))
    });
    let Some((algorithm, bytes)) = parts else {
        return Err(damaged);
    };
    if !algorithm.starts_with(&JAVA_KEY_PROTECTOR) {
        return Err(damaged);
    }
    let split = bytes
        .split_at_checked(DIGEST_BYTES)
        .and_then(|(salt, rest)| {
            let at = rest.len().checked_sub(DIGEST_BYTES)?;
            let (hidden, check) = rest.split_at_checked(at)?;
            Some((salt, hidden, check))
        });
    let Some((salt, hidden, check)) = split else {
        return Err(damaged);
    };
    let password = utf16(password);
    let mut key = Vec::with_capacity(hidden.len());
    let mut last = salt.to_vec();
    for block in hidden.chunks(DIGEST_BYTES) {
        let mut sha = Sha1::new();
        sha.update(&password);
        sha.update(&last);
        last = sha.finalize().to_vec();
        key.extend(block.iter().zip(&last).map(|(byte, mask)| byte ^ mask));
    }
    let mut sha = Sha1::new();
    sha.update(&password);
    sha.update(&key);
    if sha.finalize().as_slice() == check {
        Ok(key)
    } else {
        Err(Trouble::WrongKeyPassword)
    }
}

/// A password as Java's characters.
fn utf16(password: &Secret) -> Vec<u8> {
    let units = password.reveal().encode_utf16();
    units.flat_map(u16::to_be_bytes).collect()
}

/// What is left to read. Every step says when there is less than that.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Trouble> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(CUT_SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, Trouble> {
        let (taken, rest) = self.0.split_first_chunk::<4>().ok_or(CUT_SHORT)?;
        self.0 = rest;
        Ok(u32::from_be_bytes(*taken))
    }

    fn text(&mut self) -> Result<&'a [u8], Trouble> {
        let (taken, rest) = self.0.split_first_chunk::<2>().ok_or(CUT_SHORT)?;
        self.0 = rest;
        self.take(usize::from(u16::from_be_bytes(*taken)))
    }

    fn block(&mut self) -> Result<&'a [u8], Trouble> {
        let length = self.number()?;
        self.take(usize::try_from(length).map_err(|_| CUT_SHORT)?)
    }
}

const CUT_SHORT: Trouble = Trouble::Damaged("it ends too soon");
const DIGEST_BYTES: usize = 20;
const TIMESTAMP_BYTES: usize = 8;
/// What the JDK mixes into the digest.
const WHITENER: &[u8] = b"Mighty Aphrodite";
/// The object identifier, in DER.
const JAVA_KEY_PROTECTOR: [u8; 12] = [
    0x06, 0x0a, 0x2b, 0x06, 0x01, 0x04, 0x01, 0x2a, 0x02, 0x11, 0x01, 0x01,
];
