//! A seeded source of numbers: the same seed gives the same run (SplitMix64).

/// The source.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number in `0..bound`, or 0 for a bound of 0. The bias of the remainder does not matter here.
    pub(crate) const fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        if bound == 0 { 0 } else { mixed % bound }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_seed_gives_the_same_numbers_again() {
        let run = |seed| {
            let mut random = Random::new(seed);
            (0..100).map(|_| random.below(1_000)).collect::<Vec<_>>()
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
        assert_eq!(Random::new(1).below(0), 0);
    }
}
