//! Why a rule of a check is kept, broken or undecided, in one sentence.

use crate::document::{Basis, Bound, Cut};
use crate::growth::notation;
use std::fmt;

/// What decides a rule.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// The growth is known.
    Grows {
        /// The class found.
        class: String,
        /// Whether it is that of the worst case.
        bound: Bound,
        /// The class allowed.
        allowed: String,
        /// Whether the first is above the second.
        above: bool,
        /// What it rests on.
        basis: Basis,
        /// The largest size at which every path was explored, if there is one.
        explored: Option<u64>,
    },
    /// The cost of a size is known.
    Costs {
        /// The cost found.
        cost: u64,
        /// The cost allowed.
        allowed: u64,
    },
    /// A rule is undecided.
    Open {
        /// What was found so far: `no family … beyond O(n)`, `cost 5 is within 6`; empty for nothing.
        so_far: String,
        /// What is missing.
        missing: Missing,
    },
}

/// What would settle a rule.
#[derive(Clone, PartialEq, Debug)]
pub enum Missing {
    /// Engines that agree.
    Agreement,
    /// A cost.
    Cost,
    /// A class; the text says what was tried.
    Class(String),
    /// A run that is not cut.
    Time(Cut),
    /// A policy that is validated.
    Validation,
    /// Every path of the sizes, or a policy that is validated: a search alone keeps no bound.
    Paths,
    /// Evidence as good as that of the baseline.
    BaselineEvidence,
}

impl Reason {
    /// That nothing above a class was found.
    pub fn nothing_above(allowed: &str, missing: Missing) -> Reason {
        let so_far = format!(
            "no family of inputs was found that grows beyond {}",
            notation(allowed, Bound::Exact)
        );
        Reason::Open { so_far, missing }
    }

    /// That a cost is within its limit, as far as is known.
    pub fn within_so_far(cost: Option<u64>, allowed: u64, missing: Missing) -> Reason {
        let so_far = cost.map(|cost| format!("cost {cost} is within {allowed}"));
        Reason::Open { so_far: so_far.unwrap_or_default(), missing }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Grows { class, bound, allowed, above, basis, explored } => {
                let (class, allowed) = (notation(class, *bound), notation(allowed, Bound::Exact));
                let place = if *above { "above" } else { "within" };
                write!(f, "it grows as {class}, {place} {allowed}")?;
                // Who is told that nothing is worse is told how far that is known.
                match (basis, explored) {
                    (Basis::Proven, Some(n)) if !above => {
                        write!(
                            f,
                            ": every path was explored at sizes up to n = {n}; beyond, it is extrapolated"
                        )
                    }
                    (Basis::Validated, Some(n)) if !above => write!(
                        f,
                        ": every path was explored at sizes up to n = {n}; beyond, it is what a policy met that held there"
                    ),
                    _ => Ok(()),
                }
            }
            Reason::Costs { cost, allowed } if cost > allowed => {
                write!(f, "cost {cost} is more than {allowed}")
            }
            Reason::Costs { cost, allowed } => write!(f, "cost {cost} is at most {allowed}"),
            Reason::Open { so_far, missing } if so_far.is_empty() => write!(f, "{missing}"),
            Reason::Open { so_far, missing } => write!(f, "{so_far}, but {missing}"),
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Agreement => f.write_str(
                "the two engines disagree on an input of this run: a bug of pessimum, please report it",
            ),
            Missing::Cost => f.write_str("the size was not reached"),
            Missing::Class(tried) => write!(f, "the costs do not tell a class ({tried})"),
            Missing::Time(cut) => write!(
                f,
                "the run was cut by {cut}: a run that ends would settle it (--time 10m)"
            ),
            Missing::Validation => f.write_str(
                "the policy is not validated: training on more sizes would settle it (--train-budget 60s)",
            ),
            Missing::Paths => f.write_str(
                "some sizes were only searched: every path of them, or a validated policy, would settle it (--train-budget 60s)",
            ),
            Missing::BaselineEvidence => f.write_str(
                "the baseline has better evidence here: a longer run would settle it (--time 10m)",
            ),
        }
    }
}
