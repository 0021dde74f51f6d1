//! The chain: from the present model over difference logic to the strong solvers.

use crate::answer::{Answer, Reason};
use crate::atom::{self, Reading, SetCache};
use crate::blast::Blaster;
use crate::component::Components;
use crate::compound::conjuncts;
use crate::difference::{Atom, Closure, Graph, GraphAnswer};
use crate::evaluated::{Verdict, is_order};
use crate::facts::Fact;
use crate::linearize::LinearStage;
use pessimum_clock::Deadline;
use pessimum_term::{Arena, Evaluator, TermId, VarId};

/// End of a list.
pub(crate) const NONE: u32 = u32::MAX;

/// Evaluated terms that take about as long as one unit of work, and what a table takes.
pub(crate) const STEPS_PER_UNIT: u64 = 8;
const TABLE: u64 = 8;

/// What a solver may spend, in work units, and how it chooses models.
#[derive(Clone, Debug)]
pub struct Config {
    /// Limit for one question to linear arithmetic.
    pub linear_work: u64,
    /// Limit for one question to bit-blasting.
    pub blast_work: u64,
    /// Limit for one question to Z3, in its own units; zero is none. Only with the feature `z3`.
    pub z3_limit: u32,
    /// When a question is given up however little it has taken.
    pub deadline: Deadline,
    /// Prefer small numbers to models that leave room for what may come.
    pub tight: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            linear_work: 20_000_000,
            blast_work: 40_000_000,
            z3_limit: 20_000_000,
            deadline: Deadline::NEVER,
            tight: false,
        }
    }
}

/// How often each link of the chain had the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Questions asked.
    pub checks: u64,
    /// Answered by evaluating the present model.
    pub by_model: u64,
    /// Answered by order and difference logic.
    pub by_difference: u64,
    /// Answered by undoing the operations between an input and the condition.
    pub by_guess: u64,
    /// Answered by linear integers.
    pub by_linear: u64,
    /// Answered by trying all values.
    pub by_trial: u64,
    /// Answered by bit-blasting.
    pub by_blast: u64,
    /// Not answered.
    pub unknown: u64,
    /// Models that a theory which encodes all it was given offered, and that evaluation refused. Each is a
    /// mistake of that theory, and costs time and no truth.
    pub refused: u64,
}

/// A point in the life of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub(crate) graph: u32,
    pub(crate) assertions: u32,
    pub(crate) sets: u32,
    pub(crate) terms: u32,
}

/// An assertion that is not an edge of the graph, hung on each of its variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) var: u32,
    pub(crate) next: u32,
    pub(crate) assertion: u32,
    /// Its table is part of the byte's set, so that there is no need to evaluate the term.
    pub(crate) table: bool,
    /// The graph encodes it in full.
    exact: bool,
}

/// What the graph has of an assertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    /// Its table, as part of the set of the only byte that it mentions.
    Table,
    /// All of it.
    Graph,
    /// Less than that.
    Nobody,
}

impl Touch {
    /// Whether the graph encodes the assertion in full.
    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Touched {
    pub(crate) head: u32,
    /// How many of the list are terms without a table.
    pub(crate) terms: u32,
    /// How many of the list are not exact.
    inexact: u32,
}

/// A path condition, a model of it, and the means to extend both.
///
/// The model always satisfies the path condition, unless an assertion was accepted without one. Marks of
/// the solver and of the arena are taken and undone together, in either order: ids of dropped terms are
/// reused, and what the solver remembers of a term lives as long as the mark it was met under.
///
/// ```
/// use pessimum_solver::{Answer, Solver};
/// use pessimum_term::{Arena, Domain, Op, Width};
///
/// let mut arena = Arena::new();
/// let mut solver = Solver::new();
/// let x = arena.variable(Width::W32, Domain::full(Width::W32));
/// let y = arena.variable(Width::W32, Domain::full(Width::W32));
/// let less = arena.binary(Op::Slt, x, y);
/// let more = arena.binary(Op::Slt, y, x);
/// assert_eq!(solver.assert(&mut arena, less), Answer::Sat);
/// assert_eq!(solver.check(&mut arena, more), Answer::Unsat);
/// assert!(solver.value(&arena, less) == 1);
/// ```
#[derive(Debug)]
pub struct Solver {
    pub(crate) graph: Graph,
    /// The differences that the graph implies, for whoever asks.
    pub(crate) closure: Closure,
    pub(crate) sets: SetCache,
    pub(crate) assertions: Vec<TermId>,
    /// The negation of each assertion: both have a fact to take back.
    negations: Vec<Option<TermId>>,
    /// What is known of each term.
    pub(crate) facts: Vec<Fact>,
    /// Conditions that a strong solver refuted, with the number of assertions it was given.
    pub(crate) refuted: Vec<(u32, TermId)>,
    pub(crate) touches: Vec<Touch>,
    /// Where the touches of each assertion begin.
    pub(crate) touch_start: Vec<u32>,
    pub(crate) touched: Vec<Touched>,
    /// Touches by assertions that the graph does not encode in full.
    pub(crate) others: u32,
    /// Which inputs hang together, as far as somebody had to know.
    pub(crate) components: Components,
    /// The condition whose witness is in `witness`: whoever changes one of them clears the other first.
    pub(crate) pending: Option<TermId>,
    /// Nodes that move, with their new values.
    pub(crate) witness: Vec<(u32, i64)>,
    /// The condition that the last question showed to have no model, if nothing has changed since.
    pub(crate) last_unsat: Option<TermId>,
    /// Assertions that were evaluated on a witness.
    pub(crate) looked_at: u64,
    /// Room for the values that a witness replaces while it is evaluated.
    pub(crate) before: Vec<(VarId, u64)>,
    pub(crate) eval: Evaluator,
    /// Assertions that the model does not satisfy, because no model was found when they came.
    pub(crate) broken: Vec<u32>,
    pub(crate) linear: LinearStage,
    pub(crate) blaster: Blaster,
    /// How many terms the arena had when it was last seen: they outlive every mark taken later.
    terms: u32,
    /// Work of the strong solvers.
    pub(crate) strong_work: u64,
    pub(crate) config: Config,
    pub(crate) stats: Stats,
}

impl Default for Solver {
    fn default() -> Self {
        Self::new()
    }
}

impl Solver {
    /// The empty path condition.
    pub fn new() -> Self {
        Self::with_config(Config::default())
    }

    /// The empty path condition, with other limits.
    pub fn with_config(config: Config) -> Self {
        Solver {
            graph: Graph::new(config.tight),
            closure: Closure::default(),
            sets: SetCache::default(),
            assertions: Vec::new(),
            negations: Vec::new(),
            facts: Vec::new(),
            refuted: Vec::new(),
            touches: Vec::new(),
            touch_start: Vec::new(),
            touched: Vec::new(),
            others: 0,
            components: Components::default(),
            pending: None,
            witness: Vec::new(),
            last_unsat: None,
            looked_at: 0,
            before: Vec::new(),
            eval: Evaluator::new(),
            broken: Vec::new(),
            linear: LinearStage::default(),
            blaster: Blaster::new(),
            terms: 0,
            strong_work: 0,
            config,
            stats: Stats::default(),
        }
    }

    /// The present point.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark {
            graph: self.graph.mark(),
            assertions: self.assertions.len() as u32,
            sets: self.sets.len(),
            terms: self.terms,
        }
    }

    /// Drops the assertions made since `mark`. The model stays: it satisfies the shorter list as well.
    #[inline]
    pub fn undo_to(&mut self, mark: Mark) {
        self.pending = None;
        self.last_unsat = None;
        self.eval.forget();
        self.sets.undo_to(mark.sets, mark.terms);
        let keep = mark.assertions as usize;
        for i in keep..self.assertions.len() {
            self.facts[self.assertions[i].index() as usize] = Fact::Unknown;
            if let Some(negation) = self.negations[i] {
                self.facts[negation.index() as usize] = Fact::Unknown;
            }
        }
        self.forget_refuted(mark);
        if let Some(&start) = self.touch_start.get(keep) {
            while self.touches.len() > start as usize {
                if let Some(touch) = self.touches.pop() {
                    let of = &mut self.touched[touch.var as usize];
                    of.head = touch.next;
                    of.terms -= u32::from(!touch.table);
                    of.inexact -= u32::from(!touch.exact);
                    self.others -= u32::from(!touch.exact);
                }
            }
        }
        self.assertions.truncate(keep);
        self.negations.truncate(keep);
        self.touch_start.truncate(keep);
        while self.broken.last().is_some_and(|at| *at as usize >= keep) {
            self.broken.pop();
        }
        self.linear.undo_to(mark.assertions);
        self.linear.forget_terms(mark.terms);
        self.blaster.undo_to(mark.terms as usize);
        self.terms = mark.terms;
        self.graph.undo_to(mark.graph);
        self.touched.truncate(self.graph.var_count() as usize);
        self.components.undo_to(keep, self.graph.var_count());
    }

    /// Whether the path condition and `c` have a model together. The path condition stays as it is.
    #[inline]
    pub fn check(&mut self, arena: &mut Arena, c: TermId) -> Answer {
        let answer = self.decide(arena, c);
        self.last_unsat = answer.is_unsat().then_some(c);
        answer
    }

    #[inline]
    fn decide(&mut self, arena: &mut Arena, c: TermId) -> Answer {
        self.stats.checks += 1;
        self.sync(arena);
        match self.known(c) {
            Fact::Denied | Fact::Refuted => return Answer::Unsat,
            Fact::Asserted => {
                if let Some(evaluated) = self.standing() {
                    return Verdict::Sat(evaluated).into();
                }
            }
            Fact::Unknown => {}
        }
        if self.broken.is_empty() {
            return self.ask(arena, c).into();
        }
        // Without a model to ask, a negation that was asserted before `c` was built still tells.
        match arena.find_negation(c) {
            Some(negation) if self.known(negation) == Fact::Asserted => Answer::Unsat,
            _ => self.ask_the_strong(arena, c).into(),
        }
    }

    /// Adds `c` to the path condition. Sat when the model at hand now satisfies all of it.
    #[inline]
    pub fn assert(&mut self, arena: &mut Arena, c: TermId) -> Answer {
        self.sync(arena);
        match self.fact(c) {
            Some(true) => {
                return match self.standing() {
                    Some(evaluated) => Verdict::Sat(evaluated).into(),
                    None => Answer::Unknown(Reason::Incomplete),
                };
            }
            Some(false) => {
                self.broken.push(self.assertions.len() as u32);
                self.record(arena, c);
                return Answer::Unsat;
            }
            None => {}
        }
        let verdict = match self.found_before(c) {
            Some(evaluated) => Verdict::Sat(evaluated),
            None if self.broken.is_empty() => self.ask(arena, c),
            None => self.ask_the_strong(arena, c),
        };
        let answer = Answer::from(verdict);
        if answer.is_sat() {
            if self.pending == Some(c) {
                self.graph.apply(&self.witness);
                self.eval.forget();
            }
            self.broken.clear();
        } else {
            self.broken.push(self.assertions.len() as u32);
        }
        self.pending = None;
        self.last_unsat = None;
        self.record(arena, c);
        answer
    }

    /// Whether the present model satisfies `c`.
    pub fn holds_in_model(&mut self, arena: &Arena, c: TermId) -> bool {
        self.value(arena, c) != 0
    }

    /// The value of a term in the present model.
    pub fn value(&mut self, arena: &Arena, t: TermId) -> u64 {
        self.sync(arena);
        self.evaluate(arena, t)
    }

    /// The value of a variable in the present model; zero for one that no call has met yet.
    pub fn var_value(&self, v: VarId) -> u64 {
        if v.0 < self.graph.var_count() { self.graph.bits(v) } else { 0 }
    }

    /// Whether the model at hand satisfies the whole path condition. It does unless some question
    /// on the way was answered by unknown, or the path condition has no model at all.
    pub fn has_model(&self) -> bool {
        self.broken.is_empty()
    }

    /// The path condition.
    pub fn assertions(&self) -> &[TermId] {
        &self.assertions
    }

    /// Work done so far, in units that do not depend on the machine.
    pub fn work(&self) -> u64 {
        let evaluated = self.eval.steps() / STEPS_PER_UNIT + self.sets.computed() * TABLE;
        self.stats.checks + self.graph.work() + self.strong_work + evaluated
    }

    /// Which link of the chain answered how often.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Learns of the variables that were made since the last call.
    #[inline]
    pub(crate) fn sync(&mut self, arena: &Arena) {
        let terms = arena.len() as u32;
        if terms < self.terms {
            // The arena was undone since: ids stand for other terms now.
            self.eval.forget();
            self.sets.undo_to(self.sets.len(), terms);
            self.linear.forget_terms(terms);
            self.blaster.undo_to(terms as usize);
        }
        self.terms = terms;
        if self.graph.var_count() != arena.var_count() {
            self.sync_slowly(arena);
        }
    }

    #[cold]
    fn sync_slowly(&mut self, arena: &Arena) {
        for i in self.graph.var_count()..arena.var_count() {
            let t = arena.var_term(VarId(i));
            self.graph.push_var(arena.width(t), arena.range(t));
            self.touched.push(Touched { head: NONE, terms: 0, inexact: 0 });
        }
    }

    /// Answers for a path condition that the model satisfies. After sat either the model satisfies `c`
    /// or `pending` is `c` and `witness` says how to change it.
    #[inline]
    pub(crate) fn ask(&mut self, arena: &mut Arena, c: TermId) -> Verdict {
        match atom::read(arena, &self.graph, &mut self.sets, c) {
            Reading::Known(true) => match self.present(arena, c) {
                Some(evaluated) => Verdict::Sat(evaluated),
                None => self.ask_the_strong(arena, c),
            },
            Reading::Known(false) => Verdict::Unsat,
            Reading::Atom(atom) => {
                if self.graph.holds(&atom) {
                    let evaluated = match &atom {
                        Atom::In { v, set } => self.present_in_table(*v, set),
                        _ => self.present(arena, c),
                    };
                    if let Some(evaluated) = evaluated {
                        self.stats.by_model += 1;
                        return Verdict::Sat(evaluated);
                    }
                    self.pending = None;
                    self.witness.clear();
                    return self.refused(arena, c);
                }
                match self.graph.find(&atom) {
                    GraphAnswer::Unsat => {
                        self.stats.by_difference += 1;
                        Verdict::Unsat
                    }
                    GraphAnswer::Sat => {
                        self.pending = None;
                        self.witness.clear();
                        self.witness.extend_from_slice(self.graph.delta());
                        match self.try_witness(arena, c, None) {
                            Some(evaluated) => {
                                self.stats.by_difference += 1;
                                Verdict::Sat(evaluated)
                            }
                            None => self.refused(arena, c),
                        }
                    }
                    GraphAnswer::Unknown => self.ask_the_strong(arena, c),
                }
            }
            Reading::Other => self.ask_compound(arena, c),
        }
    }

    /// The graph offered a model that does not satisfy the terms. That is no surprise where some of them
    /// are more than the graph encodes.
    #[cold]
    fn refused(&mut self, arena: &mut Arena, c: TermId) -> Verdict {
        let encoded = |entry: &(u32, i64)| self.touched[entry.0 as usize >> 1].inexact == 0;
        self.stats.refused += u64::from(self.witness.iter().all(encoded));
        self.ask_the_strong(arena, c)
    }

    /// Writes the assertion down everywhere it has to be known.
    #[inline]
    pub(crate) fn record(&mut self, arena: &mut Arena, c: TermId) {
        // A negation that nobody has built is not worth a term of its own.
        let negation = arena.find_negation(c);
        let index = self.assertions.len() as u32;
        self.make_room_for_facts(c.index().max(negation.map_or(0, TermId::index)));
        self.facts[c.index() as usize] = Fact::Asserted;
        if let Some(negation) = negation {
            self.facts[negation.index() as usize] = Fact::Denied;
        }
        self.assertions.push(c);
        self.negations.push(negation);
        self.touch_start.push(self.touches.len() as u32);
        match atom::read(arena, &self.graph, &mut self.sets, c) {
            Reading::Known(_) => {}
            Reading::Atom(atom) => {
                let linked = match atom {
                    Atom::Le { x, y, k } if is_order(arena, c) => {
                        self.graph.add_order(x, y, k, index + 1)
                    }
                    _ => self.graph.add(&atom, index + 1),
                };
                match atom {
                    Atom::In { v, .. } => self.touch(v, index, Encoding::Table),
                    Atom::Within { x, .. } | Atom::Not { x, .. } => {
                        self.touch(x.var(), index, Encoding::Graph)
                    }
                    Atom::Le { x, y, .. } | Atom::Eq { x, y, .. } | Atom::Ne { x, y, .. } => {
                        // The graph knows where an edge came from; one that it did not need has to be found.
                        if !linked {
                            self.touch(x.var(), index, Encoding::Graph);
                            self.touch(y.var(), index, Encoding::Graph);
                        }
                    }
                }
            }
            Reading::Other => self.record_other(arena, c, index),
        }
    }

    /// Notes a condition that is no single atom. The atoms of a conjunction still help the graph.
    fn record_other(&mut self, arena: &mut Arena, c: TermId, index: u32) {
        let mut exact = false;
        if let Some(parts) = conjuncts(arena, c) {
            exact = true;
            for part in parts {
                match atom::read(arena, &self.graph, &mut self.sets, part) {
                    Reading::Atom(atom) => {
                        self.graph.add(&atom, index + 1);
                    }
                    Reading::Known(true) => {}
                    _ => exact = false,
                }
            }
        }
        for v in arena.variables(c) {
            self.touch(v, index, if exact { Encoding::Graph } else { Encoding::Nobody });
        }
    }

    fn touch(&mut self, v: VarId, assertion: u32, encoding: Encoding) {
        let (table, exact) = (encoding == Encoding::Table, encoding != Encoding::Nobody);
        let of = &mut self.touched[v.0 as usize];
        self.touches.push(Touch { var: v.0, next: of.head, assertion, table, exact });
        of.head = self.touches.len() as u32 - 1;
        of.terms += u32::from(!table);
        of.inexact += u32::from(!exact);
        self.others += u32::from(!exact);
    }
}
