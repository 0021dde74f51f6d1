//! Everything that talks to a terminal.

mod analyze;
mod args;
mod check;
mod diff;
mod examples;
mod exit;
mod explore;
mod files;
mod gate;
mod generate;
mod guide;
mod jobs;
mod limits;
mod module;
mod on;
mod options;
mod policy;
mod progress;
mod replay;
mod report;
mod sources;
mod targets;
mod values;
mod vary;

use args::{Cli, Command};
use clap::Parser;
use files::Out;
use pessimum::Error;
use pessimum_entry::{Candidate, Discovery};
use pessimum_machine::LoadError;
use pessimum_shape::ShapeError;
use std::ffi::OsString;
use std::path::Path;

/// What went wrong, with its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    /// The message; further lines stand by themselves.
    lines: Vec<String>,
}

impl Failure {
    /// The call or a file is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure { code: exit::USAGE, lines: vec![message.into()] }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let code = match &error {
            Error::OutOfBudget(_)
            | Error::Stopped { .. }
            | Error::TooManyStructures(_)
            | Error::Load(LoadError::OutOfTime { .. })
            | Error::Shape(ShapeError::Stopped) => exit::OUT_OF_BUDGET,
            _ => exit::USAGE,
        };
        let lines = match &error {
            Error::Spec(spec) => {
                let column = spec.text[..spec.span.start.min(spec.text.len())].chars().count();
                let width =
                    spec.text.get(spec.span.clone()).map_or(1, |s| s.chars().count().max(1));
                vec![
                    format!("{}: {}", spec.what, spec.mend),
                    format!("  {}", spec.text),
                    format!("  {}{}", " ".repeat(column), "^".repeat(width)),
                ]
            }
            Error::Entry(doubt) if !doubt.candidates.is_empty() => menu(doubt),
            other => vec![other.to_string()],
        };
        Failure { code, lines }
    }
}

/// The ways into a program, each as the command line that takes it.
fn menu(doubt: &Discovery) -> Vec<String> {
    /// More would not be read.
    const SHOWN: usize = 16;
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let (before, flags) = words.split_at(end);
    // A target that there is not is no part of the way.
    let (mut before, mut named) = (before.to_vec(), false);
    before.retain(|word| {
        let value = std::mem::replace(&mut named, word == "--target");
        !value && !named && !word.starts_with("--target=")
    });
    let line = |candidate: &Candidate| {
        let call = match &candidate.target {
            Some(name) => ["--target".to_owned(), quoted(name)],
            None => ["--call".to_owned(), quoted(&candidate.example)],
        };
        let words = [&before[..], &call, flags].concat();
        format!("  pessimum {}", words.join(" "))
    };
    let mut lines = vec![format!("{}: name one", doubt.reason)];
    lines.extend(doubt.candidates.iter().take(SHOWN).map(line));
    if let more @ 1.. = doubt.candidates.len().saturating_sub(SHOWN) {
        lines.push(format!("  … {more} more"));
    }
    lines
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Runs a command line, the name of the command first, and gives its exit code.
pub(crate) fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    let out = Out::new();
    let cli = match Cli::try_parse_from(joined(words)) {
        Ok(cli) => cli,
        Err(told) => return tell(&told, &out),
    };
    let result = match cli.command {
        Command::Analyze(mut args) => {
            args.job.run.be_patient();
            analyze::analyze(&args, &out)
        }
        Command::Check(mut args) => {
            args.job.run.be_patient();
            check::check(&args, &out)
        }
        Command::Diff(mut args) => {
            args.job.run.be_patient();
            diff::diff(&args, &out)
        }
        Command::Explore(args) => explore::explore(&args, &out),
        Command::Jobs(args) => jobs::jobs(&args, &out),
        Command::Generate(args) => generate::generate(&args, &out),
        Command::Replay(args) => replay::replay(&args, &out),
        Command::Report(args) => report::report(&args, &out),
        Command::Policy(args) => policy::policy(&args, &out),
        Command::Targets(args) => targets::targets(&args, &out),
        Command::Examples => examples::list(&out),
        Command::Doctor => guide::doctor(&out),
        Command::Completions { shell } => guide::completions(shell, &out),
        Command::Man { command } => guide::man(command.as_deref(), &out),
    };
    let result = result.and_then(|code| match out.failure() {
        None => Ok(code),
        Some(failure) => Err(failure),
    });
    match result {
        Ok(code) => code,
        Err(failure) => {
            out.error(&failure);
            failure.code
        }
    }
}

/// The words, with those of `--argv 'sort -n'` joined to it as in `--argv='sort -n'`: several words that no file is called by.
fn joined(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = Vec::new();
    for word in words {
        let several = word.to_string_lossy().contains(' ') && !Path::new(&word).exists();
        match all.last_mut() {
            Some(last) if *last == "--argv" && several => {
                last.push("=");
                last.push(word);
            }
            _ => all.push(word),
        }
    }
    all
}

/// Help, the version, or what is wrong with the flags. What was typed is repeated there, and may be
/// the name of a file.
fn tell(told: &clap::Error, out: &Out) -> u8 {
    if !told.use_stderr() {
        // A reader that went away is no error.
        let _ = told.print();
        return 0;
    }
    let text = told.render().to_string();
    let text = text.trim_end();
    let lines = text.strip_prefix("error: ").unwrap_or(text).lines().map(str::to_owned).collect();
    out.error(&Failure { code: 2, lines });
    2
}
