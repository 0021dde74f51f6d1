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
    let class = match class {
        "log(n)" => "log n".to_owned(),
        other => other.replace("*log(n)", " log n"),
    };
    format!("{letter}({class})")
}

/// The formula, the class and how sure it is:
/// `1/2*n^2 - 1/2*n   O(n^2)   exact, checked at n = 12, 16, 24` or
/// `≈ 3.1·n·log2(n)   O(n log n), next best n^1.2 (error 4.1×)`.
pub(crate) fn summary(fit: &Fit) -> String {
    let (Some(class), Some(formula)) = (&fit.class, &fit.formula) else {
        return match fit.candidates.first() {
            Some(best) if best.error < 0.5 => {
                format!("no class: {} fits best, but what was found does not carry it", best.class)
            }
            Some(best) => format!(
                "no class: the nearest, {}, misses by {:.0} %",
                best.class,
                100.0 * best.error
            ),
            None => "no class: too few sizes".to_owned(),
        };
    };
    let class = notation(class, fit.bound);
    let from = match fit.holds_from {
        Some(n) => format!(" from n = {n}"),
        None => String::new(),
    };
    if fit.confidence == Confidence::Exact {
        let checked = sizes(&fit.checked_at);
        // A rule that the costs of found inputs follow is no rule of the worst case.
        let word = match fit.bound {
            Bound::Exact => "exact",
            Bound::AtLeast => "met by the inputs found",
        };
        return format!("{formula}   {class}   {word}{from}, checked at n = {checked}");
    }
    let formula = formula.replace('*', "·");
    let next = match (&fit.runner_up, error_ratio(fit)) {
        (Some(next), Some(ratio)) => format!(", next best {next} (error {}×)", times(ratio)),
        _ => String::new(),
    };
    let doubt = if fit.confidence == Confidence::Unsure { ": not sure" } else { "" };
    format!("≈ {formula}{from}   {class}{doubt}{next}")
}

/// How many times the error of the best class the runner-up has.
fn error_ratio(fit: &Fit) -> Option<f64> {
    let best = fit.candidates.first()?;
    let next = fit.candidates.iter().find(|c| Some(&c.class) == fit.runner_up.as_ref())?;
    Some((next.error + 1e-9) / (best.error + 1e-9))
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
