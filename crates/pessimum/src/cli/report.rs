//! `report`: a page made of a result that was kept.

use super::Failure;
use super::args::ReportArgs;
use super::files::{Out, read, write};
use pessimum::document;
use std::path::Path;

/// `report`
pub(super) fn report(args: &ReportArgs, out: &Out) -> Result<u8, Failure> {
    let result = read_result(&args.result)?;
    write(&args.output, pessimum_report::html(&result).as_bytes())?;
    out.print(&format!("wrote {}", args.output.display()));
    Ok(0)
}

pub(super) fn read_result(file: &Path) -> Result<document::Analysis, Failure> {
    serde_json::from_slice(&read(file)?).map_err(|e| {
        Failure::usage(format!(
            "{} is not a result of `pessimum analyze --json`: {e}",
            file.display()
        ))
    })
}
