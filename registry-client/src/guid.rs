//! The content name of a schema: an MD5 digest (RFC 1321) of its text and imports.
//!
//! MD5 is here because the registry's format says so; nothing about it is a secret or a proof.

use crate::{SchemaGuid, SchemaText};

impl SchemaGuid {
    /// The GUID of a schema: over the text in UTF-8, then each import's name, subject and version (four
    /// bytes big-endian). The language is not part of it.
    ///
    /// Metadata and rule sets are members of the registry's digest too, but this crate carries them
    /// unread: for a schema that has them, believe the registry's answer and not this function.
    ///
    /// ```
    /// use ferroconnect_registry_client::{SchemaGuid, SchemaText, SchemaType};
    /// let text = r#"{"type":"record","name":"R","namespace":"a.b","fields":[]}"#;
    /// let guid = SchemaGuid::of(&SchemaText::new(SchemaType::Avro, text));
    /// assert_eq!(guid.to_string(), "f4d23729-2626-7388-6569-76b5cca258f4"); // a real registry's answer
    /// ```
    pub fn of(schema: &SchemaText) -> Self {
        let mut content = schema.text().as_bytes().to_vec();
        for reference in schema.references() {
            content.extend_from_slice(reference.name.as_bytes());
            content.extend_from_slice(reference.subject.as_str().as_bytes());
            content.extend_from_slice(&reference.version.get().to_be_bytes());
        }
        Self::from_bytes(md5(content))
    }
}

/// MD5 of a whole message (RFC 1321, section 3).
fn md5(mut message: Vec<u8>) -> [u8; 16] {
    let bits = (message.len() as u64).wrapping_mul(8);
    message.push(0x80);
    while message.len() % BLOCK_BYTES != BLOCK_BYTES - 8 {
        message.push(0);
    }
    message.extend_from_slice(&bits.to_le_bytes());

    let mut state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in message.chunks_exact(BLOCK_BYTES) {
        state = mix(state, block);
    }
    let mut digest = [0; 16];
    for (to, word) in digest.chunks_exact_mut(4).zip(state) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    digest
}

/// One block of 64 bytes: 64 steps in four rounds (RFC 1321, section 3.4).
fn mix(state: [u32; 4], block: &[u8]) -> [u32; 4] {
    let mut words = [0u32; 16];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    let [mut a, mut b, mut c, mut d] = state;
    for step in 0..64 {
        let (mixed, word) = match step / 16 {
            0 => ((b & c) | (!b & d), step),
            1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
            2 => (b ^ c ^ d, (3 * step + 5) % 16),
            _ => (c ^ (b | !d), (7 * step) % 16),
        };
        let sum = a
            .wrapping_add(mixed)
            .wrapping_add(sine(step))
            .wrapping_add(words[word]);
        let turned = sum.rotate_left(TURNS[step / 16][step % 4]);
        (a, d, c, b) = (d, c, b, b.wrapping_add(turned));
    }
    [
        state[0].wrapping_add(a),
        state[1].wrapping_add(b),
        state[2].wrapping_add(c),
        state[3].wrapping_add(d),
    ]
}

/// `floor(2^32 * |sin(step + 1)|)`, the constants as the RFC defines them.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "|sin| < 1, so the product is in 0..2^32; the RFC 1321 vectors below check all 64"
)]
fn sine(step: usize) -> u32 {
    (((step + 1) as f64).sin().abs() * 4_294_967_296.0) as u32
}

/// Bytes in a block.
const BLOCK_BYTES: usize = 64;

/// Left turns of each round, in bits.
const TURNS: [[u32; 4]; 4] = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reference, SchemaType, Subject, Version};

    fn hex(message: &str) -> String {
        SchemaGuid::from_bytes(md5(message.as_bytes().to_vec()))
            .to_string()
            .replace('-', "")
    }

    #[test]
    fn the_vectors_of_rfc_1321() {
        assert_eq!(hex(""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex("a"), "0cc175b9c0f1b6a831c399e269772661");
        assert_eq!(hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
        assert_eq!(
            hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a"
        );
    }

    #[test]
    fn every_length_around_a_block_border_has_its_own_digest() {
        let digests: std::collections::BTreeSet<_> =
            (50..140).map(|n| hex(&"x".repeat(n))).collect();
        assert_eq!(digests.len(), 90);
    }

    #[test]
    fn imports_are_part_of_the_name_and_the_language_is_not() {
        let plain = SchemaText::new(SchemaType::Avro, r#""int""#);
        let reference = Reference {
            name: "a.N".into(),
            subject: Subject::new("n-value").unwrap(),
            version: Version::FIRST,
        };
        assert_ne!(
            plain.guid(),
            plain.clone().with_references([reference]).guid()
        );
        assert_eq!(
            plain.guid(),
            SchemaText::new(SchemaType::Json, r#""int""#).guid()
        );
    }
}
