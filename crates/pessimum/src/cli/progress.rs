//! What a person sees while a run is at work: a live line on a terminal. Elsewhere, as in the log of
//! a CI job, an analysis says a line when a stage ends and when what it knows of the growth changes.

use super::files::Out;
use super::limits::{self, Limits};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use pessimum::Stage;
use pessimum_report::{PartialAnswer, Progress};
use std::time::{Duration, Instant};

/// A live line on a terminal, nothing in a pipe.
pub(super) fn live_line(out: &Out, quiet: bool, deadline: Instant) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if !out.live() || quiet {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        return bar;
    }
    let left = move |_: &ProgressState, to: &mut dyn std::fmt::Write| {
        let left = deadline.saturating_duration_since(Instant::now());
        // Writing to the line cannot fail.
        let _ = to.write_str(&time_left(left));
    };
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed}, {left}  {wide_msg}") {
        let style = if out.style().unicode { style } else { style.tick_chars("|/-\\ ") };
        bar.set_style(style.with_key("left", left));
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// What is left of the time, rounded up so that it is never said to be over before it is.
fn time_left(left: Duration) -> String {
    match left.as_millis().div_ceil(1000) {
        0 => "ending".to_owned(),
        seconds @ 1..=99 => format!("at most {seconds}s left"),
        seconds @ 100..=5999 => format!("at most {}m left", seconds.div_ceil(60)),
        seconds => format!("at most {}h left", seconds.div_ceil(3600)),
    }
}

/// Shows what an analysis tells.
pub(super) struct Watcher {
    bar: ProgressBar,
    /// Where lines go, if there are to be any.
    lines: Option<Out>,
    /// Stands before every line: which of several analyses it is.
    label: String,
    begun: Instant,
    shown: Progress,
    doing: Doing,
    policy: String,
    /// The class that was last said in a line of its own.
    said: Option<String>,
}

/// A stage, without the size it is at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    Nothing,
    Exploring,
    Proving,
    Learning,
    Generating,
    Confirming,
}

impl Watcher {
    /// For an analysis that begins now; `label` is empty for the only one.
    pub(super) fn new(out: &Out, quiet: bool, label: &str, limits: Limits) -> Watcher {
        Watcher {
            bar: live_line(out, quiet, limits.deadline),
            lines: (!quiet && !out.live()).then(|| out.clone()),
            label: label.to_owned(),
            begun: Instant::now(),
            shown: Progress::default(),
            doing: Doing::Nothing,
            policy: String::new(),
            said: None,
        }
    }

    /// The live line, which whoever runs the analysis clears in the end.
    pub(super) fn bar(&self) -> ProgressBar {
        self.bar.clone()
    }

    /// Takes in what the analysis tells.
    pub(super) fn tell(&mut self, stage: Stage) {
        match stage {
            Stage::Training { n } => {
                self.begin(Doing::Exploring, format!("exploring every path of n = {n}"));
            }
            Stage::Proving { n } => {
                self.begin(Doing::Proving, format!("exploring every state of n = {n}"));
            }
            Stage::Answer { n, paths, worst, exact, so_far } => {
                let so_far = so_far.map(|class| class.to_string());
                self.shown.answer = Some(PartialAnswer { n, paths, worst_cost: worst, exact });
                self.shown.so_far.clone_from(&so_far);
                if so_far.is_some() && so_far != self.said {
                    self.said = so_far;
                    self.line("");
                }
            }
            Stage::Learning => {
                let what = "learning what the worst paths have in common".to_owned();
                self.begin(Doing::Learning, what);
            }
            Stage::Learned { kind, validated } => {
                let validated = if validated { "validated" } else { "not validated" };
                self.policy = format!("by a {kind} policy, {validated}");
            }
            Stage::Generating { n } => {
                let what = match self.policy.as_str() {
                    "" => format!("generating n = {n}"),
                    policy => format!("generating n = {n} {policy}"),
                };
                self.begin(Doing::Generating, what);
            }
            Stage::Confirming => {
                let what = "confirming in the independent engine".to_owned();
                self.begin(Doing::Confirming, what);
            }
        }
        let line = format!("{}{}", self.label, self.shown.line());
        limits::so_far(&line);
        self.bar.set_message(line);
    }

    /// Goes on to what is done now; where there is a log, it says how the stage before has ended.
    fn begin(&mut self, doing: Doing, what: String) {
        if doing != self.doing {
            match self.doing {
                Doing::Exploring => self.line("small sizes explored"),
                Doing::Proving => self.line("larger sizes explored by their states"),
                Doing::Learning if self.policy.is_empty() => self.line("no policy learned"),
                Doing::Learning => self.line(&format!("going on {}", self.policy)),
                Doing::Generating => self.line("sizes generated"),
                Doing::Nothing | Doing::Confirming => {}
            }
            self.doing = doing;
        }
        self.shown.stage = what;
    }

    fn line(&self, stage: &str) {
        if let Some(out) = &self.lines {
            let shown = Progress { stage: stage.to_owned(), ..self.shown.clone() };
            let seconds = self.begun.elapsed().as_secs_f64();
            out.note(&format!("{seconds:.1} s  {}{}", self.label, shown.line()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_rounded_up() {
        let left = |millis| time_left(Duration::from_millis(millis));
        assert_eq!(left(0), "ending");
        assert_eq!(left(1), "at most 1s left");
        assert_eq!(left(59_200), "at most 60s left");
        assert_eq!(left(100_000), "at most 2m left");
        assert_eq!(left(7_200_000), "at most 2h left");
    }
}
