//! A run of the predicate by the machine, as far as some candidate leads it.
//!
//! The structure is not in the machine's memory: its nodes have addresses beyond the end, and each
//! load from there is answered from what the candidate's walk found out ([`Engine::answer`]) or
//! becomes the next question ([`Engine::advance`]).

mod loads;

use crate::engine::{Engine, Predicate};
use crate::error::{Result, ShapeError};
use crate::layout::{Item, KindId};
use crate::path::PathId;
use crate::rule::{Compiler, FieldAt};
use crate::store::{Known, Leaf, Returned};
use crate::trie::{Choice, SELF, SYMBOLIC, Step, TERM};
use pessimum_machine::{End, Event, Stop, Trap, Value};
use pessimum_term::{Op, TermId, Width};
use rustc_hash::FxHashMap;

/// Where the first node of a structure lies: no module's memory reaches that far.
const WINDOW: u64 = 0xc000_0000;

/// A run in progress.
pub(crate) struct PredicateRun {
    pub(crate) trie: u32,
    /// The node of the tree whose question is open.
    pub(crate) at: Option<u32>,
    predicate: Predicate,
    length: u32,
    /// Nodes by address.
    nodes: Vec<(PathId, KindId)>,
    stride: u64,
    observed: FxHashMap<(PathId, Item), Value>,
    load: Option<(u64, u32)>,
    /// Conditions that this run has been told: a loop may ask again.
    decided: FxHashMap<TermId, bool>,
    /// The condition that the pending question is about.
    asked: Option<TermId>,
    pending: Pending,
}

/// What waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pending {
    Nothing,
    Link {
        path: PathId,
        owner: KindId,
        link: u32,
        child: PathId,
        kind: KindId,
    },
    Field {
        path: PathId,
        kind: KindId,
        field: u32,
    },
    Return {
        path: PathId,
        kind: KindId,
    },
    /// The machine stopped.
    Stop(Stop),
    Result(TermId),
    /// The answer ended the run: a guard trapped, or an assumption was false.
    Ended(End),
    Accepted(Returned),
    Rejected,
}

/// The candidate's links at the root are in the walk; what a run needs of it is its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// A structure.
    Here,
    /// The null pointer, or an array of length zero.
    Null,
}

impl Engine {
    /// Starts a run of a predicate.
    pub(crate) fn start(
        &mut self,
        trie: u32,
        predicate: &Predicate,
        root: Root,
        length: u32,
    ) -> Result<()> {
        self.machine.undo_to(&self.ground);
        self.ground = self.machine.mark();
        self.work.runs += 1;
        let kind = &self.plan.layout.kinds[predicate.kind];
        let longest = self.plan.layout.kinds.iter().map(|k| k.bytes).max().unwrap_or(1);
        let stride = u64::from(longest.max(kind.bytes * length.max(1)) + 1).next_multiple_of(64);
        let mut args =
            vec![Value::concrete(if root == Root::Null && !kind.array { 0 } else { WINDOW })];
        if kind.array {
            args.push(Value::concrete(u64::from(length)));
        }
        args.extend(predicate.args.iter().map(|a| Value::concrete(*a)));
        self.machine.begin(predicate.function, &args)?;
        self.run = Some(PredicateRun {
            trie,
            at: None,
            predicate: predicate.clone(),
            length,
            nodes: vec![(PathId::ROOT, predicate.kind)],
            stride,
            observed: FxHashMap::default(),
            load: None,
            decided: FxHashMap::default(),
            asked: None,
            pending: Pending::Nothing,
        });
        Ok(())
    }

    /// Answers the open question.
    pub(crate) fn answer(&mut self, key: u64) {
        let Some(mut run) = self.run.take() else { return };
        self.answer_run(&mut run, key);
        self.run = Some(run);
    }

    fn answer_run(&mut self, run: &mut PredicateRun, key: u64) {
        if let Some(condition) = run.asked.take() {
            let opposite = self.arena.not(condition);
            run.decided.insert(condition, key != 0);
            run.decided.insert(opposite, key == 0);
        }
        match std::mem::replace(&mut run.pending, Pending::Nothing) {
            Pending::Link { path, owner, link, child, kind } => {
                let address = match key {
                    0 => 0,
                    SELF => WINDOW,
                    // The elements of an array lie at its own address.
                    _ if self.plan.layout.kinds[kind].array => WINDOW,
                    _ => {
                        let position = self.machine.position();
                        self.read.entry((owner, link)).or_insert(position);
                        run.nodes.push((child, kind));
                        WINDOW + (run.nodes.len() as u64 - 1) * run.stride
                    }
                };
                run.observed.insert((path, Item::Link(link)), Value::concrete(address));
            }
            Pending::Field { path, kind, field } => {
                let value = if key == SYMBOLIC {
                    self.variable(path, kind, field)
                } else {
                    let bytes = self.plan.layout.kinds[kind].fields[field as usize].ty.bytes();
                    Value::concrete(key & Width::new(8 * bytes).mask())
                };
                run.observed.insert((path, Item::Field(field)), value);
            }
            Pending::Return { path, .. } => {
                let value = match TermId::from_index(key as u32).filter(|_| key & TERM != 0) {
                    Some(t) => {
                        let t = self.relocate(t, path);
                        Value::of_term(&self.arena, t)
                    }
                    None => Value::concrete(key),
                };
                self.machine.answer_call(&[value]);
            }
            Pending::Stop(stop) => {
                let end = self.machine.answer(&mut self.arena, stop, key);
                run.pending = end.map_or(Pending::Nothing, Pending::Ended);
            }
            Pending::Result(t) => {
                run.pending =
                    if key != 0 { Pending::Accepted(Returned::Term(t)) } else { Pending::Rejected };
            }
            other => run.pending = other,
        }
    }

    /// Runs on to the next question. `trail` is how the run came here: leaves are made of it.
    pub(crate) fn advance(&mut self, trail: &[(u32, u64)]) -> Result<Step> {
        let Some(mut run) = self.run.take() else {
            return Ok(Step::Reject);
        };
        let step = self.advance_run(&mut run, trail);
        self.run = Some(run);
        step
    }

    fn advance_run(&mut self, run: &mut PredicateRun, trail: &[(u32, u64)]) -> Result<Step> {
        loop {
            match run.pending {
                Pending::Ended(End::Trap(trap)) => return Ok(self.fail_trap(trap)),
                Pending::Ended(_) | Pending::Rejected => return Ok(Step::Reject),
                Pending::Accepted(returned) => return self.accept(run, trail, returned),
                _ => {}
            }
            if let Some((address, len)) = run.load {
                match self.load(run, address, len) {
                    Some(step) => return Ok(step),
                    None => run.load = None,
                }
            }
            match self.machine.run_watched(&mut self.arena) {
                Event::Load { address, len } => run.load = Some((address, len)),
                Event::Store { .. } => {
                    let at = self.here();
                    return Ok(self.fail(ShapeError::Writes { at }));
                }
                Event::Call { function } => {
                    self.listen_to(function);
                    if let Some((path, kind)) = self.known_call(run, function) {
                        run.pending = Pending::Return { path, kind };
                        return Ok(Step::Return { path, kind });
                    }
                    self.machine.enter_call();
                }
                Event::Stop(stop) => {
                    if let Some(step) = self.stopped(run, stop, trail)? {
                        return Ok(step);
                    }
                }
            }
        }
    }

    fn stopped(
        &mut self,
        run: &mut PredicateRun,
        stop: Stop,
        trail: &[(u32, u64)],
    ) -> Result<Option<Step>> {
        let conditions: Vec<(u64, TermId, bool)> = match stop {
            Stop::Branch { condition, .. }
            | Stop::Split { condition, .. }
            | Stop::Guard { condition, .. }
            | Stop::Assume { condition } => both(condition),
            Stop::Switch { arms, .. } => {
                let arm = |e: &mut Self, a| {
                    (u64::from(a), e.machine.arm_condition(&mut e.arena, a), true)
                };
                (0..arms).map(|a| arm(self, a)).collect()
            }
            Stop::Choose { term, .. } => {
                let compiler =
                    Compiler { arena: &self.arena, names: &self.names, values: &self.values };
                let values =
                    if self.replaying { Some(Vec::new()) } else { compiler.values_of(term) };
                let Some(values) = values else {
                    return Ok(Some(self.undecided()));
                };
                let width = self.arena.width(term);
                let is = |e: &mut Self, v| {
                    let k = e.arena.constant(width, v);
                    (v, e.arena.binary(Op::Eq, term, k), true)
                };
                values.into_iter().map(|v| is(self, v)).collect()
            }
            Stop::End(End::Return) => return self.returned(run, trail).map(Some),
            Stop::End(End::Trap(Trap::MemoryOutOfBounds)) => {
                let (at, structure) = (self.here(), self.describe(run));
                let what = "an address beyond the end of memory".to_owned();
                return Ok(Some(self.fail(ShapeError::ReadsOutside { at, what, structure })));
            }
            Stop::End(
                End::Trap(Trap::ShadowStack)
                | End::OutOfInstructions
                | End::OutOfStack
                | End::Endless,
            ) => {
                let (at, structure) = (self.here(), self.describe(run));
                let instructions = self.machine.counters().all_instructions;
                return Ok(Some(self.fail(ShapeError::NeverEnds { at, instructions, structure })));
            }
            Stop::End(End::OutOfTime) => return Ok(Some(self.fail(ShapeError::Stopped))),
            Stop::End(End::Trap(trap)) => return Ok(Some(self.fail_trap_on(run, trap))),
            Stop::End(End::Excluded) => return Ok(Some(Step::Reject)),
            Stop::End(End::Exit(code)) => {
                let (at, what) = (self.here(), format!("the program to exit with code {code}"));
                return Ok(Some(self.fail(ShapeError::Unsupported { at, what })));
            }
        };
        run.pending = Pending::Stop(stop);
        if let [(1, condition, true), (0, ..)] = conditions[..] {
            run.asked = Some(condition);
            if let Some(known) = run.decided.get(&condition) {
                self.answer_run(run, u64::from(*known));
                return Ok(None);
            }
        }
        self.fork(run, &conditions, trail).map(Some)
    }

    /// A question which of some conditions holds: (answer, condition, its truth value).
    fn fork(
        &mut self,
        run: &PredicateRun,
        conditions: &[(u64, TermId, bool)],
        trail: &[(u32, u64)],
    ) -> Result<Step> {
        if self.replaying {
            return Ok(Step::Reject);
        }
        let mut choices = Vec::new();
        for (key, condition, holds) in conditions {
            let Some(rule) = self.rule(*condition, *holds) else { return Ok(self.undecided()) };
            let feasible = self.feasible_anywhere(run, trail, rule)?;
            if feasible != Some(false) {
                choices.push(Choice { key: *key, rule, feasible });
            }
        }
        Ok(Step::Fork(choices.into()))
    }

    fn returned(&mut self, run: &mut PredicateRun, trail: &[(u32, u64)]) -> Result<Step> {
        if self.plan.pure && self.machine.wrote_outside_its_stack(&self.ground) {
            self.impure = true;
        }
        let value = self.machine.results(1).first().copied().unwrap_or_default();
        match (value.as_concrete(), value.as_term()) {
            (Some(0), _) => Ok(Step::Reject),
            (Some(bits), _) => self.accept(run, trail, Returned::Bits(bits)),
            (None, Some(t)) => {
                let condition = self.arena.is_nonzero(t);
                run.pending = Pending::Result(t);
                self.fork(run, &both(condition), trail)
            }
            (None, None) => Ok(Step::Reject),
        }
    }

    /// The rules that a trail chose, and the values it gave the root's fields.
    fn chosen(&self, trie: u32, trail: &[(u32, u64)]) -> (Vec<u32>, FxHashMap<u32, i64>) {
        let mut rules = Vec::new();
        let mut given = FxHashMap::default();
        for (node, key) in trail {
            match &self.tries[trie as usize].nodes[*node as usize].step {
                Step::Fork(choices) => {
                    rules.extend(choices.iter().find(|c| c.key == *key).map(|c| c.rule));
                }
                Step::Field { path: PathId::ROOT, field, .. } => {
                    given.insert(*field, *key as i64);
                }
                _ => {}
            }
        }
        (rules, given)
    }

    /// Fields of the root that some rule ties to fields elsewhere.
    fn entangled(&self, rules: &[u32]) -> Vec<u32> {
        let mut tied: Vec<u32> = Vec::new();
        let mut changed = true;
        while changed {
            changed = false;
            for rule in rules {
                let places = &self.rules[*rule as usize].places;
                let outside =
                    places.iter().any(|p| p.path != PathId::ROOT || tied.contains(&p.field));
                if outside {
                    for p in places.iter().filter(|p| p.path == PathId::ROOT) {
                        if !tied.contains(&p.field) {
                            tied.push(p.field);
                            changed = true;
                        }
                    }
                }
            }
        }
        tied
    }

    /// Whether a rule can hold after a trail, if that depends on the root's own fields alone.
    fn feasible_anywhere(
        &mut self,
        run: &PredicateRun,
        trail: &[(u32, u64)],
        rule: u32,
    ) -> Result<Option<bool>> {
        if self.rules[rule as usize].never {
            return Ok(Some(false));
        }
        let (mut rules, _) = self.chosen(run.trie, trail);
        let tied = self.entangled(&rules);
        let this = &self.rules[rule as usize];
        if !this.is_local() || this.places.iter().any(|p| tied.contains(&p.field)) {
            return Ok(None);
        }
        rules.push(rule);
        Ok(Some(self.solve_root(run.predicate.kind, &rules, &tied)?.is_some()))
    }

    /// The bounds of the root's fields under those of the rules that tie them to nothing else;
    /// `None` when they contradict each other.
    fn solve_root(
        &mut self,
        kind: KindId,
        rules: &[u32],
        tied: &[u32],
    ) -> Result<Option<Vec<(i64, i64)>>> {
        let mut problem = std::mem::take(&mut self.scratch);
        problem.clear();
        for values in &self.values[kind] {
            problem.variable(values.low, values.high);
        }
        let mut possible = true;
        for rule in rules {
            let rule = &self.rules[*rule as usize];
            if rule.is_local() && !rule.places.iter().any(|p| tied.contains(&p.field)) {
                possible = possible && rule.add_to(&mut problem, |p| p.field);
            }
        }
        let possible = if possible { problem.satisfiable(crate::engine::STEPS) } else { Ok(false) };
        let bounds = (0..problem.len()).map(|v| problem.bounds(v as u32)).collect();
        self.scratch = problem;
        match possible {
            Ok(true) => Ok(Some(bounds)),
            Ok(false) => Ok(None),
            Err(_) => Err(ShapeError::Undecided { at: self.here() }),
        }
    }

    fn accept(
        &mut self,
        run: &PredicateRun,
        trail: &[(u32, u64)],
        returned: Returned,
    ) -> Result<Step> {
        let kind = run.predicate.kind;
        let (rules, given) = self.chosen(run.trie, trail);
        let tied = self.entangled(&rules);
        let bounds = self.solve_root(kind, &rules, &tied)?.unwrap_or_default();
        let count = self.plan.layout.kinds[kind].fields.len() as u32;
        let mut fields: Vec<Known> = (0..count)
            .map(|f| match (given.get(&f), bounds.get(f as usize)) {
                (Some(v), _) => Known::Fixed(*v),
                (None, Some((low, high))) if low == high && !tied.contains(&f) => {
                    Known::Fixed(*low)
                }
                _ => Known::Open,
            })
            .collect();
        // A field that shares a rule with an open one stays open, so that the rule can be kept.
        loop {
            let is_open = |f: u32| fields[f as usize] == Known::Open;
            let mixed = rules.iter().map(|r| &self.rules[*r as usize]).find_map(|r| {
                let of_root = || r.places.iter().filter(|p| p.path == PathId::ROOT);
                let any_open = of_root().any(|p| is_open(p.field)) || !r.is_local();
                of_root().find(|p| any_open && !is_open(p.field)).map(|p| p.field)
            });
            match mixed {
                Some(field) => fields[field as usize] = Known::Open,
                None => break,
            }
        }
        let mut kept: Vec<u32> = Vec::new();
        for rule in rules {
            let r = &self.rules[rule as usize];
            let settled =
                r.is_local() && r.places.iter().all(|p| fields[p.field as usize] != Known::Open);
            if !settled && !kept.contains(&rule) {
                kept.push(rule);
            }
        }
        let returned = self.settle(kind, &fields, returned);
        let open = fields.iter().filter(|f| **f == Known::Open).count() as u32;
        let leaf = self.leaves.len() as u32;
        self.any_open |= open > 0;
        self.leaves.push(Leaf { kind, fields, rules: kept, returned, valuations: None, open });
        Ok(Step::Accept { leaf })
    }

    /// What an accepting path returned, with what the path says of the root's fields put in.
    fn settle(&mut self, kind: KindId, fields: &[Known], returned: Returned) -> Returned {
        let Returned::Term(t) = returned else { return returned };
        if self.arena.range(t).umax == 1 {
            // A truth value, and it was accepted.
            return Returned::Bits(1);
        }
        let mut map = std::collections::HashMap::new();
        for (field, known) in fields.iter().enumerate() {
            let place = FieldAt { path: PathId::ROOT, kind, field: field as u32 };
            if let (Known::Fixed(v), Some(var)) = (known, self.names.get(place)) {
                let constant = self.arena.constant(self.arena.width(var), *v as u64);
                map.insert(var, constant);
            }
        }
        let t = self.arena.substitute(t, &mut map);
        self.arena.as_const(t).map_or(Returned::Term(t), Returned::Bits)
    }

    /// The part of the structure that a call is about, if what it returns is on record: the
    /// function is the part's own predicate, its other arguments are those it was run with, and no
    /// run has an effect.
    fn known_call(&mut self, run: &PredicateRun, function: u32) -> Option<(PathId, KindId)> {
        let args = self.machine.call_arguments();
        let address = args.first()?.as_concrete()?.checked_sub(WINDOW)?;
        let index = usize::try_from(address / run.stride).ok()?;
        let &(mut path, kind) = run.nodes.get(index)?;
        if address % run.stride != 0 {
            return None;
        }
        let mut rest = 1;
        if self.plan.layout.kinds[kind].array {
            let length = args.get(1)?.as_concrete()?;
            let shorter = u64::from(run.length).checked_sub(length)?;
            if length == 0 {
                return None;
            }
            for _ in 0..shorter {
                if !run.observed.contains_key(&(path, Item::Link(0))) && shorter > 1 {
                    return None;
                }
                path = self.paths.step(path, 0);
            }
            rest = 2;
        }
        if path == PathId::ROOT {
            return None;
        }
        let (parent, link) = self.paths.last_step(path);
        if let Some(parent) = run.nodes.iter().find(|n| n.0 == parent) {
            self.called.insert((parent.1, link));
        } else {
            self.called.insert((kind, link));
        }
        let part = self.plan.parts[kind].as_ref()?;
        let args = self.machine.call_arguments();
        let same = args.len() == rest + part.args.len()
            && args[rest..].iter().zip(&part.args).all(|(a, b)| a.as_concrete() == Some(*b));
        (self.plan.pure && part.function == function && same).then_some((path, kind))
    }

    /// Notes the arguments of the first call of the function that is listened for.
    fn listen_to(&mut self, function: u32) {
        if self.listen == Some(function) {
            let rest = self.machine.call_arguments().iter().skip(1);
            self.heard = rest.map(|a| a.as_concrete()).collect();
            self.listen = None;
        }
    }

    /// A term over a structure's fields, as seen from a root from which that structure is at
    /// `path`.
    fn relocate(&mut self, t: TermId, path: PathId) -> TermId {
        let mut map = std::collections::HashMap::new();
        for var in self.arena.variables(t) {
            let Some(place) = self.names.place(var) else { continue };
            let old = self.arena.var_term(var);
            let path = self.paths.join(path, place.path);
            let value = self.variable(path, place.kind, place.field);
            let width = self.arena.width(old);
            let new = value.to_term(&mut self.arena, width);
            map.insert(old, new);
        }
        self.arena.substitute(t, &mut map)
    }

    pub(crate) fn fail(&mut self, error: ShapeError) -> Step {
        let id = self.errors.len() as u32;
        self.errors.push(error);
        Step::Fail { error: id }
    }

    fn undecided(&mut self) -> Step {
        let at = self.here();
        self.fail(ShapeError::Undecided { at })
    }

    fn fail_trap(&mut self, trap: Trap) -> Step {
        let (at, structure) = (self.here(), "a structure".to_owned());
        self.fail(ShapeError::Traps { at, trap: trap.to_string(), structure })
    }

    fn fail_trap_on(&mut self, run: &PredicateRun, trap: Trap) -> Step {
        let (at, structure) = (self.here(), self.describe(run));
        self.fail(ShapeError::Traps { at, trap: trap.to_string(), structure })
    }

    fn describe(&self, run: &PredicateRun) -> String {
        let kind = &self.plan.layout.kinds[run.predicate.kind];
        match (kind.array, run.nodes.len()) {
            (true, _) => format!("an array of {}", run.length),
            (_, 1) => format!("a `{}` alone", kind.name),
            (_, n) => format!("a `{}` with {} node(s) below it", kind.name, n - 1),
        }
    }
}

fn both(condition: TermId) -> Vec<(u64, TermId, bool)> {
    vec![(1, condition, true), (0, condition, false)]
}
