//! Paths near a known one: those that go another way at one branch or at two, wherever they meet it.
//!
//! What a worst path never does is not learned from it. A branch that small sizes have settled may be open at larger
//! ones, on a side that no worst path takes; no input that was run need come there. Terms do, one path for each side.

use crate::preference::{SidePreference, SidePreferences};
use pessimum_explore::{
    Budget, Cut, Nobody, Options, Outcome, Plan, Witness, explore, side_by_side,
};
use pessimum_learn::{Decision, SiteId};
use pessimum_machine::LoadError;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// Sites at which a path goes another way than the known one does, or than any side at all: a site that the known
/// path never meets has none.
const FLIPPED: usize = 3;

/// Sides of a switch that are tried.
const SIDES: u32 = 8;

/// The part of the work that one path may take. Those that it is not enough for are followed again, last, with all that
/// is left.
const ONE: u64 = 8;

/// Paths that wait for their turn: a program may have tens of thousands of branches.
const WAITING: usize = 4096;

/// Paths for each worker that are followed before their turn.
const EACH: usize = 4;

/// What following the paths near a known one came to.
#[derive(Clone, Debug, Default)]
pub struct Nearby {
    /// The first that is costlier than it may be, if there is any.
    pub costlier: Option<Witness>,
    /// A branch that nobody knew, which such a path meets, and of which it was not found out where its sides lead.
    pub unsettled: Option<SiteId>,
    /// Paths that were followed.
    pub paths: u64,
    /// Instructions and weighted solver steps.
    pub work: u64,
}

/// Follows the path of some preferences, and those that differ from it at few branches, those at the fewest first, until
/// one is `costlier` than it may be, or the work of the plan's budget is used up. Sites that somebody `knows` were open at
/// smaller sizes. What is found does not depend on the workers of the plan.
pub fn nearby(
    plan: &Plan,
    preferences: &SidePreferences,
    costlier: &dyn Fn(u64) -> bool,
    knows: &dyn Fn(SiteId) -> bool,
) -> Result<Nearby, LoadError> {
    let mut found = Nearby::default();
    let budget = &plan.options.budget;
    let all = budget.work.unwrap_or(u64::MAX);
    let mut tried: BTreeSet<Flips> = BTreeSet::new();
    let mut met = BTreeSet::new();
    let mut waiting = VecDeque::from([Flips::default()]);
    let (mut one, mut cut) = (all / ONE, VecDeque::new());
    let mut ahead = Ahead { plan, preferences, followed: HashMap::new() };
    loop {
        let Some(flips) = waiting.pop_front() else {
            if cut.is_empty() {
                break;
            }
            (waiting, one) = (std::mem::take(&mut cut), all);
            tried.retain(|flips| !waiting.contains(flips));
            continue;
        };
        if !tried.insert(flips.clone()) {
            continue;
        }
        let news = flips.news(knows);
        if found.work >= all || budget.is_over() {
            found.unsettled = found.unsettled.or(news);
            continue;
        }
        let work = Some(one.min(all - found.work));
        let limited = Budget { paths: Some(1), work, ..budget.clone() };
        // As many as there is work for, if they take what those before them took. Of those that were cut, any may take all of it.
        let usual = (found.work / found.paths.max(1)).max(1);
        let room = match one < all {
            true => usize::try_from((all - found.work) / usual).unwrap_or(usize::MAX),
            false => plan.workers,
        };
        let next = waiting.iter().filter(|next| !tried.contains(next)).take(room.max(1) - 1);
        let outcome = ahead.follow(&flips, next, &limited)?;
        found.work += outcome.work.max(1);
        found.paths += 1;
        let Some(witness) = outcome.worst else {
            match outcome.cut_by {
                Some(Cut::Work) if one < all => cut.push_back(flips),
                None => {}
                Some(_) => found.unsettled = found.unsettled.or(news),
            }
            continue;
        };
        if outcome.uncertain {
            found.unsettled = found.unsettled.or(news);
        }
        if costlier(witness.test.cost) && witness.test.input.is_some() {
            found.costlier = Some(witness);
            break;
        }
        if flips.0.len() < FLIPPED {
            let then = |next: Flips| match waiting.len() < WAITING {
                true => waiting.push_back(next),
                false => found.unsettled = found.unsettled.or(next.news(knows)),
            };
            flips.next(&witness.path, &flips.guide(preferences), &mut met, then);
        }
    }
    Ok(found)
}

/// Paths that are followed side by side before their turn, as if those before them took no work. What might have gone another way with what
/// is really left is followed again.
struct Ahead<'a> {
    plan: &'a Plan,
    preferences: &'a SidePreferences,
    followed: HashMap<Flips, (Budget, Result<Outcome, LoadError>)>,
}

impl Ahead<'_> {
    /// What the path with these sides comes to, within a budget; where that is not known yet, the next ones are followed as well.
    fn follow<'f>(
        &mut self,
        flips: &'f Flips,
        next: impl Iterator<Item = &'f Flips>,
        budget: &Budget,
    ) -> Result<Outcome, LoadError> {
        if self.plan.workers > 1 && !self.followed.contains_key(flips) {
            let mut some = vec![flips];
            let unknown = next.filter(|next| *next != flips && !self.followed.contains_key(next));
            some.extend(unknown.take(EACH * self.plan.workers - 1));
            let made = side_by_side(self.plan.workers, some.len(), |i| self.one(some[i], budget));
            let made = some.into_iter().cloned().zip(made.into_iter().map(|m| (budget.clone(), m)));
            self.followed.extend(made);
        }
        match self.followed.remove(flips) {
            Some((given, Ok(outcome))) if budget.leads_as(&given, outcome.work) => Ok(outcome),
            Some((_, Err(error))) => Err(error),
            _ => self.one(flips, budget),
        }
    }

    fn one(&self, flips: &Flips, budget: &Budget) -> Result<Outcome, LoadError> {
        let options = Options { budget: budget.clone(), ..Options::default() };
        let plan = Plan { options, workers: 1, ..self.plan.clone() };
        Ok(explore(&plan, &flips.guide(self.preferences), || Nobody)?.0)
    }
}

/// Sites that have another side than before.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
struct Flips(BTreeMap<SiteId, u32>);

impl Flips {
    /// The preferences with these sides.
    fn guide(&self, preferences: &SidePreferences) -> SidePreferences {
        let mut guide = preferences.clone();
        guide
            .by_site
            .extend(self.0.iter().map(|(site, side)| (*site, SidePreference::Side(*side))));
        guide
    }

    /// One of the sites that nobody knows.
    fn news(&self, knows: &dyn Fn(SiteId) -> bool) -> Option<SiteId> {
        self.0.keys().copied().find(|site| !knows(*site))
    }

    /// One more site of a path that was followed with these: one that no path before it `met` first, since nothing is
    /// known of it. Of those that were met, at most two together are looked at.
    fn next(
        &self,
        path: &[Decision],
        guide: &SidePreferences,
        met: &mut BTreeSet<SiteId>,
        mut then: impl FnMut(Flips),
    ) {
        let sites: BTreeMap<SiteId, u32> = path.iter().map(|d| (d.site, d.arms)).collect();
        let is_new = |site: &SiteId| !met.contains(site);
        let (new, old): (Vec<_>, Vec<_>) = sites.iter().partition(|(site, _)| is_new(site));
        let old = if self.0.len() < 2 { old } else { Vec::new() };
        for (site, arms) in new.into_iter().chain(old) {
            if self.0.contains_key(site) {
                continue;
            }
            let taken = match guide.by_site.get(site).unwrap_or(&guide.otherwise) {
                SidePreference::Side(side) => *side,
                _ => u32::MAX,
            };
            for side in (0..(*arms).min(SIDES)).filter(|side| *side != taken) {
                let mut next = self.clone();
                next.0.insert(*site, side);
                then(next);
            }
        }
        met.extend(sites.keys());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AtSize;
    use crate::evolve::tests::program;
    use pessimum_explore::follow;

    /// Letters other than `x` that are in order, a..., count up without a branch; from the twelfth on each takes as many steps
    /// as there are letters before it. An `x` takes one.
    const HIDDEN: &str = r#"(module (memory (export "memory") 1)
        (func (export "f") (param $a i32) (param $n i32)
            (local $i i32) (local $c i32) (local $run i32) (local $j i32)
            (block $end (loop $each
                (br_if $end (i32.ge_u (local.get $i) (local.get $n)))
                (local.set $c (i32.load8_u (i32.add (local.get $a) (local.get $i))))
                (if (i32.eq (local.get $c) (i32.const 120))
                    (then (if (i32.gt_u (local.get $c) (i32.const 5)) (then (nop))))
                    (else
                        (local.set $run (i32.mul (i32.add (local.get $run) (i32.const 1))
                            (i32.eq (local.get $c) (i32.add (i32.const 97)
                                (i32.and (local.get $i) (i32.const 3))))))
                        (local.set $j (i32.and (local.get $i)
                            (i32.sub (i32.const 0) (i32.gt_u (local.get $run) (i32.const 12)))))
                        (block $done (loop $step
                            (br_if $done (i32.eqz (local.get $j)))
                            (local.set $j (i32.sub (local.get $j) (i32.const 1)))
                            (br $step)))))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br $each)))))"#;

    /// The paths near `x` over and over, within so much work; what that path meets is known.
    fn near(at: &AtSize, work: u64, workers: usize) -> Nearby {
        let letters = vec![120; at.n as usize];
        let known = follow(&at.module, &at.setup, &letters, &Budget::default());
        let known = known.expect("it loads").expect("it ends");
        let budget = Budget { work: Some(work), ..Budget::default() };
        let plan = Plan {
            module: at.module.clone(),
            setup: at.setup.clone(),
            over: None,
            options: Options { budget, ..Options::default() },
            workers,
        };
        let knows = |site| known.path.iter().any(|d| d.site == site);
        let costlier = |cost| cost > known.test.cost;
        nearby(&plan, &SidePreferences::of(&known.path), &costlier, &knows).expect("it can be run")
    }

    #[test]
    fn a_path_that_no_input_led_to_is_found() {
        let found = near(&program(HIDDEN, 40), 10_000_000, 1);
        let witness = found.costlier.expect("it costs more");
        assert!(witness.test.cost > 400, "{}", witness.test.cost);
    }

    #[test]
    fn without_the_work_it_is_said_to_be_open() {
        let at = program(HIDDEN, 40);
        let all = near(&at, 10_000_000, 1).work;
        let found = near(&at, all / 2, 1);
        assert!(found.costlier.is_none());
        assert!(found.unsettled.is_some());
        // Where it comes too late nothing is met.
        let found = near(&program(HIDDEN, 12), 10_000_000, 1);
        assert!(found.costlier.is_none() && found.unsettled.is_none());
    }

    #[test]
    fn any_number_of_workers_follows_the_same() {
        let at = program(HIDDEN, 40);
        let all = near(&at, 10_000_000, 1).work;
        for work in [10_000_000, all - 1, all / 2, all / 9] {
            let told = |workers| {
                let found = near(&at, work, workers);
                (found.costlier.map(|w| w.path), found.unsettled, found.paths, found.work)
            };
            let one = told(1);
            for workers in [2, 5] {
                assert_eq!(told(workers), one, "{workers} workers, {work}");
            }
        }
    }
}
