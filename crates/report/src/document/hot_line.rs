//! Where the time goes, in one line.

use serde::{Deserialize, Serialize};

/// The line that an input spends most of its cost on, with what is called from it in files that are not the user's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HotLine {
    /// The size of the input.
    pub n: u64,
    /// The line.
    pub line: u32,
    /// Its part of the whole cost.
    pub share: f64,
}

impl HotLine {
    /// `Most of the cost is spent at src/csv.c:5 (95 %)`, by whose file it is; at which size, where it is not `shown`.
    pub fn told(&self, file: &str, shown: Option<u64>) -> String {
        let share = (100.0 * self.share).round();
        let at = if shown == Some(self.n) { String::new() } else { format!(" of n = {}", self.n) };
        let head = match share >= 50.0 {
            true => format!("Most of the cost{at} is spent at"),
            false => format!("The costliest line{at} is"),
        };
        format!("{head} {file}:{} ({share} %)", self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_less_than_half_is_not_most_of_it() {
        let hot = HotLine { n: 1000, line: 5, share: 0.672 };
        let said = "Most of the cost is spent at src/csv.c:5 (67 %)";
        assert_eq!(hot.told("src/csv.c", Some(1000)), said);
        let said = "Most of the cost of n = 1000 is spent at src/csv.c:5 (67 %)";
        assert_eq!(hot.told("src/csv.c", Some(4000)), said);
        let less = HotLine { share: 0.2, ..hot };
        assert_eq!(less.told("a.c", Some(1000)), "The costliest line is a.c:5 (20 %)");
    }
}
