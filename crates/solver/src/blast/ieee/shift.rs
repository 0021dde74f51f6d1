//! Moving significands: to where the first bit is set, and down with the last bit keeping what falls off.

use crate::blast::gates::Gates;
use crate::blast::sat::Lit;

impl Gates {
    /// `bits` moved up until the last of them is set, and by how many places. Zero stays zero, with any count.
    pub(super) fn normalized(&mut self, bits: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let len = bits.len();
        let mut moved = bits.to_vec();
        let layers = usize::BITS - len.saturating_sub(1).leading_zeros();
        let mut count = vec![self.bit(false); layers as usize];
        for layer in (0..layers as usize).rev() {
            let step = 1 << layer;
            let empty = !self.any(&moved[len - step..]);
            let mut up = vec![self.bit(false); step];
            up.extend_from_slice(&moved[..len - step]);
            moved = self.choose(empty, &up, &moved);
            count[layer] = empty;
        }
        (moved, count)
    }

    /// `bits` moved down by `by` places; the lowest bit is also set if a set bit fell off.
    pub(super) fn moved_down(&mut self, bits: &[Lit], by: &[Lit]) -> Vec<Lit> {
        let zero = self.bit(false);
        let mut moved = bits.to_vec();
        let mut lost = zero;
        for (layer, &by) in by.iter().enumerate() {
            if self.constant(by) == Some(false) {
                continue;
            }
            let step = 1usize.checked_shl(layer as u32).unwrap_or(usize::MAX).min(moved.len());
            let falls = self.any(&moved[..step]);
            let falls = self.and(falls, by);
            lost = self.or(lost, falls);
            let mut down = moved[step..].to_vec();
            down.resize(moved.len(), zero);
            moved = self.choose(by, &down, &moved);
        }
        if let Some(last) = moved.first_mut() {
            *last = self.or(*last, lost);
        }
        moved
    }

    /// `bits` with zeros below them, to a length of at least `len`.
    pub(super) fn padded(&self, bits: &[Lit], len: usize) -> Vec<Lit> {
        let mut out = vec![self.bit(false); len.saturating_sub(bits.len())];
        out.extend_from_slice(bits);
        out
    }
}
