//! What `replay` saw: one input run again in an independent engine, its cost by place.

use serde::{Deserialize, Serialize};

use super::{Input, Program};

/// One run of one input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Replay {
    /// Always [`SCHEMA`](super::SCHEMA).
    pub schema: u32,
    /// The module and how it was entered.
    pub program: Program,
    /// What is counted.
    pub cost_model: String,
    /// The size.
    pub n: u64,
    /// The cost; none where only a branch trace can be compared.
    pub cost: Option<u64>,
    /// Instructions in the measured region.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// `normal`, `exit 1`, or why it trapped.
    pub end: String,
    /// What the entry returned, each as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<String>,
    /// What the program wrote.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// The input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
    /// Cost by function, the costliest first.
    pub functions: Vec<FunctionCost>,
    /// Cost by source line (or by instruction, where there is no debug information), the
    /// costliest first.
    pub lines: Vec<LineCost>,
    /// What a person should know about the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What a function's own code cost, callees excluded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctionCost {
    /// The function.
    pub function: String,
    /// What it cost.
    pub cost: u64,
}

/// What a line cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LineCost {
    /// `sort.c:6`, or `sort+0x1f`.
    pub at: String,
    /// The function.
    pub function: String,
    /// The source line, or the disassembled instruction.
    #[serde(default)]
    pub text: String,
    /// What it cost.
    pub cost: u64,
}
