//! Branches that are decided already: asked once on a path, and answered by the machine from then on.
//!
//! A parser without memory looks at the same byte again and again, and asks the same of it. Whoever walks has
//! answered once, and the path condition, which only grows, forces the answer ever after. So the answer is kept
//! with the operands, and the next time neither a condition is built nor anybody asked. What was decided after a choice
//! point is forgotten when the walk comes back to it.
//!
//! *What is kept*: the comparison, its operands (equal terms have one name), whether it holds, and the choice point that
//! stood last when it was decided. Entries share a table of fixed size; one that is overwritten is asked for again. What is
//! counted of a path does not depend on that: an answer from here is one decision, as any other.
//!
//! Bytes of terms, which are loaded over and over, are kept likewise: what the load made of them.
//!
//! *Cost*: a hash of three words and a comparison of as many; nothing where a walk has not asked for it. Terms of
//! operands are not dropped while the choice point stands, so that names are not used again.

use crate::code::LoadKind;
use crate::machine::Machine;
use crate::numeric::BinOp;
use crate::value::Value;

/// Branches that are kept at one time.
const SLOTS: usize = 1 << 10;

/// Bytes that are kept at one time.
const BYTES: usize = 1 << 9;

/// The branches of a path.
#[derive(Clone, Debug)]
pub(crate) struct Settled {
    entries: Vec<Entry>,
    loads: Vec<Loaded>,
    /// The choice points that stand, by numbers that are never used again.
    standing: Vec<u64>,
    next: u64,
    /// Branches that were answered; never undone.
    answered: u64,
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    asked: Option<Asked>,
    holds: bool,
    /// Choice points that stood, with the last one's number.
    depth: u32,
    last: u64,
}

/// What a load of one byte made of the term that the byte is of.
#[derive(Clone, Copy, Debug, Default)]
struct Loaded {
    kind: Option<LoadKind>,
    shadow: u32,
    value: Value,
    depth: u32,
    last: u64,
}

/// What a branch asks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Asked {
    /// A comparison; `None` asks whether the first operand is not zero, and of the second nothing.
    pub(crate) op: Option<BinOp>,
    pub(crate) x: Value,
    pub(crate) y: Value,
}

impl Settled {
    pub(crate) fn new() -> Settled {
        let (entries, loads) = (vec![Entry::default(); SLOTS], vec![Loaded::default(); BYTES]);
        Settled { entries, loads, standing: Vec::new(), next: 1, answered: 0 }
    }

    /// Whether the last of so many choice points still stands.
    #[inline]
    fn stands(&self, depth: u32, last: u64) -> bool {
        depth == 0 || self.standing.get(depth as usize - 1) == Some(&last)
    }

    fn last(&self) -> (u32, u64) {
        (self.standing.len() as u32, self.standing.last().copied().unwrap_or(0))
    }

    /// What a load of a byte makes of the term it is of, if one did before.
    #[inline]
    pub(crate) fn loaded(&self, kind: LoadKind, shadow: u32) -> Option<Value> {
        let known = &self.loads[place(shadow)];
        let same = known.kind == Some(kind) && known.shadow == shadow;
        (same && self.stands(known.depth, known.last)).then_some(known.value)
    }

    /// Keeps what a load of a byte made of the term it is of.
    pub(crate) fn load(&mut self, kind: LoadKind, shadow: u32, value: Value) {
        let (depth, last) = self.last();
        let kind = Some(kind);
        self.loads[place(shadow)] = Loaded { kind, shadow, value, depth, last };
    }
}

impl Machine {
    /// Whether what a branch asks holds, if that was decided on this path.
    #[inline]
    pub(crate) fn settled_branch(&mut self, asked: Asked) -> Option<bool> {
        // Below a fork every branch is told apart from the others.
        let settled = self.settled.as_mut().filter(|_| self.trace.is_none())?;
        let entry = &settled.entries[slot(asked)];
        if entry.asked != Some(asked) || !settled.stands(entry.depth, entry.last) {
            return None;
        }
        let holds = entry.holds;
        settled.answered += 1;
        self.counters.decided += 1;
        Some(holds)
    }

    /// Keeps whether what a branch asked holds.
    pub(crate) fn settle_branch(&mut self, asked: Asked, holds: bool) {
        let Some(settled) = &mut self.settled else { return };
        let (depth, last) = settled.last();
        settled.entries[slot(asked)] = Entry { asked: Some(asked), holds, depth, last };
    }

    /// A choice point: how many stood before it.
    pub(crate) fn stand(&mut self) -> u32 {
        let Some(settled) = &mut self.settled else { return 0 };
        let before = settled.standing.len() as u32;
        settled.standing.push(settled.next);
        settled.next += 1;
        before
    }

    /// Comes back to the choice point before which so many stood.
    pub(crate) fn fall_to(&mut self, before: u32) {
        if let Some(settled) = &mut self.settled {
            settled.standing.truncate(before as usize);
        }
    }

    /// Branches on terms that were answered without a stop, so far; never undone.
    pub fn settled_branches(&self) -> u64 {
        self.settled.as_ref().map_or(0, |settled| settled.answered)
    }
}

#[inline]
fn slot(asked: Asked) -> usize {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let word = |v: Value| v.bits ^ u64::from(v.term) << 32;
    let op = asked.op.map_or(0, |op| op as u64 + 1);
    let mixed = (word(asked.x) ^ op).wrapping_mul(ODD) ^ word(asked.y).rotate_left(17);
    (mixed.wrapping_mul(ODD) >> (64 - SLOTS.trailing_zeros())) as usize
}

#[inline]
fn place(shadow: u32) -> usize {
    (shadow.wrapping_mul(0x9e37_79b1) >> (32 - BYTES.trailing_zeros())) as usize
}
