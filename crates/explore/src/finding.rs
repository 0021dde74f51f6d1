//! What was noticed on the way and is worth telling.

use pessimum_entry::InputValues;
use pessimum_machine::Trap;
use serde::{Deserialize, Serialize};

/// Something noticed during an exploration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// File offset of the instruction.
    pub position: u32,
    /// The function it is in.
    pub function: u32,
    /// An input that shows it, if one was found.
    pub input: Option<InputValues>,
    /// How often it was met.
    pub count: u64,
}

/// Kinds of findings; one of each kind and place is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum FindingKind {
    /// The program traps.
    Trap(Trap),
    /// Whether the program can trap here was not decided: no input that does was found.
    PossibleTrap(Trap),
    /// A path used up its budget of instructions: it may never end.
    Hang,
    /// A path called deeper than the machine goes.
    TooDeep,
    /// A path comes back to a state it was in: it never ends.
    Endless,
    /// A term over floats had to be decided and could not.
    SymbolicFloat,
    /// A solver did not know.
    Unknown,
    /// An address forked by value.
    AddressFork,
    /// More values than can be followed; some were dropped.
    DroppedValues,
}
