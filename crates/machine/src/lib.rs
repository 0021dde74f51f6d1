//! A Wasm module executed over values that are concrete or terms.
//!
//! [`Module::load`] validates and translates; [`Machine::start`] sets a run up at its entry;
//! [`Machine::run`] executes until something has to be decided. *Architecture invariant*: the
//! machine decides nothing. At a symbolic branch it stops and says so ([`Stop`]), and the explorer
//! answers ([`Machine::take`] and its siblings). A single path whose answers are known is run by
//! [`Machine::drive`]. [`Machine::mark`] and [`Machine::undo_to`] go back
//! to a choice point; terms live in an `Arena` that the caller marks and undoes alongside.

mod addresses;
mod code;
mod drive;
mod error;
mod flow;
mod footprint;
mod host;
mod inlined;
mod inspect;
mod liveness;
mod load;
mod loops;
mod machine;
mod memory;
mod module;
mod names;
mod numeric;
mod opcodes;
mod own;
mod plain;
mod pools;
mod price;
mod region;
mod restart;
mod routes;
mod run;
mod settled;
mod setup;
mod source;
mod spectest;
mod split;
mod stacks;
mod stop;
mod summaries;
mod symbolic;
mod text;
mod threaded;
mod translate;
mod value;
mod watch;

pub use error::LoadError;
pub use flow::{Flow, FlowBlock, FlowEdge, FlowEnd};
pub use footprint::{Accesses, ByteSet, Footprint};
pub use load::fingerprint;
pub use loops::{NestKind, NestLevel};
pub use machine::{
    Counters, Input, Inputs, Limits, LiveSlots, Machine, Mark, Structures, Written, input_variable,
};
pub use module::{
    Block, BlockKind, FuncType, LoadOptions, Module, Site, SiteIndex, SiteKind, ValType,
};
pub use own::OwnPlace;
pub use pools::{NamedFootprint, Pools};
pub use restart::Restart;
pub use routes::{Route, RouteKind, Routes};
pub use setup::Setup;
pub use source::{Location, SourceMap};
pub use stacks::StackCost;
pub use stop::{End, Purpose, Stop, Trap};
pub use value::Value;
pub use watch::Event;
