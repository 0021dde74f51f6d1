//! Families of keys that meet in one list of a hash table, or have one hash.
//!
//! Keys are sent to one place in an input that has some ([`crate::collide`]). Numbers at random are keys as they are; of a text chance makes few
//! and long ones, so that keys of four letters are put between what may separate them: what stands behind the names of a pattern, and
//! every word. The input with the most keys is the one that is taken.

use super::runs::{Runs, shaped};
use super::{Families, Family, FamilyRecipe};
use crate::at_size::AtSize;
use crate::collide::{Collided, LEADS, Lead, colliding, count_keys, of_one_hash};
use crate::groups::{Group, shape};
use crate::mutate::Mutator;
use crate::pattern::Pattern;
use crate::stretch::Recipe;
use pessimum_entry::host::Seeded;
use pessimum_explore::Budget;
use pessimum_machine::LoadError;
use std::sync::Arc;

/// The size of the smallest input in which keys are made to meet: an odd number, as the sizes of an ending are.
const FEWEST: u64 = 17;

/// The size at which it is seen what has keys: with room for a dozen in a text.
const SEEN_AT: u64 = 65;

/// Words that may separate keys.
const SEPARATORS: usize = 32;

/// Sizes at which a hash is learned: of a program whose size is that of its text, the first has no room for some keys.
const LEARNED_AT: [u64; 2] = [FEWEST, 129];

/// How much longer than the size it takes to make keys meet in an input of twice the size: as many keys again, and lists.
const TWICE: f64 = 4.0;

/// What has keys, and the size at which it has some.
type Base = (FamilyRecipe, u64);

/// An input with keys that meet, and what they were sent after.
type Met = (FamilyRecipe, Lead);

impl Mutator {
    /// Families of keys that meet. None where keys meet nowhere, or cost no more by it. What they cost at these sizes is told, too.
    pub fn keys_that_meet(
        &self,
        sizes: &[AtSize],
        at: impl Fn(u64) -> Option<Arc<AtSize>> + Sync,
        instructions: u64,
        (budget, workers): (&Budget, usize),
    ) -> Result<Families, LoadError> {
        let mut runs = Runs::new(instructions, budget).on(workers);
        let none = Ok(Families::default());
        let Some(base) = self.base(&mut runs, &at, instructions / 16)? else { return none };
        // A few tell whether it pays that keys meet.
        let few = runs.keys_that_meet(&at, &base, &LEADS, instructions / 16)?;
        let Some((_, lead)) = few else { return none };
        let mut families = Vec::new();
        if let Some(recipe) = runs.one_hash(sizes, &at, &base.0, instructions / 8)? {
            runs.left = 2 * instructions;
            families.extend(runs.at_sizes(sizes, recipe)?);
        }
        runs.left = instructions;
        families.extend(runs.of_one_place(sizes, at, base, lead)?);
        Ok(Families { families, costliest: runs.costliest })
    }

    /// What has the most keys, and the size at which there are some; found within so many instructions.
    fn base(
        &self,
        runs: &mut Runs<'_>,
        at: impl Fn(u64) -> Option<Arc<AtSize>>,
        instructions: u64,
    ) -> Result<Option<Base>, LoadError> {
        let chance = FamilyRecipe::Random(0);
        let is_text = |shape: &[Group]| shape.iter().any(|g| g.slot.ty.bytes() == 1);
        let Some((at, shape)) = shaped(SEEN_AT, &at)?.filter(|(_, shape)| is_text(shape)) else {
            return Ok(Some((chance, FEWEST)));
        };
        let named = self.patterns().iter().filter_map(|pattern| pattern.with_keys(&shape));
        let words = self.words().iter().filter(|word| shape.iter().all(|g| g.slot.admits(**word)));
        let separated = words.take(SEPARATORS).map(|word| Pattern::separated(*word, shape.len()));
        let separated = separated.filter_map(|pattern| pattern.with_keys(&shape));
        let texts = named.chain(separated).map(FamilyRecipe::Pattern);
        let mut bases: Vec<FamilyRecipe> = std::iter::once(chance).chain(texts).collect();
        // Half for chance, the rest for all others.
        let (half, others, budget) = (instructions / 2, bases.len() as u64 - 1, runs.budget);
        let share = |i: usize| if i == 0 { half } else { half / others };
        let counted = runs.ahead.each(bases.len(), |i| {
            let groups = bases[i].groups(&shape)?;
            Some(count_keys((&at, &shape), &groups, share(i), budget))
        });
        let mut most = 0;
        let mut best = None;
        for (i, counted) in counted.into_iter().enumerate() {
            let Some((keys, took)) = counted.transpose()? else { continue };
            runs.left = runs.left.saturating_sub(took);
            if keys > most {
                (most, best) = (keys, Some(i));
            }
        }
        let fewest = |i: usize| if i == 0 { FEWEST } else { SEEN_AT };
        Ok(best.map(|i| (bases.swap_remove(i), fewest(i))))
    }
}

impl Runs<'_> {
    /// Keys that meet in one place: an input whose keys were sent there, and what is left of it at smaller sizes. It is made
    /// at the largest size that so many instructions allow, since keys that meet in a large table meet in smaller ones, and hardly the
    /// other way round. What takes how long depends on the table: it is doubled as long as what the last size took allows.
    fn of_one_place(
        &mut self,
        sizes: &[AtSize],
        at: impl Fn(u64) -> Option<Arc<AtSize>> + Sync,
        (recipe, fewest): Base,
        lead: Lead,
    ) -> Result<Option<Family>, LoadError> {
        let instructions = self.left;
        let enough = sizes.last().map_or(u64::MAX, |last| last.n | 1);
        let mut best: Option<(u64, FamilyRecipe)> = None;
        let (mut n, mut took) = (fewest, 0);
        loop {
            let (before, limit) = (self.left, self.left / 2);
            let from = (recipe.clone(), n);
            let Some((met, _)) = self.keys_that_meet(&at, &from, &[lead], limit)? else { break };
            best = Some((n, met));
            let takes = before - self.left;
            // Where lists are many, or follow from the size, it takes four times as long at the next one; where they are few, twice.
            let times = (takes as f64 / took as f64).clamp(2.0, TWICE);
            if n >= enough || takes as f64 * times > limit as f64 / 2.0 {
                break;
            }
            (n, took) = ((2 * n - 1).min(enough.max(n)), takes);
        }
        let Some((largest, recipe)) = best else { return Ok(None) };
        self.left = instructions;
        for at in sizes.iter().filter(|at| at.n <= largest) {
            self.cost_at(at.n, |_| Some(Arc::new(at.clone())), &recipe)?;
        }
        // Where it ends below sizes that others are run at, it is our means that end: a list that takes no more keys beyond would look the
        // same.
        if largest < enough && !sizes.is_empty() {
            return Ok(None);
        }
        let costs = vec![(largest, 0)];
        let mut family = Family { costly: false, costs, ..Family::of(recipe) };
        family.costs = family.ending(at, instructions, self.within())?.unwrap_or_default();
        Ok((!family.costs.is_empty()).then_some(family))
    }

    /// The costliest input at a size whose keys were sent to one place within so many instructions, and what is left of it at
    /// smaller sizes; `None` where that costs no more than what it was made of. And after what they were sent where it costs that much.
    fn keys_that_meet(
        &mut self,
        at: impl Fn(u64) -> Option<Arc<AtSize>>,
        (base, n): &Base,
        leads: &[Lead],
        instructions: u64,
    ) -> Result<Option<Met>, LoadError> {
        let Some((at, shape)) = shaped(*n, at)? else { return Ok(None) };
        let Some(groups) = base.groups(&shape) else { return Ok(None) };
        let Some(mut most) = self.cost(&at, &shape, base)? else { return Ok(None) };
        let random = &mut Seeded::new(*n);
        let (mut met, took) =
            colliding((&at, &shape), &groups, leads, instructions, self.budget, random)?;
        self.left = self.left.saturating_sub(took);
        // Whoever goes wherever a leader goes meets it in a larger table, too.
        met.sort_by_key(|met| met.lead != Lead::Leader);
        let mut costliest: Option<Met> = None;
        for Collided { groups, lead, .. } in met {
            let from = Arc::new(groups);
            let recipe = FamilyRecipe::Stretched { recipe: Recipe::Start, from };
            let cost = self.cost(&at, &shape, &recipe)?.filter(|cost| *cost > most);
            if let Some(cost) = cost {
                (most, costliest) = (cost, Some((recipe, lead)));
            }
        }
        Ok(costliest)
    }

    /// An input for the largest of these sizes whose keys have one hash, if that costs more than what it was made of where the hash was
    /// learned.
    fn one_hash(
        &mut self,
        sizes: &[AtSize],
        at: impl Fn(u64) -> Option<Arc<AtSize>>,
        base: &FamilyRecipe,
        instructions: u64,
    ) -> Result<Option<FamilyRecipe>, LoadError> {
        let Some(largest) = sizes.last() else { return Ok(None) };
        let Some(long) = shape(largest)? else { return Ok(None) };
        for n in LEARNED_AT.into_iter().filter(|n| *n <= largest.n) {
            let Some((at, short)) = shaped(n, &at)? else { break };
            let Some(groups) = base.groups(&short) else { break };
            let random = &mut Seeded::new(n);
            let short: (&AtSize, &[Group]) = (&at, &short);
            let (made, took) =
                of_one_hash(short, &groups, &long, instructions, self.budget, random)?;
            self.left = self.left.saturating_sub(took);
            if let Some(from) = made {
                let from = Arc::new(from);
                let recipe = FamilyRecipe::Stretched { recipe: Recipe::Start, from };
                let cost = self.cost(&at, short.1, &recipe)?;
                let before = self.cost(&at, short.1, base)?;
                return Ok((cost > before).then_some(recipe));
            }
        }
        Ok(None)
    }
}
