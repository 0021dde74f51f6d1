//! Everything that talks to a terminal.

mod analyze;
mod args;
mod check;
mod examples;
mod exit;
mod explore;
mod files;
mod generate;
mod guide;
mod options;
mod policy;
mod progress;
mod replay;
mod report;
mod values;
mod vary;

use args::{Cli, Command};
use clap::Parser;
use files::Out;
use pessimum::Error;
use std::process::ExitCode;

/// What went wrong, with its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// The call or a file is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure { code: exit::USAGE, message: message.into() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let code = match &error {
            Error::OutOfBudget(_) | Error::Stopped { .. } | Error::TooManyStructures(_) => {
                exit::OUT_OF_BUDGET
            }
            _ => exit::USAGE,
        };
        let message = match &error {
            Error::Spec(spec) => {
                let column = spec.text[..spec.span.start.min(spec.text.len())].chars().count();
                let width =
                    spec.text.get(spec.span.clone()).map_or(1, |s| s.chars().count().max(1));
                format!(
                    "{}: {}\n  {}\n  {}{}",
                    spec.what,
                    spec.mend,
                    spec.text,
                    " ".repeat(column),
                    "^".repeat(width)
                )
            }
            other => other.to_string(),
        };
        Failure { code, message }
    }
}

/// Runs the command line.
pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse();
    let out = Out::new();
    let result = match cli.command {
        Command::Analyze(args) => analyze::analyze(&args, &out),
        Command::Check(args) => check::check(&args, &out),
        Command::Explore(args) => explore::explore(&args, &out),
        Command::Generate(args) => generate::generate(&args, &out),
        Command::Replay(args) => replay::replay(&args, &out),
        Command::Report(args) => report::report(&args, &out),
        Command::Policy(args) => policy::policy(&args, &out),
        Command::Examples => examples::list(&out),
        Command::Doctor => guide::doctor(&out),
        Command::Completions { shell } => guide::completions(shell, &out),
        Command::Man => guide::man(&out),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            out.error(&failure.message);
            ExitCode::from(failure.code)
        }
    }
}
