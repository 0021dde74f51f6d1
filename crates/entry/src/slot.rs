//! One symbolic input.

use std::fmt;

use crate::Type;

/// One symbolic input: its type, and the values it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Slot {
    /// The type in which the program and the reports see it.
    pub ty: Type,
    /// The [ranks](Type::rank) of the least and the greatest value it may take, both included; the whole type if none. A
    /// float that has a domain is a number.
    pub domain: Option<(i128, i128)>,
}

impl Slot {
    /// An input that may take every value of its type.
    pub fn any(ty: Type) -> Self {
        Self { ty, domain: None }
    }

    /// An input that may take the integers from `low` to `high`, or the floats of these ranks, both included.
    pub fn within(ty: Type, low: i128, high: i128) -> Self {
        Self { ty, domain: Some((low, high)) }
    }

    /// Whether the input may take the value with this bit pattern.
    pub fn admits(&self, bits: u64) -> bool {
        if bits & !self.ty.mask() != 0 {
            return false;
        }
        self.domain.is_none_or(|(low, high)| (low..=high).contains(&self.ty.rank(bits)))
    }

    /// The bit pattern of zero, or of the value nearest to it that the input may be.
    pub fn nearest_to_zero(&self) -> u64 {
        self.nearest(0)
    }

    /// A bit pattern, or that of the value nearest to it that the input may be.
    ///
    /// ```
    /// use pessimum_entry::{Slot, Type};
    /// assert_eq!(Slot::within(Type::U8, 3, 9).nearest(200), 9);
    /// ```
    pub fn nearest(&self, bits: u64) -> u64 {
        let bits = bits & self.ty.mask();
        let Some((low, high)) = self.domain else { return bits };
        let nearest = self.ty.rank(bits).clamp(low, high.max(low));
        self.ty.bits_of_rank(nearest).unwrap_or(0)
    }

    /// The ranks of the least and the greatest value; none for a float without a domain, where nobody asked for an order.
    pub fn ends(&self) -> Option<(i128, i128)> {
        self.domain.or(self.ty.range())
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.domain {
            None => write!(f, "{}", self.ty),
            Some((low, high)) if !self.ty.is_float() => {
                write!(f, "{} in {low}..={high}", self.ty)
            }
            Some(ends) => {
                let [low, high] = [ends.0, ends.1]
                    .map(|rank| self.ty.bits_of_rank(rank).map(|bits| self.ty.show(bits)));
                write!(
                    f,
                    "{} in {}..={}",
                    self.ty,
                    low.unwrap_or_default(),
                    high.unwrap_or_default()
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plainest_value_is_one_that_is_admitted() {
        assert_eq!(Slot::any(Type::F64).nearest_to_zero(), 0);
        assert_eq!(Slot::within(Type::I32, -2, 3).nearest_to_zero(), 0);
        assert_eq!(Slot::within(Type::U8, 97, 122).nearest_to_zero(), 97);
        let below = Slot::within(Type::I32, -9, -4).nearest_to_zero();
        assert_eq!(Type::I32.integer(below), Some(-4));
    }

    #[test]
    fn a_float_with_a_domain_is_a_number() {
        let slot = Slot::within(
            Type::F32,
            Type::F32.rank((-1.5f32).to_bits().into()),
            Type::F32.rank(2f32.to_bits().into()),
        );
        let admits = |x: f32| slot.admits(x.to_bits().into());
        assert!([-1.5, -0.0, 0.0, 1e-40, 2.0].into_iter().all(admits));
        assert!(
            ![-1.500_000_1, 2.000_000_2, f32::INFINITY, f32::NAN, -f32::NAN]
                .into_iter()
                .any(admits)
        );
        assert_eq!(slot.to_string(), "f32 in -1.5..=2.0");
        assert_eq!(slot.nearest(f32::NAN.to_bits().into()), u64::from(2f32.to_bits()));
        assert_eq!(slot.nearest((-9f32).to_bits().into()), u64::from((-1.5f32).to_bits()));
    }
}
