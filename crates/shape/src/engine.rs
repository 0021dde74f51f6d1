//! The state of a generation: the predicates, the structures found, what is known of the runs.

use crate::domain::Values;
use crate::error::{Result, ShapeError};
use crate::finite::Problem;
use crate::layout::{KindId, Layout};
use crate::path::{PathId, Paths};
use crate::predicate_run::PredicateRun;
use crate::rule::{Compiler, Names, Rule};
use crate::store::{Id, Leaf, Store};
use crate::trie::Trie;
use pessimum_machine::{Limits, Machine, Mark, Module, Value};
use pessimum_term::{Arena, Domain, TermId, VarId, Width};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// Steps of a question about conditions on fields before it is given up.
pub(crate) const STEPS: u64 = 50_000_000;

/// A function that says whether a structure of a kind is valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Predicate {
    pub(crate) kind: KindId,
    pub(crate) function: u32,
    /// Its arguments after the structure (and after the length of an array).
    pub(crate) args: Vec<u64>,
}

/// How a field of the structure at hand is treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// Each value of its domain in turn, once the predicate reads it.
    Each,
    /// As a variable.
    Symbolic,
}

/// What a generation starts from; the same for all sizes.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) module: Arc<Module>,
    pub(crate) layout: Layout,
    /// The predicate of each kind's parts, where there is one.
    pub(crate) parts: Vec<Option<Predicate>>,
    pub(crate) whole: Predicate,
    pub(crate) limits: Limits,
    /// Calls may be answered from what is recorded: no run writes anywhere but to its stack.
    pub(crate) pure: bool,
}

/// Work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Candidates that the predicate accepted or rejected, by path.
    pub(crate) candidates: u64,
    /// Times the machine was set going.
    pub(crate) runs: u64,
}

/// When to give up.
#[derive(Clone)]
pub(crate) struct Bound {
    /// Candidates.
    pub(crate) candidates: u64,
    /// Whether somebody wants it to end.
    pub(crate) stop: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Default for Bound {
    fn default() -> Self {
        Bound { candidates: u64::MAX, stop: None }
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {} candidates", self.candidates)
    }
}

/// Candidates between two looks at [`Bound::stop`].
const LOOK: u64 = 256;

/// Everything about one size.
pub(crate) struct Engine {
    pub(crate) plan: Plan,
    pub(crate) values: Vec<Vec<Values>>,
    pub(crate) modes: Vec<Vec<Mode>>,
    /// Give each open field of a valid structure all its values, as separate structures.
    pub(crate) concrete: bool,
    pub(crate) machine: Machine,
    pub(crate) ground: Mark,
    pub(crate) arena: Arena,
    pub(crate) paths: Paths,
    pub(crate) names: Names,
    pub(crate) rules: Vec<Rule>,
    rule_ids: FxHashMap<(TermId, bool), u32>,
    /// What each rule was made from.
    pub(crate) rule_terms: Vec<(TermId, bool)>,
    pub(crate) leaves: Vec<Leaf>,
    /// Some leaf has a field without a value.
    pub(crate) any_open: bool,
    pub(crate) errors: Vec<ShapeError>,
    pub(crate) tries: Vec<Trie>,
    trie_ids: FxHashMap<(u32, u32), u32>,
    pub(crate) stores: Vec<Store>,
    pub(crate) work: Work,
    pub(crate) bound: Bound,
    /// Candidates that were begun, for whoever watches the clock.
    begun: u64,
    /// The problem of the candidate that is being judged.
    pub(crate) problem: Problem,
    /// For questions about the root's fields alone.
    pub(crate) scratch: Problem,
    pub(crate) run: Option<PredicateRun>,
    /// Links that were read and not null, and links whose structure the predicate was called on.
    pub(crate) read: FxHashMap<(KindId, u32), u32>,
    pub(crate) called: rustc_hash::FxHashSet<(KindId, u32)>,
    /// A run wrote outside of its stack although the plan says that none does.
    pub(crate) impure: bool,
    /// A run is on its way to where it was before: its questions are known.
    pub(crate) replaying: bool,
    pub(crate) instance: crate::instance::Instance,
    /// A function whose first call's other arguments are wanted, and what they were.
    pub(crate) listen: Option<u32>,
    pub(crate) heard: Option<Vec<u64>>,
}

impl Engine {
    pub(crate) fn new(plan: Plan, values: Vec<Vec<Values>>, modes: Vec<Vec<Mode>>) -> Result<Self> {
        let mut arena = Arena::new();
        let mut machine = Machine::prepare(&plan.module, plan.limits.clone(), &mut arena)?;
        let mut watched: Vec<u32> = plan.parts.iter().flatten().map(|p| p.function).collect();
        watched.push(plan.whole.function);
        let null = plan.module.lowest_data().min(1024);
        machine.watch(&mut arena, &watched, null);
        let ground = machine.mark();
        let stores = plan.layout.kinds.iter().map(|k| Store::new(k.links.len())).collect();
        Ok(Engine {
            values,
            modes,
            concrete: false,
            machine,
            ground,
            arena,
            paths: Paths::new(),
            names: Names::default(),
            rules: Vec::new(),
            rule_ids: FxHashMap::default(),
            rule_terms: Vec::new(),
            leaves: Vec::new(),
            any_open: false,
            errors: Vec::new(),
            tries: Vec::new(),
            trie_ids: FxHashMap::default(),
            stores,
            work: Work::default(),
            bound: Bound::default(),
            begun: 0,
            problem: Problem::default(),
            scratch: Problem::default(),
            run: None,
            read: FxHashMap::default(),
            called: Default::default(),
            impure: false,
            replaying: false,
            instance: Default::default(),
            listen: None,
            heard: None,
            plan,
        })
    }

    /// Gives up where the bound says so; asked before each candidate and each size of parts.
    pub(crate) fn keep_going(&mut self) -> Result<()> {
        if self.work.candidates >= self.bound.candidates {
            return Err(ShapeError::Candidates { limit: self.bound.candidates });
        }
        self.begun += 1;
        match &self.bound.stop {
            Some(stop) if self.begun.is_multiple_of(LOOK) && stop() => Err(ShapeError::Stopped),
            _ => Ok(()),
        }
    }

    /// The tree of a predicate; arrays of different lengths have different ones.
    pub(crate) fn trie_of(&mut self, predicate: &Predicate, length: u32) -> u32 {
        let next = self.tries.len() as u32;
        let id = *self.trie_ids.entry((predicate.function, length)).or_insert(next);
        if id == next {
            self.tries.push(Trie::default());
        }
        id
    }

    /// The value of a field: its variable, or its only value.
    pub(crate) fn variable(&mut self, path: PathId, kind: KindId, field: u32) -> Value {
        let place = crate::rule::FieldAt { path, kind, field };
        if let Some(t) = self.names.get(place) {
            return Value::of_term(&self.arena, t);
        }
        let ty = &self.plan.layout.kinds[kind].fields[field as usize].ty;
        let values = &self.values[kind][field as usize];
        let width = Width::new(8 * ty.bytes());
        if values.low == values.high {
            return Value::concrete(values.low as u64 & width.mask());
        }
        let domain = Domain { lo: i128::from(values.low), hi: i128::from(values.high) };
        let term = self.arena.variable(width, domain);
        let var = VarId(self.arena.var_count() - 1);
        self.names.insert(var, place, term);
        Value::of_term(&self.arena, term)
    }

    /// The number of the rule that a condition has a truth value.
    pub(crate) fn rule(&mut self, condition: TermId, holds: bool) -> Option<u32> {
        if let Some(known) = self.rule_ids.get(&(condition, holds)) {
            return Some(*known);
        }
        let compiler = Compiler { arena: &self.arena, names: &self.names, values: &self.values };
        let rule = compiler.rule(condition, holds)?;
        let id = self.rules.len() as u32;
        self.rules.push(rule);
        self.rule_terms.push((condition, holds));
        self.rule_ids.insert((condition, holds), id);
        Some(id)
    }

    /// Where an instruction of the module is, in words.
    pub(crate) fn place_in_source(module: &Module, function: Option<u32>, offset: u32) -> String {
        match (module.locate(offset), function) {
            (Some(location), _) => location.to_string(),
            (None, Some(function)) => module.describe_at(function, offset),
            (None, None) => format!("offset {offset:#x}"),
        }
    }

    /// Where the machine stands.
    pub(crate) fn here(&self) -> String {
        let machine = &self.machine;
        Self::place_in_source(&self.plan.module, machine.function(), machine.position())
    }

    /// The structure a link of a structure leads to.
    #[inline]
    pub(crate) fn link(&self, kind: KindId, id: Id, link: u32) -> Id {
        self.stores[kind].link(id, link)
    }
}
