//! A search for costly paths, where not all can be explored.
//!
//! Each step follows one path, which takes a preferred side at every site. The next step changes the preference
//! at one site of the costliest path so far. Seeds give the preferences to begin with. Nothing that is found
//! is ever called exact.

use crate::preference::{SidePreference, SidePreferences};
use pessimum_entry::Slot;
use pessimum_entry::host::Seeded;
use pessimum_explore::{Budget, Nobody, Options, Outcome, Plan, Witness, explore, follow};
use pessimum_learn::SiteId;
use pessimum_machine::{LoadError, Structures};
use pessimum_term::{Arena, TermId};
use std::sync::Arc;

/// The costliest path so far.
struct Best {
    cost: u64,
    preferences: SidePreferences,
    sites: Vec<SiteId>,
    /// Which of the structures it begins with.
    structure: usize,
}

impl Best {
    fn of(witness: &Witness, preferences: SidePreferences, structure: usize) -> Best {
        let mut sites: Vec<SiteId> = witness.path.iter().map(|d| d.site).collect();
        sites.sort_unstable();
        sites.dedup();
        Best { cost: witness.test.cost, preferences, sites, structure }
    }
}

/// What to search, and how far.
#[derive(Clone, Copy, Debug)]
pub struct SearchPlan<'a> {
    /// The size.
    pub n: u64,
    /// Most paths to follow.
    pub steps: u64,
    /// Seed of the variations.
    pub seed: u64,
    /// Inputs, as raw bytes, whose paths the search begins with.
    pub seeds: &'a [Vec<u8>],
}

/// Searches what `plan` describes for a costly path; the outcome counts the paths it followed and is
/// never complete.
pub fn search(plan: &Plan, how: SearchPlan<'_>) -> Result<Outcome, LoadError> {
    let SearchPlan { n, steps, seed, seeds } = how;
    let budget = &plan.options.budget;
    let mut random = Seeded::new(seed ^ n);
    let mut total: Option<Outcome> = None;
    let mut best: Option<Best> = None;
    let mut starts: Vec<SidePreferences> = [
        SidePreference::Side(0),
        SidePreference::Side(1),
        SidePreference::Mixed(1),
        SidePreference::Mixed(2),
    ]
    .map(SidePreferences::always)
    .into();
    // An input of a call over structures says which structure it is; none is followed here.
    let seeds = if plan.over.is_some() { &[] } else { seeds };
    for raw in seeds {
        if let Some(witness) = follow(&plan.module, &plan.setup, raw, budget)? {
            let preferences = SidePreferences::of(&witness.path);
            starts.push(preferences.clone());
            let cost = witness.test.cost;
            if best.as_ref().is_none_or(|b| cost > b.cost) {
                best = Some(Best::of(&witness, preferences, 0));
            }
            let followed = Outcome::of_one_path(witness);
            match &mut total {
                None => total = Some(followed),
                Some(so_far) => so_far.absorb(followed),
            }
        }
    }
    // The limit is for all steps together.
    let mut left = budget.work.unwrap_or(u64::MAX);
    for step in 0..steps {
        let preferences = match (starts.get(step as usize), &best) {
            (Some(start), _) => start.clone(),
            (None, Some(Best { preferences, sites, .. })) if !sites.is_empty() => {
                let mut varied = preferences.clone();
                let site = sites[(random.next_u64() % sites.len() as u64) as usize];
                let preference = match random.next_u64() % 4 {
                    0 => SidePreference::Side(0),
                    1 => SidePreference::Side(1),
                    2 => SidePreference::Side((random.next_u64() % 8) as u32),
                    _ => SidePreference::Mixed(random.next_u64()),
                };
                varied.by_site.insert(site, preference);
                varied
            }
            _ => break,
        };
        let budget = Budget { paths: Some(1), work: Some(left), ..budget.clone() };
        let options = Options { budget, ..Options::default() };
        let mut plan = Plan { options, workers: 1, ..plan.clone() };
        // Of many structures each step takes one: another, or the costliest so far.
        let structure = match (&plan.over, &best) {
            (None, _) => 0,
            (Some(_), Some(best)) if random.next_u64().is_multiple_of(2) => best.structure,
            (Some(all), _) => (random.next_u64() % (all.count() as u64).max(1)) as usize,
        };
        plan.over = plan.over.map(|of| Arc::new(Only { of, index: structure }) as Arc<_>);
        let (outcome, _) = explore(&plan, &preferences, || Nobody)?;
        left = left.saturating_sub(outcome.work);
        let stopped = outcome.cut_by.filter(|c| c.name() != "max-paths");
        if let Some(witness) = &outcome.worst
            && best.as_ref().is_none_or(|b| witness.test.cost >= b.cost)
        {
            best = Some(Best::of(witness, preferences, structure));
        }
        total = Some(match total {
            None => outcome,
            Some(mut so_far) => {
                so_far.absorb(outcome);
                so_far
            }
        });
        if stopped.is_some() || left == 0 {
            break;
        }
    }
    let mut outcome = total.unwrap_or_default();
    outcome.complete = false;
    Ok(outcome)
}

/// One structure of many.
#[derive(Debug)]
struct Only {
    of: Arc<dyn Structures>,
    index: usize,
}

impl Structures for Only {
    fn count(&self) -> usize {
        usize::from(self.index < self.of.count())
    }

    fn slots(&self, _: usize) -> Vec<Slot> {
        self.of.slots(self.index)
    }

    fn condition(&self, _: usize, arena: &mut Arena, terms: &[TermId]) -> Vec<TermId> {
        self.of.condition(self.index, arena, terms)
    }
}
