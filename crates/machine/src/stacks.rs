//! Where a run spends its cost, by call stack.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Activations deeper than this count for the one at this depth: a recursion of a million levels is no
/// picture.
const DEEPEST: usize = 128;

/// Call stacks that are told apart; what others cost counts for their callers.
const MOST: usize = 1 << 16;

/// The cost of a run by call stack.
#[derive(Clone, Debug, Default)]
pub(crate) struct StackCosts {
    /// Each stack as the one of its caller and the function.
    stacks: Vec<(Option<u32>, u32)>,
    known: FxHashMap<(Option<u32>, u32), u32>,
    /// By stack and block.
    costs: Spent<(u32, u32)>,
    /// The stacks of the activations that are open, the outermost first.
    open: Vec<u32>,
}

/// The cost of a run, shared out among the places that it comes through.
#[derive(Clone, Debug)]
pub(crate) struct Spent<P> {
    costs: FxHashMap<P, u64>,
    /// Where the run is.
    place: Option<P>,
    /// The cost that was shared out.
    told: u64,
}

impl<P> Default for Spent<P> {
    fn default() -> Spent<P> {
        Spent { costs: FxHashMap::default(), place: None, told: 0 }
    }
}

impl<P: Copy + Ord + Hash> Spent<P> {
    /// The run comes to a place, or to where nothing is counted, by a step that costs `own`; `cost` is that of the
    /// whole run with it.
    pub(crate) fn enter(&mut self, place: Option<P>, own: u64, cost: u64) {
        // What was spent since the last step, as by copying memory, belongs there.
        self.catch_up(cost.wrapping_sub(own));
        self.place = place;
        self.catch_up(cost);
    }

    /// Counts what was spent up to now for the present place.
    fn catch_up(&mut self, cost: u64) {
        let spent = cost.wrapping_sub(self.told);
        if let Some(place) = self.place.filter(|_| spent != 0) {
            let counted = self.costs.entry(place).or_default();
            *counted = counted.wrapping_add(spent);
        }
        self.told = cost;
    }

    /// What each place has cost, in their order; `cost` is that of the whole run.
    pub(crate) fn all(&self, cost: u64) -> Vec<(P, u64)> {
        let mut done = self.clone();
        done.catch_up(cost);
        let mut costs: Vec<_> = done.costs.into_iter().filter(|(_, cost)| *cost != 0).collect();
        costs.sort_unstable();
        costs
    }
}

/// What was spent in a block by one call stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackCost {
    /// The functions, the outermost first.
    pub functions: Vec<u32>,
    /// The block of the innermost one, by its number in the module.
    pub block: u32,
    /// What it cost.
    pub cost: u64,
}

impl StackCosts {
    /// The run comes to a block, which costs `own`; `cost` is that of the whole run with it, and `function` the
    /// innermost of `depth` activations.
    pub(crate) fn enter(&mut self, block: u32, own: u64, cost: u64, function: u32, depth: usize) {
        let depth = depth.clamp(1, DEEPEST);
        self.open.truncate(depth);
        let there = self.open.len() == depth
            && self.open.last().is_some_and(|top| self.stacks[*top as usize].1 == function);
        if !there {
            // Of the activations between, none has come to a block.
            self.open.truncate(depth - 1);
            let caller = self.open.last().copied();
            let stack = self.stack(caller, function);
            self.open.push(stack);
        }
        let Some(&stack) = self.open.last() else { return };
        self.costs.enter(Some((stack, block)), own, cost);
    }

    fn stack(&mut self, caller: Option<u32>, function: u32) -> u32 {
        if let Some(known) = self.known.get(&(caller, function)) {
            return *known;
        }
        if let Some(caller) = caller.filter(|_| self.stacks.len() >= MOST) {
            return caller;
        }
        let new = self.stacks.len() as u32;
        self.stacks.push((caller, function));
        self.known.insert((caller, function), new);
        new
    }

    /// What each stack has cost, in the order in which stacks were met; `cost` is that of the whole run.
    pub(crate) fn all(&self, cost: u64) -> Vec<StackCost> {
        let functions = |stack: u32| {
            let mut at = Some(stack);
            let mut functions = Vec::new();
            while let Some(stack) = at {
                let (caller, function) = self.stacks[stack as usize];
                functions.push(function);
                at = caller;
            }
            functions.reverse();
            functions
        };
        let whole = |((stack, block), cost)| StackCost { functions: functions(stack), block, cost };
        self.costs.all(cost).into_iter().map(whole).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_belong_to_the_stack_that_spent_them() {
        let mut costs = StackCosts::default();
        costs.enter(0, 2, 2, 10, 1);
        costs.enter(5, 1, 3, 11, 2);
        // Three steps of a copy in block 5, then back.
        costs.enter(1, 1, 7, 10, 1);
        let found: Vec<_> =
            costs.all(9).into_iter().map(|c| (c.functions, c.block, c.cost)).collect();
        assert_eq!(found, [(vec![10], 0, 2), (vec![10], 1, 3), (vec![10, 11], 5, 4)]);
    }

    #[test]
    fn deep_recursion_ends_in_one_stack() {
        let mut costs = StackCosts::default();
        for depth in 1..=1000 {
            costs.enter(0, 1, depth as u64, 7, depth);
        }
        let found = costs.all(1000);
        assert_eq!(found.len(), DEEPEST);
        assert_eq!(found.iter().map(|c| c.cost).sum::<u64>(), 1000);
    }
}
