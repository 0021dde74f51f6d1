//! A small random source whose sequence never changes, so that a seed names a test case for good.

/// xorshift64*.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`, which is not zero.
    pub fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 11) % end
    }

    /// Bits that programs are sensitive to: small numbers, ends of ranges, powers of two; else
    /// anything.
    pub fn interesting(&mut self) -> u64 {
        match self.below(8) {
            0 => 0,
            1 | 2 => self.below(64),
            3 => u64::MAX - self.below(4),
            4 => 1 << self.below(64),
            5 => (1u64 << self.below(64)).wrapping_sub(1),
            6 => self.below(70_000),
            _ => self.next(),
        }
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| (self.next() >> 32) as u8).collect()
    }
}
