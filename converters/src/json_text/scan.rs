//! The search for bytes that end or interrupt a run of plain text in JSON: one search for reader and writer.
//!
//! Special are `"`, `\`, and control characters; with `BEYOND` also the lead bytes of characters above U+FFFF, which the writer
//! escapes. Near bytes are searched eight at a time, far ones in blocks that the compiler turns into vector code.

/// Bytes of one block of the far search.
const BLOCK: usize = 64;

/// Words that are looked at one by one before blocks are: most strings are short, and near one escape there is often another.
const NEAR_WORDS: usize = 6;

/// Length of the leading part without a special byte; in text it ends on a character boundary.
#[inline(always)]
pub(crate) fn clean_prefix<const BEYOND: bool>(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<8>();
    let mut at = 0;
    for word in words.iter().take(NEAR_WORDS) {
        if let Some(found) = first_special::<BEYOND>(word) {
            return at + found;
        }
        at += 8;
    }
    at + clean_far::<BEYOND>(&bytes[at..])
}

/// The same for what lies farther: whole blocks, then words, then bytes.
#[inline(never)]
fn clean_far<const BEYOND: bool>(bytes: &[u8]) -> usize {
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let dirty = |block: &[u8; BLOCK]| {
        block
            .iter()
            .fold(0u8, |any, b| any | u8::from(is_special::<BEYOND>(*b)))
    };
    let mut at = blocks.iter().take_while(|block| dirty(block) == 0).count() * BLOCK;
    while let Some(word) = bytes[at..].first_chunk::<8>() {
        if let Some(found) = first_special::<BEYOND>(word) {
            return at + found;
        }
        at += 8;
    }
    let tail = &bytes[at..];
    let found = tail.iter().position(|b| is_special::<BEYOND>(*b));
    at + found.unwrap_or(tail.len())
}

/// Index of the first special byte of a word. All eight are tested at once.
#[inline(always)]
pub(crate) const fn first_special<const BEYOND: bool>(word: &[u8; 8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let word = u64::from_le_bytes(*word);
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let equal = (quote.wrapping_sub(ONES) & !quote) | (backslash.wrapping_sub(ONES) & !backslash);
    let beyond = if BEYOND {
        word & (word << 1) & (word << 2) & (word << 3)
    } else {
        0
    };
    // The lowest high bit is exact; a borrow can only make false ones above it.
    let hits = (control | equal | beyond) & HIGHS;
    if hits == 0 {
        None
    } else {
        Some((hits.trailing_zeros() / 8) as usize)
    }
}

#[inline(always)]
const fn is_special<const BEYOND: bool>(b: u8) -> bool {
    (b < 0x20) | (b == b'"') | (b == b'\\') | (BEYOND & (b >= 0xf0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_agree_with_bytes<const BEYOND: bool>() {
        for b in 0..=255u8 {
            for place in 0..8 {
                let mut word = [b'a'; 8];
                word[place] = b;
                let expected = is_special::<BEYOND>(b).then_some(place);
                assert_eq!(first_special::<BEYOND>(&word), expected, "{b:#x}");
            }
        }
    }

    fn every_place_is_found<const BEYOND: bool>() {
        for length in (0..80).chain(120..140) {
            assert_eq!(clean_prefix::<BEYOND>(&vec![b'a'; length]), length);
            for place in 0..length {
                let mut bytes = vec![b'a'; length];
                bytes[place] = b'\n';
                assert_eq!(clean_prefix::<BEYOND>(&bytes), place, "of {length}");
            }
        }
    }

    #[test]
    fn the_word_search_agrees_with_the_byte_search_on_every_byte() {
        words_agree_with_bytes::<true>();
        words_agree_with_bytes::<false>();
    }

    #[test]
    fn a_special_byte_is_found_at_every_place_of_every_length() {
        every_place_is_found::<true>();
        every_place_is_found::<false>();
    }
}
