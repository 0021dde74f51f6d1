//! What the machine says when it stops.

use crate::module::SiteIndex;
use pessimum_term::TermId;
use std::fmt;

/// Why the machine stopped, and what it wants to be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// An `if` or `br_if` on a term; go on with [`Machine::take`](crate::Machine::take).
    Branch {
        /// Where.
        site: SiteIndex,
        /// The condition as the instruction reads it: true when the operand is not zero.
        condition: TermId,
    },
    /// A `br_table` on a term; go on with [`Machine::take_arm`](crate::Machine::take_arm).
    Switch {
        /// Where.
        site: SiteIndex,
        /// Number of distinct labels.
        arms: u32,
    },
    /// A select, or a comparison used as data, inside a term that has to be known; go on with
    /// [`Machine::split`](crate::Machine::split).
    Split {
        /// The select or comparison.
        site: SiteIndex,
        /// The innermost condition.
        condition: TermId,
    },
    /// The next instruction traps if the condition holds; assume that it does not and go on with
    /// [`Machine::pass_guard`](crate::Machine::pass_guard).
    Guard {
        /// When it traps.
        condition: TermId,
        /// How.
        trap: Trap,
    },
    /// A term has to be one concrete value; go on with [`Machine::choose`](crate::Machine::choose)
    /// for each value it can take, or, for an address, with
    /// [`Machine::read_over`](crate::Machine::read_over) all of them.
    Choose {
        /// The term.
        term: TermId,
        /// What it is needed for.
        purpose: Purpose,
    },
    /// The program assumes the condition; go on with
    /// [`Machine::pass_guard`](crate::Machine::pass_guard) or drop the path.
    Assume {
        /// The condition.
        condition: TermId,
    },
    /// The run is over.
    End(End),
}

/// What a concrete value is needed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Purpose {
    Load,
    Store,
    Length,
    CallTarget,
    HostArgument,
}

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The entry returned.
    Return,
    /// The program called `proc_exit`.
    Exit(u32),
    /// It trapped.
    Trap(Trap),
    /// The budget of instructions ran out.
    OutOfInstructions,
    /// The calls went deeper than the limit, or their locals took more room than there is.
    OutOfStack,
    /// The time ran out.
    OutOfTime,
    /// It came back to a state that it was in, with no more known of the inputs: it never ends.
    Endless,
    /// An assumption was false: this is no run of the program.
    Excluded,
}

/// Why a program trapped.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
#[allow(missing_docs)] // the messages say it
pub enum Trap {
    Unreachable,
    DivisionByZero,
    IntegerOverflow,
    InvalidConversion,
    MemoryOutOfBounds,
    TableOutOfBounds,
    NullElement,
    SignatureMismatch,
    ShadowStack,
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Trap::Unreachable => "unreachable executed",
            Trap::DivisionByZero => "integer divide by zero",
            Trap::IntegerOverflow => "integer overflow",
            Trap::InvalidConversion => "invalid conversion to integer",
            Trap::MemoryOutOfBounds => "out of bounds memory access",
            Trap::TableOutOfBounds => "out of bounds table access",
            Trap::NullElement => "uninitialized element",
            Trap::SignatureMismatch => "indirect call type mismatch",
            Trap::ShadowStack => "the stack in linear memory overflowed",
        })
    }
}
