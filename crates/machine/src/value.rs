//! A value of the machine: concrete bits or a term.

use pessimum_term::{Arena, TermId, Width};

/// Concrete bits, or a term; never both. Narrow values are zero-extended to 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Value {
    /// The bits of a concrete value; zero for a term.
    pub(crate) bits: u64,
    /// The term's index; zero for a concrete value.
    pub(crate) term: u32,
}

impl Value {
    /// A concrete value.
    #[inline]
    pub fn concrete(bits: u64) -> Self {
        Value { bits, term: 0 }
    }

    /// A term, or its value if it is a constant.
    #[inline]
    pub fn of_term(arena: &Arena, t: TermId) -> Self {
        match arena.as_const(t) {
            Some(bits) => Value::concrete(bits),
            None => Value { bits: 0, term: t.index() },
        }
    }

    /// The bits, when concrete.
    #[inline]
    pub fn as_concrete(self) -> Option<u64> {
        (self.term == 0).then_some(self.bits)
    }

    /// The term, when symbolic.
    #[inline]
    pub fn as_term(self) -> Option<TermId> {
        TermId::from_index(self.term)
    }

    /// The value as a term of `width`, whichever it is.
    #[inline]
    pub fn to_term(self, arena: &mut Arena, width: Width) -> TermId {
        match TermId::from_index(self.term) {
            Some(t) => t,
            None => arena.constant(width, self.bits),
        }
    }
}
