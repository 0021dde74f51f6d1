//! The cost of a run by call stack, for the viewers of other projects.

use crate::document::SourceLine;
use crate::escape::{self, visible};
use serde_json::json;
use std::collections::HashMap;

/// What was spent by one call stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The functions, the outermost first.
    pub frames: Vec<String>,
    /// The line of the innermost one that it was spent on, where debug information tells it.
    pub line: Option<SourceLine>,
    /// What it cost.
    pub cost: u64,
}

impl Stack {
    /// Its frames by name, the line as one more.
    fn names(&self) -> impl Iterator<Item = String> + '_ {
        let line = self.line.iter().map(|at| format!("{}:{}", at.file, at.line));
        self.frames.iter().cloned().chain(line)
    }
}

/// Folded stacks, a line each: what flamegraph.pl, inferno and most viewers read.
///
/// ```
/// use pessimum_report::{Stack, folded};
///
/// let frames = vec!["sort".into(), "insert; here".into()];
/// let stack = Stack { frames, line: None, cost: 3 };
/// assert_eq!(folded(&[stack.clone(), stack]), "sort;insert, here 6\n");
/// ```
pub fn folded(stacks: &[Stack]) -> String {
    let mut lines: Vec<(String, u64)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for stack in stacks {
        // The separator must not be part of a name.
        let frames = stack.names().map(|frame| visible(&frame).replace(';', ","));
        let line = frames.collect::<Vec<_>>().join(";");
        let at = *known.entry(line.clone()).or_insert(lines.len());
        match lines.get_mut(at) {
            Some(known) => known.1 = known.1.saturating_add(stack.cost),
            None => lines.push((line, stack.cost)),
        }
    }
    lines.into_iter().map(|(line, cost)| format!("{line} {cost}\n")).collect()
}

/// A profile for <https://www.speedscope.app>: drop the file there, or open it with `speedscope FILE`.
pub fn speedscope(name: &str, stacks: &[Stack]) -> String {
    let mut frames: Vec<String> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let samples: Vec<Vec<usize>> = stacks
        .iter()
        .map(|stack| {
            let mut sample = Vec::new();
            for frame in stack.names() {
                sample.push(*known.entry(frame.clone()).or_insert_with(|| {
                    frames.push(frame);
                    frames.len() - 1
                }));
            }
            sample
        })
        .collect();
    let weights: Vec<u64> = stacks.iter().map(|stack| stack.cost).collect();
    let total = weights.iter().fold(0u64, |sum, weight| sum.saturating_add(*weight));
    let frames: Vec<_> = frames.iter().map(|frame| json!({ "name": visible(frame) })).collect();
    let document = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": visible(name),
        "exporter": "pessimum",
        "activeProfileIndex": 0,
        "shared": { "frames": frames },
        "profiles": [{
            "type": "sampled",
            "name": visible(name),
            "unit": "none",
            "startValue": 0,
            "endValue": total,
            "samples": samples,
            "weights": weights,
        }],
    });
    escape::json(&format!("{document}\n")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_named_once_and_weights_add_up() {
        let stack = |frames: &[&str], cost| Stack {
            frames: frames.iter().map(|frame| (*frame).to_owned()).collect(),
            line: None,
            cost,
        };
        let stacks =
            [stack(&["main", "sort"], 3), stack(&["main"], 2), stack(&["main", "sort"], 4)];
        let document: serde_json::Value =
            serde_json::from_str(&speedscope("run", &stacks)).expect("it is JSON");
        assert_eq!(document["shared"]["frames"], json!([{"name": "main"}, {"name": "sort"}]));
        let profile = &document["profiles"][0];
        assert_eq!(profile["samples"], json!([[0, 1], [0], [0, 1]]));
        assert_eq!((&profile["endValue"], &profile["weights"]), (&json!(9), &json!([3, 2, 4])));
        assert_eq!(folded(&stacks), "main;sort 7\nmain 2\n");
    }
}
