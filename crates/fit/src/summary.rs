//! A fit in one line.

use crate::outcome::{Confidence, Fit};

/// More sizes than this are not listed one by one.
const LISTED: usize = 6;

impl Fit {
    /// The formula, the class and how sure it is:
    /// `1/2*n^2 - 1/2*n   O(n^2)   exact, checked at n = 12, 16, 24` or
    /// `≈ 3.1·n·log2(n)   O(n log n), next best n^1.2 (error 4.1×)`.
    pub fn summary(&self) -> String {
        let (Some(class), Some(formula)) = (self.class, &self.formula) else {
            return match self.candidates.first() {
                Some(best) if best.error < 0.5 => format!(
                    "no class: {} fits best, but what was found does not carry it",
                    best.class
                ),
                Some(best) => format!(
                    "no class: the nearest, {}, misses by {:.0} %",
                    best.class,
                    100.0 * best.error
                ),
                None => format!("no class: too few sizes ({})", self.sizes),
            };
        };
        let class = class.big_o();
        let from = match self.holds_from {
            Some(n) => format!(" from n = {n}"),
            None => String::new(),
        };
        if self.is_exact() {
            let checked = sizes(&self.checked_at);
            return format!("{formula}   {class}   exact{from}, checked at n = {checked}");
        }
        let formula = formula.replace('*', "·");
        let next = match (self.runner_up, self.error_ratio()) {
            (Some(next), Some(ratio)) => format!(", next best {next} (error {}×)", times(ratio)),
            _ => String::new(),
        };
        let doubt = if self.confidence == Confidence::Unsure { ": not sure" } else { "" };
        format!("≈ {formula}{from}   {class}{doubt}{next}")
    }
}

/// The greatest sizes, which say most, when there are too many to list.
fn sizes(all: &[u64]) -> String {
    let shown = &all[all.len().saturating_sub(LISTED)..];
    let list: Vec<String> = shown.iter().map(u64::to_string).collect();
    let list = list.join(", ");
    match all.len() - shown.len() {
        0 => list,
        more => format!("{list} and {more} smaller"),
    }
}

fn times(ratio: f64) -> String {
    if ratio < 100.0 { format!("{ratio:.1}") } else { "over 100".into() }
}
