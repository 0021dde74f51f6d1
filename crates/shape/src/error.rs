//! Why no structures can be generated: one clear sentence each, with the source line where there
//! is one. All of them mean that the call or the predicate is wrong.

use pessimum_entry::SpecError;
use pessimum_machine::LoadError;
use thiserror::Error;

/// A predicate that cannot be generated from.
#[derive(Debug, Error, Clone, PartialEq)]
#[allow(missing_docs)] // the messages say it
pub enum ShapeError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error(
        "{at}: the predicate `{predicate}` does not call itself, nor does a function it calls: write it as a recursion over the structure (a compiler may have turned a last call into a loop: build with -O0 or -fno-optimize-sibling-calls)"
    )]
    NotRecursive { predicate: String, at: String },
    #[error(
        "the layout of the structure is unknown: `{predicate}` has no debug information; build with -g, or describe the structure with --fields"
    )]
    NoDebugInfo { predicate: String },
    #[error(
        "{at}: the first parameter of `{predicate}` is {found}: expected a pointer to a structure"
    )]
    NotAPointer { predicate: String, at: String, found: String },
    #[error(
        "{at}: `{predicate}` takes {expected} argument(s) after the structure, {given} given: name their values"
    )]
    Arguments { predicate: String, at: String, expected: usize, given: usize },
    #[error("{at}: `{predicate}` returns {found}: expected one integer")]
    Result { predicate: String, at: String, found: String },
    #[error("{at}: the predicate does not end ({instructions} instructions) on {structure}")]
    NeverEnds { at: String, instructions: u64, structure: String },
    #[error("{at}: the predicate traps ({trap}) on {structure}")]
    Traps { at: String, trap: String, structure: String },
    #[error("{at}: the predicate reads through a null pointer in {structure}")]
    NullRead { at: String, structure: String },
    #[error("{at}: the predicate reads outside of the structure: {what} in {structure}")]
    ReadsOutside { at: String, what: String, structure: String },
    #[error("{at}: the predicate writes to the structure it is given")]
    Writes { at: String },
    #[error(
        "{at}: the predicate reads the pointer `{field}` but never calls itself on what it points to: shared or parent pointers are not generated, only trees (leave the field out with --fields)"
    )]
    Shared { at: String, field: String },
    #[error(
        "{at}: the predicate accepts a cyclic structure (`{field}` pointing to its own node): it must reject cycles, or follow them for ever"
    )]
    Cyclic { at: String, field: String },
    #[error("{at}: the predicate asks for {what}, which a predicate cannot do")]
    Unsupported { at: String, what: String },
    #[error("no field is called `{name}`: the structure has {known}")]
    NoSuchField { name: String, known: String },
    #[error("cannot read `{text}`: {why}")]
    BadOption { text: String, why: String },
    #[error("the domain of `{field}` is empty at size {size}")]
    EmptyDomain { field: String, size: usize },
    #[error("{at}: cannot tell whether a condition on the fields can hold: narrow their domains")]
    Undecided { at: String },
    #[error(
        "there are more than {limit} structures: ask for a smaller size, or use --count or --random"
    )]
    TooMany { limit: u64 },
    #[error(
        "there are too many structures: {limit} candidates were tried and there are more; ask for a smaller size, or narrow the domains"
    )]
    Candidates { limit: u64 },
    #[error("the time was up before all structures were found: ask for a smaller size")]
    Stopped,
}

pub(crate) type Result<T> = std::result::Result<T, ShapeError>;
