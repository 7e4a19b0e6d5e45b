//! Many documents through one `JsonConverter`: what it remembers must not show.

use bytes::Bytes;

use super::json_decode::{converter, read};

/// Separates documents; no JSON document holds it unescaped.
const SEPARATOR: u8 = 0x1e;

/// The first byte chooses the settings; the rest is cut at each separator. Every document reads the same through a
/// converter that has seen all before it and through one without memory.
pub fn json_envelope_memory(bytes: &[u8]) {
    let Some((settings, rest)) = bytes.split_first() else {
        return;
    };
    let mut remembering = converter(*settings);
    for _ in 0..2 {
        for document in rest.split(|b| *b == SEPARATOR) {
            let document = Bytes::copy_from_slice(document);
            let mut plain = converter(*settings).without_memory();
            assert_eq!(
                read(&mut remembering, &document),
                read(&mut plain, &document)
            );
        }
    }
}
