//! How a run stops for a decision, and how it is set going again after one.

use super::{Machine, Pending};
use crate::module::SiteIndex;
use crate::settled::Asked;
use crate::stop::{End, Purpose, Stop, Trap};
use crate::value::Value;
use pessimum_term::{Arena, Op, TermId, Width};
use std::collections::HashMap;

/// Bytes of a word.
const WORD: u32 = 4;

impl Machine {
    /// Answers [`Stop::Branch`].
    pub fn take(&mut self, condition: bool) {
        if let Pending::Branch { taken, other, asked, straight } = self.pending {
            self.trace_outcome(u32::from(condition));
            self.counters.decided += 1;
            self.settle_branch(asked, condition == straight);
            self.pc = if condition { taken } else { other };
        } else {
            debug_assert!(false, "no branch is pending");
        }
        self.pending = Pending::Nothing;
    }

    /// The condition under which a pending `br_table` takes an arm.
    pub fn arm_condition(&self, arena: &mut Arena, arm: u32) -> TermId {
        let Pending::Switch { index, table } = self.pending else {
            debug_assert!(false, "no switch is pending");
            return arena.bool(false);
        };
        let arms = &self.module.jump_tables[table as usize].arm_of_index;
        let default = (arms.len() - 1) as u64;
        let mut any = arena.bool(false);
        let mut i = 0;
        while i < arms.len() {
            if arms[i] != arm {
                i += 1;
                continue;
            }
            let first = i;
            while i < arms.len() && arms[i] == arm {
                i += 1;
            }
            let low = arena.constant(Width::W32, first as u64);
            let here = if i as u64 > default {
                // The default takes every index from here on.
                arena.binary(Op::Ule, low, index)
            } else if i - first == 1 {
                arena.binary(Op::Eq, index, low)
            } else {
                let high = arena.constant(Width::W32, i as u64 - 1);
                let above = arena.binary(Op::Ule, low, index);
                let below = arena.binary(Op::Ule, index, high);
                arena.binary(Op::And, above, below)
            };
            any = arena.binary(Op::Or, any, here);
        }
        any
    }

    /// Answers [`Stop::Switch`].
    pub fn take_arm(&mut self, arm: u32) {
        if let Pending::Switch { table, .. } = self.pending {
            let first = self.module.jump_tables[table as usize].first_index_of(arm);
            self.trace_outcome(first);
            self.counters.decided += 1;
            self.pc = self.module.jump_tables[table as usize].targets[arm as usize];
        } else {
            debug_assert!(false, "no switch is pending");
        }
        self.pending = Pending::Nothing;
    }

    /// Answers [`Stop::Split`]: the condition is known from now on, in every value of the present
    /// activation, and the instruction is tried again.
    pub fn split(&mut self, arena: &mut Arena, value: bool) {
        if let Pending::Split { condition, word } = self.pending {
            self.counters.decided += 1;
            let known = arena.bool(value);
            let opposite = arena.not(condition);
            let unknown = arena.bool(!value);
            let mut memo = HashMap::from([(condition, known), (opposite, unknown)]);
            self.rewrite_frame(arena, &mut memo, true);
            if let Some(at) = word {
                self.rewrite_word(arena, &mut memo, at);
            }
            // Guards are told apart by their order. What became known may have removed one.
            self.guards_passed = 0;
        } else {
            debug_assert!(false, "no split is pending");
        }
        self.pending = Pending::Nothing;
    }

    /// Answers [`Stop::Guard`] and [`Stop::Assume`]: the instruction goes on.
    pub fn pass_guard(&mut self) {
        self.guards_passed += 1;
        self.pending = Pending::Nothing;
    }

    /// Answers [`Stop::Choose`]: the term is this value from now on, in the present activation
    /// and, where a host function asked for it, in memory.
    pub fn choose(&mut self, arena: &mut Arena, value: u64) {
        if let Pending::Choose { term, word } = self.pending {
            let constant = arena.constant(arena.width(term), value);
            let mut memo = HashMap::from([(term, constant)]);
            self.rewrite_frame(arena, &mut memo, false);
            if let Some(at) = word {
                self.rewrite_word(arena, &mut memo, at);
            }
            // The instruction is tried again on a number, for which guards are not counted: what
            // was passed for the term must not pass for a later instruction.
            self.guards_passed = 0;
        } else {
            debug_assert!(false, "no choice is pending");
        }
        self.pending = Pending::Nothing;
    }

    /// Answers [`Stop::Choose`] for a load or a store: the address is one of these, and the access
    /// becomes an if-then-else over them.
    pub fn read_over(&mut self, addresses: &[u64]) {
        self.region.clear();
        self.region.extend_from_slice(addresses);
        self.pending = Pending::Nothing;
    }

    pub(super) fn rewrite_frame(
        &mut self,
        arena: &mut Arena,
        memo: &mut HashMap<TermId, TermId>,
        only_splits: bool,
    ) {
        let Some(frame) = self.frames.last() else { return };
        let slots = self.module.functions[frame.function as usize].slots as usize;
        let base = frame.base as usize;
        for reg in &mut self.regs[base..base + slots] {
            let Some(t) = reg.as_term() else { continue };
            // A slot may hold what a callee left there: a term that is gone since. Such slots are
            // dead, and so is whatever is written to them.
            if t.index() as usize >= arena.len() || (only_splits && !arena.info(t).has_ite) {
                continue;
            }
            let new = arena.substitute(t, memo);
            *reg = Value::of_term(arena, new);
        }
        self.rewritten += memo.len() as u64;
    }

    /// Puts what became known into a word of memory.
    fn rewrite_word(&mut self, arena: &mut Arena, memo: &mut HashMap<TermId, TermId>, at: u32) {
        self.spoil_calls();
        let at = u64::from(at);
        if let Some(t) = self.memory.load(arena, at, WORD).as_term() {
            let new = arena.substitute(t, memo);
            let new = Value::of_term(arena, new);
            let log = self.logging();
            self.memory.store(arena, at, WORD, new, log);
        }
    }

    /// Terms looked at so far to put what became known into values; never undone. Where a table is
    /// read again and again this is most of the work.
    pub fn rewritten(&self) -> u64 {
        self.rewritten
    }

    /// Places that were looked at so far because the address of a load or a store was a term, once
    /// for each earlier store that was looked through.
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// After [`Stop::Branch`]: the arena before the condition was built, if the branch compares by itself. Then no
    /// value of the machine is a term that was built since, and whoever answers may drop these terms.
    pub fn before_the_condition(&self) -> Option<pessimum_term::Mark> {
        self.alone
    }

    /// The machine's answer to a symbolic branch; `taken` is where it goes when the condition
    /// holds.
    #[cold]
    pub(crate) fn stop_branch(
        &mut self,
        arena: &mut Arena,
        condition: TermId,
        (taken, other): (u32, u32),
        (asked, straight, alone): (Asked, bool, Option<pessimum_term::Mark>),
    ) -> Result<u32, Stop> {
        if let Some(k) = arena.as_const(condition) {
            // A condition that folds to a constant is a branch like any other: below a fork, paths are
            // told apart by it.
            self.trace_outcome(u32::from(k != 0));
            return Ok(if k != 0 { taken } else { other });
        }
        if self.limits.split_branches {
            self.split_first(arena, condition)?;
        }
        self.pending = Pending::Branch { taken, other, asked, straight };
        self.alone = alone;
        Err(Stop::Branch { site: self.site(), condition })
    }

    /// Stops to split if the term has a condition inside.
    pub(crate) fn split_first(&mut self, arena: &mut Arena, t: TermId) -> Result<(), Stop> {
        match crate::split::innermost(arena, t) {
            None => Ok(()),
            Some((condition, site)) => {
                self.pending = Pending::Split { condition, word: None };
                Err(Stop::Split { site, condition })
            }
        }
    }

    pub(crate) fn stop_switch(&mut self, arena: &mut Arena, index: TermId, table: u32) -> Stop {
        if let Err(split) = self.split_first(arena, index) {
            return split;
        }
        self.pending = Pending::Switch { index, table };
        let arms = self.module.jump_tables[table as usize].targets.len() as u32;
        Stop::Switch { site: self.site(), arms }
    }

    pub(crate) fn stop_choose(&mut self, term: TermId, purpose: Purpose) -> Stop {
        self.pending = Pending::Choose { term, word: None };
        Stop::Choose { term, purpose }
    }

    /// Stops for a word of memory that a host function has to know.
    pub(crate) fn stop_word(&mut self, arena: &mut Arena, at: u32) -> Stop {
        let value = self.memory.load(arena, u64::from(at), WORD);
        let term = value.to_term(arena, Width::W32);
        if let Err(split) = self.split_first(arena, term) {
            if let Pending::Split { word, .. } = &mut self.pending {
                *word = Some(at);
            }
            return split;
        }
        self.pending = Pending::Choose { term, word: Some(at) };
        Stop::Choose { term, purpose: Purpose::HostArgument }
    }

    /// Notes what an instruction stopped for, when it did not do so itself.
    pub(crate) fn note_stop(&mut self, stop: Stop) {
        match stop {
            Stop::Guard { .. } | Stop::Assume { .. } => self.pending = Pending::Guard,
            _ => {}
        }
    }

    /// Whether the guard that an instruction comes to has been passed already.
    pub(crate) fn take_guard(&mut self) -> bool {
        self.guards_seen += 1;
        self.guards_seen <= self.guards_passed
    }

    /// Stops if the condition can hold and has not been ruled out yet.
    pub(crate) fn guard(
        &mut self,
        arena: &Arena,
        condition: TermId,
        trap: Trap,
    ) -> Result<(), Stop> {
        match arena.as_const(condition) {
            Some(0) => Ok(()),
            Some(_) => Err(Stop::End(End::Trap(trap))),
            None if self.take_guard() => Ok(()),
            None => Err(Stop::Guard { condition, trap }),
        }
    }

    #[inline]
    pub(crate) fn begin_instruction(&mut self) {
        self.guards_seen = 0;
    }

    #[inline]
    pub(crate) fn end_instruction(&mut self) {
        self.guards_passed = 0;
        if !self.region.is_empty() {
            self.region.clear();
        }
    }

    pub(super) fn site(&self) -> SiteIndex {
        let tag = self.module.meta[self.pc as usize].1;
        debug_assert!(tag != 0, "a branch without a site");
        SiteIndex(tag.wrapping_sub(1))
    }
}
