//! Recipes whose inputs cost as much as the worst inputs that are known, and what they cost at sizes beyond.
//!
//! A claim rests on sizes up to a few hundred. Where inputs of one recipe are the worst ones there, they show at little expense how the
//! cost goes on: running one takes nanoseconds where following a policy takes microseconds.

use super::FamilyRecipe;
use super::runs::{At, Runs, shaped};
use crate::at_size::AtSize;
use crate::evolve::Evolved;
use crate::groups::{Group, Groups, joined, shape};
use crate::mutate::Mutator;
use pessimum_entry::CostModel;
use pessimum_explore::{Budget, PathTest};
use pessimum_machine::LoadError;
use std::sync::Arc;

/// Recipes that are followed beyond.
const FOLLOWED: usize = 32;

/// Recipes whose inputs cost as much as is claimed at the larger sizes.
#[derive(Debug, Default)]
pub struct Explaining {
    recipes: Vec<FamilyRecipe>,
    /// What it took to find them.
    pub effort: Evolved,
}

/// The costliest inputs of recipes at sizes beyond.
#[derive(Debug)]
pub struct Beyond {
    /// In ascending order of size.
    pub costliest: Vec<(u64, PathTest)>,
    /// What it took to run them.
    pub effort: Evolved,
}

fn effort((runs, instructions): (u64, u64)) -> Evolved {
    Evolved { runs, instructions }
}

impl Explaining {
    /// The costliest input at each of these sizes, in ascending order, as far as so many instructions go and some
    /// recipe makes an input that ends.
    pub fn beyond(
        &self,
        sizes: &[u64],
        at: impl Fn(u64) -> Option<Arc<AtSize>>,
        instructions: u64,
        budget: &Budget,
    ) -> Result<Beyond, LoadError> {
        let mut runs = Runs::new(instructions, budget);
        let mut costliest = Vec::new();
        for &n in sizes {
            let Some((at, shape)) = shaped(n, &at)? else { break };
            // What explains a cost in several ways is often one input.
            let mut inputs: Vec<Groups> = Vec::new();
            for groups in self.recipes.iter().filter_map(|recipe| recipe.groups(&shape)) {
                if !inputs.contains(&groups) {
                    inputs.push(groups);
                }
            }
            for groups in inputs {
                // What is left may not suffice for the set-up.
                let ran = runs.cost_of(&at.limited(runs.left, budget), joined(&shape, &groups));
                if ran.is_err() {
                    return Ok(Beyond { costliest, effort: effort(runs.done) });
                }
            }
            match runs.costliest.remove(&n).filter(|_| !runs.is_over()) {
                Some(test) => costliest.push((n, test)),
                None => break,
            }
        }
        Ok(Beyond { costliest, effort: effort(runs.done) })
    }
}

impl Mutator {
    /// The recipes whose inputs cost, at the larger half of these sizes, what is known to be the most there, and that make inputs of
    /// their own at the `next` size. The sizes are in ascending order.
    pub fn explaining(
        &self,
        known: &[(Arc<AtSize>, u64)],
        next: &AtSize,
        instructions: u64,
        (budget, workers): (&Budget, usize),
    ) -> Result<Explaining, LoadError> {
        let Some((largest, most)) = known.last() else { return Ok(Explaining::default()) };
        if *largest.module.cost_model() == CostModel::Decisions {
            return Ok(Explaining::default());
        }
        let (Some(at_largest), Some(at_next)) = (shape(largest)?, shape(next)?) else {
            return Ok(Explaining::default());
        };
        let mut runs = Runs::new(instructions, budget).on(workers);
        let all = self.family_recipes(&at_largest);
        let inputs: Vec<At<'_>> =
            all.iter().map(|recipe| (&**largest, at_largest.as_slice(), recipe)).collect();
        let mut left: Vec<usize> = Vec::new();
        runs.costs(&inputs, |_, recipe, cost| {
            left.extend(cost.filter(|c| c == most).map(|_| recipe))
        })?;
        let mut others: Vec<(&AtSize, Vec<Group>, u64)> = Vec::new();
        for (at, cost) in &known[known.len() / 2..known.len() - 1] {
            others.extend(shape(at)?.map(|shape| (&**at, shape, *cost)));
        }
        // There are many recipes for one size, and few that are left for the others.
        runs.left = instructions;
        let mut recipes = Vec::new();
        let mut known_inputs: Vec<Groups> = Vec::new();
        for recipe in left {
            if recipes.len() == FOLLOWED || runs.is_over() {
                break;
            }
            let groups = all[recipe].groups(&at_next);
            let Some(groups) = groups.filter(|groups| !known_inputs.contains(groups)) else {
                continue;
            };
            known_inputs.push(groups);
            let inputs: Vec<At<'_>> =
                others.iter().map(|(at, shape, _)| (*at, shape.as_slice(), &all[recipe])).collect();
            let mut explains = true;
            runs.costs(&inputs, |_, place, cost| explains &= cost == Some(others[place].2))?;
            if explains {
                recipes.push(all[recipe].clone());
            }
        }
        Ok(Explaining { recipes, effort: effort(runs.done) })
    }
}
