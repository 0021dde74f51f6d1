//! Where the sides of a branch lead, as a reader of the source would say it.
//!
//! Whether the compiled condition is true says nothing to a reader: compilers turn conditions round. What
//! a side *does* is the same in every build: it stays in the loop, leaves it, enters one, or goes to a line.

use crate::flow::{Flow, FlowEdge, FlowEnd};
use crate::module::{Module, SiteIndex};
use crate::source::Location;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What one side of a branch does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RouteKind {
    /// It stays in the innermost loop around the branch, which another side leaves.
    Stays,
    /// It leaves the innermost loop around the branch.
    Leaves,
    /// It enters a loop.
    Enters,
    /// It goes on in the same loop, or where there is none.
    Goes,
    /// It runs into `unreachable`.
    Traps,
}

/// One side of a branch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Route {
    /// What it does.
    pub kind: RouteKind,
    /// The first line it comes to that is not the line of the branch; `None` without debug information,
    /// or where it returns before it comes to one.
    pub to: Option<Location>,
}

/// The ways through one function.
#[derive(Debug)]
pub struct Routes<'m> {
    module: &'m Module,
    flow: Flow,
    /// The block that ends in a branch.
    ending: FxHashMap<SiteIndex, u32>,
    /// By block: the edges that leave it, by their place in the flow.
    leaving: Vec<Vec<u32>>,
    /// By block: the blocks of the innermost loop around it.
    loops: Vec<Option<Arc<BTreeSet<u32>>>>,
}

/// Blocks that are passed over while one looks for the line a side comes to.
const STEPS: usize = 8;

impl Module {
    /// The ways through a function, for whoever describes its branches.
    pub fn routes(&self, function: u32) -> Routes<'_> {
        let flow = self.flow(function);
        let loops = innermost_loops(&flow);
        let mut ending = FxHashMap::default();
        for (at, block) in (0..).zip(&flow.blocks) {
            if let FlowEnd::Branch(site) = block.end {
                ending.entry(site).or_insert(at);
            }
        }
        let mut leaving = vec![Vec::new(); flow.blocks.len()];
        for (at, edge) in (0..).zip(&flow.edges) {
            leaving[edge.from as usize].push(at);
        }
        Routes { module: self, flow, ending, leaving, loops }
    }
}

impl Routes<'_> {
    /// Where each side of a branch leads, by choice; nothing for a select or a comparison, which lead
    /// nowhere, and for a site of another function.
    pub fn of(&self, site: SiteIndex) -> Vec<Route> {
        let Some(&from) = self.ending.get(&site) else { return Vec::new() };
        let sides: Vec<u32> = self.sides(from).collect();
        let here = &self.loops[from as usize];
        let leaves = |to: &u32| here.as_ref().is_some_and(|body| !body.contains(to));
        let some_side_leaves = sides.iter().any(leaves);
        let route = |&to: &u32| {
            let enters = self.loops[to as usize].as_ref().is_some_and(|b| !b.contains(&from));
            let kind = match self.flow.blocks[to as usize].end {
                FlowEnd::Trap => RouteKind::Traps,
                _ if leaves(&to) => RouteKind::Leaves,
                _ if enters => RouteKind::Enters,
                _ if some_side_leaves => RouteKind::Stays,
                _ => RouteKind::Goes,
            };
            Route { kind, to: self.line_at(from, to) }
        };
        sides.iter().map(route).collect()
    }

    /// The blocks that the choices at the end of a block lead to, by choice.
    fn sides(&self, from: u32) -> impl Iterator<Item = u32> + '_ {
        self.edges(from).filter(|e| e.choice.is_some()).map(|e| e.to)
    }

    /// The edges that leave a block.
    fn edges(&self, from: u32) -> impl Iterator<Item = &FlowEdge> + '_ {
        self.leaving[from as usize].iter().map(|at| &self.flow.edges[*at as usize])
    }

    /// The first line of the source that control comes to in `to` and what follows it without a choice,
    /// other than the line of the branch it comes from.
    fn line_at(&self, from: u32, to: u32) -> Option<Location> {
        let branch = self.module.locate(self.flow.blocks[from as usize].last)?;
        let mut at = to;
        for _ in 0..STEPS {
            let block = &self.flow.blocks[at as usize];
            let (first, last) = (block.first.min(block.last), block.last);
            let lines = self.module.locate_all(first, last);
            let other =
                |l: &&Location| l.line > 0 && (&l.file, l.line) != (&branch.file, branch.line);
            if let Some(line) = lines.iter().find(other) {
                return Some(line.clone());
            }
            let mut next = self.edges(at);
            match (next.next(), next.next()) {
                (Some(only), None) if only.to != to => at = only.to,
                _ => return None,
            }
        }
        None
    }
}

/// For each block the body of the innermost loop it belongs to. Wasm's loops are structured, so an edge
/// to a block that dominates its source closes a loop, and no loop has two heads.
fn innermost_loops(flow: &Flow) -> Vec<Option<Arc<BTreeSet<u32>>>> {
    let count = flow.blocks.len();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); count];
    for edge in &flow.edges {
        before[edge.to as usize].push(edge.from);
    }
    let dominators = dominators(&before);
    let mut innermost: Vec<Option<Arc<BTreeSet<u32>>>> = vec![None; count];
    let mut heads: Vec<(u32, BTreeSet<u32>)> = Vec::new();
    for edge in &flow.edges {
        // Only an edge back can close a loop.
        if edge.to > edge.from || !dominates(&dominators, edge.to, edge.from) {
            continue;
        }
        let known = heads.iter().position(|(head, _)| *head == edge.to);
        let at = known.unwrap_or_else(|| {
            heads.push((edge.to, BTreeSet::from([edge.to])));
            heads.len() - 1
        });
        let body = &mut heads[at].1;
        let mut work = vec![edge.from];
        while let Some(block) = work.pop() {
            if body.insert(block) {
                work.extend(&before[block as usize]);
            }
        }
    }
    // The larger a loop, the further out.
    heads.sort_by_key(|(_, body)| std::cmp::Reverse(body.len()));
    for (_, body) in heads {
        let body = Arc::new(body);
        for &block in body.iter() {
            innermost[block as usize] = Some(Arc::clone(&body));
        }
    }
    innermost
}

/// The immediate dominator of each block but the first, by iteration to a fixed point over the order of
/// the code.
fn dominators(before: &[Vec<u32>]) -> Vec<Option<u32>> {
    let mut above: Vec<Option<u32>> = vec![None; before.len()];
    if let Some(entry) = above.first_mut() {
        *entry = Some(0);
    }
    // Blocks are numbered in the order of the code, where all but the edges back lead onwards.
    let mut changed = true;
    while changed {
        changed = false;
        for block in 1..before.len() {
            let known = before[block].iter().copied().filter(|b| above[*b as usize].is_some());
            let joined = known.reduce(|a, b| common(&above, a, b));
            if joined.is_some() && joined != above[block] {
                above[block] = joined;
                changed = true;
            }
        }
    }
    above
}

/// The nearest block that dominates both: the later one in the order of the code goes up until they meet.
fn common(above: &[Option<u32>], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        let later = a.max(b);
        let next = above[later as usize].filter(|next| *next < later).unwrap_or(0);
        (a, b) = (a.min(b), next);
    }
    a
}

fn dominates(above: &[Option<u32>], head: u32, mut block: u32) -> bool {
    loop {
        if block == head {
            return true;
        }
        match above[block as usize] {
            Some(next) if block != 0 => block = next,
            _ => return false,
        }
    }
}
