//! Which side to prefer at a site: the simplest guide there is.

use pessimum_entry::host::Seeded;
use pessimum_learn::{Advice, ChoiceSet, Decision, Guide, Reads, SiteId};
use std::collections::BTreeMap;

/// What to prefer at a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SidePreference {
    /// Always this side, or the last if there are fewer.
    Side(u32),
    /// The side that was not taken last time.
    Alternate,
    /// A pseudo-random side each time, by a seed.
    Mixed(u64),
}

impl SidePreference {
    /// The side to take at a site after `path`.
    pub fn choose(self, site: SiteId, arms: u32, path: &[Decision]) -> u32 {
        match self {
            SidePreference::Side(side) => side.min(arms - 1),
            SidePreference::Alternate => {
                let last = path.iter().rev().find(|d| d.site == site);
                last.map_or(0, |d| (d.choice + 1) % arms)
            }
            SidePreference::Mixed(seed) => {
                let key = seed ^ (u64::from(site.0) << 40) ^ path.len() as u64;
                (Seeded::new(key).next_u64() % u64::from(arms)) as u32
            }
        }
    }
}

/// Preferences by site.
#[derive(Clone, Debug)]
pub struct SidePreferences {
    /// Where a site has one of its own.
    pub by_site: BTreeMap<SiteId, SidePreference>,
    /// At all other sites.
    pub otherwise: SidePreference,
}

impl SidePreferences {
    /// The same preference everywhere.
    pub fn always(otherwise: SidePreference) -> SidePreferences {
        SidePreferences { by_site: BTreeMap::new(), otherwise }
    }

    /// What a path prefers: the side it took most often at each site.
    pub fn of(path: &[Decision]) -> SidePreferences {
        let mut taken: BTreeMap<SiteId, BTreeMap<u32, u64>> = BTreeMap::new();
        for decision in path {
            *taken.entry(decision.site).or_default().entry(decision.choice).or_default() += 1;
        }
        let favourite = |sides: BTreeMap<u32, u64>| {
            let (side, _) = sides.into_iter().max_by_key(|(side, count)| (*count, !*side))?;
            Some(SidePreference::Side(side))
        };
        let by_site = taken.into_iter().filter_map(|(site, sides)| Some((site, favourite(sides)?)));
        SidePreferences { by_site: by_site.collect(), otherwise: SidePreference::Side(0) }
    }
}

impl Guide for SidePreferences {
    fn advise(&self, site: SiteId, arms: u32, path: &[Decision], _: u32) -> Advice {
        let preference = self.by_site.get(&site).unwrap_or(&self.otherwise);
        Advice::Only(ChoiceSet::only(preference.choose(site, arms, path)))
    }

    /// Of the path it reads the length alone, and only where there is one.
    fn reads(&self) -> Reads {
        Reads::Nothing
    }

    fn knows_site(&self, _: SiteId) -> bool {
        true
    }
}
