//! What a solver may say.

/// The three answers. An unknown is neither of the others and nobody may read it as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a model, and it was evaluated on the original terms.
    Sat,
    /// There is none: the constraints that say so are fully encoded by the theory that found out.
    Unsat,
    /// Nobody in the chain could tell.
    Unknown(Reason),
}

/// Why nobody could tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The work limit was reached.
    Work,
    /// The work limit was reached, and a float is computed in what was asked.
    Float,
    /// No solver of the chain encodes the constraints in full.
    Incomplete,
}

impl Answer {
    /// Whether a model was found.
    #[inline]
    pub fn is_sat(self) -> bool {
        self == Answer::Sat
    }

    /// Whether it was shown that there is no model.
    #[inline]
    pub fn is_unsat(self) -> bool {
        self == Answer::Unsat
    }
}
