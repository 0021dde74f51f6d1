//! The random numbers that a program gets.

/// Random numbers from a seed, the same on every machine: SplitMix64 (Steele, Lea, Flood 2014).
///
/// `random_get` takes its bytes from here: for every 8 bytes, or what is left of them, one number,
/// its low bytes first. A rest of a number is thrown away at the end of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seeded {
    state: u64,
}

impl Seeded {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next bytes.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len);
        while bytes.len() < len {
            let word = self.next_u64().to_le_bytes();
            bytes.extend_from_slice(&word[..word.len().min(len - bytes.len())]);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_a_seed_is_fixed() {
        // The first numbers of seed 1234567 are widely published for SplitMix64.
        let mut seeded = Seeded::new(1_234_567);
        assert_eq!(seeded.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(seeded.next_u64(), 3_203_168_211_198_807_973);
        let whole = Seeded::new(7).bytes(16);
        let mut parts = Seeded::new(7);
        assert_eq!(parts.bytes(3), whole[..3]);
        assert_eq!(parts.bytes(8), whole[8..], "the rest of the first number is gone");
    }
}
