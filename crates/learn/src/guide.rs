//! What a policy tells the explorer at a branch.

use std::collections::BTreeSet;

use crate::choice_set::ChoiceSet;
use crate::decision::{Decision, SiteId};
use crate::frequency::FrequencyCounter;
use crate::wise::{BranchPolicy, Generator, Level};

/// Advice for one branch of one path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advice {
    /// Training knows nothing about this place: every feasible side is to be followed, and the
    /// site to be reported.
    Unseen,
    /// The sides in the set may be taken wherever they are feasible, the others only where they
    /// are forced. The empty set ends a path at an open decision.
    Only(ChoiceSet),
}

impl Advice {
    /// Whether a feasible side may be taken although another one is feasible too.
    #[inline]
    pub fn allows(&self, choice: u32) -> bool {
        match self {
            Self::Unseen => true,
            Self::Only(set) => set.contains(choice),
        }
    }
}

/// What a guide reads from the path behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    /// Nothing: the path need not be kept, and an advised side that is feasible can be followed
    /// without asking whether another is.
    Nothing,
    /// The open decisions, so that of each it must be known whether it was one.
    OpenDecisions,
    /// All decisions along their links, which then run over forced ones as well.
    AllDecisions,
}

/// Chooses among the open decisions of a guided exploration. A forced branch is always followed
/// and needs no advice.
pub trait Guide {
    /// Advice for the branch at `site` that comes next on `path`. `prev` is the link the coming
    /// decision will get in [`Decision::prev`].
    fn advise(&self, site: SiteId, arms: u32, path: &[Decision], prev: u32) -> Advice;

    /// What it reads from the path.
    fn reads(&self) -> Reads;

    /// Whether it lets every feasible side be followed, wherever it is asked.
    fn follows_all(&self) -> bool {
        false
    }

    /// Whether training met the site at all. [`Advice::Unseen`] at a site that it met means that
    /// only the history is new, which is no reason to doubt the policy elsewhere.
    fn knows_site(&self, _site: SiteId) -> bool {
        false
    }

    /// How often decisions may be made on a path of size `n`, where the advice leaves several
    /// sides; the first path that keeps to all of it is then the only one to follow.
    fn counter(&self, _n: u64) -> Option<FrequencyCounter> {
        None
    }
}

impl<G: Guide + ?Sized> Guide for &G {
    fn advise(&self, site: SiteId, arms: u32, path: &[Decision], prev: u32) -> Advice {
        (**self).advise(site, arms, path, prev)
    }

    fn reads(&self) -> Reads {
        (**self).reads()
    }

    fn follows_all(&self) -> bool {
        (**self).follows_all()
    }

    fn knows_site(&self, site: SiteId) -> bool {
        (**self).knows_site(site)
    }

    fn counter(&self, n: u64) -> Option<FrequencyCounter> {
        (**self).counter(n)
    }
}

impl<G: Guide + ?Sized> Guide for Box<G> {
    fn advise(&self, site: SiteId, arms: u32, path: &[Decision], prev: u32) -> Advice {
        (**self).advise(site, arms, path, prev)
    }

    fn reads(&self) -> Reads {
        (**self).reads()
    }

    fn follows_all(&self) -> bool {
        (**self).follows_all()
    }

    fn knows_site(&self, site: SiteId) -> bool {
        (**self).knows_site(site)
    }

    fn counter(&self, n: u64) -> Option<FrequencyCounter> {
        (**self).counter(n)
    }
}

/// Follows every feasible side: exhaustive exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unguided;

impl Guide for Unguided {
    fn advise(&self, _: SiteId, arms: u32, _: &[Decision], _: u32) -> Advice {
        Advice::Only(ChoiceSet::all(arms))
    }

    /// It does not prune, but those who explore everything do so to learn.
    fn reads(&self) -> Reads {
        Reads::OpenDecisions
    }

    fn follows_all(&self) -> bool {
        true
    }

    fn knows_site(&self, _: SiteId) -> bool {
        true
    }
}

/// A [`BranchPolicy`] laid out for the explorer: one look-up by site.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WiseGuide {
    /// By site; `None` for a site unseen in training.
    always: Vec<Option<ChoiceSet>>,
}

impl WiseGuide {
    /// A guide by a policy. `seen` are the sites met in training, worst paths or not: at one of
    /// them that the policy does not mention no open decision conforms, whereas other sites that
    /// it does not mention are unseen.
    pub fn new<'a>(policy: &BranchPolicy, seen: impl IntoIterator<Item = &'a SiteId>) -> Self {
        let mut guide = Self::default();
        for &site in seen {
            guide.row(site);
        }
        for (branch, level) in policy.levels() {
            let row = guide.row(branch.site);
            if level == Level::Always {
                row.insert(branch.choice);
            }
        }
        guide
    }

    fn row(&mut self, site: SiteId) -> &mut ChoiceSet {
        if self.always.len() <= site.index() {
            self.always.resize(site.index() + 1, None);
        }
        self.always[site.index()].get_or_insert_default()
    }

    /// The sites met in training.
    pub fn seen(&self) -> BTreeSet<SiteId> {
        (0..)
            .zip(&self.always)
            .filter_map(|(site, row)| row.as_ref().map(|_| SiteId(site)))
            .collect()
    }
}

impl From<&Generator> for WiseGuide {
    fn from(generator: &Generator) -> Self {
        Self::new(&generator.policy, &generator.seen)
    }
}

impl Guide for WiseGuide {
    #[inline]
    fn advise(&self, site: SiteId, _: u32, _: &[Decision], _: u32) -> Advice {
        match self.always.get(site.index()) {
            Some(Some(set)) => Advice::Only(set.clone()),
            _ => Advice::Unseen,
        }
    }

    fn reads(&self) -> Reads {
        Reads::Nothing
    }

    fn knows_site(&self, site: SiteId) -> bool {
        matches!(self.always.get(site.index()), Some(Some(_)))
    }
}

/// Convenient for tests and single questions; an explorer should ask a [`WiseGuide`]. Sites that
/// the policy does not mention count as unseen.
impl Guide for BranchPolicy {
    fn advise(&self, site: SiteId, _: u32, _: &[Decision], _: u32) -> Advice {
        let mut levels = self.levels_at(site).peekable();
        if levels.peek().is_none() {
            return Advice::Unseen;
        }
        let always = levels.filter(|&(_, level)| level == Level::Always);
        Advice::Only(always.map(|(choice, _)| choice).collect())
    }

    fn reads(&self) -> Reads {
        Reads::Nothing
    }

    fn knows_site(&self, site: SiteId) -> bool {
        self.levels_at(site).next().is_some()
    }
}
