//! Where exhaustive exploration does not fit: a search for costly paths, best first.
//!
//! Each step follows one path, by a side to prefer at every site; what the costliest path preferred
//! is varied at one site at a time. Inputs known to be costly can be given as seeds: the search then
//! begins with what their paths prefer. Nothing it finds is ever called exact.

use crate::error::Error;
use crate::over::Only;
use crate::program::Program;
use pessimum_entry::host::Seeded;
use pessimum_explore::{Budget, Nobody, Options, Outcome, Witness, explore, follow};
use pessimum_learn::{Advice, ChoiceSet, Decision, Guide, Reads, SiteId};
use pessimum_machine::Module;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What to prefer at a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taste {
    /// Always this side.
    Side(u32),
    /// Now this, now that, as a seed has it.
    Mixed(u64),
}

/// Preferences by site.
#[derive(Clone, Debug)]
struct Tastes {
    by_site: BTreeMap<SiteId, Taste>,
    otherwise: Taste,
}

impl Guide for Tastes {
    fn advise(&self, site: SiteId, arms: u32, path: &[Decision], _: u32) -> Advice {
        let choice = match self.by_site.get(&site).unwrap_or(&self.otherwise) {
            Taste::Side(side) => (*side).min(arms - 1),
            Taste::Mixed(seed) => {
                let key = seed ^ (u64::from(site.0) << 40) ^ path.len() as u64;
                (Seeded::new(key).next_u64() % u64::from(arms)) as u32
            }
        };
        Advice::Only(ChoiceSet::only(choice))
    }

    /// Of the path it reads the length alone, and only where there is one.
    fn reads(&self) -> Reads {
        Reads::Nothing
    }

    fn knows_site(&self, _: SiteId) -> bool {
        true
    }
}

impl Tastes {
    fn always(otherwise: Taste) -> Tastes {
        Tastes { by_site: BTreeMap::new(), otherwise }
    }

    /// What a path prefers: the side it took most often at each site.
    fn of(path: &[Decision]) -> Tastes {
        let mut taken: BTreeMap<SiteId, BTreeMap<u32, u64>> = BTreeMap::new();
        for decision in path {
            *taken.entry(decision.site).or_default().entry(decision.choice).or_default() += 1;
        }
        let favourite = |sides: BTreeMap<u32, u64>| {
            let (side, _) = sides.into_iter().max_by_key(|(side, count)| (*count, !*side))?;
            Some(Taste::Side(side))
        };
        let by_site = taken.into_iter().filter_map(|(site, sides)| Some((site, favourite(sides)?)));
        Tastes { by_site: by_site.collect(), otherwise: Taste::Side(0) }
    }
}

/// The costliest path so far.
struct Best {
    cost: u64,
    tastes: Tastes,
    sites: Vec<SiteId>,
    /// Which of the structures it begins with.
    structure: usize,
}

impl Best {
    fn of(witness: &Witness, tastes: Tastes, structure: usize) -> Best {
        let mut sites: Vec<SiteId> = witness.path.iter().map(|d| d.site).collect();
        sites.sort_unstable();
        sites.dedup();
        Best { cost: witness.test.cost, tastes, sites, structure }
    }
}

/// Searches a size for a costly path in at most `steps` steps; the outcome counts the paths it
/// followed and is never complete.
pub(crate) fn search(
    program: &Program,
    module: &Arc<Module>,
    n: u64,
    steps: u64,
    seed: u64,
    seeds: &[Vec<u8>],
    budget: &Budget,
) -> Result<Outcome, Error> {
    let mut random = Seeded::new(seed ^ n);
    let mut total: Option<Outcome> = None;
    let mut best: Option<Best> = None;
    let mut starts: Vec<Tastes> =
        [Taste::Side(0), Taste::Side(1), Taste::Mixed(1), Taste::Mixed(2)]
            .map(Tastes::always)
            .into();
    // An input of a call over structures says which structure it is; none is followed here.
    let seeds = if program.structure()?.is_some() { &[] } else { seeds };
    for raw in seeds {
        if let Some(witness) = follow(module, &program.setup(n)?, raw)? {
            let tastes = Tastes::of(&witness.path);
            starts.push(tastes.clone());
            let cost = witness.test.cost;
            if best.as_ref().is_none_or(|b| cost > b.cost) {
                best = Some(Best::of(&witness, tastes, 0));
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
        let tastes = match (starts.get(step as usize), &best) {
            (Some(start), _) => start.clone(),
            (None, Some(Best { tastes, sites, .. })) if !sites.is_empty() => {
                let mut varied = tastes.clone();
                let site = sites[(random.next_u64() % sites.len() as u64) as usize];
                let taste = match random.next_u64() % 4 {
                    0 => Taste::Side(0),
                    1 => Taste::Side(1),
                    2 => Taste::Side((random.next_u64() % 8) as u32),
                    _ => Taste::Mixed(random.next_u64()),
                };
                varied.by_site.insert(site, taste);
                varied
            }
            _ => break,
        };
        let budget = Budget { paths: Some(1), work: Some(left), ..budget.clone() };
        let options = Options { budget, ..Options::default() };
        let mut plan = program.plan(module, n, options, 1)?;
        // Of many structures each step takes one: another, or the costliest so far.
        let structure = match (&plan.over, &best) {
            (None, _) => 0,
            (Some(_), Some(best)) if random.next_u64().is_multiple_of(2) => best.structure,
            (Some(all), _) => (random.next_u64() % (all.count() as u64).max(1)) as usize,
        };
        plan.over = plan.over.map(|of| Arc::new(Only { of, index: structure }) as Arc<_>);
        let (outcome, _) = explore(&plan, &tastes, || Nobody)?;
        left = left.saturating_sub(outcome.work);
        let stopped = outcome.cut_by.filter(|c| c.name() != "max-paths");
        if let Some(witness) = &outcome.worst
            && best.as_ref().is_none_or(|b| witness.test.cost >= b.cost)
        {
            best = Some(Best::of(witness, tastes, structure));
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
