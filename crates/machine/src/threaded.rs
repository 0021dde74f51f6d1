//! The code for runs without terms as it is executed: each operation names the function that carries it out.
//!
//! Such a function ends with a call of the one that its successor names ([`Cursor::next`](handlers::Cursor::next)). An optimising compiler makes a jump of a
//! call in that place, so that nothing is between two operations but that jump, which the processor foretells by where it is. No
//! compiler of stable Rust promises it. So what is not promised is not relied on: after a few thousand operations ([`CHUNK`]) the functions return to a loop
//! ([`Machine::run_plain`](crate::machine::Machine)) that calls the next one, whether or not calls became jumps, and the stack never holds more.
//!
//! *Data layout*: 24 bytes: the function, four slots, two words. An operation stands where the machine's instruction stands that it was made of.
//!
//! *Accounts*: what a block adds is one number, its [weight](WEIGHT_BITS) in the uppermost bits, then instructions, then cost. Entering a block is one addition; when it
//! overflows, the chunk is over before this block. The loop sets the number at the beginning of a chunk so that this happens no later than the run has
//! to be looked at. Blocks that are too large for the number ([`account`]) overflow it always, and are accounted for by the loop.

pub(crate) mod cursor;
mod handlers;
mod lower;

use crate::code::{JumpTable, Slot};
use crate::machine::Machine;
use crate::module::Module;
use crate::plain::{Callee, PlainOp};
use crate::stop::{End, Stop};
use cursor::{Frame, Ip, Registers};

/// Carries out an operation and those behind it: what the loop knows, the operation, the registers of the activation, memory, and the account.
/// Six words, which is what calls pass in registers.
pub(crate) type Run = for<'a, 'r> fn(&'a mut Loop<'r>, Ip, Frame, &'a mut [u8], u64) -> Exit;

/// An operation.
#[derive(Clone, Copy)]
pub(crate) struct Op {
    run: Run,
    slots: [Slot; 4],
    words: [u32; 2],
}

/// Why functions returned to the loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// The chunk is over, before a block is entered.
    Chunk,
    /// An operation is for the loop to carry out.
    Outside,
    /// So many operations came without a block that the functions have to return.
    Rest,
    /// The run is over.
    End,
}

/// What functions find besides their arguments.
pub(crate) struct Loop<'r> {
    pub(crate) machine: &'r mut Machine,
    pub(crate) module: &'r Module,
    pub(crate) code: &'r Threaded,
    pub(crate) callees: &'r [Callee],
    /// How often each block ran; empty where nobody asked.
    pub(crate) counts: &'r mut [u64],
    /// Which pages were written.
    pub(crate) written: &'r mut [bool],
    pub(crate) registers: Registers,
    /// Whether the cost model follows the global that is the stack's.
    pub(crate) counts_stack: bool,
    /// Where the functions returned, and the account then.
    pub(crate) ip: Ip,
    pub(crate) account: u64,
    pub(crate) end: End,
}

/// The code of a module.
#[derive(Clone)]
pub(crate) struct Threaded {
    pub(crate) ops: Vec<Op>,
    /// Operations at which the functions return first, by place.
    rests: Vec<(usize, Run)>,
    /// For each table of jumps the places it goes to, by index; the last is the default's.
    tables: Vec<Box<[u32]>>,
}

impl std::fmt::Debug for Threaded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Threaded").field("ops", &self.ops.len()).finish_non_exhaustive()
    }
}

/// Most weight between two returns to the loop. Where calls do not become jumps, each operation takes room on the stack: in code that is not
/// optimised a good deal, and in a browser there is little.
pub(crate) const CHUNK: u64 =
    if cfg!(any(debug_assertions, target_family = "wasm")) { 1 << 9 } else { 1 << 12 };

/// Most operations one after the other without a block, for the same reason.
const STRAIGHT: usize = CHUNK as usize / 4;

/// Most instructions for each unit of weight, so that instructions are bounded by weight.
pub(crate) const PER_WEIGHT: u64 = 4;

const COST_BITS: u32 = 25;
const INSTRUCTION_BITS: u32 = 23;
const WEIGHT_BITS: u32 = 64 - COST_BITS - INSTRUCTION_BITS;

/// Largest cost of a block that fits: a chunk has at most as many blocks as weight.
const LARGEST_COST: u32 = 1 << 12;

const _: () = assert!(CHUNK * LARGEST_COST as u64 <= 1 << COST_BITS);
const _: () = assert!(CHUNK * PER_WEIGHT <= 1 << INSTRUCTION_BITS);
const _: () = assert!(CHUNK < 1 << WEIGHT_BITS);

/// What a block of so many operations adds to the account.
fn account(instructions: u32, cost: u32, ops: usize) -> u64 {
    let weight = (ops as u64).max(u64::from(instructions).div_ceil(PER_WEIGHT)).max(1);
    if weight > STRAIGHT as u64 || cost > LARGEST_COST {
        // With all bits of the weight it overflows, whatever is there: a chunk begins with a weight of at least one.
        return u64::MAX << (COST_BITS + INSTRUCTION_BITS);
    }
    weight << (COST_BITS + INSTRUCTION_BITS)
        | u64::from(instructions) << COST_BITS
        | u64::from(cost)
}

/// The account at the beginning of a chunk that ends before so many instructions are exceeded.
pub(crate) fn begin(room: u64) -> u64 {
    // Blocks of less than this weight fit in; with a weight of one, none.
    let weight = CHUNK.min(room / PER_WEIGHT + 1);
    ((1 << WEIGHT_BITS) - weight) << (COST_BITS + INSTRUCTION_BITS)
}

/// Instructions and cost between two accounts of a chunk.
pub(crate) fn passed(begun: u64, account: u64) -> (u64, u64) {
    let passed = account.wrapping_sub(begun);
    (passed >> COST_BITS & ((1 << INSTRUCTION_BITS) - 1), passed & ((1 << COST_BITS) - 1))
}

impl Threaded {
    pub(crate) fn of(plain: &[PlainOp], module: &Module) -> Threaded {
        let mut ops: Vec<Op> = Vec::with_capacity(plain.len() + 1);
        let next = |at: usize| plain.get(at + 1).copied();
        ops.extend((0..).zip(plain).map(|(at, op)| lower::lower(*op, at, next(at))));
        // Nothing goes on behind the end.
        ops.push(lower::lower(PlainOp::Unreachable, plain.len(), None));
        let places = |table: &JumpTable| {
            table.arm_of_index.iter().map(|arm| table.targets[*arm as usize]).collect()
        };
        let tables = module.jump_tables.iter().map(places).collect();
        let mut code = Threaded { ops, rests: Vec::new(), tables };
        code.weigh(plain);
        code
    }

    /// Writes what blocks add to the account, and has the functions return in long stretches without a block.
    fn weigh(&mut self, plain: &[PlainOp]) {
        let mut straight = 0;
        let mut block: Option<(usize, u32, u32)> = None;
        for (at, op) in (0..).zip(plain) {
            if let PlainOp::Block { instructions, cost, .. } = *op {
                self.close(block.replace((at, instructions, cost)), at);
                straight = 0;
                continue;
            }
            straight += 1;
            // Of three in a row at least one was not joined with those before it.
            if straight >= STRAIGHT {
                self.rests.push((at, self.ops[at].run));
                self.ops[at].run = lower::rest();
            }
            if straight == STRAIGHT + 2 {
                straight = 0;
            }
        }
        self.close(block, plain.len());
    }

    fn close(&mut self, block: Option<(usize, u32, u32)>, end: usize) {
        if let Some((at, instructions, cost)) = block {
            let account = account(instructions, cost, end - at);
            self.ops[at].words = [account as u32, (account >> 32) as u32];
        }
    }

    /// The function that an operation names, or named.
    pub(crate) fn behind_rest(&self, place: usize) -> Run {
        match self.rests.binary_search_by_key(&place, |(at, _)| *at) {
            Ok(found) => self.rests[found].1,
            Err(_) => self.ops[place].run,
        }
    }

    /// The function that carries out an operation.
    pub(crate) fn run_at(&self, place: usize) -> Run {
        self.ops[place].run
    }
}

/// The end that a stop is: nothing has to be decided where every value is a number.
pub(crate) fn ended(stop: Stop) -> End {
    match stop {
        Stop::End(end) => end,
        _ => {
            debug_assert!(false, "{stop:?} where every value is a number");
            End::Excluded
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_takes_twenty_four_bytes() {
        assert_eq!(size_of::<Op>(), 24);
    }

    /// Enters blocks of one kind until the chunk is over; how often, and what the account says then.
    fn fill(room: u64, instructions: u32, cost: u32, ops: usize) -> (u64, (u64, u64)) {
        let (begun, added) = (begin(room), account(instructions, cost, ops));
        let (mut at, mut times) = (begun, 0);
        while let Some(next) = at.checked_add(added) {
            (at, times) = (next, times + 1);
        }
        (times, passed(begun, at))
    }

    #[test]
    fn an_account_tells_instructions_and_cost() {
        for instructions in [0, 1, 3, 4, 5, 100, PER_WEIGHT as u32 * STRAIGHT as u32] {
            for cost in [0, 1, 7, LARGEST_COST] {
                for ops in [1, 2, 50, STRAIGHT] {
                    let (times, passed) = fill(u64::MAX, instructions, cost, ops);
                    assert!(times > 0 && times < CHUNK, "{times}");
                    let expected = (times * u64::from(instructions), times * u64::from(cost));
                    assert_eq!(passed, expected, "{instructions} {cost} {ops}");
                }
            }
        }
    }

    #[test]
    fn a_chunk_ends_before_there_is_no_room() {
        for room in (0..100).chain([1000, PER_WEIGHT * CHUNK, u64::MAX]) {
            for instructions in 0..40 {
                for ops in [1, 2, 9] {
                    let (_, (passed, _)) = fill(room, instructions, 1, ops);
                    assert!(passed <= room, "{passed} of {room}");
                }
            }
        }
    }

    #[test]
    fn what_is_too_large_for_an_account_is_left_to_the_loop() {
        let most = PER_WEIGHT as u32 * STRAIGHT as u32;
        let large =
            [(most + 1, 1, 1), (u32::MAX, 0, 1), (1, LARGEST_COST + 1, 1), (1, 1, STRAIGHT + 1)];
        for (instructions, cost, ops) in large {
            for room in [0, 1, 4000, u64::MAX] {
                assert_eq!(fill(room, instructions, cost, ops), (0, (0, 0)));
            }
        }
    }
}
