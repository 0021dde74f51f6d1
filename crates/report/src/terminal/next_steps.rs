//! What to do next: the one or two commands that follow from this result.

use super::section::Line;
use crate::document::{Analysis, Bound};
use crate::shell;

/// Commands and advice, the most useful first.
pub(crate) fn next_steps(analysis: &Analysis) -> Vec<Line> {
    let mut lines = Vec::new();
    let again = |more: &str| format!("{} {more}", shell::line(&analysis.parameters.command));
    let has_command = !analysis.parameters.command.is_empty();
    let cut = analysis.cut_by.is_some()
        || analysis.sizes.iter().chain(&analysis.training).any(|s| s.cut_by.is_some());
    let learned = analysis.policy.as_ref();
    if cut {
        lines.push(Line::plain("Give it longer: a cut run says less than it could (--time 10m)."));
    } else if learned.is_some_and(|p| !p.validated) {
        lines.push(Line::plain(
            "Train on more sizes: the policy did not hold on one it had not seen \
             (--train 1..=8, or a longer --train-budget).",
        ));
    }
    let blind =
        learned.is_some_and(|p| !p.sites.is_empty() && p.sites.iter().all(|s| s.line.is_none()));
    if blind {
        lines.push(Line::plain("Compile with -g to see source lines instead of offsets."));
    }
    let flags = &analysis.parameters.command;
    let given = |flag: &str| flags.iter().any(|w| w == flag || w.starts_with(&format!("{flag}=")));
    if has_command && !given("--html") {
        lines.push(Line::plain("See it by source line, graph and tree:").hang(2));
        lines.push(Line::faint(again("--html report.html")).whole());
    }
    if has_command && !given("--inputs") {
        lines.push(Line::plain("Take the inputs away, for a fuzzer's corpus or a test:").hang(2));
        lines.push(Line::faint(again("--inputs worst-inputs")).whole());
    }
    // A check passes on the growth of the worst case alone: one of inputs that were found cannot, nor
    // a run that was cut.
    let fit = &analysis.fit;
    let can_pass = fit.bound == Bound::Exact && analysis.cut_by.is_none();
    let class = fit.class.as_deref().filter(|_| can_pass);
    if let (Some(class), Some(check)) = (class, check_command(flags)) {
        lines.push(Line::plain("Keep it from growing worse, in CI:").hang(2));
        let bound = shell::word(class);
        lines.push(Line::faint(format!("{check} --at-most {bound}")).whole());
    }
    lines
}

/// The same call as a check, without the flags only `analyze` has a use for.
fn check_command(command: &[String]) -> Option<String> {
    let at = command.iter().position(|w| w == "analyze")?;
    // A check looks at n alone.
    if command.iter().any(|w| w == "--vary" || w.starts_with("--vary=")) {
        return None;
    }
    let mut words: Vec<String> = command[..at].to_vec();
    words.push("check".into());
    let mut rest = command[at + 1..].iter();
    while let Some(word) = rest.next() {
        let (name, inline) = match word.split_once('=') {
            Some((name, _)) => (name, true),
            None => (word.as_str(), false),
        };
        if ["--html", "--json", "--inputs"].contains(&name) {
            if !inline {
                rest.next();
            }
        } else {
            words.push(word.clone());
        }
    }
    Some(shell::line(&words))
}
