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
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.domain {
            None => write!(f, "{}", self.ty),
            Some((low, high)) => write!(f, "{} in {low}..={high}", self.ty),
        }
    }
}
