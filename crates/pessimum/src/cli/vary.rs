//! `analyze --vary`: several sizes grow in turn, each with a result, a page and folders of its own.

use super::Failure;
use super::analyze::{ended_with, has_page, illustrate, run_analysis, save_result};
use super::args::{AnalyzeArgs, JobArgs, LearnArgs, RunArgs};
use super::exit::end;
use super::files::{Beside, Out, write};
use super::limits::Limits;
use super::module::Opened;
use super::options::program;
use super::progress::Watcher;
use super::sources::Sources;
use super::values::STAYS_AT;
use pessimum::{Entry, Program, document};
use pessimum_report::escape::visible;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// An analysis for each of the sizes, the others standing still.
pub(super) fn analyze_along(
    axes: &[(String, u64)],
    args: &AnalyzeArgs,
    module: &Opened,
    limits: Limits,
    sources: &Sources,
    out: &Out,
) -> Result<u8, Failure> {
    for (axis, _) in axes {
        known(axis, args, module)?;
    }
    let mut beside = Beside::default();
    let mut documents = Vec::new();
    let mut codes = Vec::new();
    let mut text = String::new();
    for (axis, _) in axes {
        let fixed: Vec<_> = axes.iter().filter(|(other, _)| other != axis).collect();
        let stays: Vec<String> = fixed.iter().map(|(name, k)| format!("{name} = {k}")).collect();
        let grows = format!("{axis} grows, {}", stays.join(", "));
        let along = program_along(axis, axes, args, module)?;
        let save = args.job.learn.save.as_ref().map(|folder| folder.join(axis));
        let inputs = args.job.run.inputs.as_ref().map(|folder| folder.join(axis));
        let page = args.html.as_ref().map(|file| page_of(file, axis));
        let learn = LearnArgs { save, ..args.job.learn.clone() };
        let run = RunArgs { inputs, ..args.job.run.clone() };
        let job = JobArgs { learn, run, ..args.job.clone() };
        let watcher = Watcher::new(out, args.job.run.quiet, &format!("{axis} grows: "), limits);
        let mut result = run_analysis(along.clone(), &job, limits, watcher)?;
        let fit = &mut result.document.fit;
        fit.formula = fit.formula.as_deref().map(|formula| in_terms_of(axis, formula));
        fit.summary = in_terms_of(axis, &fit.summary);
        illustrate(&mut result, &along, limits.drawing(has_page(args)), sources)?;
        save_result(&result, &along, &job, |_| false, &mut beside);
        if let Some(file) = &page {
            let mut shown = result.document.clone();
            shown.program.entry = format!("{} where {grows}", shown.program.entry);
            beside.attempt(write(file, pessimum_report::html(&shown).as_bytes()));
        }
        let called = if axis == "n" { "" } else { " (the table and the plot call it n)" };
        text.push_str(&format!("{grows}{called}\n\n"));
        text.push_str(&pessimum_report::render_analysis(&result.document, out.style()));
        for (what, place) in
            [("page", &page), ("inputs", &job.run.inputs), ("saved", &job.learn.save)]
        {
            if let Some(place) = place {
                let place = place.display().to_string();
                text.push_str(&format!("{what:<9} {}\n", visible(&place)));
            }
        }
        text.push('\n');
        let fixed: Map<String, Value> =
            fixed.iter().map(|(name, k)| (name.clone(), (*k).into())).collect();
        codes.push(ended_with(&result));
        documents.push(json!({ "axis": axis, "fixed": fixed, "result": result.document }));
    }
    if let Some(note) = sources.note().filter(|_| !args.job.run.quiet) {
        out.note(&note);
    }
    let all = json!({ "schema": document::SCHEMA, "axes": documents });
    if !beside.json(out, args.job.run.json.as_deref(), &all) {
        out.print(&text);
    }
    end(beside, out, codes)
}

/// Refuses a size that nothing in the call depends on: it would grow and change nothing.
fn known(axis: &str, args: &AnalyzeArgs, module: &Opened) -> Result<(), Failure> {
    let program = program(&args.job.program, module)?;
    let called = match program.entry()? {
        Entry::Call(spec) => spec.mentions(axis),
        _ => false,
    };
    let words = args.job.program.lets.iter().chain(&args.job.program.domain);
    let mut defined = words.filter_map(|text| text.split_once('=')).flat_map(|(_, value)| {
        value.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned)
    });
    if axis == "n" || called || defined.any(|word| word == axis) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "--vary names the size {axis}, which {} does not have: use it in --call, as in &u8[{axis}]",
        program.entry()?
    )))
}

/// The program with one size that grows.
fn program_along(
    axis: &str,
    axes: &[(String, u64)],
    args: &AnalyzeArgs,
    module: &Opened,
) -> Result<Program, Failure> {
    let mut along = program(&args.job.program, module)?;
    // A size that a --let defines stays as it says, one that only --vary names at its number.
    for (name, fixed) in axes {
        if name != "n" && !along.lets().iter().any(|l| l.name == *name) {
            along = along.let_size(&format!("{name}={fixed}"))?;
        }
    }
    if axis == "n" {
        return Ok(along);
    }
    let n = axes.iter().find(|(name, _)| name == "n").map_or(STAYS_AT, |(_, fixed)| *fixed);
    Ok(along.grow(axis, n))
}

/// The page of a size beside the others: `report.html` becomes `report-m.html`.
fn page_of(file: &Path, axis: &str) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = match file.extension() {
        Some(extension) => format!("{stem}-{axis}.{}", extension.to_string_lossy()),
        None => format!("{stem}-{axis}"),
    };
    file.with_file_name(name)
}

/// A formula of n, written for a size of another name.
fn in_terms_of(name: &str, formula: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in formula.chars().chain(['\0']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        out.push_str(if word == "n" { name } else { &word });
        word.clear();
        out.push(c);
    }
    out.pop();
    out
}
