//! Bottom-up generation: all structures of each size from those of smaller sizes.
//!
//! A round is a size. The candidates of a round are all ways to put structures of earlier rounds
//! below a new root so that the sizes add up; since the sizes below determine the round, no
//! candidate comes twice, and none above the size asked for is ever made.

use crate::engine::{Engine, Predicate, STEPS};
use crate::error::{Result, ShapeError};
use crate::layout::KindId;
use crate::predicate_run::Root;
use crate::store::{Id, Known, Leaf};
use crate::walk::Walk;

/// The valid structures of the size asked for.
#[derive(Debug, Default)]
pub(crate) struct Round {
    /// Links and leaf of each; the root's kind is the whole predicate's.
    pub(crate) found: Vec<(Vec<Id>, u32)>,
    /// Null is valid.
    pub(crate) null: bool,
    /// How many there are, one for each accepting path.
    pub(crate) paths: u64,
    /// In how many ways their open fields can be filled.
    pub(crate) valid: u128,
}

/// What to keep of the last round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keep {
    /// The structures.
    All,
    /// Their number.
    Count,
    /// The structures, without asking in how many ways their open fields can be filled.
    Paths,
}

impl Engine {
    /// Fills the stores with the parts that structures of `size` can have. A root that counts
    /// leaves less for them.
    pub(crate) fn make_parts(&mut self, size: usize) -> Result<()> {
        let order = self.order_of_kinds();
        let weight = self.plan.layout.kinds[self.plan.whole.kind].weight;
        let Some(largest) = size.checked_sub(weight) else { return Ok(()) };
        for s in 0..=largest {
            // A size without any part takes no time, and there may be very many of them.
            self.keep_going()?;
            for &kind in &order {
                self.make_parts_of(kind, s)?;
                self.stores[kind].close(s);
            }
        }
        Ok(())
    }

    fn make_parts_of(&mut self, kind: KindId, size: usize) -> Result<()> {
        let weight = self.plan.layout.kinds[kind].weight;
        let Some(predicate) = self.plan.parts[kind].clone() else { return Ok(()) };
        let Some(below) = size.checked_sub(weight) else { return Ok(()) };
        let mut walk = Walk::new(self, predicate, Root::Here, size as u32);
        self.each_candidate(&mut walk, kind, below, &mut |engine, walk| {
            for i in 0..walk.accepted.len() {
                let leaf = walk.accepted[i];
                engine.keep(kind, &walk.links, leaf);
            }
            Ok(())
        })
    }

    fn keep(&mut self, kind: KindId, links: &[Id], leaf: u32) {
        if self.concrete && self.leaves[leaf as usize].open > 0 {
            for valuation in self.valuations(leaf) {
                self.stores[kind].push(links, valuation);
            }
        } else {
            self.stores[kind].push(links, leaf);
        }
    }

    /// All valid structures of a size, once the parts of smaller sizes are made.
    pub(crate) fn make_whole(&mut self, size: usize, keep: Keep) -> Result<Round> {
        let whole = self.plan.whole.clone();
        let kind = whole.kind;
        let mut round = Round::default();
        let shape = &self.plan.layout.kinds[kind];
        if size == 0 && shape.weight > 0 {
            round.null = self.accepts_null(&whole)?;
            round.paths = u64::from(round.null);
            round.valid = u128::from(round.null);
            return Ok(round);
        }
        let Some(below) = size.checked_sub(shape.weight) else { return Ok(round) };
        let mut walk = Walk::new(self, whole, Root::Here, size as u32);
        self.each_candidate(&mut walk, kind, below, &mut |engine, walk| {
            for i in 0..walk.accepted.len() {
                let leaf = walk.accepted[i];
                if engine.concrete && engine.leaves[leaf as usize].open > 0 {
                    for valuation in engine.valuations(leaf) {
                        engine.keep_whole(&mut round, walk, valuation, keep)?;
                    }
                } else {
                    engine.keep_whole(&mut round, walk, leaf, keep)?;
                }
            }
            Ok(())
        })?;
        Ok(round)
    }

    fn keep_whole(&mut self, round: &mut Round, walk: &Walk, leaf: u32, keep: Keep) -> Result<()> {
        let ways = match keep {
            Keep::Paths => 0,
            _ => self.solutions(walk.predicate.kind, &walk.links, leaf)?,
        };
        round.paths += 1;
        round.valid = round.valid.saturating_add(ways);
        if keep != Keep::Count {
            round.found.push((walk.links.clone(), leaf));
        }
        Ok(())
    }

    /// In how many ways the open fields of a structure can be filled.
    pub(crate) fn solutions(&mut self, kind: KindId, links: &[Id], leaf: u32) -> Result<u128> {
        if self.concrete || !self.any_open {
            return Ok(1);
        }
        if !self.instantiate(kind, links, Some(leaf)) {
            return Ok(0);
        }
        let undecided = |_| ShapeError::TooMany { limit: STEPS };
        self.problem.count(STEPS).map_err(undecided)
    }

    pub(crate) fn accepts_null(&mut self, predicate: &Predicate) -> Result<bool> {
        let mut walk = Walk::new(self, predicate.clone(), Root::Null, 0);
        match self.judge(&mut walk) {
            Ok(()) => Ok(!walk.accepted.is_empty()),
            // A predicate that is never called on null: null is where structures end.
            Err(ShapeError::NullRead { .. }) => Ok(true),
            Err(other) => Err(other),
        }
    }

    /// Judges every candidate whose parts have `below` nodes together.
    fn each_candidate(
        &mut self,
        walk: &mut Walk,
        kind: KindId,
        below: usize,
        judged: &mut dyn FnMut(&mut Engine, &Walk) -> Result<()>,
    ) -> Result<()> {
        let links = self.plan.layout.kinds[kind].links.iter().map(|l| l.kind).collect::<Vec<_>>();
        walk.links.clear();
        walk.links.resize(links.len(), 0);
        self.fill(walk, &links, 0, below, judged)
    }

    fn fill(
        &mut self,
        walk: &mut Walk,
        kinds: &[KindId],
        at: usize,
        left: usize,
        judged: &mut dyn FnMut(&mut Engine, &Walk) -> Result<()>,
    ) -> Result<()> {
        let Some(&kind) = kinds.get(at) else {
            if left == 0 {
                self.keep_going()?;
                self.judge(walk)?;
                judged(self, walk)?;
            }
            return Ok(());
        };
        let sizes = if at + 1 == kinds.len() { left..=left } else { 0..=left };
        for size in sizes {
            for id in self.stores[kind].of_size(size) {
                walk.links[at] = id;
                self.fill(walk, kinds, at + 1, left - size, judged)?;
            }
        }
        Ok(())
    }

    /// Kinds that are headers come after the kinds they link to.
    fn order_of_kinds(&self) -> Vec<KindId> {
        let kinds = &self.plan.layout.kinds;
        let mut order: Vec<KindId> = (0..kinds.len()).filter(|k| kinds[*k].weight > 0).collect();
        let mut rest: Vec<KindId> = (0..kinds.len()).filter(|k| kinds[*k].weight == 0).collect();
        while !rest.is_empty() {
            let ready = |k: &KindId| kinds[*k].links.iter().all(|l| !rest.contains(&l.kind));
            let Some(at) = rest.iter().position(ready) else { break };
            order.push(rest.remove(at));
        }
        order
    }

    /// The leaves that a leaf with open fields stands for, one for each of their values.
    pub(crate) fn valuations(&mut self, leaf: u32) -> Vec<u32> {
        if let Some(known) = &self.leaves[leaf as usize].valuations {
            return known.clone();
        }
        let base = self.leaves[leaf as usize].clone();
        let mut lists = vec![base.fields.clone()];
        for (f, known) in base.fields.iter().enumerate() {
            if *known == Known::Open {
                let values: Vec<i64> = self.values[base.kind][f].iter().collect();
                let with = |list: &Vec<Known>, v: i64| {
                    let mut list = list.clone();
                    list[f] = Known::Fixed(v);
                    list
                };
                lists = lists
                    .iter()
                    .flat_map(|list| values.iter().map(move |v| with(list, *v)))
                    .collect();
            }
        }
        let first = self.leaves.len() as u32;
        for fields in lists {
            let rules = Vec::new();
            self.leaves.push(Leaf { fields, rules, open: 0, valuations: None, ..base.clone() });
        }
        let made: Vec<u32> = (first..self.leaves.len() as u32).collect();
        self.leaves[leaf as usize].valuations = Some(made.clone());
        made
    }
}
