//! What to do next: the one or two commands that follow from this result.

use super::section::Line;
use crate::document::{Analysis, Basis, Bound, Cut};
use crate::shell;

/// Commands and advice, the most useful first.
pub(crate) fn next_steps(analysis: &Analysis) -> Vec<Line> {
    let mut lines = Vec::new();
    let fit = &analysis.fit;
    let command = &analysis.parameters.command;
    let again = |more: [&str; 2]| shell::line(&with(without(command, WRITTEN), more));
    let has_command = !analysis.parameters.command.is_empty();
    let sizes = analysis.sizes.iter().chain(&analysis.training);
    let cut = analysis.cut_by.or_else(|| sizes.filter_map(|size| size.cut_by).next());
    let learned = analysis.policy.as_ref();
    if analysis.cut_by == Some(Cut::Interrupt) {
        let how = match value(command, "--save") {
            Some(_) => "the same call goes on from what was saved",
            None => "with --save DIR the same call can go on where it was stopped",
        };
        lines.push(Line::plain(format!("Let it come to its end: {how}.")));
    } else if let Some(cut) = cut {
        lines.push(Line::plain(more_of(cut, command)));
    } else if let Some(policy) = learned.filter(|p| !p.validated && fit.basis != Basis::Proven) {
        let last = policy.trained_on.iter().max().map_or(8, |last| last + 2);
        lines.push(Line::plain(format!(
            "Train on more sizes: the policy did not hold on one it had not seen \
             (--train 1..={last}, or a longer --train-budget)."
        )));
    }
    let blind =
        learned.is_some_and(|p| !p.sites.is_empty() && p.sites.iter().all(|s| s.line.is_none()));
    if blind {
        lines.push(Line::plain(
            "Compile with DWARF to see source lines instead of offsets (clang, tinygo, zig: -g; cargo: \
             debug = true; AssemblyScript writes none).",
        ));
    }
    let given = |flag: &str| value(command, flag).is_some();
    if has_command && !given("--html") {
        lines.push(Line::plain("See it by source line, graph and tree:").hang(2));
        // What was kept need not be found again.
        let kept = value(command, "--json").filter(|file| *file != "-" && !given("--vary"));
        let page = match kept {
            Some(file) => format!("pessimum report {} -o report.html", shell::word(file)),
            None => again(["--html", "report.html"]),
        };
        lines.push(Line::faint(page).whole());
    }
    if has_command && !given("--inputs") {
        lines.push(Line::plain("Take the inputs away, for a fuzzer's corpus or a test:").hang(2));
        lines.push(Line::faint(again(["--inputs", "worst-inputs"])).whole());
    }
    // A check passes on the growth of the worst case alone: one of inputs that were found cannot, nor
    // a run that was cut.
    let can_pass = fit.bound == Bound::Exact && analysis.cut_by.is_none();
    let class = fit.class.as_deref().filter(|_| can_pass);
    if let (Some(class), Some(check)) = (class, check_command(command)) {
        lines.push(Line::plain("Keep it from growing worse, in CI:").hang(2));
        let bounded = with(check, ["--at-most", class]);
        lines.push(Line::faint(shell::line(&bounded)).whole());
    }
    lines
}

/// Flags that say where a result goes: whoever does it again has it already.
const WRITTEN: &[&str] = &["--html", "--json", "--inputs", "--sarif", "--quiet", "-q"];

/// Flags that only `analyze` has.
const ANALYZE: &[&str] = &["--save"];

/// Flags without a value.
const BARE: &[&str] = &["--quiet", "-q"];

/// The words of a command that are its own, and those from `--` on, which are for a compiler.
fn own(command: &[String]) -> (&[String], &[String]) {
    command.split_at(command.iter().position(|word| word == "--").unwrap_or(command.len()))
}

/// The command with a flag and its value.
fn with(command: Vec<String>, more: [&str; 2]) -> Vec<String> {
    let (own, rest) = own(&command);
    [own, &more.map(str::to_owned), rest].concat()
}

/// What a run wants more of that was cut by this.
fn more_of(cut: Cut, command: &[String]) -> String {
    let more = |flag: &str, what: &str| match value(command, flag) {
        Some(had) => format!("{what} ({flag} {had} was too little)"),
        None => format!("{what} ({flag})"),
    };
    let what = match cut {
        Cut::MaxPaths => more("--max-paths", "Let it follow more paths"),
        Cut::Memory => more("--memory", "Give it more memory"),
        Cut::Structures => "Ask for smaller sizes (--sizes)".to_owned(),
        // Work is reckoned from the time, unless it was given: a fast machine is done with it sooner.
        Cut::Work if value(command, "--effort").is_some() => more("--effort", "Give it more work"),
        Cut::Work => match value(command, "--time") {
            Some(had) => {
                format!("Give it longer (the work that --time {had} stands for was too little)")
            }
            None => more("--time", "Give it longer"),
        },
        Cut::Time | Cut::Interrupt => more("--time", "Give it longer"),
    };
    format!("{what}: a cut run says less than it could.")
}

/// The value of a flag; empty for one without.
pub(super) fn value<'a>(command: &'a [String], flag: &str) -> Option<&'a str> {
    let (command, _) = own(command);
    let at = command.iter().position(|word| word == flag);
    let inline = || command.iter().find_map(|w| w.strip_prefix(flag)?.strip_prefix('='));
    match at {
        Some(at) => Some(command.get(at + 1).map_or("", String::as_str)),
        None => inline(),
    }
}

/// The command without some flags and their values.
fn without(command: &[String], flags: &[&str]) -> Vec<String> {
    let mut words = Vec::new();
    let (own, compiler) = own(command);
    let mut rest = own.iter();
    while let Some(word) = rest.next() {
        let (name, inline) = match word.split_once('=') {
            Some((name, _)) => (name, true),
            None => (word.as_str(), false),
        };
        if !flags.contains(&name) {
            words.push(word.clone());
        } else if !inline && !BARE.contains(&name) {
            rest.next();
        }
    }
    words.extend(compiler.iter().cloned());
    words
}

/// The same call as a check, without the flags only `analyze` has a use for.
fn check_command(command: &[String]) -> Option<Vec<String>> {
    // `cargo pessimum run` is what a crate calls it.
    let at = command.iter().position(|w| w == "analyze" || w == "run")?;
    // A check looks at n alone.
    if value(command, "--vary").is_some() {
        return None;
    }
    let mut words = without(&without(command, WRITTEN), ANALYZE);
    *words.get_mut(at)? = "check".to_owned();
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn what_was_written_is_not_written_again() {
        let command =
            words("pessimum analyze a.wasm --json=- --html b.html -q --sizes 5 --source .");
        assert_eq!(
            shell::line(&without(&command, WRITTEN)),
            "pessimum analyze a.wasm --sizes 5 --source ."
        );
        let check = check_command(&command).map(|words| shell::line(&words));
        assert_eq!(check.as_deref(), Some("pessimum check a.wasm --sizes 5 --source ."));
        assert_eq!(value(&command, "--json"), Some("-"));
        assert_eq!(value(&command, "--html"), Some("b.html"));
        assert_eq!(value(&command, "--vary"), None);
    }

    /// What stands behind `--` is for the compiler.
    #[test]
    fn flags_come_before_those_of_the_compiler() {
        let command = words("pessimum analyze a.c --html b.html -- -O0 --html");
        assert_eq!(
            shell::line(&with(without(&command, WRITTEN), ["--inputs", "worst inputs"])),
            "pessimum analyze a.c --inputs 'worst inputs' -- -O0 --html"
        );
        assert_eq!(value(&words("pessimum analyze a.c -- --html x"), "--html"), None);
    }

    #[test]
    fn a_crate_is_checked_as_it_was_run() {
        let check = check_command(&words("cargo pessimum run trim --sizes 5"));
        let check = check.map(|words| shell::line(&with(words, ["--at-most", "n"])));
        assert_eq!(check.as_deref(), Some("cargo pessimum check trim --sizes 5 --at-most n"));
    }
}
