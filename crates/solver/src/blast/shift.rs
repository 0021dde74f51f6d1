//! Shifts and rotations by an amount taken modulo the width, as terms have them.

use super::gates::Gates;
use super::sat::Lit;

/// Which way the bits move and what comes in at the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shift {
    Left,
    Right,
    RightSigned,
    RotateLeft,
    RotateRight,
}

impl Gates {
    pub(super) fn shift(&mut self, kind: Shift, a: &[Lit], amount: &[Lit]) -> Vec<Lit> {
        let width = a.len();
        let amount = if width.is_power_of_two() {
            amount[..width.trailing_zeros() as usize].to_vec()
        } else {
            let modulus = self.number(width, width as u64);
            self.divide(amount, &modulus).1
        };
        // One layer of multiplexers per bit of the amount.
        let mut bits = a.to_vec();
        for (i, by) in amount.into_iter().enumerate() {
            let moved = match 1usize.checked_shl(i as u32) {
                Some(step) if step < width => self.moved(kind, &bits, step),
                // The amount is below the width, so this bit of it is never set.
                _ => continue,
            };
            bits = self.choose(by, &moved, &bits);
        }
        bits
    }

    /// `a` moved by a fixed number of places less than its width: mere wiring.
    fn moved(&self, kind: Shift, a: &[Lit], step: usize) -> Vec<Lit> {
        let width = a.len();
        let zero = self.bit(false);
        (0..width)
            .map(|i| match kind {
                Shift::Left => i.checked_sub(step).map_or(zero, |j| a[j]),
                Shift::Right => a.get(i + step).copied().unwrap_or(zero),
                Shift::RightSigned => a[(i + step).min(width - 1)],
                Shift::RotateLeft => a[(i + width - step) % width],
                Shift::RotateRight => a[(i + step) % width],
            })
            .collect()
    }
}
