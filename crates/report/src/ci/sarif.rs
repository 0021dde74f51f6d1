//! Findings as SARIF 2.1.0, which GitHub, GitLab and editors show beside the code.

use super::{findings, witness};
use crate::document::{Check, Finding, Program, SourceLine, Verdict};
use crate::escape::{self, visible};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The findings of an analysis.
pub fn sarif(program: &Program, findings: &[Finding], version: &str) -> String {
    let results = findings.iter().map(|finding| of_finding(program, finding));
    document(results.collect(), version)
}

/// The rules of a check that did not pass, and its findings.
pub fn sarif_of_check(check: &Check, version: &str) -> String {
    let broken = findings(check).into_iter().map(|rule| {
        let level = if rule.verdict == Verdict::Worse { "error" } else { "warning" };
        let mut text = format!("{}: {}. {}", rule.rule, rule.reason, check.summary);
        if let Some(witness) = witness(check, &rule) {
            text.push_str(&format!(". {witness}"));
        }
        result(rule.verdict.word(), level, &text, &place(&check.program, check.at.as_ref(), 0))
    });
    let found = check.findings.iter().map(|finding| of_finding(&check.program, finding));
    document(broken.chain(found).collect(), version)
}

fn of_finding(program: &Program, finding: &Finding) -> Value {
    let (line, column) = match finding.at.as_deref().and_then(located) {
        Some((line, column)) => (Some(line), column),
        None => (None, 0),
    };
    let at = finding.at.as_deref().filter(|_| line.is_none());
    let text = match at {
        Some(at) => format!("{} (at {at})", finding.message),
        None => finding.message.clone(),
    };
    let level = match finding.kind.as_str() {
        "trap" | "hang" | "stack_overflow" => "error",
        "contradiction" | "replay_mismatch" | "wrongly_merged" => "error",
        "possible_trap" | "input_may_be_overwritten" => "warning",
        _ => "note",
    };
    result(&finding.kind, level, &text, &place(program, line.as_ref(), column))
}

/// `sort.c:9:5 (sort)` as a line and a column.
fn located(at: &str) -> Option<(SourceLine, u32)> {
    let at = at.split_once(" (").map_or(at, |(place, _)| place);
    let numbers: Vec<&str> = at.rsplitn(3, ':').collect();
    match numbers.as_slice() {
        [column, line, file] if !file.is_empty() => {
            let (line, column) = (line.parse().ok()?, column.parse().ok()?);
            Some((SourceLine { file: (*file).to_owned(), line }, column))
        }
        [line, file] => {
            Some((SourceLine { file: (*file).to_owned(), line: line.parse().ok()? }, 0))
        }
        _ => None,
    }
}

/// A place in the source; without one, the module: a result must be somewhere.
fn place(program: &Program, at: Option<&SourceLine>, column: u32) -> Value {
    match at {
        Some(at) => {
            let mut region = json!({ "startLine": at.line.max(1) });
            if column > 0 {
                region["startColumn"] = column.into();
            }
            json!({ "artifactLocation": { "uri": uri(&at.file) }, "region": region })
        }
        None => json!({ "artifactLocation": { "uri": uri(&program.module) } }),
    }
}

fn result(rule: &str, level: &str, text: &str, place: &Value) -> Value {
    json!({
        "ruleId": visible(rule),
        "level": level,
        "message": { "text": visible(text) },
        "locations": [{ "physicalLocation": place }],
    })
}

/// A path as a reference: what has a meaning there is encoded.
fn uri(path: &str) -> String {
    let mut out = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(byte.into());
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

fn document(results: Vec<Value>, version: &str) -> String {
    let ids: BTreeSet<&str> = results.iter().filter_map(|r| r["ruleId"].as_str()).collect();
    let rules: Vec<Value> = ids
        .iter()
        .map(|id| json!({ "id": id, "shortDescription": { "text": id.replace('_', " ") } }))
        .collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "pessimum", "version": version, "rules": rules } },
            "results": results,
        }],
    });
    escape::json(&format!("{document:#}\n")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_file_and_a_line() {
        let at = |text: &str| located(text).map(|(at, column)| (at.file, at.line, column));
        assert_eq!(at("src/a.c:9:5 (sort)"), Some(("src/a.c".into(), 9, 5)));
        assert_eq!(at("a.c:9"), Some(("a.c".into(), 9, 0)));
        assert_eq!(at("sort at byte 0x1f"), None);
    }

    #[test]
    fn a_path_is_a_reference() {
        assert_eq!(uri("src/my file.c"), "src/my%20file.c");
        assert_eq!(uri("/a/b#c.c"), "file:///a/b%23c.c");
    }
}
