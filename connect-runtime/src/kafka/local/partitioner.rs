//! Which partition a record goes to when nobody said: Kafka's default partitioner.

/// The partition of a record with key `key` among `partitions`: murmur2 of the key, as in Java, so
/// that records of one key stay together when Java producers write too.
pub(in crate::kafka) fn keyed(key: &[u8], partitions: u32) -> u32 {
    (murmur2(key) & 0x7fff_ffff) % partitions.max(1)
}

fn murmur2(bytes: &[u8]) -> u32 {
    const SEED: u32 = 0x9747_b28c;
    const M: u32 = 0x5bd1_e995;
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let mut hash = SEED ^ length;
    let (words, tail) = bytes.as_chunks::<4>();
    for word in words {
        let mut k = u32::from_le_bytes(*word).wrapping_mul(M);
        k ^= k >> 24;
        hash = hash.wrapping_mul(M) ^ k.wrapping_mul(M);
    }
    if !tail.is_empty() {
        for (index, byte) in tail.iter().enumerate() {
            hash ^= u32::from(*byte) << (8 * index);
        }
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes that Kafka's `Utils.murmur2` gives for these keys.
    #[test]
    fn hashes_are_those_of_kafka() {
        let known: [(&[u8], i32); 6] = [
            (b"21", -973_932_308),
            (b"foobar", -790_332_482),
            (b"a-little-bit-long-string", -985_981_536),
            (b"a-little-bit-longer-string", -1_486_304_829),
            (
                b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8",
                -58_897_971,
            ),
            (b"abc", 479_470_107),
        ];
        for (key, hash) in known {
            assert_eq!(murmur2(key).cast_signed(), hash, "{key:?}");
        }
    }

    #[test]
    fn a_partition_is_in_range() {
        for key in 0..1_000_u32 {
            assert!(keyed(&key.to_le_bytes(), 7) < 7);
        }
    }
}
