//! What was noticed on the way and is worth telling.

use pessimum_entry::InputValues;
use pessimum_machine::Trap;
use pessimum_term::{Arena, Op, TermId};
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
    /// What a condition that was not decided computes, the first time.
    #[serde(default)]
    pub cause: Option<Cause>,
}

/// What made a condition too hard to decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cause {
    /// The operation in it, or in what was known before of its inputs, that is the hardest to undo.
    pub operation: Operation,
    /// Whether all its operands depend on the input.
    pub is_of_inputs: bool,
    /// File offset of the instruction that computes it, if that is known.
    pub position: Option<u32>,
}

/// Operations that a solver may find hard.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Operation {
    Product,
    Quotient,
    Remainder,
    Shift,
    Bits,
    FloatSum,
    FloatProduct,
    FloatQuotient,
    FloatRoot,
    /// Rounding, the lesser or greater of two, and what makes floats of integers or integers of floats.
    FloatOther,
}

impl Cause {
    /// What is to be said of a term that is hard.
    pub(crate) fn of(arena: &Arena, t: TermId) -> Cause {
        let node = arena.node(t);
        let operation = match node.op {
            Op::Mul => Operation::Product,
            Op::UDiv | Op::SDiv => Operation::Quotient,
            Op::URem | Op::SRem => Operation::Remainder,
            Op::Shl | Op::LShr | Op::AShr => Operation::Shift,
            Op::FAdd | Op::FSub => Operation::FloatSum,
            Op::FMul => Operation::FloatProduct,
            Op::FDiv => Operation::FloatQuotient,
            Op::FSqrt => Operation::FloatRoot,
            op if op.is_float() => Operation::FloatOther,
            _ => Operation::Bits,
        };
        let is_of_inputs = node.args().all(|arg| arena.as_const(arg).is_none());
        Cause { operation, is_of_inputs, position: arena.origin(t) }
    }
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
