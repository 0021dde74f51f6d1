//! The live line: which stage a run is in and what it knows so far.

use super::number::{count, grouped, seconds};
use super::style::TerminalStyle;

/// What a progress line says. Whatever is not known yet is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The stage, as a verb: `exploring`, `learning`, `generating`, `fitting`.
    pub stage: String,
    /// The size at work.
    pub n: Option<u64>,
    /// Paths so far, at this size.
    pub paths: u64,
    /// Greatest cost so far, at this size.
    pub worst_cost: Option<u64>,
    /// What has been learned so far, in a few words: `looks like O(n^2)`.
    pub learned: String,
    /// Since the start of the run.
    pub seconds: f64,
}

impl Progress {
    /// One line, cut to the terminal: a line that wraps cannot be drawn over.
    ///
    /// ```
    /// use pessimum_report::{Progress, TerminalStyle};
    /// let progress = Progress {
    ///     stage: "exploring".into(),
    ///     n: Some(6),
    ///     paths: 720,
    ///     worst_cost: Some(20),
    ///     learned: "looks like O(n^2)".into(),
    ///     seconds: 1.25,
    /// };
    /// assert_eq!(
    ///     progress.line(&TerminalStyle::default()),
    ///     "exploring n = 6: 720 paths, worst 20; looks like O(n^2)  1.25 s",
    /// );
    /// ```
    pub fn line(&self, style: &TerminalStyle) -> String {
        let mut text = self.stage.clone();
        if let Some(n) = self.n {
            text.push_str(&format!(" n = {n}"));
        }
        let mut facts = Vec::new();
        if self.paths > 0 {
            facts.push(count(self.paths, "path"));
        }
        if let Some(worst) = self.worst_cost {
            facts.push(format!("worst {}", grouped(worst)));
        }
        if !facts.is_empty() {
            text.push_str(&format!(": {}", facts.join(", ")));
        }
        if !self.learned.is_empty() {
            text.push_str(&format!("; {}", self.learned));
        }
        let clock = format!("  {} s", seconds(self.seconds));
        style.fit(&text, style.width.saturating_sub(clock.len() + 1)) + &clock
    }
}
