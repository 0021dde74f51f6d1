//! The strong solvers, and which constraints they are given.
//!
//! Only constraints that share variables with the question, directly or through others, matter: the rest
//! keeps its part of the model. Whatever a solver calls a model is evaluated on the original terms before
//! anyone believes it.

use crate::answer::{Answer, Reason};
use crate::component::Component;
use crate::compound::variables;
use crate::invert::{WAYS, guess};
use crate::linear::{self, Work};
use crate::solver::{NONE, Solver};
use pessimum_term::{Arena, TermId, VarId};

/// Units of bit-blasting that take about as long as one of the others.
const BLAST_PER_UNIT: u64 = 16;

impl Solver {
    /// Whether the path condition has a model together with `c`, by linear integers, then by bits. Assertions
    /// that have no model yet are part of the question.
    #[cold]
    pub(crate) fn ask_the_strong(&mut self, arena: &Arena, c: TermId) -> Answer {
        self.pending = None;
        if self.guess(arena, c) {
            return Answer::Sat;
        }
        let component = self.component(arena, c);
        let mut answer = self.ask_linear(arena, &component, c);
        if let Answer::Unknown(_) = answer {
            answer = self.ask_blaster(arena, &component, c);
        }
        #[cfg(feature = "z3")]
        if let Answer::Unknown(_) = answer {
            answer = self.ask_z3(arena, &component, c);
        }
        match answer {
            Answer::Sat => {}
            Answer::Unsat => self.note_refuted(c),
            Answer::Unknown(_) => self.stats.unknown += 1,
        }
        answer
    }

    /// Tries models that are one input away from the present one.
    fn guess(&mut self, arena: &Arena, c: TermId) -> bool {
        // Where small numbers are wanted, the first model that works is not good enough.
        if self.config.tight || !self.broken.is_empty() || arena.info(c).has_float {
            return false;
        }
        let mut last = Vec::new();
        for way in 0..WAYS {
            let Some(model) = guess(arena, &self.graph, &mut self.eval, c, way) else { continue };
            if model != last && self.adopt(arena, None, c, &model) {
                self.stats.by_guess += 1;
                return true;
            }
            last = model;
        }
        false
    }

    fn ask_linear(&mut self, arena: &Arena, component: &Component, c: TermId) -> Answer {
        for &index in &component.assertions {
            self.linear.add(arena, &self.graph, &self.assertions, index);
        }
        let mut work = Work::new(self.config.linear_work);
        let mut model: Vec<(VarId, u64)> = Vec::new();
        let answer = self.linear.check(arena, &self.graph, c, &mut work, |v, bits| {
            if component.vars.binary_search(&v).is_ok() {
                model.push((v, bits));
            }
        });
        self.strong_work += work.spent();
        match answer {
            Some(linear::Answer::Sat) if self.adopt(arena, Some(component), c, &model) => {
                self.stats.by_linear += 1;
                Answer::Sat
            }
            Some(linear::Answer::Unsat) => {
                self.stats.by_linear += 1;
                Answer::Unsat
            }
            _ => Answer::Unknown(Reason::Incomplete),
        }
    }

    fn ask_blaster(&mut self, arena: &Arena, component: &Component, c: TermId) -> Answer {
        let all = component.assertions.iter().map(|&i| self.assertions[i as usize]).chain([c]);
        let (floats, integers): (Vec<TermId>, Vec<TermId>) =
            all.partition(|t| arena.info(*t).has_float);
        let units = self.config.blast_work.saturating_mul(BLAST_PER_UNIT);
        let mut work = Work::new(units).until(self.config.deadline);
        // Without the float conditions unsat is still unsat, and luck may satisfy them.
        let answer = self.blaster.solve(arena, &integers, &mut work);
        self.strong_work += work.spent() / BLAST_PER_UNIT;
        if answer != Answer::Sat {
            self.stats.by_blast += u64::from(answer == Answer::Unsat);
            return answer;
        }
        let model: Vec<(VarId, u64)> =
            component.vars.iter().filter_map(|&v| Some((v, self.blaster.value(v)?))).collect();
        if self.adopt(arena, Some(component), c, &model) {
            self.stats.by_blast += 1;
            return Answer::Sat;
        }
        debug_assert!(!floats.is_empty(), "bit-blasting encodes every integer condition");
        Answer::Unknown(Reason::Float)
    }

    #[cfg(feature = "z3")]
    fn ask_z3(&mut self, arena: &Arena, component: &Component, c: TermId) -> Answer {
        use std::fmt::Write as _;
        let all: Vec<TermId> =
            component.assertions.iter().map(|&i| self.assertions[i as usize]).chain([c]).collect();
        // Not every float operation can be written down.
        let mut text = String::new();
        if write!(text, "{}", pessimum_term::SmtLib::new(arena, &all)).is_err() {
            return Answer::Unknown(Reason::Float);
        }
        let (answer, values) =
            crate::z3::Z3Solver::with_limit(self.config.z3_limit).solve(arena, &all);
        let known = |v: &VarId| values.get(v.0 as usize).map(|bits| (*v, *bits));
        let model: Vec<(VarId, u64)> = component.vars.iter().filter_map(known).collect();
        match answer {
            Answer::Sat if !self.adopt(arena, Some(component), c, &model) => {
                Answer::Unknown(Reason::Incomplete)
            }
            decided => decided,
        }
    }

    /// Makes a candidate the witness of `c` if the original terms agree that it is a model. Without a
    /// component the present model satisfies the path condition.
    fn adopt(
        &mut self,
        arena: &Arena,
        component: Option<&Component>,
        c: TermId,
        model: &[(VarId, u64)],
    ) -> bool {
        let in_domain = model.iter().all(|&(v, bits)| {
            let term = arena.var_term(v);
            let (range, width) = (arena.range(term), arena.width(term));
            (range.umin..=range.umax).contains(&bits)
                && (range.smin..=range.smax).contains(&width.signed(bits))
        });
        if !in_domain {
            return false;
        }
        let before: Vec<(VarId, u64)> = model
            .iter()
            .map(|&(v, bits)| (v, self.graph.bits(v), bits))
            .filter(|(_, before, bits)| before != bits)
            .map(|(v, before, _)| (v, before))
            .collect();
        for &(v, bits) in model {
            self.graph.set_bits(v, bits);
        }
        self.eval.forget();
        let good = self.evaluate(arena, c) != 0
            && match component {
                // What mentions no input that changed is as true as it was.
                Some(component)
                    if !self.broken.is_empty() || 8 * before.len() > component.vars.len() =>
                {
                    component.assertions.iter().all(|&i| {
                        let t = self.assertions[i as usize];
                        self.evaluate(arena, t) != 0
                    })
                }
                _ => before.iter().all(|&(v, _)| self.all_hold(arena, v)),
            };
        if good {
            self.pending = Some(c);
            self.witness.clear();
            for &(v, _) in &before {
                self.witness.push(self.graph.signed_entry(v));
            }
        }
        for (v, bits) in before {
            self.graph.set_bits(v, bits);
        }
        self.eval.forget();
        good
    }

    /// Whether the present values satisfy every assertion on `v`.
    fn all_hold(&mut self, arena: &Arena, v: VarId) -> bool {
        let mut on: Vec<u32> = Vec::new();
        let mut at = self.touched[v.0 as usize].head;
        while at != NONE {
            let touch = self.touches[at as usize];
            on.push(touch.assertion);
            at = touch.next;
        }
        self.graph.neighbours(v, |_, origin| on.extend(origin.checked_sub(1)));
        self.strong_work += on.len() as u64;
        on.iter().all(|&i| {
            let t = self.assertions[i as usize];
            self.evaluate(arena, t) != 0
        })
    }

    /// The assertions that share variables with `c`, directly or through others, and those without a model.
    fn component(&mut self, arena: &Arena, c: TermId) -> Component {
        self.components.make_room(self.graph.var_count());
        for i in self.components.entered()..self.assertions.len() {
            let start = self.touch_start[i] as usize;
            let own = self.touches[start..].iter().take_while(|t| t.assertion == i as u32);
            let mut mentioned: Vec<VarId> = own.map(|t| VarId(t.var)).collect();
            if mentioned.is_empty() {
                // The graph holds it, and holds nothing else of it.
                mentioned = variables(arena, self.assertions[i]);
            }
            self.components.enter(mentioned);
        }
        let broken = self.broken.iter().map(|&i| self.assertions[i as usize]);
        let asked = [c].into_iter().chain(broken).flat_map(|t| variables(arena, t));
        let mut found = self.components.around(asked);
        // One that mentions no input hangs together with nothing.
        found.assertions.extend(&self.broken);
        found.assertions.sort_unstable();
        found.assertions.dedup();
        found
    }
}
