//! Every answer held against the slow obvious one.

use super::{Plain, Term, World};
use pessimum_solver::blast::Blaster;
use pessimum_solver::{Answer, Work, canonical_model};
use pessimum_term::{Evaluator, Op, TermId, VarId};
use std::fmt::Write as _;

impl World<'_, '_> {
    pub(super) fn check(&mut self, c: Term) -> Result<Answer, String> {
        self.same_meaning(c)?;
        let answer = self.solver.check(&mut self.arena, c.id);
        self.judge(c, answer, "check")?;
        if answer.is_unsat() && self.source.one_in(2) {
            self.explained(c)?;
        }
        Ok(answer)
    }

    /// The reasons for *unsat* have no model together with the question.
    pub(super) fn explained(&mut self, c: Term) -> Result<(), String> {
        let Some(reasons) = self.solver.explain(&mut self.arena, c.id) else {
            return Err(self.tell(Some(c), "nobody explains"));
        };
        self.tally.explained += 1;
        let ids: Vec<TermId> =
            reasons.iter().map(|i| self.solver.assertions()[*i as usize]).collect();
        let terms: Vec<Term> =
            self.asserted.iter().filter(|t| ids.contains(&t.id)).copied().collect();
        let possible = match &self.columns {
            Some(columns) => {
                let all = || terms.iter().chain([&c]);
                (0..self.assignments).any(|i| all().all(|t| columns[t.plain][i] == 1))
            }
            None => {
                let all: Vec<TermId> = ids.iter().copied().chain([c.id]).collect();
                Blaster::new().solve(&self.arena, &all, &mut Work::new(3_000_000)) == Answer::Sat
            }
        };
        if possible {
            return Err(self.tell(Some(c), &format!("{reasons:?} do not explain it")));
        }
        Ok(())
    }

    pub(super) fn assert(&mut self, c: Term) -> Result<(), String> {
        let answer = self.solver.assert(&mut self.arena, c.id);
        self.judge(c, answer, "assert")?;
        self.asserted.push(c);
        if let Some(columns) = &self.columns {
            let before = &self.alive[self.alive.len() - 1];
            let column = &columns[c.plain];
            let left = before.iter().copied().filter(|i| column[*i as usize] == 1).collect();
            self.alive.push(left);
        }
        if answer.is_sat() {
            let values: Vec<u64> =
                (0..self.vars.len()).map(|v| self.solver.var_value(VarId(v as u32))).collect();
            self.is_model(&values, "the model at hand")?;
        }
        Ok(())
    }

    /// Evaluates all that is asserted, on the plain expressions.
    pub(super) fn is_model(&mut self, values: &[u64], whose: &str) -> Result<(), String> {
        self.tally.models += 1;
        for (i, &(width, domain)) in self.vars.iter().enumerate() {
            if !domain.contains(width, values[i]) {
                return Err(self.tell(None, &format!("{whose} leaves a domain: {values:?}")));
            }
        }
        for i in 0..self.asserted.len() {
            if self.value(self.asserted[i], values) != 1 {
                let text = format!("{whose} does not satisfy assertion {i}: {values:?}");
                return Err(self.tell(None, &text));
            }
        }
        Ok(())
    }

    /// The arena's term and the expression have one value, on a few assignments.
    pub(super) fn same_meaning(&mut self, c: Term) -> Result<(), String> {
        for _ in 0..3 {
            let values: Vec<u64> = (0..self.vars.len())
                .map(|i| {
                    let (width, domain) = self.vars[i];
                    let span = domain.hi - domain.lo + 1;
                    let (word, at_end) = (self.source.next(), self.source.below(4));
                    let offset = match at_end {
                        0 => i128::from(word % 3) % span,
                        1 => span - 1 - i128::from(word % 3) % span,
                        _ => i128::from(word) % span,
                    };
                    (domain.lo + offset) as u64 & width.mask()
                })
                .collect();
            let mut eval = Evaluator::new();
            let simplified = eval.value(&self.arena, c.id, |v| values[v.0 as usize]);
            if simplified != self.value(c, &values) {
                return Err(self.tell(Some(c), &format!("the simplifier is wrong at {values:?}")));
            }
        }
        Ok(())
    }

    pub(super) fn judge(&mut self, c: Term, answer: Answer, call: &str) -> Result<(), String> {
        self.tally.conjunctions += 1;
        match answer {
            Answer::Sat => self.tally.sat += 1,
            Answer::Unsat => self.tally.unsat += 1,
            Answer::Unknown(_) => {
                self.tally.unknown += 1;
                return Ok(());
            }
        }
        let truth = match &self.columns {
            Some(columns) => {
                self.tally.by_brute_force += 1;
                let alive = &self.alive[self.alive.len() - 1];
                let column = &columns[c.plain];
                if alive.iter().any(|i| column[*i as usize] == 1) {
                    Answer::Sat
                } else {
                    Answer::Unsat
                }
            }
            None => self.by_bits(c),
        };
        let contradiction =
            matches!((answer, truth), (Answer::Sat, Answer::Unsat) | (Answer::Unsat, Answer::Sat));
        if contradiction {
            return Err(
                self.tell(Some(c), &format!("{call} says {answer:?}, the truth is {truth:?}"))
            );
        }
        Ok(())
    }

    pub(super) fn by_bits(&mut self, c: Term) -> Answer {
        let all: Vec<TermId> = self.asserted.iter().chain([&c]).map(|t| t.id).collect();
        #[cfg(feature = "z3")]
        if self.source.one_in(4) {
            let (answer, _) =
                pessimum_solver::z3::Z3Solver::with_limit(2_000_000).solve(&self.arena, &all);
            self.tally.by_z3 += u64::from(!matches!(answer, Answer::Unknown(_)));
            return answer;
        }
        let answer = Blaster::new().solve(&self.arena, &all, &mut Work::new(3_000_000));
        self.tally.by_bits += u64::from(!matches!(answer, Answer::Unknown(_)));
        answer
    }

    /// The path condition solved afresh, as for a reported input.
    pub(super) fn whole_path(&mut self) -> Result<(), String> {
        if self.asserted.is_empty() {
            return Ok(());
        }
        let mark = self.arena.mark();
        let terms: Vec<TermId> = self.asserted.iter().map(|t| t.id).collect();
        let (answer, values) = canonical_model(&mut self.arena, &terms);
        self.arena.undo_to(mark);
        self.tally.conjunctions += 1;
        match answer {
            Answer::Sat => {
                self.tally.sat += 1;
                self.is_model(&values, "the model found afresh")
            }
            Answer::Unsat if self.solver.has_model() => {
                Err(self.tell(None, "afresh there is no model, and one is at hand"))
            }
            Answer::Unsat => {
                self.tally.unsat += 1;
                let some = self.columns.is_some() && !self.alive[self.alive.len() - 1].is_empty();
                if some {
                    Err(self.tell(None, "afresh there is no model, and there is one"))
                } else {
                    Ok(())
                }
            }
            Answer::Unknown(_) => {
                self.tally.unknown += 1;
                Ok(())
            }
        }
    }

    pub(super) fn tell(&self, c: Option<Term>, what: &str) -> String {
        let mut text = format!("{what}\n");
        for (i, (width, domain)) in self.vars.iter().enumerate() {
            let _ = writeln!(text, "  x{i}: {width:?} in {}..={}", domain.lo, domain.hi);
        }
        for t in &self.asserted {
            let _ = writeln!(text, "  assert {}", self.show(t.plain));
        }
        if let Some(c) = c {
            let _ = writeln!(text, "  ask    {}", self.show(c.plain));
        }
        text
    }

    pub(super) fn show(&self, at: usize) -> String {
        let (plain, width) = self.plain[at];
        match plain {
            Plain::Const(k) => format!("{k:#x}"),
            Plain::Var(i) => format!("x{i}"),
            Plain::Unary(Op::Extract, low, a) => format!("{}[{low}+{width:?}]", self.show(a)),
            Plain::Unary(op, _, a) => format!("{op:?}{}({})", width.bits(), self.show(a)),
            Plain::Binary(op, a, b) => format!("({} {op:?} {})", self.show(a), self.show(b)),
            Plain::Concat(a, b) => format!("({} ++ {})", self.show(a), self.show(b)),
            Plain::Ite(c, a, b) => {
                format!("({} ? {} : {})", self.show(c), self.show(a), self.show(b))
            }
        }
    }
}
