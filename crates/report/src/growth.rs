//! Growth in words: `O(n log n)`, `Ω(n^2)`, and a fit in one line.

use crate::document::{Bound, Confidence, Fit};

/// More sizes than this are not listed one by one.
const LISTED: usize = 6;

/// A class as it is usually written: `O(n log n)` where it is the growth of the worst case, `Ω(n log n)`
/// where it is that of inputs which were found.
///
/// ```
/// use pessimum_report::{document::Bound, notation};
/// assert_eq!(notation("n*log(n)", Bound::Exact), "O(n log n)");
/// assert_eq!(notation("n^2", Bound::AtLeast), "Ω(n^2)");
/// ```
pub fn notation(class: &str, bound: Bound) -> String {
    let letter = match bound {
        Bound::Exact => 'O',
        Bound::AtLeast => 'Ω',
    };
    format!("{letter}({})", written(class))
}

/// A class as it is usually written: `n log n`.
pub(crate) fn written(class: &str) -> String {
    match class {
        "log(n)" => "log n".to_owned(),
        other => other.replace("*log(n)", " log n"),
    }
}

/// The formula, the class and how sure it is:
/// `1/2*n^2 - 1/2*n   O(n^2)   exact, checked at n = 12, 16, 24` or `≈ 3.1*n*log2(n)   Ω(n log n)`; where
/// several classes are left, `Ω(n)   n or n log n`.
pub(crate) fn summary(fit: &Fit) -> String {
    let (class, formula) = match (fit.notation(), &fit.formula) {
        (Some(class), Some(formula)) => (class, formula),
        (Some(class), None) => return format!("{class}   {}", either(&fit.left)),
        _ if fit.left.is_empty() => return "no class: the sizes do not tell one".to_owned(),
        _ => return format!("no single class: {}", either(&fit.left)),
    };
    let from = match fit.holds_from {
        Some(n) => format!(" from n = {n}"),
        None => String::new(),
    };
    if fit.confidence == Confidence::Exact {
        let checked = sizes(&fit.checked_at);
        // A rule that the costs of found inputs follow is no rule of the worst case.
        let word = match fit.bound {
            Bound::Exact => "exact",
            Bound::AtLeast if fit.missed_at.is_empty() => "met by the inputs found",
            Bound::AtLeast => "met by one family of inputs",
        };
        let but = but(&fit.missed_at);
        return format!("{formula}   {class}   {word}{from}, checked at n = {checked}{but}");
    }
    if !fit.checked_at.is_empty() {
        let by = if fit.missed_at.is_empty() { "" } else { " by one family of inputs" };
        let but = but(&fit.missed_at);
        return format!("{formula}   {class}   met{by}{from} at the sizes seen{but}");
    }
    format!("≈ {formula}{from}   {class}")
}

/// Where the worst that was found is not what the formula says.
fn but(missed: &[u64]) -> String {
    match missed {
        [] => String::new(),
        missed => format!("; the worst found is another at n = {}", sizes(missed)),
    }
}

/// `n`, `n or n^2`, `n, n^2 or n^3`.
fn either(classes: &[String]) -> String {
    let classes: Vec<String> = classes.iter().map(|class| written(class)).collect();
    match classes.as_slice() {
        [] => "no class is left".to_owned(),
        [one] => one.clone(),
        [first, .., last] if classes.len() > LISTED => format!("anything from {first} to {last}"),
        [some @ .., last] => format!("{} or {last}", some.join(", ")),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What the same answer has a dearer input than is said of the inputs that follow it.
    #[test]
    fn a_formula_names_the_sizes_that_do_not_follow_it() {
        let fit = Fit {
            class: Some("n^2".to_owned()),
            formula: Some("n^2".to_owned()),
            confidence: Confidence::Exact,
            checked_at: vec![4, 5, 6],
            ..Fit::nothing()
        };
        let said = "n^2   Ω(n^2)   met by the inputs found, checked at n = 4, 5, 6";
        assert_eq!(summary(&fit), said);
        let missed = Fit { missed_at: vec![7, 127], ..fit };
        let said = "n^2   Ω(n^2)   met by one family of inputs, checked at n = 4, 5, 6; \
                    the worst found is another at n = 7, 127";
        assert_eq!(summary(&missed), said);
    }
}
