//! Arrays in plain order: rising, falling, in steps, towards the middle.
//!
//! Programs that sort, search or hash are at their worst on inputs that a person could dictate. No
//! run has to have hinted at them: they are few enough to be tried at every size.

use pessimum_entry::{Slot, Type};

/// A plain order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Each value greater than the last by this much; it begins anew at the end of the domain.
    Steps(i128),
    /// Rising to the middle, then falling.
    Mountain,
    /// Falling to the middle, then rising.
    Valley,
    /// The least, the greatest, the next least, the next greatest.
    Inwards,
    /// The two in the middle first, then those around them.
    Outwards,
}

/// The greatest step that is tried, as a power of two.
const GREATEST_STEP: u32 = 24;

/// Every order, the plainest first.
pub(crate) fn orders() -> Vec<Order> {
    let mut all = vec![Order::Steps(1), Order::Steps(-1)];
    all.extend([Order::Mountain, Order::Valley, Order::Inwards, Order::Outwards]);
    for k in 1..=GREATEST_STEP {
        all.push(Order::Steps(1 << k));
    }
    all
}

impl Order {
    /// `len` values of the slot in this order.
    pub(crate) fn array(self, slot: Slot, len: usize) -> Option<Vec<u64>> {
        let ranks = (0..len).map(|i| self.rank(i as i128, len as i128));
        match slot.ty {
            Type::F32 => return Some(ranks.map(|r| u64::from((r as f32).to_bits())).collect()),
            Type::F64 => return Some(ranks.map(|r| (r as f64).to_bits()).collect()),
            _ => {}
        }
        let (low, high) = slot.domain.or(slot.ty.range())?;
        // Small numbers where they are allowed: that is what a person would write.
        let start = if low <= 0 && high >= len as i128 { 0 } else { low };
        let span = (high - start).checked_add(1)?;
        let value = |rank: i128| slot.ty.bits_of_integer(start + rank.rem_euclid(span));
        ranks.map(value).collect()
    }

    /// Which place in the order the value at `i` of `len` has.
    fn rank(self, i: i128, len: i128) -> i128 {
        let mirrored = len - 1 - i;
        match self {
            Order::Steps(step) if step < 0 => mirrored * -step,
            Order::Steps(step) => i * step,
            Order::Mountain => i.min(mirrored) * 2 + i128::from(i > mirrored),
            Order::Valley => len - i.min(mirrored) * 2 - i128::from(i > mirrored),
            Order::Inwards if i % 2 == 0 => i / 2,
            Order::Inwards => len - 1 - i / 2,
            Order::Outwards => Order::Inwards.rank(mirrored, len),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(order: Order, len: usize) -> Vec<u64> {
        order.array(Slot::any(Type::I32), len).expect("integers have an order")
    }

    #[test]
    fn floats_have_an_order_too() {
        let falling = Order::Steps(-1).array(Slot::any(Type::F64), 3);
        assert_eq!(falling, Some([2.0f64, 1.0, 0.0].map(f64::to_bits).to_vec()));
    }

    #[test]
    fn orders_are_what_they_say() {
        assert_eq!(array(Order::Steps(1), 4), [0, 1, 2, 3]);
        assert_eq!(array(Order::Steps(-1), 4), [3, 2, 1, 0]);
        assert_eq!(array(Order::Steps(256), 3), [0, 256, 512]);
        assert_eq!(array(Order::Mountain, 5), [0, 2, 4, 3, 1]);
        assert_eq!(array(Order::Valley, 5), [5, 3, 1, 2, 4]);
        assert_eq!(array(Order::Inwards, 5), [0, 4, 1, 3, 2]);
        assert_eq!(array(Order::Outwards, 5), [2, 3, 1, 4, 0]);
    }

    #[test]
    fn a_small_domain_is_gone_through_again_and_again() {
        let letters = Slot::within(Type::U8, 97, 99);
        let rising = Order::Steps(1).array(letters, 5);
        assert_eq!(rising, Some(vec![97, 98, 99, 97, 98]));
        for order in orders() {
            let made = order.array(letters, 7).expect("letters have an order");
            assert!(made.iter().all(|bits| letters.admits(*bits)), "{order:?}");
        }
    }
}
