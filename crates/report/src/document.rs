//! The JSON documents of the contract, as types: what `--json` writes and what `report` reads.
//!
//! Fields beyond the contract are optional extras for the report page. *Architecture invariant*:
//! numbers are computed elsewhere; this module only carries them.

mod arguments;
mod check;
mod diff;
mod evidence;
mod fit;
mod hot_line;
mod read;
mod replay;

use base64::Engine;
use serde::{Deserialize, Deserializer, Serialize, de};

pub use arguments::{NamedArgument, Text};
pub use check::{Check, CheckRule, CheckSize, SourceLine, Verdict};
pub use diff::{Diff, DiffPlace, DiffSide, DiffSize};
pub use evidence::{
    Basis, Bound, Confidence, Cut, Effort, Independence, Method, Refuting, Replayed,
};
pub use fit::{Candidate, FamilyCost, Fit, Residual};
pub use hot_line::HotLine;
pub use read::{DEPTH, ReadError, depth, parse};
pub use replay::{FunctionCost, LineCost, Replay};

/// The version of every document that is written. Version 1 is still read.
pub const SCHEMA: u32 = 2;

/// The version of what the cost models count: costs of different versions are not compared.
pub const COST_VERSION: u32 = 2;

/// What documents with greater counts leave out: numbers that a double cannot hold.
const GREATEST_NUMBER: u64 = 1 << 53;

/// A count as JSON carries it: a number where every reader can hold it.
pub fn count(exact: u64) -> Option<u64> {
    Some(exact).filter(|n| *n <= GREATEST_NUMBER)
}

fn known_schema<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        // What is read is held in the form of today.
        1..=SCHEMA => Ok(SCHEMA),
        other => Err(de::Error::custom(format!(
            "schema {other} is not one this version reads (1 and {SCHEMA})"
        ))),
    }
}

/// What `analyze` found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Analysis {
    /// Always [`SCHEMA`]: a document of an earlier version is read into the form of today.
    #[serde(deserialize_with = "known_schema")]
    pub schema: u32,
    /// The module and how it was entered.
    pub program: Program,
    /// What is counted.
    pub cost_model: String,
    /// The version of what the cost models count; absent in the first schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_version: Option<u32>,
    /// What was learned from, when it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learn_cost: Option<String>,
    /// The sizes asked for.
    pub sizes: Vec<Size>,
    /// The other sizes that were run.
    pub training: Vec<Size>,
    /// How the cost grows.
    pub fit: Fit,
    /// What was learned; `null` when the cost does not depend on the input.
    pub policy: Option<Policy>,
    /// Whether inputs of one size all cost the same.
    pub cost_independent_of_input: Independence,
    /// The search that tried to refute the claim, where one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuting: Option<Refuting>,
    /// What was noticed.
    pub findings: Vec<Finding>,
    /// What cut the run, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<Cut>,
    /// What the run was called with, to repeat it.
    pub parameters: Parameters,
    /// For the page: the source with visit counts on the worst paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<SourceFile>,
    /// For the page: the computation tree of a small size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
    /// For the page: control-flow graphs of the functions with a policy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub graphs: Vec<Graph>,
}

/// The program under test.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    /// File name of the module.
    pub module: String,
    /// How it is entered, in words: `sort(&i32[n], n)`.
    pub entry: String,
    /// Of the module and of everything that shapes a run: where two are equal, so are the runs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
}

/// One size.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "AnySize")]
pub struct Size {
    /// The size.
    pub n: u64,
    /// Greatest cost found.
    pub worst_cost: Option<u64>,
    /// Costs of random inputs.
    pub random_cost: Option<RandomCost>,
    /// Instructions of the worst and of random inputs.
    pub instructions: Option<Instructions>,
    /// Whether the worst cost is a promise.
    pub exact: bool,
    /// Paths explored; `None` above 2^53 or where they were not counted.
    pub paths: Option<u64>,
    /// The same in full, as a decimal number.
    pub paths_exact: Option<String>,
    /// What it took.
    pub effort: Effort,
    /// How it was found.
    pub method: Method,
    /// The worst input.
    pub input: Option<Input>,
    /// What the independent engine confirmed, if anything.
    pub replayed: Option<Replayed>,
    /// What cut it, if anything did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<Cut>,
}

/// A size of either schema: the first had the effort beside everything else.
#[derive(Deserialize)]
struct AnySize {
    n: u64,
    worst_cost: Option<u64>,
    random_cost: Option<RandomCost>,
    instructions: Option<Instructions>,
    exact: bool,
    paths: Option<u64>,
    #[serde(default)]
    paths_exact: Option<String>,
    #[serde(default)]
    effort: Option<Effort>,
    #[serde(default)]
    solver_calls: u64,
    #[serde(default)]
    seconds: f64,
    method: Method,
    input: Option<Input>,
    replayed: Option<Replayed>,
    #[serde(default)]
    cut_by: Option<Cut>,
}

impl From<AnySize> for Size {
    fn from(any: AnySize) -> Size {
        let AnySize { solver_calls, seconds, .. } = any;
        let earlier = Effort { solver_calls, seconds, ..Effort::default() };
        Size {
            n: any.n,
            worst_cost: any.worst_cost,
            random_cost: any.random_cost,
            instructions: any.instructions,
            exact: any.exact,
            paths: any.paths,
            paths_exact: any.paths_exact.or(any.paths.map(|paths| paths.to_string())),
            effort: any.effort.unwrap_or(earlier),
            method: any.method,
            input: any.input,
            replayed: any.replayed,
            cut_by: any.cut_by,
        }
    }
}

/// Costs of random inputs of a size.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RandomCost {
    /// Mean.
    pub mean: f64,
    /// Greatest.
    pub max: u64,
    /// How many were run.
    pub samples: u64,
}

/// Instructions in the measured region.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Instructions {
    /// On the worst input.
    pub worst: u64,
    /// Mean over random inputs.
    pub random_mean: Option<f64>,
}

/// An input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Input {
    /// The symbolic inputs in the order they were made, each in its own type.
    pub values: serde_json::Value,
    /// The same as little-endian bytes, base64.
    pub bytes: String,
    /// The structure that the first of them are, for people: an object for each node. Where a call has several arguments
    /// instead, `{"arguments": [{"name": "text", "count": 8, "text": true}, …]}`: whose values they are, in order. The values
    /// alone say as much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<serde_json::Value>,
}

impl Input {
    /// The raw bytes; `None` if the document is damaged.
    pub fn raw(&self) -> Option<Vec<u8>> {
        base64::engine::general_purpose::STANDARD.decode(&self.bytes).ok()
    }
}

/// What was learned.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Policy {
    /// wise, memoryless, history.
    pub kind: String,
    /// Whether it reached the exhaustive worst cost at the last training sizes.
    pub validated: bool,
    /// Sizes at which it did.
    pub validated_on: Vec<u64>,
    /// Sizes it was learned on.
    pub trained_on: Vec<u64>,
    /// By site, in the user's terms.
    pub sites: Vec<SitePolicy>,
    /// Why this policy and not another.
    #[serde(default)]
    pub why: String,
}

/// What the policy says at one site.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SitePolicy {
    /// `sort.c:6:12`, or `sort+0x1f`.
    pub at: String,
    /// File of the source, if known.
    #[serde(default)]
    pub file: Option<String>,
    /// Line in it.
    #[serde(default)]
    pub line: Option<u32>,
    /// The function.
    pub function: String,
    /// The source line, or the disassembled instruction.
    #[serde(default)]
    pub text: String,
    /// `stay in the loop (line 10) whenever feasible`
    pub advice: String,
    /// What a small worst input meets there, the first time: `a[0] > a[1]`, by argument and index, or `stdin[3] != 97`;
    /// values that have no name are called by their number among all of them, `x3`. A sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// What is done after each history, where the advice depends on the decisions before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
}

/// Something noticed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// `trap`, `possible_trap`, `hang`, `stack_overflow`, `too_deep`, `address_fork`, `unknown`,
    /// `symbolic_float`, `unseen_site`, `policy_shortfall`, `missing_import`, …
    pub kind: String,
    /// One sentence.
    pub message: String,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// First size at which it was met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// An input that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
    /// What made a condition too hard to decide (`unknown`, `symbolic_float`), if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

/// Why a condition was not decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// The operation that is the hardest of those in the condition: `a product of two values`. A phrase for people.
    pub operation: String,
    /// The instruction that computes it: `i64.mul`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// Where that instruction is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What would help. A sentence for people.
    pub help: String,
}

/// What a run was called with.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Parameters {
    /// The command line, as words.
    pub command: Vec<String>,
    /// The tool's version.
    pub version: String,
    /// Seed of random samples.
    pub seed: u64,
}

/// A source file with what each line cost on the worst path of some sizes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its name in the debug information.
    pub name: String,
    /// Its lines, when the file was read; else empty.
    pub lines: Vec<String>,
    /// Why it was not read, where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_read: Option<String>,
    /// Cost by line for each profiled size.
    pub heat: Vec<Heat>,
    /// What the heat counts; instructions where nothing is said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub counted: String,
    /// The line on which the largest profiled input spends most, where it is of this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hottest: Option<HotLine>,
}

/// Cost of lines at one size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Heat {
    /// The size.
    pub n: u64,
    /// (line, what it cost).
    pub lines: Vec<(u32, u64)>,
}

/// A computation tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tree {
    /// The size it belongs to.
    pub n: u64,
    /// The root.
    pub root: TreeNode,
}

/// A node of a computation tree.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TreeNode {
    /// The decision, `sort.c:6  a[j] > x`; or how the path ended.
    pub label: String,
    /// What the values of the input meet on the way here from the node above, where it is simple: `a[0] > a[1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The values of an input that ends in this leaf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Cost of a leaf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// Whether it is on a worst path.
    #[serde(default)]
    pub worst: bool,
    /// Children by choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<(String, TreeNode)>,
}

/// A control-flow graph.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Graph {
    /// The function.
    pub function: String,
    /// The size whose worst path the visits were counted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// Its basic blocks, the entry first.
    pub nodes: Vec<GraphNode>,
    /// Edges between them.
    pub edges: Vec<GraphEdge>,
    /// Blocks left out, because there are too many and the worst path does not come there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u64,
}

/// A basic block.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GraphNode {
    /// Its number.
    pub id: u32,
    /// Source lines or offset: `sort.c:9`, `sort.c:9-11`, `sort+0x1f`.
    pub label: String,
    /// The source line, or the instructions, that it ends with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// `entry`, `loop`, `return`, `trap`, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// How often the worst path of [`Graph::n`] comes here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visits: Option<u64>,
    /// What the policy says at selects and comparisons inside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<String>,
}

/// An edge of a control-flow graph.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GraphEdge {
    /// From block.
    pub from: u32,
    /// To block.
    pub to: u32,
    /// What this side does, `stay in the loop (line 10)`; an arm, or empty.
    #[serde(default)]
    pub label: String,
    /// What a small worst input meets where it goes this way, the first time: `a[0] > a[1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// What the policy says of it; absent where it is silent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<EdgePolicy>,
}

/// What a policy says of one side of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgePolicy {
    /// Taken whenever it is feasible.
    Always,
    /// Every side is followed.
    Either,
    /// The decisions before tell whether it is taken.
    Depends,
    /// Taken only where nothing else is feasible.
    IfForced,
    /// Never taken on a worst path.
    Never,
}

impl EdgePolicy {
    /// All of them, the strongest first.
    pub const ALL: [EdgePolicy; 5] = [
        EdgePolicy::Always,
        EdgePolicy::Either,
        EdgePolicy::Depends,
        EdgePolicy::IfForced,
        EdgePolicy::Never,
    ];

    /// What it means, for a legend.
    pub fn meaning(self) -> &'static str {
        match self {
            EdgePolicy::Always => "taken whenever feasible",
            EdgePolicy::Either => "followed like the other side",
            EdgePolicy::Depends => "depends on the decisions before",
            EdgePolicy::IfForced => "taken only where it must be",
            EdgePolicy::Never => "never taken",
        }
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What `explore` found at one size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exploration {
    /// Always [`SCHEMA`]: a document of an earlier version is read into the form of today.
    #[serde(deserialize_with = "known_schema")]
    pub schema: u32,
    /// The size.
    pub n: u64,
    /// Normal paths; `None` above 2^53 or where they were not counted.
    pub paths: Option<u64>,
    /// The same in full, as a decimal number.
    #[serde(default)]
    pub paths_exact: Option<String>,
    /// Paths that trapped; `None` as for `paths`.
    pub trapped: Option<u64>,
    /// What depends on how the walk was shared or merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<MergedStates>,
    /// Paths cut by the budget of instructions.
    pub cut: u64,
    /// Whether the tree was walked to its end.
    pub complete: bool,
    /// Whether the worst cost is a promise.
    pub exact: bool,
    /// Greatest cost.
    pub worst_cost: Option<u64>,
    /// Whether every path has the same cost.
    pub cost_independent_of_input: bool,
    /// Forks over values of an address.
    pub address_forks: u64,
    /// Canonical solver queries.
    pub solver_calls: u64,
    /// Wall-clock time.
    pub seconds: f64,
    /// How the tree was walked: exhaustively, merged or by a search.
    pub method: Method,
    /// One input per path.
    pub tests: Vec<Test>,
    /// How many more there are.
    pub tests_omitted: u64,
    /// What was noticed.
    pub findings: Vec<Finding>,
    /// What cut the run, if anything did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<Cut>,
}

/// States that a merged walk has met.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MergedStates {
    /// Those that were walked.
    pub states: u64,
    /// Those that were known.
    pub reuses: u64,
}

/// A test input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Test {
    /// The input.
    pub input: Option<Input>,
    /// Its cost.
    pub cost: u64,
    /// `normal`, or the trap.
    pub end: String,
    /// What the independent engine confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Replayed>,
}
