//! Runs of inputs of a family, counted and compared.

use super::{FURTHEST, Family, FamilyRecipe};
use crate::ahead::{Ahead, Ran};
use crate::at_size::AtSize;
use crate::groups::{Group, joined, shape};
use crate::mutate::START;
use pessimum_entry::InputValues;
use pessimum_explore::{Budget, PathTest, adversary};
use pessimum_machine::LoadError;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Times as much work that the adversary gets where it is ahead.
const FURTHER: u64 = 8;

/// Inputs at random of which the one in the middle is the usual one.
const USUAL: u64 = 9;

/// Runs within a number of instructions.
pub(super) struct Runs<'a> {
    pub(super) left: u64,
    pub(super) budget: &'a Budget,
    pub(super) costliest: BTreeMap<u64, PathTest>,
    pub(super) ahead: Ahead,
    /// Runs, and the instructions they took.
    pub(super) done: (u64, u64),
}

/// A recipe at a size, with the shape of inputs there.
pub(super) type At<'a> = (&'a AtSize, &'a [Group], &'a FamilyRecipe);

impl<'a> Runs<'a> {
    pub(super) fn new(left: u64, budget: &'a Budget) -> Runs<'a> {
        Runs { left, budget, costliest: BTreeMap::new(), ahead: Ahead::new(1), done: (0, 0) }
    }

    /// The same, on so many threads.
    pub(super) fn on(self, workers: usize) -> Runs<'a> {
        Runs { ahead: Ahead::new(workers), ..self }
    }

    /// What each input costs, if it ends normally, with its place among them, one after the other; and whether there is no
    /// going on after it.
    pub(super) fn costs(
        &mut self,
        inputs: &[At<'_>],
        mut each: impl FnMut(bool, usize, Option<u64>),
    ) -> Result<(), LoadError> {
        let mut place = 0;
        while place < inputs.len() {
            let (runs, instructions) = self.done;
            let room = self.ahead.room(self.left, instructions, runs);
            let all = &inputs[place..][..room.min(inputs.len() - place)];
            let over = self.is_over();
            let budget = self.budget;
            let ran = self.ahead.each(all.len(), |i| {
                let (at, shape, recipe) = all[i];
                let groups = recipe.groups(shape).filter(|_| !over)?;
                Some(ran(at, joined(shape, &groups), budget))
            });
            for ((at, ..), ran) in all.iter().zip(ran) {
                let cost = match ran.filter(|_| !self.is_over()) {
                    Some(ran) => self.note_at(at.n, ran?),
                    None => None,
                };
                each(self.is_over(), place, cost);
                place += 1;
            }
            self.ahead.learn(all.len(), all.len());
        }
        Ok(())
    }

    /// What the input of a recipe costs at a size, if it makes one there that ends normally, and is not too long.
    pub(super) fn cost_at(
        &mut self,
        n: u64,
        at: impl Fn(u64) -> Option<Arc<AtSize>>,
        recipe: &FamilyRecipe,
    ) -> Result<Option<u64>, LoadError> {
        let Some((at, shape)) = shaped(n, at)? else { return Ok(None) };
        self.cost(&at.limited(self.left, self.budget), &shape, recipe)
    }

    /// What the usual input costs at a size, if all that are drawn end normally.
    pub(super) fn usual_cost(
        &mut self,
        at: &AtSize,
        shape: &[Group],
    ) -> Result<Option<u64>, LoadError> {
        let drawn: Vec<FamilyRecipe> = (0..USUAL).map(FamilyRecipe::Random).collect();
        let inputs: Vec<At<'_>> = drawn.iter().map(|recipe| (at, shape, recipe)).collect();
        let mut costs: Vec<u64> = Vec::new();
        self.costs(&inputs, |_, _, cost| costs.extend(cost))?;
        costs.sort_unstable();
        Ok(costs.get(costs.len() / 2).copied().filter(|_| costs.len() == drawn.len()))
    }

    /// What the inputs of a recipe cost at sizes, up to the first at which [`Runs::cost_at`] says nothing.
    pub(super) fn costs_at(
        &mut self,
        sizes: &[u64],
        at: impl Fn(u64) -> Option<Arc<AtSize>> + Sync,
        recipe: &FamilyRecipe,
    ) -> Result<Vec<u64>, LoadError> {
        let mut costs = Vec::new();
        while costs.len() < sizes.len() {
            let open = &sizes[costs.len()..];
            let (runs, instructions) = self.done;
            let room = self.ahead.room(self.left, instructions, runs).min(open.len());
            let (given, budget, over) = (self.left, self.budget, self.is_over());
            let ahead = self.ahead.each(room, |i| {
                let Some((at, shape)) = shaped(open[i], &at)? else { return Ok(None) };
                let groups = recipe.groups(&shape).filter(|_| !over);
                let limited = at.limited(given, budget);
                groups.map(|groups| ran(&limited, joined(&shape, &groups), budget)).transpose()
            });
            for (&n, ran) in open.iter().zip(ahead) {
                let Some(ran) = ran?.filter(|_| !self.is_over()) else { return Ok(costs) };
                // It was run as if those before it had taken nothing.
                let took = ran.1.counters.all_instructions + START;
                let cost = match given == self.left || took < self.left {
                    true => self.note_at(n, ran),
                    false => self.cost_at(n, &at, recipe)?,
                };
                let Some(cost) = cost else { return Ok(costs) };
                costs.push(cost);
            }
            self.ahead.learn(room, room);
        }
        Ok(costs)
    }

    /// What the input of a recipe costs, if it makes one that ends normally.
    pub(super) fn cost(
        &mut self,
        at: &AtSize,
        shape: &[Group],
        recipe: &FamilyRecipe,
    ) -> Result<Option<u64>, LoadError> {
        let Some(groups) = recipe.groups(shape).filter(|_| !self.is_over()) else {
            return Ok(None);
        };
        self.cost_of(at, joined(shape, &groups))
    }

    /// What an input costs, if it ends normally and is all that the program asks for.
    pub(super) fn cost_of(
        &mut self,
        at: &AtSize,
        input: InputValues,
    ) -> Result<Option<u64>, LoadError> {
        let ran = ran(at, input, self.budget)?;
        Ok(self.note_at(at.n, ran))
    }

    /// Counts a run; answers its cost, if it ended normally.
    fn note_at(&mut self, n: u64, (input, ran): (InputValues, Ran)) -> Option<u64> {
        let took = ran.counters.all_instructions + START;
        self.left = self.left.saturating_sub(took);
        self.done = (self.done.0 + 1, self.done.1 + took);
        let cost = ran.cost(input.len())?;
        if self.costliest.get(&n).is_none_or(|test| test.cost < cost) {
            self.costliest.insert(n, PathTest::of_run(input, ran.counters));
        }
        Some(cost)
    }

    /// A family with its costs at these sizes, as far as half of the instructions go, and the input of the largest size that
    /// the rest has room for.
    pub(super) fn at_sizes(
        &mut self,
        sizes: &[AtSize],
        recipe: FamilyRecipe,
    ) -> Result<Option<Family>, LoadError> {
        let half = self.left / 2;
        let mut family = Family::of(recipe);
        let mut last = (0, 0);
        for at in sizes {
            let before = self.left;
            let cost = self.cost_at(at.n, |_| Some(Arc::new(at.clone())), &family.recipe)?;
            let Some(cost) = cost else { break };
            family.costs.push((at.n, cost));
            last = (at.n, before - self.left);
            if self.left < half {
                break;
            }
        }
        let open = &sizes[family.costs.len()..];
        // One that has no room for the larger sizes is told by its ending.
        family.costly = open.is_empty();
        let takes = |n: u64| last.1 as f64 * (n as f64 / last.0.max(1) as f64).powi(2);
        if let Some(at) = open.iter().rev().find(|at| takes(at.n) < self.left as f64) {
            self.cost_at(at.n, |_| Some(Arc::new(at.clone())), &family.recipe)?;
        }
        // An ending takes as long as some runs of its largest size.
        let is_short = |(n, _): &(u64, u64)| takes(*n) <= half as f64 / 32.0;
        if !family.costly {
            family.costs.retain(is_short);
        }
        Ok((!family.costs.is_empty()).then_some(family))
    }

    /// What the runs share with whatever goes on beside them.
    pub(super) fn within(&self) -> (&'a Budget, usize) {
        (self.budget, self.ahead.workers())
    }

    /// What the adversary makes up, from the smallest size on, as far as so much work goes; further where it costs more
    /// than the other families.
    pub(super) fn made_up(
        &mut self,
        sizes: &[AtSize],
        mut work: u64,
        others: &[Family],
    ) -> Result<Family, LoadError> {
        let mut further = Some(work.saturating_mul(FURTHER));
        let mut costs: Vec<(u64, u64)> = Vec::new();
        let budget = self.budget;
        let made_at = |at: &AtSize, work: u64| {
            adversary(&at.module, &at.setup, &Budget { work: Some(work), ..budget.clone() })
        };
        let mut open = sizes;
        'ahead: while !open.is_empty() {
            let next = &open[..self.ahead.workers().min(open.len())];
            let made = self.ahead.each(next.len(), |i| made_at(&next[i], work));
            for (at, made) in next.iter().zip(made) {
                let made = match made? {
                    // It was made with more work than is left for it.
                    Some(made) if made.work > work => made_at(at, work)?,
                    made => made,
                };
                match made {
                    Some(made) => {
                        work = work.saturating_sub(made.work);
                        costs.extend(self.cost_of(at, made.input)?.map(|cost| (at.n, cost)));
                        open = &open[1..];
                    }
                    None => match further.take().filter(|_| is_above(&costs, others)) {
                        Some(more) => {
                            work = more;
                            continue 'ahead;
                        }
                        None => break 'ahead,
                    },
                }
            }
        }
        Ok(Family { costs, ..Family::of(FamilyRecipe::Adversary) })
    }

    pub(super) fn is_over(&self) -> bool {
        self.left == 0 || self.budget.is_over()
    }
}

/// A size with the shape of its inputs.
pub(super) type Shaped = (Arc<AtSize>, Vec<Group>);

/// A size with the shape of its inputs, if there is one and it is not too long.
pub(super) fn shaped(
    n: u64,
    at: impl Fn(u64) -> Option<Arc<AtSize>>,
) -> Result<Option<Shaped>, LoadError> {
    let Some(at) = Some(n).filter(|n| *n <= FURTHEST as u64).and_then(at) else {
        return Ok(None);
    };
    let Some(shape) = shape(&at)? else { return Ok(None) };
    let values = shape.iter().fold(0_usize, |sum, group| sum.saturating_add(group.len));
    Ok((values <= FURTHEST).then_some((at, shape)))
}

/// Runs an input until the time is over.
fn ran(at: &AtSize, input: InputValues, budget: &Budget) -> Result<(InputValues, Ran), LoadError> {
    let ran = Ran::of(&at.limited(u64::MAX, budget), input.clone(), false)?;
    Ok((input, ran))
}

/// Whether the last of these costs is above those of the families at its size.
fn is_above(costs: &[(u64, u64)], families: &[Family]) -> bool {
    let Some(&(n, cost)) = costs.last() else { return false };
    let mut others = families.iter().flat_map(|family| &family.costs);
    others.all(|(m, other)| *m != n || *other < cost)
}
