//! What can be wrong before a program runs.

use pessimum_entry::host::LayoutError;
use pessimum_entry::{CallMismatch, InputError, SummaryError};

/// A module that no counters can be put into.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstrumentError {
    /// It is not a module.
    #[error(transparent)]
    Summary(#[from] SummaryError),
    /// It cannot be read or written again.
    #[error("the module cannot be copied with counters: {0}")]
    Copy(String),
    /// The cost model names a function that does not exist.
    #[error("no function is called `{name}`: {}", suggest(.known))]
    NoFunction {
        /// The name asked for.
        name: String,
        /// Some names that do exist.
        known: Vec<String>,
    },
    /// The cost model names a line that no code belongs to.
    #[error(
        "no code begins at {file}:{line}: compile with -g, and name a line that holds a statement"
    )]
    NoLine {
        /// The file asked for.
        file: String,
        /// The line asked for.
        line: u32,
    },
    /// A point to be counted is no instruction.
    #[error("no instruction of function {function} begins at byte {offset} of the module")]
    NoInstruction {
        /// The function's index.
        function: u32,
        /// The offset in the module.
        offset: u32,
    },
    /// There is no shadow stack to be measured.
    #[error(
        "the module has no shadow-stack pointer: `stack-bytes` needs a mutable i32 global `__stack_pointer`"
    )]
    NoStackPointer,
}

fn suggest(known: &[String]) -> String {
    if known.is_empty() {
        return "the module names none; compile without stripping names".to_owned();
    }
    format!("there are {}", known.join(", "))
}

/// A run that could not begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The engine does not accept the module.
    #[error("the replaying engine refuses the module: {0}")]
    Module(String),
    /// It imports something that nobody provides.
    #[error(
        "the module imports `{name}` from `{module}`, which nobody provides: link it in, or use WASI preview 1 or \
         the imports of `pessimum`"
    )]
    Import {
        /// The import's module.
        module: String,
        /// The import's name.
        name: String,
    },
    /// It imports a known function by a wrong type.
    #[error("the module imports `{name}` from `{module}` with a type it does not have")]
    ImportType {
        /// The import's module.
        module: String,
        /// The import's name.
        name: String,
    },
    /// The program fails before the entry is called.
    #[error("{stage} of the module failed before the entry was called: {reason}")]
    SetUp {
        /// What failed.
        stage: &'static str,
        /// Why.
        reason: String,
    },
    /// The deadline passed before the entry was called.
    #[error(
        "{stage} of the module was still running when the time was over: give it more with --time"
    )]
    OutOfTime {
        /// What was running.
        stage: &'static str,
    },
    /// There is no such export.
    #[error("the module exports no function `{name}`: {}", suggest_exports(.exports))]
    NoExport {
        /// The export asked for.
        name: String,
        /// Those that exist.
        exports: Vec<String>,
    },
    /// The call does not fit the function.
    #[error(transparent)]
    Mismatch(#[from] CallMismatch),
    /// A pointer is passed, but there is no memory it could point to.
    #[error("the call passes a pointer, but the module has no memory: pass plain values")]
    NoMemory,
    /// The arguments have no room.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// `malloc` did not give memory for an argument.
    #[error("`malloc` gave no room for an argument of {bytes} bytes: ask for a smaller size")]
    Malloc {
        /// What was asked for.
        bytes: u64,
    },
    /// A structure is passed of which nobody has said what its nodes look like.
    #[error("the layout of `&{ty} where …` is not known: look it up before the run")]
    Structure {
        /// The structure's name.
        ty: String,
    },
    /// The input does not fit.
    #[error(transparent)]
    Input(#[from] InputError),
}

fn suggest_exports(exports: &[String]) -> String {
    if exports.is_empty() {
        return "it exports none".to_owned();
    }
    format!("it exports {}", exports.join(", "))
}
