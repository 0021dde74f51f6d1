//! `report`: a page made of a result that was kept.

use super::Failure;
use super::args::ReportArgs;
use super::files::{Out, check_places, read, write};
use super::limits::Limits;
use pessimum::document;
use pessimum_report::escape;
use serde_json::Value;
use std::path::Path;

/// `report`
pub(super) fn report(args: &ReportArgs, out: &Out) -> Result<u8, Failure> {
    check_places(&[("--output", Some(&args.output))], &[("the result", &args.result)])?;
    let _guard = Limits::start(args.limits.time, args.limits.memory).guard(out);
    let page = page_of(&args.result)?;
    write(&args.output, page.as_bytes())?;
    out.print(&escape::visible(&format!("wrote {}", args.output.display())));
    Ok(0)
}

/// The page of a document, whichever command wrote it.
fn page_of(file: &Path) -> Result<String, Failure> {
    let bytes = read(file)?;
    let wrong = |e: document::ReadError| {
        Failure::usage(format!(
            "{} is not a result of `pessimum analyze`, `check` or `diff` with --json: {e}",
            file.display()
        ))
    };
    let any: Value = document::parse(&bytes).map_err(wrong)?;
    let has = |key: &str| any.get(key).is_some();
    if has("rules") {
        let check: document::Check = document::parse(&bytes).map_err(wrong)?;
        return Ok(pessimum_report::html_check(&check, None));
    }
    if has("places") && has("old") {
        let diff: document::Diff = document::parse(&bytes).map_err(wrong)?;
        return Ok(pessimum_report::html_diff(&diff, None));
    }
    if has("axes") {
        return Err(Failure::usage(format!(
            "{} holds an analysis for each of several sizes: make their pages with `pessimum analyze --vary … --html report.html`",
            file.display()
        )));
    }
    Ok(pessimum_report::html(&read_result(file)?))
}

pub(super) fn read_result(file: &Path) -> Result<document::Analysis, Failure> {
    document::parse(&read(file)?).map_err(|e| {
        Failure::usage(format!(
            "{} is not a result of `pessimum analyze --json`: {e}",
            file.display()
        ))
    })
}

/// A result that another one is held against. What a check or a comparison wrote has no class and no training to hold
/// anything against.
pub(super) fn read_baseline(file: &Path) -> Result<document::Analysis, Failure> {
    let written_by = match document::parse::<Value>(&read(file)?) {
        Ok(any) if any.get("rules").is_some() => Some("check"),
        Ok(any) if any.get("places").is_some() && any.get("old").is_some() => Some("diff"),
        _ => None,
    };
    match written_by {
        None => read_result(file),
        Some(command) => Err(Failure::usage(format!(
            "{0} is what `pessimum {command}` wrote, and no baseline: make one of the build to compare with, by `pessimum analyze … --json {0}` with the same call",
            file.display()
        ))),
    }
}
