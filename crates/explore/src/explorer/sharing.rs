//! How a walk comes to the subtree it is to explore, and what it leaves to others.

use super::{Explorer, Pending, mix};
use crate::observer::Observer;
use crate::outcome::Outcome;
use crate::subtree::{Left, Subtree};
use pessimum_learn::{Guide, SiteId};

/// No side of any decision.
const NOWHERE: u32 = u32::MAX;

/// How a walk of a subtree ended.
pub(crate) struct Walked {
    pub(crate) outcome: Outcome,
    /// What was left to others, in the order of the tree: all of it behind what was found.
    pub(crate) left: Vec<Left>,
    /// The decision at which the way to the subtree turned out to be another one.
    pub(crate) strayed: Option<u32>,
}

impl<G: Guide, O: Observer> Explorer<'_, G, O> {
    /// Walks as [`Explorer::run`] does, and leaves to others what goes beyond [`Options::share`](super::Options::share).
    pub(crate) fn run_sharing(mut self) -> Walked {
        self.walk();
        if self.on_prefix {
            // The path ended without an end, as one does that an assumption rules out.
            self.leave_prefix();
        }
        self.left.reverse();
        Walked { outcome: self.outcome, left: self.left, strayed: self.strayed }
    }

    /// Walks as [`Explorer::run`] does; the decision at which the way along the prefix turned out to be another one, if it
    /// did, comes last.
    pub(crate) fn run_arriving(mut self) -> (Outcome, O, Option<u32>) {
        self.walk();
        self.leave_prefix();
        (self.outcome, self.observer, self.strayed)
    }

    /// The choice that the prefix asks for at the open decision the walk stands at, which has these sides.
    pub(super) fn prefix_choice(&mut self, site: SiteId, sides: &[u32]) -> Option<u32> {
        if !self.on_prefix {
            return None;
        }
        let here = self.decided();
        let turn = self.options.prefix.binary_search_by_key(&here, |turn| turn.decided).ok();
        let Some(at) = turn else {
            self.leave_prefix();
            // What lies here is not what was asked for, so it is not walked either.
            return self.strayed.map(|_| NOWHERE);
        };
        let choice = self.options.prefix[at].choice;
        let Some(route) = &self.options.route else { return Some(choice) };
        // Nothing on the way to a subtree forks by value, so the hash is of all decisions.
        let hash = step(self.state.hash, site, choice);
        let last = at + 1 == self.options.prefix.len();
        let fits = at == self.taken
            && route.sites.get(at) == Some(&site)
            && sides.contains(&choice)
            && self.state.forks == 0
            && (!last || hash == route.digest);
        if !fits {
            self.stray(here);
            return Some(NOWHERE);
        }
        self.taken += 1;
        self.on_prefix = !last;
        Some(choice)
    }

    /// The walk comes to an open decision, or an end, that the prefix does not lead to. If it led further, this is
    /// not the subtree that was asked for, and nothing may be claimed of it.
    pub(super) fn leave_prefix(&mut self) {
        if !self.on_prefix {
            return;
        }
        let here = self.decided();
        let led_further = self.options.prefix.last().is_some_and(|last| here <= last.decided);
        let elsewhere = self.options.arrival.is_some_and(|digest| digest != self.state.hash);
        if self.options.route.is_some() || elsewhere {
            self.stray(here);
        } else if led_further {
            self.outcome.uncertain = true;
        }
        self.on_prefix = false;
    }

    fn stray(&mut self, here: u32) {
        self.outcome.uncertain = true;
        self.strayed.get_or_insert(here);
    }

    /// Leaves to others what was not come to yet and looks large; all of it once the share is used up. What is walked
    /// on is all before it in the order of the tree.
    #[cold]
    pub(super) fn leave_the_rest(&mut self, work: u64) {
        let Some(share) = self.options.share else { return };
        let all = work >= share.end;
        self.sharing_from = work.saturating_add((share.begin / 4).max(1));
        if self.on_prefix || self.merger.is_some() || !self.options.keep_path {
            return;
        }
        let large = (share.begin / 2) as f64;
        // The first of the path's nodes have the largest parts of the tree below them.
        let known = (self.explored + self.state.weight).max(f64::MIN_POSITIVE);
        let estimate = |weight: f64| work as f64 * (weight / known);
        let leaves = |node: &super::Node| {
            let told = matches!(node.pending, Pending::Side { .. } | Pending::Arms { .. });
            told && node.state.forks == 0 && (all || estimate(node.state.weight) >= large)
        };
        let count = self.nodes.iter().take_while(|node| leaves(node)).count();
        for node in self.nodes.drain(..count) {
            let path = &self.path[..node.path as usize];
            let mut leave = |site: SiteId, choice: u32, sides: usize| {
                let digest = step(node.state.hash, site, choice);
                let subtree = Subtree::below(path, site, choice, digest);
                // A number that is too large for its type becomes the largest.
                let estimate = estimate(node.state.weight / sides as f64) as u64;
                self.left.push(Left { subtree, estimate: estimate.max(1) });
            };
            match node.pending {
                Pending::Side { site, choice, .. } => leave(site, u32::from(choice), 1),
                Pending::Arms { site, arms, .. } => {
                    arms.iter().for_each(|arm| leave(site, *arm, arms.len()));
                }
                Pending::Values { .. } | Pending::Finish => {}
            }
        }
    }
}

/// The hash of a path after one more decision, as [`Explorer::mix_in`] has it.
fn step(hash: u128, site: SiteId, choice: u32) -> u128 {
    mix(hash, u128::from(site.0) << 32 | u128::from(choice))
}
