//! `list`, `run` and `check`.

use super::build::{Built, Target, build};
use super::outputs::for_target;
use super::{Failure, note, plain, print};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// The gravest first, as `pessimum check` has it.
const ORDER: [u8; 6] = [5, 2, 1, 4, 3, 0];

/// Flags that say what a check holds a program to.
const RULES: [&str; 3] = ["--at-most", "--max-cost", "--baseline"];

/// `list`
pub(super) fn list(harness: Option<&Path>) -> Result<u8, Failure> {
    let built = build(harness)?;
    let width = built.targets.iter().map(|target| target.name.chars().count()).max().unwrap_or(0);
    for Target { name, call, at_most } in &built.targets {
        let class = at_most.as_ref().map_or(String::new(), |class| format!("   at most {class}"));
        let line = format!("{name:<width$}   {call}{class}").replace('\n', "\\n");
        print(&(plain(&line) + "\n"));
    }
    if built.targets.is_empty() {
        note("the harness has no target yet: write #[pessimum::target] before a function");
    }
    Ok(0)
}

/// `run`
pub(super) fn analyze(
    harness: Option<&Path>,
    target: Option<&str>,
    flags: &[OsString],
) -> Result<u8, Failure> {
    let built = build(harness)?;
    let target = match (target, built.targets.as_slice()) {
        (Some(name), _) => find(&built, name)?,
        (None, [only]) => only,
        (None, _) => return Err(Failure::new(format!("which target? {}", there_are(&built)))),
    };
    let mut command = command(&built, "analyze", target, flags);
    let words = called_as(harness, target, flags);
    // A word on each line: one that has several lines cannot be told so.
    if !words.iter().any(|word| word.contains('\n')) {
        command.env(CALLED_AS, words.join("\n"));
    }
    start(command)
}

/// The variable in which `pessimum` is told how it was called, for the commands that it proposes.
const CALLED_AS: &str = "PESSIMUM_CALLED_AS";

/// The words that name the target again.
fn called_as(harness: Option<&Path>, target: &Target, flags: &[OsString]) -> Vec<String> {
    let mut words = vec!["cargo".to_owned(), "pessimum".to_owned()];
    if let Some(folder) = harness {
        words.extend(["--harness".to_owned(), folder.display().to_string()]);
    }
    words.extend(["run".to_owned(), target.name.clone()]);
    words.extend(flags.iter().map(|flag| flag.to_string_lossy().into_owned()));
    words
}

/// `check`
pub(super) fn check(
    harness: Option<&Path>,
    names: &[String],
    flags: &[OsString],
) -> Result<u8, Failure> {
    let built = build(harness)?;
    let targets: Vec<&Target> = match names {
        [] => built.targets.iter().collect(),
        names => names.iter().map(|name| find(&built, name)).collect::<Result<_, _>>()?,
    };
    let has_rule = flags.iter().any(|flag| {
        let flag = flag.to_string_lossy();
        RULES.contains(&flag.split('=').next().unwrap_or_default())
    });
    let (checked, left): (Vec<&Target>, Vec<&Target>) =
        targets.into_iter().partition(|target| has_rule || target.at_most.is_some());
    for target in &left {
        note(&format!("{} is not checked: it has no at_most", target.name));
    }
    let mut codes = Vec::new();
    match checked.as_slice() {
        [] => {
            return Err(Failure::new(
                "there is nothing to check: write #[pessimum::target(at_most = \"n\")], or give --at-most n",
            ));
        }
        [only] => codes.push(start(command(&built, "check", only, flags))?),
        several => {
            for target in several {
                note(&format!("    Checking {}", target.call));
                let flags = for_target(flags, &target.name)?;
                codes.push(wait(&mut command(&built, "check", target, &flags))?);
            }
        }
    }
    let rank = |code: &u8| ORDER.iter().position(|c| c == code).unwrap_or(0);
    Ok(codes.into_iter().min_by_key(rank).unwrap_or(0))
}

fn find<'a>(built: &'a Built, name: &str) -> Result<&'a Target, Failure> {
    let found = built.targets.iter().find(|target| target.name == name);
    found.ok_or_else(|| Failure::new(format!("there is no target {name}: {}", there_are(built))))
}

fn there_are(built: &Built) -> String {
    match built.targets.as_slice() {
        [] => "write #[pessimum::target] before a function of the harness".to_owned(),
        targets => {
            let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
            format!("there are {}", names.join(", "))
        }
    }
}

fn command(built: &Built, word: &str, target: &Target, flags: &[OsString]) -> Command {
    let mut command = Command::new(&built.pessimum);
    command.arg(word).arg(&built.module).arg(format!("--target={}", target.name));
    for folder in &built.sources {
        command.arg("--source").arg(folder);
    }
    command.args(flags);
    command
}

/// Becomes the command, so that Ctrl-C ends it as it ends `pessimum`.
#[cfg(unix)]
fn start(mut command: Command) -> Result<u8, Failure> {
    use std::os::unix::process::CommandExt;
    let why = command.exec();
    Err(Failure::new(format!("pessimum cannot be started: {why}")))
}

#[cfg(not(unix))]
fn start(mut command: Command) -> Result<u8, Failure> {
    wait(&mut command)
}

/// Runs the command to its end.
fn wait(command: &mut Command) -> Result<u8, Failure> {
    let status = command
        .status()
        .map_err(|why| Failure::new(format!("pessimum cannot be started: {why}")))?;
    // Ended by a signal, as from Ctrl-C: the others are not begun.
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.ok_or_else(|| Failure { code: 130, message: "pessimum was stopped".to_owned() })
}
