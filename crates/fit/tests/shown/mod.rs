//! A fit in one line, for the messages of tests.

use pessimum_fit::Fit;

pub(crate) fn shown(fit: &Fit) -> String {
    let class = fit.class.map_or("no class".to_owned(), |c| c.to_string());
    let formula = fit.formula.as_deref().unwrap_or("no formula");
    let from = fit.holds_from.map_or(String::new(), |n| format!(" from n = {n}"));
    let left: Vec<String> = fit.left.iter().map(ToString::to_string).collect();
    format!("{class}: {formula}{from}, {}, left: {}", fit.confidence, left.join(", "))
}
