//! A fit in one line.

use crate::outcome::{Bound, Fit, either};

/// More sizes than this are not listed one by one.
const LISTED: usize = 6;

impl Fit {
    /// The formula, the class and how sure it is:
    /// `1/2*n^2 - 1/2*n   O(n^2)   exact, checked at n = 12, 16, 24` or
    /// `≈ 3.1·n·log2(n)   Ω(n log n)`; where several classes are left, `Ω(n)   n or n*log(n)`.
    pub fn summary(&self) -> String {
        let class = self.class.map(|class| match self.bound {
            Bound::Exact => class.big_o(),
            Bound::AtLeast => class.omega(),
        });
        let (class, formula) = match (class, &self.formula) {
            (Some(class), Some(formula)) => (class, formula),
            (Some(class), None) => return format!("{class}   {}", either(&self.left)),
            _ if self.left.is_empty() => {
                return format!("no class: {} do not tell one", sizes_in_words(self.sizes));
            }
            _ => return format!("no single class: {}", either(&self.left)),
        };
        let from = match self.holds_from {
            Some(n) => format!(" from n = {n}"),
            None => String::new(),
        };
        if self.is_exact() {
            let checked = sizes(&self.checked_at);
            return format!("{formula}   {class}   exact{from}, checked at n = {checked}");
        }
        if !self.checked_at.is_empty() {
            return format!("{formula}   {class}   met{from} at the sizes seen");
        }
        let formula = formula.replace('*', "·");
        format!("≈ {formula}{from}   {class}")
    }
}

fn sizes_in_words(count: usize) -> String {
    if count == 1 { "1 size".into() } else { format!("{count} sizes") }
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
