//! `targets`: the calls that a module describes itself.

use super::Failure;
use super::args::TargetsArgs;
use super::exit::{self, end};
use super::files::{Beside, Out, check_places};
use super::module::{Build, open};
use pessimum::Error;
use pessimum_entry::{DeclaredCall, ModuleSummary};
use pessimum_report::escape;
use serde::Serialize;
use std::time::Duration;

/// What a compiler gets, where the module is source.
const COMPILING: Duration = Duration::from_secs(60);

/// Characters of a name or a call: whoever made the module chose them.
const LONGEST: usize = 300;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    targets: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    call: &'a str,
    at_most: Option<&'a str>,
}

/// `targets`
pub(super) fn targets(args: &TargetsArgs, out: &Out) -> Result<u8, Failure> {
    check_places(&[("--json", args.json.as_deref())], &[("the module", &args.module)])?;
    let build = Build { flags: &[], call: None, time: COMPILING, quiet: true };
    let module = open(&args.module, &build, out)?;
    let summary = ModuleSummary::read(&module.bytes).map_err(Error::from)?;
    let row = |target: &'_ DeclaredCall| -> (String, String) {
        let shown = |text: &str| escape::bounded(text, LONGEST).into_owned();
        let class = target.at_most.as_ref().map(|class| format!("   at most {}", shown(class)));
        (shown(&target.name), format!("{}{}", shown(&target.call), class.unwrap_or_default()))
    };
    let document = Document {
        schema: 2,
        targets: summary
            .declared
            .iter()
            .map(|t| Row { name: &t.name, call: &t.call, at_most: t.at_most.as_deref() })
            .collect(),
    };
    let mut beside = Beside::default();
    if !beside.json(out, args.json.as_deref(), &document) {
        let rows: Vec<(String, String)> = summary.declared.iter().map(row).collect();
        let width = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0);
        let lines = rows.iter().map(|(name, rest)| format!("{name:<width$}   {rest}\n"));
        out.print(&lines.collect::<String>());
        if rows.is_empty() {
            out.note("the module describes no targets: write #[pessimum::target] before a function, or describe the call with --call");
        }
    }
    end(beside, out, [exit::DONE])
}
