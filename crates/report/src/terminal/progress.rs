//! The live line: what is known so far, and which stage a run is in.

use super::number::{count, grouped};
use crate::growth::written;

/// The worst case of a size, while other sizes are still at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartialAnswer {
    /// The size.
    pub n: u64,
    /// Paths that were followed, where they are counted and not too many for a line.
    pub paths: Option<u64>,
    /// Greatest cost found, if any path ended normally.
    pub worst_cost: Option<u64>,
    /// Whether the worst cost is a promise.
    pub exact: bool,
}

/// What a progress line says. Whatever is not known yet is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The latest answer.
    pub answer: Option<PartialAnswer>,
    /// The class of the answers up to here.
    pub so_far: Option<String>,
    /// What is being done, or what has been: `exploring n = 7`.
    pub stage: String,
}

impl Progress {
    /// One line. The answer comes first: a narrow terminal cuts off what is behind it.
    ///
    /// ```
    /// use pessimum_report::{PartialAnswer, Progress};
    ///
    /// let begun = Progress { stage: "exploring n = 1".into(), ..Progress::default() };
    /// assert_eq!(begun.line(), "exploring n = 1");
    /// let exact = PartialAnswer { n: 6, paths: Some(720), worst_cost: Some(36), exact: true };
    /// let later = Progress {
    ///     answer: Some(exact),
    ///     so_far: Some("n^2".into()),
    ///     stage: "exploring n = 7".into(),
    /// };
    /// assert_eq!(
    ///     later.line(),
    ///     "n = 6: worst 36 (exact), 720 paths; so far ≈ n^2; exploring n = 7",
    /// );
    /// ```
    pub fn line(&self) -> String {
        let mut parts = Vec::new();
        if let Some(answer) = &self.answer {
            let worst = match answer.worst_cost {
                Some(cost) if answer.exact => format!("worst {} (exact)", grouped(cost)),
                Some(cost) => format!("worst {}", grouped(cost)),
                None => "no path ends normally".to_owned(),
            };
            let paths = answer.paths.map(|paths| format!(", {}", count(paths, "path")));
            parts.push(format!("n = {}: {worst}{}", answer.n, paths.unwrap_or_default()));
        }
        parts.extend(self.so_far.as_ref().map(|class| format!("so far ≈ {}", written(class))));
        parts.extend(Some(self.stage.clone()).filter(|stage| !stage.is_empty()));
        parts.join("; ")
    }
}
