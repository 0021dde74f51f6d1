//! The strong solvers, and which constraints they are given.
//!
//! Only constraints that share variables with the question, directly or through others, matter: the rest
//! keeps its part of the model. Whatever a solver calls a model is evaluated on the original terms before
//! anyone believes it.

use crate::answer::{Answer, Reason};
use crate::component::Component;
use crate::evaluated::{Evaluated, Verdict, in_domain};
use crate::invert::{WAYS, guess};
use crate::linear::{self, Work};
use crate::solver::Solver;
use crate::trial;
use pessimum_term::{Arena, TermId, VarId};

/// Conditions that are few enough for a small model of them to be worth a search.
const FEW: usize = 8;

/// Units of bit-blasting that take about as long as one of the others.
pub(crate) const BLAST_PER_UNIT: u64 = 16;

impl Solver {
    /// Whether the path condition has a model together with `c`, by a guess, linear integers, trial, bits, and Z3
    /// where it is built in. Assertions
    /// that have no model yet are part of the question.
    #[cold]
    pub(crate) fn ask_the_strong(&mut self, arena: &Arena, c: TermId) -> Verdict {
        self.pending = None;
        // Most contradictions were met before, and need no more of the path than was looked at before.
        let mut known = self.linear.knows_unsat(arena, &self.graph, c);
        if known == Some(true) {
            return self.refuted_by_a_lemma(c);
        }
        let component = self.component(arena, c);
        let mut added = false;
        for &index in &component.assertions {
            added |= self.linear.add(arena, &self.graph, &self.assertions, index);
        }
        if added && known.is_some() {
            known = self.linear.knows_unsat(arena, &self.graph, c);
            if known == Some(true) {
                return self.refuted_by_a_lemma(c);
            }
        }
        // Where small numbers are wanted, the first model that works is not good enough, unless bits would have to be
        // asked about many conditions.
        if !self.config.tight || component.assertions.len() > FEW {
            if let Some(evaluated) = self.guess(arena, c) {
                return Verdict::Sat(evaluated);
            }
            if let Some(evaluated) = self.vary(arena, c, known.is_some()) {
                return Verdict::Sat(evaluated);
            }
        }
        let mut verdict = self.ask_linear(arena, &component, c);
        let own = component.assertions.iter().map(|&i| self.assertions[i as usize]);
        let floats = own.chain([c]).any(|t| arena.info(t).has_float);
        if let (Verdict::Unknown(_), true) = (&verdict, floats) {
            verdict = self.try_all(arena, &component, c, trial::FIRST);
        }
        if let Verdict::Unknown(_) = verdict {
            verdict = self.ask_blaster(arena, &component, c);
        }
        if let (Verdict::Unknown(_), true) = (&verdict, floats) {
            verdict = self.try_all(arena, &component, c, self.config.blast_work);
        }
        #[cfg(feature = "z3")]
        if let Verdict::Unknown(_) = verdict {
            verdict = self.ask_z3(arena, &component, c);
        }
        #[cfg(feature = "z3")]
        if matches!(verdict, Verdict::Unsat) {
            debug_assert!(!floats || self.z3_agrees(arena, &component, c), "Z3 has a model of it");
        }
        match verdict {
            Verdict::Sat(_) => {}
            Verdict::Unsat => self.note_refuted(c),
            Verdict::Unknown(_) => self.stats.unknown += 1,
        }
        verdict
    }

    fn refuted_by_a_lemma(&mut self, c: TermId) -> Verdict {
        self.stats.by_linear += 1;
        self.note_refuted(c);
        Verdict::Unsat
    }

    /// Tries models that are one input away from the present one.
    fn guess(&mut self, arena: &Arena, c: TermId) -> Option<Evaluated> {
        if !self.broken.is_empty() {
            return None;
        }
        let mut last = Vec::new();
        for way in 0..WAYS {
            let Some(model) = guess(arena, &self.graph, &mut self.eval, c, way) else { continue };
            if model != last
                && let Some(evaluated) = self.adopt(arena, None, c, &model)
            {
                self.stats.by_guess += 1;
                return Some(evaluated);
            }
            last = model;
        }
        None
    }

    fn ask_linear(&mut self, arena: &Arena, component: &Component, c: TermId) -> Verdict {
        let mut work = Work::new(self.config.linear_work).until(self.config.deadline.clone());
        let mut model: Vec<(VarId, u64)> = Vec::new();
        let answer = self.linear.check(arena, &self.graph, c, &mut work, |v, bits| {
            if component.vars.binary_search(&v).is_ok() {
                model.push((v, bits));
            }
        });
        self.strong_work += work.spent();
        match answer {
            Some(linear::Answer::Sat) => match self.adopt(arena, Some(component), c, &model) {
                Some(evaluated) => {
                    self.stats.by_linear += 1;
                    Verdict::Sat(evaluated)
                }
                None => Verdict::Unknown(Reason::Incomplete),
            },
            Some(linear::Answer::Unsat) => {
                self.stats.by_linear += 1;
                Verdict::Unsat
            }
            _ => Verdict::Unknown(Reason::Incomplete),
        }
    }

    fn ask_blaster(&mut self, arena: &Arena, component: &Component, c: TermId) -> Verdict {
        let all: Vec<TermId> =
            component.assertions.iter().map(|&i| self.assertions[i as usize]).chain([c]).collect();
        let units = self.config.blast_work.saturating_mul(BLAST_PER_UNIT);
        let mut work = Work::new(units).until(self.config.deadline.clone());
        let answer = self.blaster.solve(arena, &all, &mut work);
        self.strong_work += work.spent() / BLAST_PER_UNIT;
        match answer {
            Answer::Unsat => {
                self.stats.by_blast += 1;
                return Verdict::Unsat;
            }
            Answer::Unknown(reason) => {
                // Products and quotients of floats are what takes the longest.
                let floats = all.iter().any(|t| arena.info(*t).has_float);
                return Verdict::Unknown(if floats { Reason::Float } else { reason });
            }
            Answer::Sat => {}
        }
        let model: Vec<(VarId, u64)> =
            component.vars.iter().filter_map(|&v| Some((v, self.blaster.value(v)?))).collect();
        if let Some(evaluated) = self.adopt(arena, Some(component), c, &model) {
            self.stats.by_blast += 1;
            return Verdict::Sat(evaluated);
        }
        // Bit-blasting encodes every condition.
        self.stats.refused += 1;
        Verdict::Unknown(Reason::Incomplete)
    }

    /// Whether Z3 has no model either, as far as it knows. That there is one is checked by the evaluator; that there is
    /// none, among floats, by this alone.
    #[cfg(feature = "z3")]
    fn z3_agrees(&mut self, arena: &Arena, component: &Component, c: TermId) -> bool {
        !matches!(self.ask_z3(arena, component, c), Verdict::Sat(_))
    }

    #[cfg(feature = "z3")]
    fn ask_z3(&mut self, arena: &Arena, component: &Component, c: TermId) -> Verdict {
        use std::fmt::Write as _;
        let all: Vec<TermId> =
            component.assertions.iter().map(|&i| self.assertions[i as usize]).chain([c]).collect();
        // Not every float operation can be written down.
        let mut text = String::new();
        if write!(text, "{}", pessimum_term::SmtLib::new(arena, &all)).is_err() {
            return Verdict::Unknown(Reason::Float);
        }
        let (answer, values) =
            crate::z3::Z3Solver::with_limit(self.config.z3_limit).solve(arena, &all);
        let known = |v: &VarId| values.get(v.0 as usize).map(|bits| (*v, *bits));
        let model: Vec<(VarId, u64)> = component.vars.iter().filter_map(known).collect();
        match answer {
            Answer::Sat => match self.adopt(arena, Some(component), c, &model) {
                Some(evaluated) => Verdict::Sat(evaluated),
                None => Verdict::Unknown(Reason::Incomplete),
            },
            Answer::Unsat => Verdict::Unsat,
            Answer::Unknown(reason) => Verdict::Unknown(reason),
        }
    }

    /// Makes a candidate the witness of `c` if the original terms agree that it is a model. Without a
    /// component the present model satisfies the path condition.
    pub(crate) fn adopt(
        &mut self,
        arena: &Arena,
        component: Option<&Component>,
        c: TermId,
        model: &[(VarId, u64)],
    ) -> Option<Evaluated> {
        if !model.iter().all(|&(v, bits)| in_domain(arena, v, bits)) {
            return None;
        }
        self.pending = None;
        self.witness.clear();
        for &(v, bits) in model {
            if self.graph.bits(v) != bits {
                self.witness.push(self.graph.signed_entry(v, bits));
            }
        }
        let before = self.looked_at;
        let evaluated = self.try_witness(arena, c, component);
        self.strong_work += self.looked_at - before;
        evaluated
    }

    /// The assertions that share variables with `c`, directly or through others, and those without a model.
    pub(crate) fn component(&mut self, arena: &Arena, c: TermId) -> Component {
        self.components.make_room(self.graph.var_count());
        for i in self.components.entered()..self.assertions.len() {
            let start = self.touch_start[i] as usize;
            let own = self.touches[start..].iter().take_while(|t| t.assertion == i as u32);
            let mut mentioned: Vec<VarId> = own.map(|t| VarId(t.var)).collect();
            if mentioned.is_empty() {
                // The graph holds it, and holds nothing else of it.
                mentioned = arena.variables(self.assertions[i]);
            }
            self.components.enter(mentioned);
        }
        let broken = self.broken.iter().map(|&i| self.assertions[i as usize]);
        let asked = [c].into_iter().chain(broken).flat_map(|t| arena.variables(t));
        let mut found = self.components.around(asked);
        // One that mentions no input hangs together with nothing.
        found.assertions.extend(&self.broken);
        found.assertions.sort_unstable();
        found.assertions.dedup();
        found
    }
}
