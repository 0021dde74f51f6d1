//! Bytes that are zero at first, without clearing what nobody has written.
//!
//! A run of one input takes microseconds, and its module may have a megabyte of memory, of which it writes some kilobytes. So it
//! is noted what was written. When a memory is gone, that is cleared, and its bytes are kept for the next one of this thread.

use std::cell::Cell;
use std::ops::Deref;

/// Bytes from the first to the last that were written, at most, for which clearing them is less than asking for others.
const CLEARED: usize = 1 << 20;

/// Bytes that are kept, at most.
const KEPT: usize = 64 << 20;

thread_local! {
    /// Bytes for the next memory, all of them zero.
    static NEXT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Bytes, all of them zero but for those between the first and the last that were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Zeroed {
    bytes: Vec<u8>,
    /// Nothing was written before this, nor from `behind` on.
    first: usize,
    behind: usize,
}

impl Zeroed {
    pub(crate) fn new(size: usize) -> Zeroed {
        let mut bytes = NEXT.try_with(Cell::take).unwrap_or_default();
        match bytes.len() >= size {
            true => bytes.truncate(size),
            false => bytes = vec![0; size],
        }
        Zeroed { bytes, first: usize::MAX, behind: 0 }
    }

    /// Notes that bytes are written.
    #[inline(always)]
    fn note(&mut self, at: usize, behind: usize) {
        self.first = self.first.min(at);
        self.behind = self.behind.max(behind);
    }

    /// Writes bytes, which are there.
    #[inline(always)]
    pub(crate) fn write(&mut self, at: usize, bytes: &[u8]) {
        let behind = at + bytes.len();
        self.note(at, behind);
        self.bytes[at..behind].copy_from_slice(bytes);
    }

    /// Where to write some bytes, if they are there.
    #[inline(always)]
    pub(crate) fn chunk_mut<const N: usize>(&mut self, at: usize) -> Option<&mut [u8; N]> {
        let chunk = self.bytes.get_mut(at..)?.first_chunk_mut()?;
        self.first = self.first.min(at);
        self.behind = self.behind.max(at + N);
        Some(chunk)
    }

    /// Copies bytes, all of which are there.
    pub(crate) fn copy_within(&mut self, from: usize, to: usize, len: usize) {
        self.note(to, to + len);
        self.bytes.copy_within(from..from + len, to);
    }

    /// Writes one byte many times, all of which are there.
    pub(crate) fn fill(&mut self, at: usize, len: usize, byte: u8) {
        self.note(at, at + len);
        self.bytes[at..at + len].fill(byte);
    }

    /// Grows to a size by clearing what it gets; `None` if it does not fit.
    pub(crate) fn grow(&mut self, size: usize) -> Option<()> {
        self.bytes.try_reserve_exact(size.saturating_sub(self.bytes.len())).ok()?;
        self.bytes.resize(size, 0);
        Some(())
    }

    /// Grows to a size by taking new memory; `None` if it does not fit.
    pub(crate) fn grow_afresh(&mut self, size: usize) -> Option<()> {
        Vec::<u8>::new().try_reserve_exact(size).ok()?;
        let mut grown = vec![0; size];
        grown[..self.bytes.len()].copy_from_slice(&self.bytes);
        self.bytes = grown;
        Some(())
    }

    pub(crate) fn truncate(&mut self, size: usize) {
        self.bytes.truncate(size);
    }
}

impl Deref for Zeroed {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Zeroed {
    fn drop(&mut self) {
        let behind = self.behind.min(self.bytes.len());
        let written = self.first.min(behind)..behind;
        if self.bytes.is_empty() || self.bytes.len() > KEPT || written.len() > CLEARED {
            return;
        }
        self.bytes[written].fill(0);
        let bytes = std::mem::take(&mut self.bytes);
        // A thread that ends keeps nothing.
        let _ = NEXT.try_with(|next| next.set(bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Something that is done to bytes: what, where, how much.
    fn changes() -> impl Strategy<Value = Vec<(u8, usize, usize, u8)>> {
        proptest::collection::vec((0..8u8, 0..5000usize, 0..64usize, any::<u8>()), 0..40)
    }

    proptest! {
        /// Whatever was done to the last one, the next is zero.
        #[test]
        fn the_next_is_zero(first in 1..5000usize, changes in changes(), next in 1..9000usize) {
            let mut one = Zeroed::new(first);
            let mut copies = Vec::new();
            for (what, at, len, byte) in changes {
                let (at, size) = (at % one.len().max(1), one.len());
                let len = len.min(size.saturating_sub(at));
                match what {
                    0 => one.write(at, &vec![byte; len]),
                    1 => if let Some(chunk) = one.chunk_mut::<4>(at) { *chunk = [byte; 4] },
                    2 => one.copy_within(at / 2, at, len),
                    3 => one.fill(at, len, byte),
                    4 => prop_assert!(one.grow(size + len).is_some()),
                    5 => prop_assert!(one.grow_afresh(size + len).is_some()),
                    6 => one.truncate(at.max(1)),
                    _ => copies.push(one.clone()),
                }
            }
            drop(one);
            copies.truncate(1);
            let next = Zeroed::new(next);
            prop_assert!(next.iter().all(|byte| *byte == 0));
            drop(copies);
            prop_assert!(Zeroed::new(4000).iter().all(|byte| *byte == 0));
        }
    }

    #[test]
    fn what_was_written_little_is_kept() {
        let mut one = Zeroed::new(1 << 20);
        one.write(4096, &[1, 2, 3]);
        let place = one.as_ptr();
        drop(one);
        let next = Zeroed::new(1 << 20);
        assert_eq!(next.as_ptr(), place);
        assert!(next.iter().all(|byte| *byte == 0));
    }
}
