//! What `diff` answers: two builds of one program, side by side.

use serde::{Deserialize, Serialize};

use super::{Bound, Finding, Input, Program, Verdict};

/// How one build compares with another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Diff {
    /// Always [`SCHEMA`](super::SCHEMA).
    pub schema: u32,
    /// What is counted.
    pub cost_model: String,
    /// Whether the new build is worse than the old one.
    pub verdict: Verdict,
    /// What changed, in one sentence.
    pub summary: String,
    /// The build to compare with.
    pub old: DiffSide,
    /// The build that is judged.
    pub new: DiffSide,
    /// The sizes that both were run at, in ascending order.
    pub sizes: Vec<DiffSize>,
    /// Where the cost of the largest size went up or down, the greatest change first.
    pub places: Vec<DiffPlace>,
    /// What was noticed of the new build.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// One of the two builds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DiffSide {
    /// The module and how it was entered.
    pub program: Program,
    /// The class, if there is one.
    pub class: Option<String>,
    /// Whether the class is that of the worst case, or of inputs that were found.
    pub bound: Bound,
    /// The formula, if there is one.
    pub formula: Option<String>,
    /// How the cost grows, in one line.
    pub summary: String,
}

/// One size of both builds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DiffSize {
    /// The size.
    pub n: u64,
    /// The greatest cost found with the old build, on its own inputs and on those of the new one.
    pub old: u64,
    /// The greatest cost found with the new build, on its own inputs and on those of the old one.
    pub new: Option<u64>,
    /// Whether both costs are promises.
    pub exact: bool,
    /// How the new cost stands to the old one.
    pub verdict: Verdict,
    /// The worst input of the new build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
}

/// A place in the program, with what it costs in both builds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffPlace {
    /// The function, or file and line where debug information tells them.
    pub at: String,
    /// Its cost in the old build.
    pub old: u64,
    /// Its cost in the new build.
    pub new: u64,
}
