//! How a run ended and what it cost.

use pessimum_entry::{InputValues, TraceDigest, WasmType};

/// How a run ended and what it cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    /// The cost; none for the model `decisions`, which no engine can count.
    pub cost: Option<u64>,
    /// The branches taken; only for the model `decisions`.
    pub trace: Option<TraceDigest>,
    /// Which operator caused how much of the cost, in the order of the code; empty unless the copy
    /// is [profiled](crate::Instrumented::profiled).
    pub profile: Vec<OperatorCost>,
    /// What the entry returned, as type and bit pattern; empty unless it returned.
    pub results: Vec<(WasmType, u64)>,
    /// How the run ended.
    pub end: End,
    /// What was written to standard output and standard error, as it came.
    pub output: Vec<u8>,
    /// The inputs that were made, with the values they were given.
    pub inputs: InputValues,
    /// What a person should know about the run, each once: calls that are not supported, inputs
    /// that were never asked for.
    pub warnings: Vec<String>,
}

/// What one operator of the module added to the cost of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatorCost {
    /// The function it is in.
    pub function: u32,
    /// Its byte offset in the module.
    pub offset: u32,
    /// What it added; never 0.
    pub cost: u64,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The entry returned.
    Normal,
    /// The program trapped, for this reason.
    Trap(String),
    /// The program called `proc_exit` with this code.
    Exit(u32),
    /// The calls went deeper than the limit, or their locals took more room than there is.
    OutOfStack,
    /// The fuel ran out.
    OutOfFuel,
    /// The deadline passed.
    OutOfTime,
    /// `assume` met a false condition: this is not an input of the program.
    AssumeFailed,
}

impl End {
    /// Whether costs of such a run are comparable: it returned, or ended itself with any code.
    pub fn is_normal(&self) -> bool {
        matches!(self, End::Normal | End::Exit(_))
    }
}
