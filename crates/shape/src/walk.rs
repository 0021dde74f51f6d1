//! A candidate's way through the tree of its predicate.

use crate::engine::{Engine, Predicate, STEPS};
use crate::error::{Result, ShapeError};
use crate::layout::KindId;
use crate::path::PathId;
use crate::predicate_run::Root;
use crate::store::{Id, Known, Returned};
use crate::trie::{SELF, SYMBOLIC, Step, TERM};
use std::rc::Rc;

/// A link that leads back to the candidate's own root.
pub(crate) const TO_ITSELF: Id = Id::MAX;

/// A candidate: a root of a kind, with these structures below, for a predicate to judge.
#[derive(Debug)]
pub(crate) struct Walk {
    pub(crate) predicate: Predicate,
    pub(crate) root: Root,
    pub(crate) length: u32,
    pub(crate) links: Vec<Id>,
    /// The accepting paths it can take.
    pub(crate) accepted: Vec<u32>,
    trie: u32,
    /// The structure at each path that was met.
    resolved: Vec<Id>,
    trail: Vec<(u32, u64)>,
    rules: Vec<u32>,
    /// Whether the engine's problem is this candidate's, with all of `rules`.
    posed: bool,
}

impl Walk {
    pub(crate) fn new(engine: &mut Engine, predicate: Predicate, root: Root, length: u32) -> Walk {
        // Null is another argument than a structure, as arrays of different lengths are.
        let variant = if root == Root::Null { u32::MAX } else { length };
        let trie = engine.trie_of(&predicate, variant);
        Walk {
            predicate,
            root,
            length,
            links: Vec::new(),
            accepted: Vec::new(),
            trie,
            resolved: Vec::new(),
            trail: Vec::new(),
            rules: Vec::new(),
            posed: false,
        }
    }
}

impl Engine {
    /// Finds every accepting path that the candidate with the walk's links can take.
    pub(crate) fn judge(&mut self, walk: &mut Walk) -> Result<()> {
        walk.accepted.clear();
        walk.trail.clear();
        walk.rules.clear();
        walk.posed = false;
        if self.tries[walk.trie as usize].nodes.is_empty() {
            self.start(walk.trie, &walk.predicate, walk.root, walk.length)?;
            let step = self.advance(&[])?;
            let first = self.tries[walk.trie as usize].add(None, step);
            self.stand_at(first);
        }
        self.visit(walk, 0)
    }

    fn visit(&mut self, walk: &mut Walk, mut node: u32) -> Result<()> {
        let depth = walk.trail.len();
        loop {
            let key = match &self.tries[walk.trie as usize].nodes[node as usize].step {
                Step::Link { path, kind, link, child } => {
                    let (path, kind, link, child) = (*path, *kind, *link, *child);
                    let id = self.link_of(walk, path, kind, link);
                    set(&mut walk.resolved, child, id);
                    match id {
                        0 => 0,
                        TO_ITSELF => SELF,
                        _ => 1,
                    }
                }
                Step::Field { path: PathId::ROOT, kind, field } => {
                    let (kind, field) = (*kind, *field as usize);
                    let values = self.values[kind][field].clone();
                    for value in values.iter() {
                        let key = value as u64;
                        let next = self.follow(walk, node, key)?;
                        walk.trail.push((node, key));
                        self.visit(walk, next)?;
                        walk.trail.pop();
                    }
                    break;
                }
                Step::Field { path, kind, field } => {
                    let leaf = self.stores[*kind].leaf(walk.resolved[path.index()]);
                    match self.leaves[leaf as usize].fields[*field as usize] {
                        Known::Fixed(v) => v as u64,
                        Known::Open => SYMBOLIC,
                    }
                }
                Step::Return { path, kind } => {
                    let (path, kind) = (*path, *kind);
                    if self.plan.layout.kinds[kind].array {
                        // A prefix has the array's own address: no link was read to get there.
                        let (parent, link) = self.paths.last_step(path);
                        let id = self.link_of(walk, parent, kind, link);
                        set(&mut walk.resolved, path, id);
                    }
                    let id = walk.resolved[path.index()];
                    match self.leaves[self.stores[kind].leaf(id) as usize].returned {
                        Returned::Bits(bits) => bits,
                        Returned::Term(t) => TERM | u64::from(t.index()),
                    }
                }
                Step::Fork(choices) => {
                    let choices = Rc::clone(choices);
                    for choice in choices.iter() {
                        if choice.feasible == Some(true) && self.is_rejected(walk, node, choice.key)
                        {
                            self.work.candidates += 1;
                            continue;
                        }
                        let mark = walk.posed.then(|| self.problem.mark());
                        let feasible = match choice.feasible {
                            Some(known) => known,
                            None => self.can_hold(walk, choice.rule)?,
                        };
                        if feasible {
                            // Where the problem is posed, the rule joined it in `can_hold`.
                            if choice.feasible.is_some() && walk.posed {
                                self.add_rule(choice.rule);
                            }
                            walk.rules.push(choice.rule);
                            let next = self.follow(walk, node, choice.key)?;
                            walk.trail.push((node, choice.key));
                            self.visit(walk, next)?;
                            walk.trail.pop();
                            walk.rules.pop();
                        }
                        match mark {
                            Some(mark) => self.problem.undo_to(mark),
                            // Posed on the way: with more rules than hold from here on.
                            None => walk.posed = false,
                        }
                    }
                    break;
                }
                Step::Accept { leaf } => {
                    self.work.candidates += 1;
                    walk.accepted.push(*leaf);
                    break;
                }
                Step::Reject => {
                    self.work.candidates += 1;
                    break;
                }
                Step::Fail { error } => return Err(self.errors[*error as usize].clone()),
            };
            let next = match self.tries[walk.trie as usize].next(node, key) {
                Some(next) => next,
                None => self.follow(walk, node, key)?,
            };
            walk.trail.push((node, key));
            node = next;
        }
        walk.trail.truncate(depth);
        Ok(())
    }

    /// Whether an answer is known to end the walk in a rejection.
    #[inline]
    fn is_rejected(&self, walk: &Walk, node: u32, key: u64) -> bool {
        let trie = &self.tries[walk.trie as usize];
        trie.next(node, key).is_some_and(|n| trie.nodes[n as usize].step == Step::Reject)
    }

    #[inline]
    fn link_of(&self, walk: &Walk, path: PathId, kind: KindId, link: u32) -> Id {
        if path == PathId::ROOT {
            walk.links[link as usize]
        } else {
            self.link(kind, walk.resolved[path.index()], link)
        }
    }

    /// Whether a rule can hold for the candidate after what was chosen so far. If it can, it is
    /// part of the problem from now on.
    fn can_hold(&mut self, walk: &mut Walk, rule: u32) -> Result<bool> {
        if !walk.posed {
            let mut fits = self.instantiate(walk.predicate.kind, &walk.links, None);
            for chosen in &walk.rules {
                fits = fits && self.add_rule(*chosen);
            }
            walk.posed = true;
            if !fits {
                return Ok(false);
            }
        }
        if !self.add_rule(rule) {
            return Ok(false);
        }
        self.problem.satisfiable(STEPS).map_err(|_| ShapeError::Undecided { at: self.here() })
    }

    /// The node below an answer, which the machine is run to find if no candidate gave it before.
    fn follow(&mut self, walk: &Walk, node: u32, key: u64) -> Result<u32> {
        if let Some(next) = self.tries[walk.trie as usize].next(node, key) {
            return Ok(next);
        }
        let stands = self.run.as_ref().is_some_and(|l| l.trie == walk.trie && l.at == Some(node));
        if !stands {
            self.start(walk.trie, &walk.predicate, walk.root, walk.length)?;
            self.replaying = true;
            for (_, key) in &walk.trail {
                self.advance(&[])?;
                self.answer(*key);
            }
            self.advance(&[])?;
            self.replaying = false;
        }
        self.answer(key);
        let mut trail = walk.trail.clone();
        trail.push((node, key));
        let step = self.advance(&trail)?;
        let next = self.tries[walk.trie as usize].add(Some((node, key)), step);
        self.stand_at(next);
        Ok(next)
    }

    fn stand_at(&mut self, node: u32) {
        if let Some(run) = &mut self.run {
            run.at = Some(node);
        }
    }
}

#[inline]
fn set(resolved: &mut Vec<Id>, path: PathId, id: Id) {
    if resolved.len() <= path.index() {
        resolved.resize(path.index() + 1, 0);
    }
    resolved[path.index()] = id;
}
