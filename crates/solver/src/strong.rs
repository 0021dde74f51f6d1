//! The strong solvers, and which constraints they are given.
//!
//! Only constraints that share variables with the question, directly or through others, matter: the rest
//! keeps its part of the model. Whatever a solver calls a model is evaluated on the original terms before
//! anyone believes it.

use crate::answer::{Answer, Reason};
use crate::compound::variables;
use crate::invert::{WAYS, guess};
use crate::linear::{self, Work};
use crate::solver::{NONE, Solver};
use pessimum_term::{Arena, TermId, VarId};

/// What a question depends on.
#[derive(Debug, Default)]
struct Component {
    /// Numbers of assertions, in increasing order.
    assertions: Vec<u32>,
    vars: Vec<VarId>,
}

impl Solver {
    /// Whether the path condition has a model together with `c`, by linear integers, then by bits. Assertions
    /// that have no model yet are part of the question.
    #[cold]
    pub(crate) fn ask_the_strong(&mut self, arena: &Arena, c: TermId) -> Answer {
        self.pending = None;
        let component = self.component(arena, c);
        if self.guess(arena, &component, c) {
            return Answer::Sat;
        }
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
    fn guess(&mut self, arena: &Arena, component: &Component, c: TermId) -> bool {
        // Where small numbers are wanted, the first model that works is not good enough.
        if self.config.tight || !self.broken.is_empty() || arena.info(c).has_float {
            return false;
        }
        let mut last = Vec::new();
        for way in 0..WAYS {
            let Some(model) = guess(arena, &self.graph, &mut self.eval, c, way) else { continue };
            if model != last && self.adopt(arena, component, c, &model) {
                self.stats.by_guess += 1;
                self.strong_work += component.assertions.len() as u64;
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
            Some(linear::Answer::Sat) if self.adopt(arena, component, c, &model) => {
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
        let mut work = Work::new(self.config.blast_work);
        // Without the float conditions unsat is still unsat, and luck may satisfy them.
        let answer = self.blaster.solve(arena, &integers, &mut work);
        self.strong_work += work.spent();
        if answer != Answer::Sat {
            self.stats.by_blast += u64::from(answer == Answer::Unsat);
            return answer;
        }
        let model: Vec<(VarId, u64)> =
            component.vars.iter().filter_map(|&v| Some((v, self.blaster.value(v)?))).collect();
        if self.adopt(arena, component, c, &model) {
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
            Answer::Sat if !self.adopt(arena, component, c, &model) => {
                Answer::Unknown(Reason::Incomplete)
            }
            decided => decided,
        }
    }

    /// Makes a candidate the witness of `c` if the original terms agree that it is a model.
    fn adopt(
        &mut self,
        arena: &Arena,
        component: &Component,
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
        let before: Vec<(VarId, u64)> =
            model.iter().map(|&(v, _)| (v, self.graph.bits(v))).collect();
        for &(v, bits) in model {
            self.graph.set_bits(v, bits);
        }
        self.eval.forget();
        let good = self.evaluate(arena, c) != 0
            && component.assertions.iter().all(|&i| {
                let t = self.assertions[i as usize];
                self.evaluate(arena, t) != 0
            });
        if good {
            self.pending = Some(c);
            self.witness.clear();
            for &(v, _) in model {
                self.witness.push(self.graph.signed_entry(v));
            }
        }
        for (v, bits) in before {
            self.graph.set_bits(v, bits);
        }
        self.eval.forget();
        good
    }

    /// The assertions that share variables with `c`, directly or through others, and those without a model.
    fn component(&self, arena: &Arena, c: TermId) -> Component {
        let mut found = Component::default();
        let mut seen_vars = vec![false; self.graph.var_count() as usize];
        let mut seen = vec![false; self.assertions.len()];
        let mut queue: Vec<VarId> = Vec::new();
        let reach = |v: VarId, seen_vars: &mut Vec<bool>, queue: &mut Vec<VarId>| {
            if !std::mem::replace(&mut seen_vars[v.0 as usize], true) {
                queue.push(v);
            }
        };
        let broken = self.broken.iter().map(|&i| self.assertions[i as usize]);
        for root in [c].into_iter().chain(broken) {
            for v in variables(arena, root) {
                reach(v, &mut seen_vars, &mut queue);
            }
        }
        for &i in &self.broken {
            seen[i as usize] = true;
        }
        while let Some(v) = queue.pop() {
            found.vars.push(v);
            let mut at = self.touched[v.0 as usize].head;
            while at != NONE {
                let touch = self.touches[at as usize];
                at = touch.next;
                if std::mem::replace(&mut seen[touch.assertion as usize], true) {
                    continue;
                }
                let start = self.touch_start[touch.assertion as usize] as usize;
                let own =
                    self.touches[start..].iter().take_while(|t| t.assertion == touch.assertion);
                for t in own {
                    reach(VarId(t.var), &mut seen_vars, &mut queue);
                }
            }
            self.graph.neighbours(v, |other, origin| {
                if origin > 0 {
                    seen[origin as usize - 1] = true;
                }
                reach(other, &mut seen_vars, &mut queue);
            });
        }
        found.vars.sort_unstable();
        let numbers = seen.iter().enumerate().filter(|(_, seen)| **seen);
        found.assertions.extend(numbers.map(|(i, _)| i as u32));
        found
    }
}
