//! A small random source whose sequence never changes, so that a seed names a program for good.

use pessimum_entry::host::Seeded;

/// Numbers of a seed.
#[derive(Clone, Debug)]
pub(crate) struct Rng(Seeded);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(Seeded::new(seed ^ 0x5851_f42d_4c95_7f2d))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Whether something of this chance in a hundred happens.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}
