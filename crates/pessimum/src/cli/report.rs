//! `report`: a page made of a result that was kept.

use super::Failure;
use super::args::ReportArgs;
use super::files::{Out, check_places, read, write};
use super::limits::Limits;
use pessimum::document;
use pessimum_report::escape;
use std::path::Path;

/// `report`
pub(super) fn report(args: &ReportArgs, out: &Out) -> Result<u8, Failure> {
    check_places(&[("--output", Some(&args.output))], &[("the result", &args.result)])?;
    let _guard = Limits::start(args.limits.time, args.limits.memory).guard(out);
    let result = read_result(&args.result)?;
    write(&args.output, pessimum_report::html(&result).as_bytes())?;
    out.print(&escape::visible(&format!("wrote {}", args.output.display())));
    Ok(0)
}

pub(super) fn read_result(file: &Path) -> Result<document::Analysis, Failure> {
    document::parse(&read(file)?).map_err(|e| {
        Failure::usage(format!(
            "{} is not a result of `pessimum analyze --json`: {e}",
            file.display()
        ))
    })
}
