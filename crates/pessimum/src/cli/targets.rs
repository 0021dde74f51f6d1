//! `targets`: the calls that a module describes itself.

use super::Failure;
use super::args::TargetsArgs;
use super::exit::{self, end};
use super::files::{Beside, Out, check_places, read};
use pessimum::Error;
use pessimum_entry::{DeclaredCall, ModuleSummary};
use serde::Serialize;

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
    let summary = ModuleSummary::read(&read(&args.module)?).map_err(Error::from)?;
    let row = |target: &'_ DeclaredCall| -> (String, String) {
        let class = target.at_most.as_ref().map(|class| format!("   at most {class}"));
        (target.name.clone(), format!("{}{}", target.call, class.unwrap_or_default()))
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
