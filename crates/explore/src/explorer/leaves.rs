//! The ends of paths: what they cost, whether they trap, and an input for each that is reported.

use super::{Explorer, mix};
use crate::finding::{Cause, Finding, FindingKind};
use crate::observer::{Leaf, Observer};
use crate::outcome::{PathTest, Witness};
use pessimum_entry::InputValues;
use pessimum_learn::Guide;
use pessimum_machine::{End, Trap};
use pessimum_solver::{Answer, Reason};
use pessimum_term::{TermId, VarId};
use std::sync::atomic::Ordering;

impl<G: Guide, O: Observer> Explorer<'_, G, O> {
    pub(super) fn leaf(&mut self, end: End) {
        self.leave_prefix();
        if self.merger.is_some() {
            self.merged_leaf(end);
        }
        match end {
            End::Excluded => {}
            End::Trap(trap) => self.trapped(trap),
            End::OutOfInstructions => {
                self.outcome.cut += 1;
                self.note(FindingKind::Hang, Some(end));
            }
            End::OutOfStack => {
                self.outcome.cut += 1;
                self.note(FindingKind::TooDeep, Some(end));
            }
            // The walk sees by itself that it is late.
            End::OutOfTime => self.outcome.cut += 1,
            End::Endless => {
                self.outcome.cut += 1;
                self.note(FindingKind::Endless, Some(end));
            }
            End::Return | End::Exit(_) if self.merger.is_some() => {}
            End::Return | End::Exit(_) => self.normal(end),
        }
        if let Some(progress) = &self.options.progress {
            progress.paths.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn cost(&self) -> u64 {
        if self.options.count_decisions {
            self.state.measured_open
        } else {
            self.machine.counters().cost
        }
    }

    fn normal(&mut self, end: End) {
        // Paths that differ by the value of an address alone are one.
        let trace = u128::from(self.machine.trace().value());
        if self.state.forks == 0 || self.outcome.forked.insert(mix(self.state.hash, trace)) {
            self.outcome.paths += 1;
        }
        let cost = self.cost();
        let instructions = self.machine.counters().instructions;
        self.outcome.least_cost = Some(self.outcome.least_cost.map_or(cost, |c| c.min(cost)));
        self.outcome.greatest_cost = self.outcome.greatest_cost.max(Some(cost));
        let is_worst = self.outcome.worst_cost().is_none_or(|worst| cost > worst);
        let is_test = self.outcome.tests.len() < self.options.max_tests;
        // Where a question was left open, only an input tells whether the path can be taken.
        let certain = self.solver.has_model();
        let input = if is_worst || is_test || !certain { self.solved_input() } else { None };
        if certain || input.is_some() {
            self.observer.leaf(&Leaf {
                cost,
                instructions,
                end,
                path: &self.path,
                input: input.as_ref(),
                turns: self.state.turns,
            });
        }
        if is_worst || is_test {
            let test = PathTest { input, cost, instructions, trap: None };
            if is_test {
                self.outcome.tests.push(test.clone());
            }
            // Nobody knows whether a path without an input can be taken at all.
            if is_worst && test.input.is_some() {
                if let Some(progress) = &self.options.progress {
                    progress.worst.fetch_max(cost, Ordering::Relaxed);
                }
                self.outcome.worst = Some(Witness { test, path: self.path.clone() });
            }
        }
    }

    pub(super) fn trapped(&mut self, trap: Trap) {
        if trap == Trap::ShadowStack {
            // An engine does not notice that and goes on: what would come of it is not known.
            self.outcome.uncertain = true;
        }
        let position = self.machine.position();
        let known = self.outcome.findings.contains_key(&(FindingKind::Trap(trap), position));
        let keep_test = self.outcome.tests.len() < self.options.max_tests;
        let cost = self.cost();
        let worst = self.options.include_traps
            && self.outcome.worst_cost().is_none_or(|worst| cost > worst);
        let certain = self.solver.has_model();
        let wanted = !known || keep_test || worst || !certain;
        let input = if wanted { self.solved_input() } else { None };
        let function = self.machine.function().unwrap_or(0);
        if !certain && input.is_none() {
            let (kind, count) = (FindingKind::PossibleTrap(trap), 1);
            self.outcome.note(Finding { kind, position, function, input, count, cause: None });
            return;
        }
        self.outcome.trapped += 1;
        self.merged_trap(trap);
        let instructions = self.machine.counters().instructions;
        let test = PathTest { input: input.clone(), cost, instructions, trap: Some(trap) };
        if worst && input.is_some() {
            self.outcome.worst = Some(Witness { test: test.clone(), path: self.path.clone() });
        }
        if keep_test {
            self.outcome.tests.push(test);
        }
        let (kind, count) = (FindingKind::Trap(trap), 1);
        self.outcome.note(Finding { kind, position, function, input, count, cause: None });
    }

    pub(super) fn note(&mut self, kind: FindingKind, with_input: Option<End>) {
        // On the way to its subtree a worker meets what another has reported.
        if self.on_prefix {
            return;
        }
        let position = self.machine.position();
        let known = self.outcome.findings.contains_key(&(kind, position));
        let input = if known || with_input.is_none() { None } else { self.solved_input() };
        let function = self.machine.function().unwrap_or(0);
        self.outcome.note(Finding { kind, position, function, input, count: 1, cause: None });
    }

    /// Notes that a condition was not decided, and why.
    pub(super) fn note_undecided(&mut self, reason: Reason, condition: TermId) {
        if self.on_prefix {
            return;
        }
        let kind = match reason {
            Reason::Float => FindingKind::SymbolicFloat,
            _ => FindingKind::Unknown,
        };
        let position = self.machine.position();
        let cause = match self.outcome.findings.get(&(kind, position)) {
            Some(known) => known.cause,
            None => {
                let hardest = self.solver.hardest(&self.arena, condition);
                hardest.map(|t| Cause::of(&self.arena, t))
            }
        };
        let function = self.machine.function().unwrap_or(0);
        self.outcome.note(Finding { kind, position, function, input: None, count: 1, cause });
    }

    /// An input for the present path, from the bare path condition in a fixed order.
    pub(super) fn solved_input(&mut self) -> Option<InputValues> {
        let mark = self.arena.mark();
        let budget = &self.options.budget;
        let (answer, model) = self.solver.canonical_model(&mut self.arena, &budget.deadline);
        let values = match answer {
            Answer::Sat => Some(self.values(|v| model.get(v.0 as usize).copied().unwrap_or(0))),
            _ if budget.is_over() => self.input_at_hand(),
            _ => None,
        };
        self.arena.undo_to(mark);
        if values.is_none() {
            self.outcome.uncertain = true;
        }
        values
    }

    /// The model that the walk has come with, for want of time to look for one that does not depend
    /// on the way.
    fn input_at_hand(&mut self) -> Option<InputValues> {
        self.outcome.complete = false;
        self.outcome.cut_by = self.outcome.cut_by.or(self.options.budget.stopped_by());
        let assertions = self.solver.assertions().to_vec();
        let holds = assertions.iter().all(|c| self.solver.holds_in_model(&self.arena, *c));
        holds.then(|| self.values(|v| self.solver.var_value(v)))
    }

    fn values(&self, model: impl Fn(VarId) -> u64) -> InputValues {
        let mut values = InputValues::new();
        for (i, input) in self.machine.inputs().iter().enumerate() {
            let bits = input.value.as_concrete().unwrap_or_else(|| model(VarId(i as u32)));
            values.push(input.slot, bits);
        }
        values
    }
}
