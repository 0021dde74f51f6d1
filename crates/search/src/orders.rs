//! Arrays in plain order: rising, falling, in steps, towards the middle.
//!
//! Programs that sort, search or hash are at their worst on inputs that a person could dictate. No
//! run has to have hinted at them: they are few enough to be tried at every size.

use pessimum_entry::Slot;

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
        if slot.ty.is_float() {
            let whole: Vec<u64> = ranks.clone().map(|r| slot.ty.bits_of_float(r as f64)).collect();
            if whole.iter().all(|bits| slot.admits(*bits)) {
                return Some(whole);
            }
        }
        let (low, high) = slot.ends()?;
        // Small numbers where they are allowed: that is what a person would write.
        let start = if low <= 0 && high >= len as i128 { 0 } else { low };
        let span = (high - start).checked_add(1)?;
        // Floats are far apart, so that what is computed from them is as well.
        let most = ranks.clone().max().unwrap_or(0).max(1);
        let apart = if slot.ty.is_float() { (span / (most + 1)).max(1) } else { 1 };
        let value = |rank: i128| slot.ty.bits_of_rank(start + (rank * apart).rem_euclid(span));
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
    use pessimum_entry::Type;

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

    /// Of a domain that has no room for whole numbers, floats that are spread over it.
    #[test]
    fn floats_stay_in_their_domain() {
        let rank = |x: f64| Type::F64.rank(x.to_bits());
        for (low, high) in [(-0.5, 0.25), (1e-3, 2e-3), (-8.0, -7.0), (0.0, 2.5), (0.0, 1e9)] {
            let slot = Slot::within(Type::F64, rank(low), rank(high));
            for order in orders() {
                let made = order.array(slot, 9).expect("floats have an order");
                assert!(made.iter().all(|bits| slot.admits(*bits)), "{order:?} {low} {high}");
            }
            let rising = Order::Steps(1).array(slot, 9).expect("floats have an order");
            let numbers = rising.iter().map(|bits| f64::from_bits(*bits));
            assert!(numbers.clone().zip(numbers.skip(1)).all(|(x, y)| x < y), "{low} {high}");
        }
    }
}
