//! Why a module cannot be run: one clear sentence each.

use thiserror::Error;

/// A module that cannot be loaded or set up.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // the messages say it
pub enum LoadError {
    #[error("the file is empty: expected a WebAssembly module")]
    Empty,
    #[error(
        "not a WebAssembly module: it does not begin with \"\\0asm\" (compile the program with `clang --target=wasm32`, `cargo build --target wasm32-unknown-unknown`, …)"
    )]
    NotWasm,
    #[error(
        "this is an archive of object files, not a WebAssembly module: for Rust build a crate with `crate-type = [\"cdylib\"]`, for C link it with `-Wl,--no-entry -Wl,--export=NAME`"
    )]
    Archive,
    #[error("this is a WebAssembly component, not a core module: extract its core module first")]
    Component,
    #[error("the module is truncated: it ends in the middle of what begins at byte {at}")]
    Truncated { at: u64 },
    #[error("the module is not valid: {message} (at byte {at})")]
    Invalid { message: String, at: u64 },
    #[error("not supported: instruction {instruction} in function {function}")]
    Instruction { instruction: String, function: String },
    #[error("not supported: {what}")]
    Unsupported { what: String },
    #[error(
        "function {function} is too large: it needs {slots} value slots, the machine has 65535 in a frame"
    )]
    TooManySlots { function: String, slots: usize },
    #[error(
        "nobody provides the import {module}.{name}: pessimum knows the modules `pessimum` and `wasi_snapshot_preview1`; link the function in, or export a harness that does without it"
    )]
    Import { module: String, name: String },
    #[error(
        "the import {module}.{name} has the type {found}, but pessimum provides it as {expected}"
    )]
    ImportType { module: String, name: String, found: String, expected: String },
    #[error("no function is exported as {name}{}", exported_hint(exports))]
    NoExport { name: String, exports: Vec<String> },
    #[error(
        "{name} is a function that the module imports, and has no code to run: name one of the module's own"
    )]
    ImportedEntry { name: String },
    #[error("{function} takes {expected} argument(s), but the call gives {found}")]
    ArgumentCount { function: String, expected: usize, found: usize },
    #[error("the time was over before {what} had ended")]
    OutOfTime { what: String },
    #[error("{message}")]
    Call { message: String },
    #[error("the module has no memory, but the call needs a pointer to {bytes} bytes")]
    NoMemory { bytes: u64 },
    #[error(
        "{bytes} bytes of input do not fit into the module's memory ({limit} pages at most): ask for a smaller size, or raise the maximum with the linker's --max-memory"
    )]
    DoesNotFit { bytes: u64, limit: u64 },
    #[error("the exported malloc returned a null pointer for {bytes} bytes")]
    MallocFailed { bytes: u64 },
    #[error("{what} trapped before the program was entered: {trap}")]
    StartTrapped { what: String, trap: String },
    #[error("{what} did not return before the program was entered: {why}")]
    StartEnded { what: String, why: &'static str },
    #[error("cannot count {cost}: {why}")]
    Cost { cost: String, why: String },
}

fn exported_hint(exports: &[String]) -> String {
    if exports.is_empty() {
        return ": the module exports no function (link with --export=NAME)".to_owned();
    }
    let shown: Vec<&str> = exports.iter().take(12).map(String::as_str).collect();
    let more = exports.len().saturating_sub(shown.len());
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(": the module exports {}{tail}", shown.join(", "))
}
