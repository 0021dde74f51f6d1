//! What the page is made from: a document, thinned so that a page can be sent around.

use crate::document::{
    Analysis, Basis, Bound, Check, Confidence, Diff, Effort, Fit, Independence, Input, Parameters,
    SCHEMA, Size,
};
use crate::terminal::witness;
use serde_json::{Value, json};

/// Bytes of inputs that a page carries. Those of the largest size come first.
const INPUTS: usize = 80 << 10;

/// Bytes of one input; a longer one is left out.
const LONGEST: usize = 60 << 10;

/// Columns of the witness that stands beside the rules of a check.
const WITNESS: usize = 120;

/// Lines of a source file around those that ran: what the page shows unasked.
const AROUND: u32 = 8;

/// Bytes of source text above which what is far from any line that ran is left out.
const SOURCE: usize = 60 << 10;

/// An analysis as the page reads it.
pub(crate) fn of_analysis(analysis: &Analysis) -> Value {
    let mut page = serde_json::to_value(analysis).unwrap_or(Value::Null);
    thin_inputs(&mut page);
    thin_source(&mut page);
    page
}

/// A check, with what it was made from where that is at hand.
pub(crate) fn of_check(check: &Check, analysis: Option<&Analysis>) -> Value {
    let mut page = match analysis {
        Some(analysis) => of_analysis(analysis),
        None => of_analysis(&bare_check(check)),
    };
    page["bare"] = analysis.is_none().into();
    page["check"] = json!({
        "verdict": check.verdict,
        "rules": check.rules_in_short(),
        "witness": witness(check, WITNESS).map(|(n, input)| json!({ "n": n, "input": input })),
        "change": check.change,
        "at": check.at,
        "findings": check.findings,
    });
    page["findings"] = json!(check.findings);
    thin_findings(&mut page);
    page
}

/// A comparison, with the analysis of the new build where that is at hand.
pub(crate) fn of_diff(diff: &Diff, analysis: Option<&Analysis>) -> Value {
    let mut page = match analysis {
        Some(analysis) => of_analysis(analysis),
        None => of_analysis(&bare_diff(diff)),
    };
    page["bare"] = analysis.is_none().into();
    let size = |s: &crate::document::DiffSize| json!({ "n": s.n, "old": s.old, "new": s.new, "exact": s.exact, "verdict": s.verdict });
    page["diff"] = json!({
        "verdict": diff.verdict,
        "summary": diff.summary,
        "old": diff.old,
        "new": diff.new,
        "sizes": diff.sizes.iter().map(size).collect::<Vec<_>>(),
        "places": diff.places,
    });
    page["findings"] = json!(diff.findings);
    thin_findings(&mut page);
    page
}

/// What a check alone says of an analysis.
fn bare_check(check: &Check) -> Analysis {
    let size = |s: &crate::document::CheckSize| Size {
        worst_cost: s.worst_cost,
        exact: s.exact,
        method: s.method,
        input: s.input.clone(),
        replayed: s.replayed,
        effort: Effort { seconds: s.seconds, ..Effort::default() },
        ..bare_size(s.n, s.method)
    };
    Analysis {
        program: check.program.clone(),
        sizes: check.sizes.iter().map(size).collect(),
        fit: bare_fit(None, None, Bound::AtLeast, &check.summary),
        findings: check.findings.clone(),
        ..bare(&check.cost_model)
    }
}

/// What a comparison alone says of the analysis of the new build.
fn bare_diff(diff: &Diff) -> Analysis {
    let size = |s: &crate::document::DiffSize| Size {
        worst_cost: s.new,
        exact: s.exact,
        input: s.input.clone(),
        ..bare_size(s.n, crate::document::Method::Search)
    };
    let (class, formula) = (diff.new.class.clone(), diff.new.formula.clone());
    Analysis {
        program: diff.new.program.clone(),
        sizes: diff.sizes.iter().map(size).collect(),
        fit: bare_fit(class, formula, diff.new.bound, &diff.new.summary),
        findings: diff.findings.clone(),
        ..bare(&diff.cost_model)
    }
}

fn bare(cost_model: &str) -> Analysis {
    Analysis {
        schema: SCHEMA,
        program: Default::default(),
        cost_model: cost_model.to_owned(),
        cost_version: None,
        learn_cost: None,
        sizes: Vec::new(),
        training: Vec::new(),
        fit: bare_fit(None, None, Bound::AtLeast, ""),
        policy: None,
        cost_independent_of_input: Independence::No,
        refuting: None,
        findings: Vec::new(),
        cut_by: None,
        parameters: Parameters::default(),
        source: Vec::new(),
        tree: None,
        graphs: Vec::new(),
    }
}

fn bare_size(n: u64, method: crate::document::Method) -> Size {
    Size {
        n,
        worst_cost: None,
        random_cost: None,
        instructions: None,
        exact: false,
        paths: None,
        paths_exact: None,
        effort: Effort::default(),
        method,
        input: None,
        replayed: None,
        cut_by: None,
    }
}

fn bare_fit(class: Option<String>, formula: Option<String>, bound: Bound, summary: &str) -> Fit {
    Fit {
        class,
        formula,
        interpolates: false,
        basis: Basis::LowerBound,
        bound,
        r2: None,
        confidence: Confidence::Unsure,
        checked_at: Vec::new(),
        missed_at: Vec::new(),
        holds_from: None,
        left: Vec::new(),
        bits: 0.0,
        candidates: Vec::new(),
        family: Vec::new(),
        summary: summary.to_owned(),
    }
}

/// Inputs in a form that is short where they are regular, and of the largest sizes where they are many.
fn thin_inputs(page: &mut Value) {
    let mut places: Vec<(u64, &'static str, usize)> = Vec::new();
    for list in ["sizes", "training"] {
        let sizes = page[list].as_array().into_iter().flatten().enumerate();
        places.extend(sizes.map(|(at, size)| (size["n"].as_u64().unwrap_or(0), list, at)));
    }
    places.sort_by_key(|place| std::cmp::Reverse(place.0));
    let mut left = INPUTS;
    for (_, list, at) in places {
        let size = &mut page[list][at];
        let Ok(input) = serde_json::from_value::<Input>(size["input"].take()) else { continue };
        let short = short_input(&input);
        let bytes = short.to_string().len();
        if bytes <= LONGEST.min(left) {
            left -= bytes;
            size["input"] = short;
        } else {
            size["input_left_out"] = true.into();
        }
    }
    thin_findings(page);
}

fn thin_findings(page: &mut Value) {
    for finding in page["findings"].as_array_mut().into_iter().flatten() {
        if let Ok(input) = serde_json::from_value::<Input>(finding["input"].take()) {
            let short = short_input(&input);
            if short.to_string().len() <= LONGEST / 8 {
                finding["input"] = short;
            }
        }
        if finding["input"].is_null()
            && let Some(finding) = finding.as_object_mut()
        {
            finding.remove("input");
        }
    }
}

/// An input without what follows from the rest: the bytes, where the values give them, and equal neighbours.
fn short_input(input: &Input) -> Value {
    let mut short = json!({ "values": input.values, "bytes": input.bytes });
    if input.arguments().is_some() {
        short["arguments"] = json!(input.structure.as_ref().map(|s| &s["arguments"]));
    }
    let Some(values) = input.values.as_array() else { return short };
    if let Some(width) = width(values, input) {
        short["width"] = width.into();
        short["bytes"] = "".into();
    }
    let mut runs: Vec<(&Value, u64)> = Vec::new();
    for value in values {
        match runs.last_mut() {
            Some((last, count)) if *last == value => *count += 1,
            _ => runs.push((value, 1)),
        }
    }
    if runs.len() * 2 < values.len() {
        short["values"] = Value::Null;
        short["runs"] = json!(runs);
    }
    short
}

/// The bytes of each value, if writing them little-endian gives the bytes of the input.
fn width(values: &[Value], input: &Input) -> Option<usize> {
    let raw = input.raw()?;
    let width = raw.len().checked_div(values.len())?;
    if ![1, 2, 4, 8].contains(&width) || width * values.len() != raw.len() {
        return None;
    }
    let mut written = Vec::with_capacity(raw.len());
    for value in values {
        let bits = value.as_i64().map(|v| v as u64).or_else(|| value.as_u64())?;
        written.extend_from_slice(&bits.to_le_bytes()[..width]);
    }
    (written == raw).then_some(width)
}

/// Large files without what is far from any line that ran.
fn thin_source(page: &mut Value) {
    for file in page["source"].as_array_mut().into_iter().flatten() {
        let bytes = |line: &Value| line.as_str().map_or(0, str::len);
        if file["lines"].as_array().into_iter().flatten().map(bytes).sum::<usize>() <= SOURCE {
            continue;
        }
        let heat = file["heat"].as_array().into_iter().flatten();
        let hot = heat.flat_map(|h| h["lines"].as_array().into_iter().flatten());
        let hot: Vec<u64> = hot.filter_map(|line| line[0].as_u64()).collect();
        for (number, line) in (1u64..).zip(file["lines"].as_array_mut().into_iter().flatten()) {
            if !hot.iter().any(|at| at.abs_diff(number) <= u64::from(AROUND)) {
                *line = "".into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;

    fn input(values: Value, bytes: &[u8]) -> Input {
        let bytes = base64::engine::general_purpose::STANDARD.encode(bytes);
        Input { values, bytes, structure: None }
    }

    #[test]
    fn equal_neighbours_are_told_once_and_bytes_that_follow_not_at_all() {
        let short = short_input(&input(json!(vec![0; 90_000]), &vec![0; 360_000]));
        assert_eq!(short["runs"], json!([[0, 90_000]]));
        assert_eq!((&short["width"], &short["bytes"]), (&json!(4), &json!("")));
        let short = short_input(&input(json!([-1, 2]), &[255, 255, 2, 0]));
        assert_eq!((&short["values"], &short["width"]), (&json!([-1, 2]), &json!(2)));
        let odd = short_input(&input(json!([1, 2]), &[1, 0, 2]));
        assert_eq!(odd["bytes"], "AQAC");
    }
}
