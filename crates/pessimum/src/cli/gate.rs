//! A verdict as builds take it: an exit code, annotations, and the files that CI systems read.

use super::Failure;
use super::args::{GateArgs, Inconclusive, RunArgs};
use super::exit;
use super::files::{Out, write};
use pessimum::document::{self, Verdict};
use pessimum_report::ci;
use std::path::Path;

/// Where results go, each with its flag.
pub(super) fn places<'a>(
    run: &'a RunArgs,
    gate: &'a GateArgs,
) -> [(&'static str, Option<&'a Path>); 5] {
    [
        ("--json", run.json.as_deref()),
        ("--html", gate.html.as_deref()),
        ("--junit", gate.junit.as_deref()),
        ("--sarif", gate.sarif.as_deref()),
        ("--markdown", gate.markdown.as_deref()),
    ]
}

/// The exit code of a verdict.
pub(super) fn verdict_code(verdict: Verdict, gate: &GateArgs) -> u8 {
    match (verdict, gate.inconclusive) {
        (Verdict::Ok, _) | (Verdict::Inconclusive, Some(Inconclusive::Pass)) => exit::DONE,
        (Verdict::Worse, _) | (Verdict::Inconclusive, Some(Inconclusive::Fail)) => exit::WORSE,
        (Verdict::Inconclusive, None) => exit::INCONCLUSIVE,
    }
}

/// Says it again in the forms that CI systems read.
pub(super) fn tell_ci(
    gate: &GateArgs,
    found: &document::Check,
    markdown: impl FnOnce() -> String,
    json_only: bool,
    out: &Out,
) -> Result<(), Failure> {
    // Without the flag an inconclusive check exits with 4, which fails a build.
    let inconclusive = match gate.inconclusive {
        Some(Inconclusive::Pass) => ci::Inconclusive::Pass,
        Some(Inconclusive::Fail) | None => ci::Inconclusive::Fail,
    };
    if gate.github {
        // The runner reads both streams.
        let lines = ci::github_annotations(found, inconclusive);
        if json_only { out.commands(&lines) } else { out.exactly(&lines) }
    }
    if let Some(file) = &gate.sarif {
        write(file, ci::sarif_of_check(found, env!("CARGO_PKG_VERSION")).as_bytes())?;
    }
    if let Some(file) = &gate.markdown {
        write(file, markdown().as_bytes())?;
    }
    match &gate.junit {
        Some(file) => write(file, ci::junit(found, inconclusive).as_bytes()),
        None => Ok(()),
    }
}
