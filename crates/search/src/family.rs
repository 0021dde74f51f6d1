//! Families of inputs: one recipe that gives an input for every size.
//!
//! The costliest inputs that a search finds at different sizes may have nothing in common. Where the
//! search is better at some sizes than at others, its best costs grow faster or slower than the costs
//! of any input. The costs of one family do not have that fault: they show how some inputs grow,
//! however well the search did at each size.

mod explaining;
mod keys;
mod remainder;
mod runs;

pub use self::explaining::{Beyond, Explaining};
pub use self::remainder::Remainder;

use self::runs::Runs;
use crate::at_size::AtSize;
use crate::evolve::FOLLOWING;
use crate::groups::{Group, Groups, shape};
use crate::mutate::Mutator;
use crate::orders::{Order, orders};
use crate::pattern::Pattern;
use crate::sample::random_value;
use crate::stretch::{Recipe, SHORTER, recipes};
use pessimum_entry::CostModel;
use pessimum_entry::host::Seeded;
use pessimum_explore::{Budget, PathTest};
use pessimum_machine::LoadError;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What gives an input for every size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FamilyRecipe {
    /// The same value everywhere.
    Fill(u64),
    /// A plain order.
    Order(Order),
    /// One input, made longer or shorter.
    Stretched {
        /// How it is made longer. It comes first: inputs are long to compare.
        recipe: Recipe,
        /// Its values, array by array: those of one input for all of its recipes.
        from: Arc<Vec<Vec<u64>>>,
    },
    /// Values at random, from this seed.
    Random(u64),
    /// Of several inputs at random the one whose cost is in the middle: chance, with less of its noise.
    Usual,
    /// A pattern that was evolved.
    Pattern(Pattern),
    /// What is made up against the program while it compares ([`pessimum_explore::adversary`]).
    Adversary,
    /// What a policy leads to. Such inputs are made by exploring, not here.
    Policy,
}

/// Inputs of one recipe, with what they cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// What makes them.
    pub recipe: FamilyRecipe,
    /// (n, cost), the sizes in ascending order. Sizes at which the recipe makes no input that ends
    /// normally are missing.
    pub costs: Vec<(u64, u64)>,
    /// The sizes that its growth is told from.
    pub remainder: Remainder,
    /// Whether it is one of those that cost most at the larger sizes. Of others, which were chosen for something else, only
    /// the ending is believed.
    pub costly: bool,
    /// The same in the last octaves, if it was followed there ([`Family::ending`]).
    pub ending: Vec<(u64, u64)>,
    /// Whether there was no time to follow it: then its own last octaves count ([`Family::own_ending`]).
    pub unfollowed: bool,
}

/// What came of looking for a family.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Families {
    /// The families that cost most at the larger sizes, and what the adversary makes up. None where no recipe makes an
    /// input there.
    pub families: Vec<Family>,
    /// The costliest input that was run at each size, of whichever recipe.
    pub costliest: BTreeMap<u64, PathTest>,
}

/// Values of the longest input that a family is followed to.
const FURTHEST: usize = 1 << 20;

/// Octaves of an ending, and its sizes in each of them; where they take little, more of them.
const OCTAVES: u32 = 4;
const STEPS: u32 = 4;
const MANY_STEPS: u32 = 8;

/// The part of the work of an ending that its largest size may take: all sizes together take seven times as much, or with many
/// steps, which are for what takes half of it, thirteen times.
const PART_OF_ONE: u64 = 8;

/// Half octaves beyond an ending.
const BEYOND: u32 = 4;

impl Family {
    /// What the family costs in the last octaves up to a size as large as so many instructions allow, at sizes that
    /// are close to one another and have no divisor in common: enough to tell how it grows there, whatever it did before.
    /// Nothing where that cannot be run, and `None` where the time or the instructions are over before. Sizes that the recipe makes no input for are not climbed to, nor those
    /// at which it costs less than at a smaller one, unless it costs more again a few octaves beyond: a program that refuses what is too long does not show how it grows.
    pub fn ending(
        &self,
        at: impl Fn(u64) -> Option<Arc<AtSize>> + Sync,
        instructions: u64,
        (budget, workers): (&Budget, usize),
    ) -> Result<Option<Vec<(u64, u64)>>, LoadError> {
        let mut runs = Runs::new(instructions, budget).on(workers);
        let taken = self.taken();
        let Some(&(mut largest, mut most)) = taken.last() else { return Ok(Some(Vec::new())) };
        if matches!(self.recipe, FamilyRecipe::Adversary | FamilyRecipe::Policy) {
            return Ok(Some(Vec::new()));
        }
        let recipe = self.single();
        // What costs less at twice the size may cost more again beyond it: then it grows as it does there. Each size may take what the
        // largest of an ending may, so that nothing is said of sizes below one at which it could have been refuted.
        let one = instructions / PART_OF_ONE;
        let mut next = largest;
        while next >> OCTAVES < largest {
            next = self.remainder.at_most(next.saturating_mul(2));
            runs.left = one;
            match runs.cost_at(next, &at, recipe)? {
                Some(cost) if cost >= most => (largest, most) = (next, cost),
                Some(_) => {}
                None => break,
            }
        }
        // One that is chosen for its cost may end below its largest size; of others that is what counts.
        let took = loop {
            runs.left = instructions;
            let ran = runs.cost_at(largest, &at, recipe)?;
            let took = instructions - runs.left;
            let enough = ran.is_some() && took <= one;
            if !self.costly || enough || largest <= 1 || budget.is_over() {
                break took;
            }
            largest = self.remainder.at_most(largest / 2);
        };
        let steps = if took <= one / 2 { MANY_STEPS } else { STEPS };
        runs.left = instructions;
        let below = |step: u32| f64::from(step) / f64::from(steps);
        let size = |step: u32| self.remainder.near((largest as f64 / below(step).exp2()) as u64);
        let mut sizes: Vec<u64> = (0..=OCTAVES * steps).rev().map(size).collect();
        sizes.dedup();
        let costs = runs.costs_at(&sizes, &at, recipe)?;
        Ok(match costs.len() == sizes.len() {
            true => Some(sizes.into_iter().zip(costs).collect()),
            false => (!runs.is_over()).then(Vec::new),
        })
    }

    /// What the family costs beyond its ending, at ever larger sizes as far as so many instructions go; `None` where the time is over before.
    pub fn beyond_the_ending(
        &self,
        at: impl Fn(u64) -> Option<Arc<AtSize>> + Sync,
        instructions: u64,
        (budget, workers): (&Budget, usize),
    ) -> Result<Option<Vec<(u64, u64)>>, LoadError> {
        let mut runs = Runs::new(instructions, budget).on(workers);
        let Some(&(largest, _)) = self.ending.last() else { return Ok(Some(Vec::new())) };
        let size = |step: u32| {
            self.remainder.near((largest as f64 * f64::from(step).exp2().sqrt()) as u64)
        };
        let sizes: Vec<u64> = (1..=BEYOND).map(size).collect();
        let costs = runs.costs_at(&sizes, &at, self.single())?;
        Ok((!budget.is_over()).then(|| sizes.into_iter().zip(costs).collect()))
    }

    /// Where there are many sizes, or large ones, one input of chance at each is enough, and goes further than nine.
    fn single(&self) -> &FamilyRecipe {
        match &self.recipe {
            FamilyRecipe::Usual => &FamilyRecipe::Random(0),
            own => own,
        }
    }

    /// Whether it was chosen for what it costs, and is not what random inputs cost.
    pub fn is_chosen(&self) -> bool {
        self.costly && !matches!(self.recipe, FamilyRecipe::Usual | FamilyRecipe::Random(_))
    }

    /// What it costs in the last octaves of the sizes that it was run at.
    pub fn own_ending(&self) -> Vec<(u64, u64)> {
        let largest = self.taken().last().map_or(0, |(n, _)| *n);
        let is_late = |(n, _): &(u64, u64)| n.saturating_mul(1 << OCTAVES) >= largest;
        self.taken().into_iter().filter(is_late).collect()
    }

    /// The costs that its growth is told from, in ascending order of size: all, or those of the ending where only these are believed.
    pub fn telling(&self) -> Vec<(u64, u64)> {
        if !self.costly && !self.ending.is_empty() {
            return self.ending.clone();
        }
        let all: BTreeMap<u64, u64> = self.taken().into_iter().chain(self.ending.clone()).collect();
        all.into_iter().collect()
    }

    /// Its costs at the sizes that its growth is told from.
    fn taken(&self) -> Vec<(u64, u64)> {
        self.costs.iter().filter(|(n, _)| self.remainder.has(*n)).copied().collect()
    }

    /// A family of which nothing is known yet.
    pub fn of(recipe: FamilyRecipe) -> Family {
        Family {
            recipe,
            costs: Vec::new(),
            remainder: Remainder::ALL,
            costly: true,
            ending: Vec::new(),
            unfollowed: false,
        }
    }

    /// How much the family costs at the larger half of these sizes: the sum of the logarithms, so that
    /// no single size outweighs the others. A size that is missing adds nothing.
    fn weight(&self, sizes: &[u64]) -> f64 {
        let larger = &sizes[sizes.len() / 2..];
        let counted = self.costs.iter().filter(|(n, _)| larger.contains(n));
        counted.map(|(_, cost)| weight_of(*cost)).sum()
    }

    /// Whether there is a cost at each of the larger half of these sizes. One that ends before them, for want
    /// of time, shows how small inputs grow and no more.
    fn reaches(&self, sizes: &[u64]) -> bool {
        let has = |n: &u64| self.costs.iter().any(|(m, _)| m == n);
        !self.costs.is_empty() && sizes[sizes.len() / 2..].iter().all(has)
    }

    /// Of those that were chosen for their cost, the families that reach the larger half of these sizes, those first that cost most there; equal ones in the order
    /// they come in.
    pub fn ranked(families: Vec<Family>, sizes: &[u64]) -> Vec<Family> {
        let mut ranked: Vec<Family> =
            families.into_iter().filter(|f| !f.costly || f.reaches(sizes)).collect();
        ranked.sort_by(|a, b| b.weight(sizes).total_cmp(&a.weight(sizes)));
        ranked
    }
}

/// Puts a recipe among the first so many; of equal ones the first stays in front.
fn place(ranked: &mut Vec<(f64, FamilyRecipe)>, weight: f64, recipe: FamilyRecipe, most: usize) {
    let at = ranked.partition_point(|(other, _)| *other >= weight);
    ranked.insert(at, (weight, recipe));
    ranked.truncate(most);
}

/// What one size adds to the weight of what is run at several.
pub(crate) fn weight_of(cost: u64) -> f64 {
    (cost as f64 + 1.0).ln()
}

impl FamilyRecipe {
    /// The input of a shape; `None` where the recipe makes none.
    fn groups(&self, shape: &[Group]) -> Option<Groups> {
        match self {
            FamilyRecipe::Fill(value) => {
                let admitted = shape.iter().all(|g| g.slot.admits(*value));
                admitted.then(|| shape.iter().map(|g| vec![*value; g.len]).collect())
            }
            FamilyRecipe::Order(order) => {
                shape.iter().map(|g| order.array(g.slot, g.len)).collect()
            }
            FamilyRecipe::Stretched { recipe, from } if from.len() == shape.len() => {
                let pairs = shape.iter().zip(from.iter());
                pairs.map(|(g, values)| recipe.stretch(values, g.slot, g.len)).collect()
            }
            FamilyRecipe::Random(seed) => {
                let mut random = Seeded::new(*seed);
                let mut array =
                    |g: &Group| (0..g.len).map(|_| random_value(&mut random, g.slot)).collect();
                Some(shape.iter().map(&mut array).collect())
            }
            FamilyRecipe::Pattern(pattern) => pattern.groups(shape),
            FamilyRecipe::Stretched { .. }
            | FamilyRecipe::Usual
            | FamilyRecipe::Adversary
            | FamilyRecipe::Policy => None,
        }
    }
}

/// Recipes that are run at a second size, of those that cost most at the largest: there many make the same
/// input.
const SEMIFINALISTS: usize = 64;

/// Recipes that are run at every size: those that cost most at these two, and those that grow fastest from the one to the
/// other.
const FINALISTS: usize = 4;
const GROWING: usize = 2;

/// Recipes of values at random.
const RANDOM: u64 = 3;

impl Mutator {
    /// The families of inputs that cost most at the larger of these sizes, as far as `instructions` go. The
    /// sizes are in ascending order.
    pub fn families(
        &self,
        sizes: &[AtSize],
        instructions: u64,
        budget: &Budget,
    ) -> Result<Families, LoadError> {
        let Some(largest) = sizes.last() else { return Ok(Families::default()) };
        if *largest.module.cost_model() == CostModel::Decisions {
            return Ok(Families::default());
        }
        let Some(at_largest) = shape(largest)? else { return Ok(Families::default()) };
        let mut runs = Runs::new(instructions / 2, budget).on(self.workers());
        let mut ranked: Vec<(f64, FamilyRecipe)> = Vec::new();
        let recipes = self.family_recipes(&at_largest);
        let inputs = recipes.iter().map(|recipe| (largest, at_largest.as_slice(), recipe));
        runs.costs(&inputs.collect::<Vec<_>>(), |_, recipe, cost| {
            if let Some(cost) = cost {
                place(&mut ranked, weight_of(cost), recipes[recipe].clone(), SEMIFINALISTS);
            }
        })?;
        // Recipes that are equal at the largest size differ at the one in the middle of the larger half.
        let second = &sizes[sizes.len() * 3 / 4];
        let (mut costly, mut growing) = (Vec::new(), Vec::new());
        if let Some(shape) = shape(second)? {
            runs.left = instructions / 2;
            let inputs = ranked.iter().map(|(_, recipe)| (second, shape.as_slice(), recipe));
            runs.costs(&inputs.collect::<Vec<_>>(), |is_over, place_of, cost| {
                let (weight, recipe) = &ranked[place_of];
                let cost = cost.map(weight_of);
                if let Some(before) = cost {
                    place(&mut growing, weight - before, recipe.clone(), GROWING);
                }
                // What was costly at the largest size, and could not be run at another, is still that.
                if cost.is_some() || is_over {
                    let weight = weight + cost.unwrap_or(0.0);
                    place(&mut costly, weight, recipe.clone(), FINALISTS);
                }
            })?;
        }
        let costly = costly.into_iter().map(|(_, recipe)| Family::of(recipe));
        let mut families: Vec<Family> = costly.collect();
        let growing = growing.into_iter().map(|(_, recipe)| recipe);
        for recipe in growing {
            if families.iter().all(|family| family.recipe != recipe) {
                families.push(Family { costly: false, ..Family::of(recipe) });
            }
        }
        // These few are run to the end: a family without its sizes is none.
        runs.left = u64::MAX;
        let mut shapes: Vec<(&AtSize, Vec<Group>)> = Vec::new();
        for at in sizes {
            shapes.extend(shape(at)?.map(|shape| (at, shape)));
        }
        let recipes: Vec<FamilyRecipe> = families.iter().map(|f| f.recipe.clone()).collect();
        let inputs = shapes.iter().flat_map(|(at, shape)| {
            recipes.iter().map(move |recipe| (*at, shape.as_slice(), recipe))
        });
        runs.costs(&inputs.collect::<Vec<_>>(), |_, input, cost| {
            let at = shapes[input / recipes.len()].0;
            families[input % recipes.len()].costs.extend(cost.map(|cost| (at.n, cost)));
        })?;
        // What costs as much as most inputs do is known best.
        let mut usual = Family::of(FamilyRecipe::Usual);
        for (at, shape) in &shapes {
            usual.costs.extend(runs.usual_cost(at, shape)?.map(|cost| (at.n, cost)));
        }
        families.push(usual);
        let made_up = runs.made_up(sizes, instructions / FOLLOWING, &families)?;
        families.push(made_up);
        Ok(Families { families, costliest: runs.costliest })
    }

    /// Recipes worth trying: what explains the costliest inputs, cuts of the largest, chance, orders, fills,
    /// and the costliest inputs drawn out in every way.
    fn family_recipes(&self, shape: &[Group]) -> Vec<FamilyRecipe> {
        let mut all: Vec<FamilyRecipe> = Vec::new();
        let mut add = |recipe: FamilyRecipe| {
            if !all.contains(&recipe) {
                all.push(recipe);
            }
        };
        let best: Vec<Arc<Groups>> =
            self.costliest().map(|groups| Arc::new(groups.clone())).collect();
        let longest = |groups: &Groups| groups.iter().map(Vec::len).max().unwrap_or(0);
        for groups in best.iter().rev() {
            for recipe in recipes(longest(groups)) {
                let mut arrays = shape.iter().zip(groups.iter()).filter(|(g, _)| g.len > 1);
                if arrays.all(|(g, values)| recipe.explains(values, g.slot)) {
                    add(FamilyRecipe::Stretched { recipe, from: Arc::clone(groups) });
                }
            }
        }
        self.patterns().iter().for_each(|pattern| add(FamilyRecipe::Pattern(pattern.clone())));
        if let Some(largest) = best.last() {
            for recipe in SHORTER {
                add(FamilyRecipe::Stretched { recipe, from: Arc::clone(largest) });
            }
        }
        (0..RANDOM).for_each(|seed| add(FamilyRecipe::Random(seed)));
        orders().into_iter().for_each(|order| add(FamilyRecipe::Order(order)));
        self.words().iter().for_each(|word| add(FamilyRecipe::Fill(*word)));
        for groups in best.iter().rev() {
            for recipe in recipes(longest(groups)) {
                add(FamilyRecipe::Stretched { recipe, from: Arc::clone(groups) });
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(costs: &[(u64, u64)]) -> Family {
        Family { costs: costs.to_vec(), ..Family::of(FamilyRecipe::Policy) }
    }

    #[test]
    fn the_larger_sizes_decide() {
        let line = family(&[(1, 42), (10, 420), (100, 4200), (200, 8400)]);
        let square = family(&[(1, 1), (10, 50), (100, 5000), (200, 20_000)]);
        let sizes = [1, 10, 100, 200];
        assert_eq!(Family::ranked(vec![line, square.clone()], &sizes)[0], square);
    }

    /// A lucky input at the largest size does not outweigh what it costs below.
    #[test]
    fn one_size_alone_does_not_decide() {
        let even = family(&[(10, 100), (20, 400), (30, 900), (40, 1600)]);
        let lucky = family(&[(10, 10), (20, 20), (30, 30), (40, 1601)]);
        assert_eq!(Family::ranked(vec![lucky, even.clone()], &[10, 20, 30, 40])[0], even);
    }

    /// The start of a program is often steep: a family that time cut off there would tell of it alone.
    #[test]
    fn a_family_that_does_not_reach_the_larger_sizes_is_none() {
        let cut_off = family(&[(1, 31), (9, 58), (10, 1_000_000_000)]);
        let whole = family(&[(1, 31), (9, 58), (10, 156), (100, 970), (1000, 9108)]);
        let sizes = [1, 9, 10, 100, 1000];
        // What the adversary makes up is no exception: a program may change its ways beyond what was followed.
        let made_up = Family { recipe: FamilyRecipe::Adversary, ..cut_off.clone() };
        assert_eq!(Family::ranked(vec![cut_off, made_up, whole.clone()], &sizes), [whole]);
    }
}
