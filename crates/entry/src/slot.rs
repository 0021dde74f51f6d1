//! One symbolic input.

use std::fmt;

use crate::Type;

/// One symbolic input: its type, and the values it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Slot {
    /// The type in which the program and the reports see it.
    pub ty: Type,
    /// The least and the greatest value it may take, both included; the whole type if none.
    /// Only integers have a domain.
    pub domain: Option<(i128, i128)>,
}

impl Slot {
    /// An input that may take every value of its type.
    pub fn any(ty: Type) -> Self {
        Self { ty, domain: None }
    }

    /// An input that may take the integers from `low` to `high`, both included.
    pub fn within(ty: Type, low: i128, high: i128) -> Self {
        Self { ty, domain: Some((low, high)) }
    }

    /// Whether the input may take the value with this bit pattern.
    pub fn admits(&self, bits: u64) -> bool {
        if bits & !self.ty.mask() != 0 {
            return false;
        }
        match (self.domain, self.ty.integer(bits)) {
            (Some((low, high)), Some(value)) => low <= value && value <= high,
            _ => true,
        }
    }

    /// The bit pattern of zero, or of the integer nearest to it that the input may be.
    pub fn nearest_to_zero(&self) -> u64 {
        let nearest = self.domain.map_or(0, |(low, high)| 0.clamp(low, high.max(low)));
        self.ty.bits_of_integer(nearest).unwrap_or(0)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.domain {
            None => write!(f, "{}", self.ty),
            Some((low, high)) => write!(f, "{} in {low}..={high}", self.ty),
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
}
