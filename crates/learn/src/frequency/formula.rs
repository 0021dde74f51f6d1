//! Counts as functions of the size.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::polynomial::Polynomial;

/// A count as a function of the size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Formula {
    /// One polynomial for every size.
    Every(Polynomial),
    /// Programs that halve treat odd sizes otherwise than even ones.
    ByParity {
        /// For even sizes.
        even: Polynomial,
        /// For odd sizes.
        odd: Polynomial,
    },
}

impl Formula {
    /// The simplest that meets all points, if further points than it needs confirm it.
    pub fn through(points: &[(u64, u64)]) -> Option<Self> {
        if let Some(every) = Polynomial::through(points) {
            return Some(Self::Every(every));
        }
        let (odd, even): (Vec<_>, Vec<_>) = points.iter().partition(|(n, _)| n % 2 == 1);
        // Of two curves each must be seen to bend or not: a line takes three points.
        let through = |points: &[(u64, u64)]| {
            if points.len() >= 3 { Polynomial::through(points) } else { None }
        };
        Some(Self::ByParity { even: through(&even)?, odd: through(&odd)? })
    }

    /// The value at a size, if it is a count: whole and not negative.
    pub fn count_at(&self, n: u64) -> Option<u64> {
        match self {
            Self::ByParity { odd, .. } if n % 2 == 1 => odd.count_at(n),
            Self::Every(formula) | Self::ByParity { even: formula, .. } => formula.count_at(n),
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Every(formula) => formula.fmt(f),
            Self::ByParity { even, odd } => write!(f, "{even} for even n, {odd} for odd n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(points: impl IntoIterator<Item = (u64, u64)>) -> Option<String> {
        Formula::through(&points.into_iter().collect::<Vec<_>>()).map(|f| f.to_string())
    }

    #[test]
    fn one_polynomial_is_simpler_than_two() {
        assert_eq!(through((1..=6).map(|n| (n, 3 * n))).as_deref(), Some("3*n"));
    }

    #[test]
    fn halves_are_told_by_parity() {
        let half = (1..=6).map(|n| (n, n / 2));
        assert_eq!(
            through(half.clone()).as_deref(),
            Some("1/2*n for even n, 1/2*n - 1/2 for odd n")
        );
        let formula = Formula::through(&half.collect::<Vec<_>>()).unwrap();
        assert_eq!([40, 41].map(|n| formula.count_at(n)), [Some(20), Some(20)]);
    }

    #[test]
    fn too_few_sizes_of_a_parity_tell_nothing() {
        assert_eq!(through((1..=5).map(|n| (n, n / 2))), None);
    }
}
