//! Everything that talks to a terminal, and starts cargo and `pessimum`.

mod build;
mod harness;
mod init;
mod outputs;
mod run;
mod tools;
mod words;

use std::ffi::OsString;
use std::io::Write;
use words::{Action, Words};

/// The call or a file is wrong: as in `pessimum`.
const USAGE: u8 = 2;

const HELP: &str = "How the worst case of a crate's functions grows, from one line of harness each.

Usage: cargo pessimum <COMMAND>

Commands:
  init                      make pessimum/, a harness beside the crate
      --package NAME        of a workspace: the crate it is for
      --input PATH          a folder with the crate pessimum-input, in place of the registry's
  list                      the targets of the harness, each with its call
  run [TARGET] [FLAGS]      analyse a target; FLAGS are those of `pessimum analyze`
  check [TARGET…] [FLAGS]   hold targets to their `at_most`; FLAGS are those of `pessimum check`

Options:
      --harness DIR         before the command: the harness (default: pessimum/ here or further up)
  -h, --help                this text
  -V, --version             the version

From the first flag on everything is for `pessimum`. With several targets the files it is asked to write have the
name of the target in theirs: --html report.html makes report-parse.html. `check` exits as `pessimum check`
does: 0 all proven or validated, 1 one is worse, 2 something is wrong, 3 a budget ran out, 4 inconclusive, 5 a bug of
pessimum; of several the gravest, in the order 5, 2, 1, 4, 3, 0.

Examples:
  cargo pessimum init
  cargo pessimum run parse --time 5m --html report.html
  cargo pessimum check
  cargo pessimum check parse --at-most 'n*log(n)' --inconclusive pass
";

/// What went wrong, with its exit code.
#[derive(Debug)]
struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    fn new(message: impl Into<String>) -> Failure {
        Failure { code: USAGE, message: message.into() }
    }
}

/// Runs a command line and gives its exit code.
pub(crate) fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    let done = Words::read(words).and_then(|words| {
        let harness = words.harness.as_deref();
        match words.action {
            Action::Help => {
                print(HELP);
                Ok(0)
            }
            Action::Version => {
                print(concat!("cargo-pessimum ", env!("CARGO_PKG_VERSION"), "\n"));
                Ok(0)
            }
            Action::Init { package, input } => init::init(package.as_deref(), input.as_deref()),
            Action::List => run::list(harness),
            Action::Run { target, flags } => run::analyze(harness, target.as_deref(), &flags),
            Action::Check { targets, flags } => run::check(harness, &targets, &flags),
        }
    });
    done.unwrap_or_else(|failure| {
        note(&format!("error: {}", failure.message));
        failure.code
    })
}

/// Writes to standard output. A reader that went away is no error.
fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Writes a line to standard error.
fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", plain(line));
}

/// Without what a terminal would act on: names of files and what cargo says come from elsewhere.
fn plain(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => "\n".to_owned(),
        // What turns the direction of text around would as well.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => c.escape_default().to_string(),
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(shown).collect()
}
