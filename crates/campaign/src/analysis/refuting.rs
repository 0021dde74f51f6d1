//! Tries to break a claim before it is reported: seeds, random inputs, a search at the largest sizes. Leaves
//! out sizes at which the search found too little.

use super::generating::note_unseen;
use super::job::{Job, Ran};
use super::strategies::{Doubt, Evolved, Evolving};
use super::{Analysis, Stage};
use crate::error::Error;
use crate::evidence::SizeEvidence;
use crate::judge::{bound, steepest, told};
use crate::schedule::{
    LAST, Part, attacked_beyond, cut_by_now, instructions_in, instructions_of, least_attack,
    one_ending, one_of, one_search,
};
use crate::target::Target;
use pessimum_entry::{InputValues, Slot};
use pessimum_explore::{Budget, Options, PathTest, follow};
use pessimum_fit::{Fit, Point, is_near};
use pessimum_learn::{Guide, SiteId};
use pessimum_report::document::{self, Bound, Refuting};
use pessimum_search::{
    AtSize, Family, FamilyRecipe, INSTRUCTIONS_PER_SECOND, Mutator, Nearby, Remainder, Sample,
    Sampling, SidePreferences, nearby, sample,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Sizes that are attacked, the largest with half of the work.
const ATTACKED: usize = 3;

/// The round of evolving patterns that belongs to an attack.
const ATTACK: u32 = 2;

/// Sizes of seeds that are looked at for their own sake.
const OWN_SIZES: usize = 8;

/// The kind of finding that says why a size has no row.
const LEFT_OUT: &str = "size_left_out";

/// The kind of finding that says which sizes growth is told from.
const SOME_SIZES: &str = "some_sizes";

/// Families that are run at every size, at most; some cost less than the worst input.
const FAMILIES: u64 = 4;

/// Instructions of the random runs of one size.
pub(super) const SAMPLED: u64 = 4_000_000;

impl Job {
    /// Takes in what the user gave; answers the sizes to which it belongs.
    pub(super) fn take_seeds(&mut self) -> Result<Vec<u64>, Error> {
        let mut own = BTreeSet::new();
        for raw in std::mem::take(&mut self.options.seeds) {
            own.extend(self.mutator.give(&raw, LAST, |n| self.target.at(n))?);
            self.options.seeds.push(raw);
        }
        let known = |n: &u64| self.found.get(n).is_some_and(|size| size.claim().is_exact());
        let own: Vec<u64> = own.into_iter().filter(|n| !known(n)).collect();
        Ok(own[own.len().saturating_sub(OWN_SIZES)..].to_vec())
    }

    /// Runs random inputs of a size, once. One that costs more than all that was found takes its place:
    /// no worst cost is below that of an input which was run.
    pub(super) fn run_random_inputs(
        &mut self,
        n: u64,
        size: &mut SizeEvidence,
    ) -> Result<(), Error> {
        if self.samples.contains_key(&n) {
            return Ok(());
        }
        let sampled = self.sampled(n, size)?;
        if let Some(sampled) = &sampled {
            if let Some(test) = sampled.costliest.clone() {
                self.take_test(n, size, test);
            }
            let mean = sampled.cost.map(|(mean, _)| mean);
            let worst = size.worst_cost().map(|cost| cost as f64);
            if mean.is_some() && mean != worst {
                self.independent = false;
            }
        }
        self.samples.insert(n, sampled);
        Ok(())
    }

    fn sampled(&self, n: u64, size: &SizeEvidence) -> Result<Option<Sample>, Error> {
        let at = self.target.at(n)?;
        let input = size.worst().and_then(|worst| worst.input.as_ref());
        let slots: Vec<Slot> = match input {
            Some(input) => input.iter().map(|v| v.0).collect(),
            None if self.takes_structure => return Ok(None),
            // What a program asks for is found out by running it.
            None if at.module.asks_for_input() => {
                let (_, machine) = at.run(InputValues::new())?;
                machine.inputs().iter().map(|input| input.slot).collect()
            }
            None => at.setup.invocation.slots(),
        };
        let Analysis { seed, samples, .. } = &self.options;
        let (beginnings, slots) = match self.target.program().structures()? {
            None => (vec![Vec::new()], slots.as_slice()),
            Some(source) => (source.draw(n, *samples, *seed), &slots[source.length(&slots)..]),
        };
        let how = Sampling {
            beginnings: &beginnings,
            slots,
            seed: *seed,
            most: *samples,
            instructions: SAMPLED,
            workers: self.options.workers,
        };
        Ok(sample(&at, how)?)
    }

    /// Whether what was found would be called proven or validated.
    pub(super) fn claims(&self) -> bool {
        bound(&self.evidence()) == Bound::Exact
    }

    /// Attacks what is about to be claimed, with as much work as everything before it took, or a small part of what it might
    /// have taken. Where an
    /// input is found that costs more than the claim says, the claim falls, and what the input has is
    /// tried at all other sizes.
    pub(super) fn refute(&mut self) -> Result<(), Error> {
        // Whichever policy was asked for, what is said of it is attacked. Shapes of structures are not
        // searched: there every size is explored in full.
        if self.takes_structure || !self.claims() || cut_by_now(&self.budget).is_some() {
            return Ok(());
        }
        let before = self.ran;
        if let Some(from) = self.hold_out_beyond()? {
            self.refuting = Some(self.refuting_since(before));
            self.spread(from)?;
            return self.search_again();
        }
        let half = instructions_of(self.work_done()) / 2;
        let half = half.max(least_attack(self.options.effort_or_time()) / 2);
        let beyond = self.reached_sizes().is_empty();
        let mut raid = match beyond {
            true => self.raid_beyond(half),
            false => self.raid_nearby(half),
        };
        if self.options.workers > 1 {
            self.make_all(&mut raid);
        }
        let mut refuted = if beyond { None } else { self.attack_nearby(&mut raid)? };
        if refuted.is_none() {
            let evolved = raid.evolved(&self.mutator).transpose()?;
            self.take_evolved(ATTACK, evolved);
            refuted = match beyond {
                true => self.attack_beyond(&mut raid, half)?,
                false => self.attack(half)?,
            };
        }
        if refuted.is_none() {
            refuted = self.search_beyond(half)?;
        }
        self.refuting = Some(self.refuting_since(before));
        if let Some(from) = refuted {
            self.spread(from)?;
            self.search_again()?;
        }
        Ok(())
    }

    fn refuting_since(&self, before: Ran) -> Refuting {
        let ran = self.ran.since(before);
        Refuting { work: ran.instructions / instructions_of(1), runs: ran.runs }
    }

    /// Everything that was done so far, in units of work.
    fn work_done(&self) -> u64 {
        let walks: u64 = self.found.values().map(|f| f.walk().work).sum();
        let trials: u64 = self.trials.iter().map(|t| t.work).sum();
        walks + trials + self.ran.instructions / instructions_of(1)
    }

    /// The sizes whose cost is not exact.
    pub(super) fn reached_sizes(&self) -> Vec<u64> {
        self.found.iter().filter(|(_, f)| !f.claim().is_exact()).map(|(n, _)| *n).collect()
    }

    /// What an attack on sizes that are not exact begins with: paths near the one that is claimed to be the worst are followed, as
    /// long as so many instructions take, at the least size that is well beyond the exact ones, at the largest and at one
    /// half-way.
    fn raid_nearby(&self, instructions: u64) -> Raid {
        let reached = self.reached_sizes();
        let exact = self.found.keys().copied().filter(|n| !reached.contains(n)).max().unwrap_or(0);
        let beyond: Vec<u64> = reached.into_iter().filter(|n| *n >= 2 * exact).collect();
        let some = [beyond.first(), beyond.get(beyond.len() / 2), beyond.last()];
        let sizes: BTreeSet<u64> = some.into_iter().flatten().copied().collect();
        let forays = sizes.into_iter().map(|n| {
            let size = self.found.get(&n);
            let known = size.and_then(|size| Some((n, size.worst()?.input.clone()?)));
            Foray { n, known, costlier: Costlier::Than(size.and_then(SizeEvidence::worst_cost)) }
        });
        let guide = self.trials.first().map(|trial| trial.policy.guide());
        self.raid(forays.collect(), guide, instructions)
    }

    /// What an attack on a rule of exact sizes begins with: paths near the worst one of the largest size are followed at some
    /// beyond.
    fn raid_beyond(&self, instructions: u64) -> Raid {
        let (points, fit) = told(&self.evidence());
        let rule = Arc::new((points, fit));
        let Some((&largest, last)) = self.found.iter().next_back() else {
            return self.raid(Vec::new(), None, instructions);
        };
        let known = last.worst().and_then(|worst| Some((largest, worst.input.clone()?)));
        let sizes = attacked_beyond(largest).into_iter();
        let forays = sizes.take_while(|n| self.target.at(*n).is_ok()).map(|n| Foray {
            n,
            known: known.clone(),
            costlier: Costlier::ThanForetold(Arc::clone(&rule)),
        });
        // Proofs have met branches that no policy knows of.
        self.raid(forays.collect(), None, instructions)
    }

    fn raid(
        &self,
        forays: Vec<Foray>,
        guide: Option<Box<dyn Guide + Send + Sync>>,
        instructions: u64,
    ) -> Raid {
        Raid {
            target: Arc::clone(&self.target),
            guide,
            work: instructions / instructions_of(1) / ATTACKED as u64,
            budget: self.budget.clone(),
            workers: self.options.workers,
            evolving: self.evolving(ATTACK, instructions),
            made: BTreeMap::new(),
            evolved: None,
            forays,
        }
    }

    /// Does all that an attack begins with on all threads: the patterns are evolved by one, paths are followed by the others, at the
    /// largest size first, which takes longest. None of it depends on what the rest comes to; where something worse is found
    /// early, the rest was in vain.
    fn make_all(&self, raid: &mut Raid) {
        enum Made {
            Patterns(Option<Result<Evolved, Error>>),
            Paths(u64, Result<Nearby, Error>),
        }
        let (this, mutator) = (&*raid, &self.mutator);
        let made = self.target.each(1 + this.forays.len(), |i| match i {
            0 => Made::Patterns(this.evolve(mutator)),
            _ => {
                let foray = &this.forays[this.forays.len() - i];
                Made::Paths(foray.n, this.follow(foray))
            }
        });
        for made in made {
            match made {
                Made::Patterns(evolved) => raid.evolved = Some(evolved),
                Made::Paths(n, found) => drop(raid.made.insert(n, found)),
            }
        }
    }

    /// Takes in what following the paths near the worst one of some sizes comes to; answers one at which something worse was
    /// found.
    fn attack_nearby(&mut self, raid: &mut Raid) -> Result<Option<u64>, Error> {
        for i in 0..raid.forays.len() {
            let n = raid.forays[i].n;
            self.tell(Stage::Generating { n });
            let Some(mut size) = self.found.remove(&n) else { continue };
            let found = raid.take(i)?;
            self.ran.add(Ran { runs: found.paths, instructions: instructions_of(found.work) });
            let refuted = found.costlier.is_some();
            if let Some(witness) = found.costlier {
                self.take_test(n, &mut size, witness.test);
                self.tell_answer(n, &size);
            }
            self.found.insert(n, size);
            if let Some(site) = found.unsettled.filter(|_| !refuted) {
                self.doubt_at(n, site);
                return Ok(None);
            }
            if refuted || cut_by_now(&self.budget).is_some() {
                return Ok(refuted.then_some(n));
            }
        }
        Ok(None)
    }

    /// A path near the worst one meets a branch that no explored size has met, and it was not found out where that leads:
    /// no policy of those sizes is validated.
    fn doubt_at(&mut self, n: u64, site: SiteId) {
        if let Some(best) = self.trials.first_mut() {
            best.policy.validated = false;
        }
        self.found.values_mut().for_each(SizeEvidence::doubt);
        note_unseen(self.target.module(), &mut self.findings, n, &BTreeSet::from([site]));
    }

    /// Searches the largest sizes that are not exact, and the smallest; answers one at which something worse was found.
    fn attack(&mut self, instructions: u64) -> Result<Option<u64>, Error> {
        let mut refuted = None;
        let reached = self.reached_sizes();
        // What holds at large sizes need not hold at the smallest, where nearly all inputs can be tried.
        let (others, largest) = reached.split_at(reached.len().saturating_sub(ATTACKED));
        let smallest = others.iter().take(ATTACKED);
        let sizes: Vec<u64> = largest.iter().rev().chain(smallest).copied().collect();
        for (i, &n) in sizes.iter().enumerate() {
            let last = i + 1 == sizes.len();
            let part = instructions >> (i + usize::from(!last));
            self.tell(Stage::Generating { n });
            let Some(mut size) = self.found.remove(&n) else { continue };
            if self.search_by_running(n, &mut size, Doubt::Attack(part))? {
                self.tell_answer(n, &size);
                refuted = refuted.or(Some(n));
            }
            self.found.insert(n, size);
            if refuted.is_some() || cut_by_now(&self.budget).is_some() {
                break;
            }
        }
        Ok(refuted)
    }

    /// Where every size is exact, searches the next ones beyond; a cost that contradicts what all sizes
    /// foretell makes a size of its own.
    fn attack_beyond(&mut self, raid: &mut Raid, instructions: u64) -> Result<Option<u64>, Error> {
        for i in 0..raid.forays.len() {
            if cut_by_now(&self.budget).is_some() {
                break;
            }
            let n = raid.forays[i].n;
            let mut size = SizeEvidence::nothing();
            self.tell(Stage::Generating { n });
            let found = raid.take(i)?;
            self.ran.add(Ran { runs: found.paths, instructions: instructions_of(found.work) });
            if let Some(witness) = found.costlier {
                self.take_test(n, &mut size, witness.test);
            }
            self.search_by_running(n, &mut size, Doubt::Attack(instructions / ATTACKED as u64))?;
            let costlier = &raid.forays[i].costlier;
            self.missed |= size.worst_cost().is_some_and(|cost| costlier.misses(n, cost));
            if size.worst_cost().is_some_and(|cost| costlier.is(n, cost)) {
                self.tell_answer(n, &size);
                self.found.insert(n, size);
                return Ok(Some(n));
            }
        }
        Ok(None)
    }

    /// Tries what was found at one size at the others, the nearest first.
    fn spread(&mut self, from: u64) -> Result<(), Error> {
        let reached = self.reached_sizes();
        let (below, above): (Vec<u64>, Vec<u64>) = reached.into_iter().partition(|n| *n < from);
        for n in below.into_iter().rev().chain(above.into_iter().filter(|n| *n > from)) {
            if let Some(cut) = cut_by_now(&self.budget) {
                self.cut_by = Some(cut);
                break;
            }
            if let Some(mut size) = self.found.remove(&n) {
                if self.search_by_running(n, &mut size, Doubt::Little)? {
                    self.tell_answer(n, &size);
                }
                self.found.insert(n, size);
            }
        }
        Ok(())
    }

    /// A size that costs less than a smaller one, though what the smaller one has was tried at it, tells
    /// of the search and not of the program: it is left out, and said to be. A size that was asked for stays: what was
    /// found there is an answer, and it is hunted at.
    pub(super) fn leave_out_starved_sizes(&mut self) {
        let mut most: Option<(u64, u64)> = None;
        let mut starved = Vec::new();
        for (&n, size) in &self.found {
            let settled = size.may_be_below()
                || size.is_disputed()
                || self.is_asked(n)
                || self.ends_a_rule(n);
            match (size.worst_cost(), most) {
                (Some(cost), Some((m, before))) if !settled && cost < before => {
                    self.starved.insert(n);
                    starved.push((n, format!("nothing was found that costs as much as {before} at n = {m} ({cost}): with more --time it may be")));
                }
                (None, _) if !settled => {
                    starved.push((n, "no input was found on which the program ends".to_owned()));
                }
                (Some(cost), before) if before.is_none_or(|(_, before)| cost > before) => {
                    most = Some((n, cost));
                }
                _ => {}
            }
        }
        for (n, why) in starved {
            self.found.remove(&n);
            self.leave_out(n, &why);
        }
        // What was left out in one round may have been found in a later one.
        let has_row = |n: u64| self.found.contains_key(&n);
        self.findings.retain(|f| f.kind != LEFT_OUT || !f.n.is_some_and(has_row));
    }

    /// Says that a size was tried and has no row, and why.
    pub(super) fn leave_out(&mut self, n: u64, why: &str) {
        if self.findings.iter().any(|f| f.kind == LEFT_OUT && f.n == Some(n)) {
            return;
        }
        self.findings.push(document::Finding {
            kind: LEFT_OUT.to_owned(),
            message: why.to_owned(),
            at: None,
            n: Some(n),
            input: None,
            cause: None,
        });
    }

    /// The family of inputs that growth is read from, where costs were only reached: of the costliest, the one that tells
    /// of the steepest growth. Every one is of inputs that are there. Inputs that were run to find them count at their sizes.
    pub(super) fn choose_family(&mut self) -> Result<(), Error> {
        if self.takes_structure || self.claims() {
            return Ok(());
        }
        // Where sizes that were asked for are hunted at behind it, half of the time is theirs.
        let hunts = self.reached_sizes().iter().any(|n| self.is_asked(*n));
        let budget = if hunts { one_of(&self.budget, 2) } else { self.budget.clone() };
        let numbers = self.sizes_in_time();
        let mut sizes: Vec<AtSize> = Vec::new();
        for &n in &numbers {
            sizes.push((*self.target.at(n)?).clone());
        }
        let effort = self.options.effort_or_time();
        let instructions = one_search(effort, Part::Refuting, Duration::ZERO);
        let made = self.mutator.families(&sizes, instructions, &budget)?;
        let instructions = one_ending(effort);
        let target = self.target.clone();
        let at = |n| target.at(n).ok();
        let within = (&budget, self.options.workers);
        let meeting = self.mutator.keys_that_meet(&sizes, at, 2 * instructions, within)?;
        for (n, test) in made.costliest.into_iter().chain(meeting.costliest) {
            if let Some(mut size) = self.found.remove(&n) {
                self.mutator.note(&*self.target.at(n)?, &test)?;
                self.take_test(n, &mut size, test);
                self.found.insert(n, size);
            }
        }
        // What a policy leads to is a family as well, if it leads to every size.
        let followed = self.found.iter().filter(|(_, f)| !f.was_searched());
        let costs = followed.filter_map(|(n, f)| Some((*n, f.worst_cost()?)));
        let by_policy = Family { costs: costs.collect(), ..Family::of(FamilyRecipe::Policy) };
        let by_policy = Some(by_policy).filter(|f| !self.trials.is_empty() && !f.costs.is_empty());
        let families = by_policy.into_iter().chain(made.families).chain(meeting.families);
        let ranked = Family::ranked(families.collect(), &numbers);
        let within = (&budget, self.options.workers);
        let follow = |family: &Family| family.ending(at, instructions, within);
        let beyond = |family: &Family| family.beyond_the_ending(at, 2 * instructions, within);
        let some_sizes = |family: &Family| family.growing_remainder(at, instructions, &budget);
        self.family = steepest(&self.evidence(), ranked, follow, beyond, some_sizes)?;
        if let Some(family) = &self.family {
            let remainder = Some(family.remainder).filter(|r| *r != Remainder::ALL);
            self.findings.extend(remainder.map(at_some_sizes));
        }
        Ok(())
    }

    /// The sizes at which some inputs can still be run in half of the time that is left, from the smallest on. Those that were left out,
    /// since nothing there costs more than below, are among them: growth that is read without them is steeper than it is.
    fn sizes_in_time(&self) -> Vec<u64> {
        let mut left =
            self.budget.deadline.left().map_or(u64::MAX, |left| instructions_in(left / 2));
        let left_out = self.findings.iter().filter(|finding| finding.kind == LEFT_OUT);
        let all: BTreeSet<u64> =
            self.found.keys().copied().chain(left_out.filter_map(|finding| finding.n)).collect();
        let (mut sizes, mut one) = (Vec::new(), 0);
        for n in all {
            let size = self.found.get(&n).and_then(SizeEvidence::worst);
            one = size.map_or(one, |test| test.instructions);
            match left.checked_sub(one.saturating_mul(FAMILIES)) {
                Some(rest) => left = rest,
                None => break,
            }
            sizes.push(n);
        }
        sizes
    }

    /// Takes in an input that was run. One that costs more than all that was found takes its place; where the
    /// worst of all paths is known, that is a contradiction.
    fn take_test(&mut self, n: u64, size: &mut SizeEvidence, test: PathTest) {
        if size.worst_cost().is_some_and(|cost| test.cost <= cost) {
            return;
        }
        if size.claim().is_exact() {
            self.contradict(n, size, test.cost);
        } else {
            size.surpass(test);
            self.trust_less(size);
        }
    }
}

/// What an attack begins with: paths near known ones, and patterns. No part of it reads what another comes to.
struct Raid {
    target: Arc<Target>,
    /// What knows sites, if not all are to be taken for known.
    guide: Option<Box<dyn Guide + Send + Sync>>,
    forays: Vec<Foray>,
    /// What following the paths at one size may take.
    work: u64,
    /// Of the time that is left when they are followed, they may take a part.
    budget: Budget,
    workers: usize,
    /// The patterns; none where an earlier run has evolved them.
    evolving: Option<Evolving>,
    /// What was made before it was asked for.
    made: BTreeMap<u64, Result<Nearby, Error>>,
    evolved: Option<Option<Result<Evolved, Error>>>,
}

/// Paths that are followed at a size.
struct Foray {
    n: u64,
    /// The size of a known input near whose path they are, and that input.
    known: Option<(u64, InputValues)>,
    costlier: Costlier,
}

/// What it is to be worse than what is claimed.
enum Costlier {
    Than(Option<u64>),
    /// Than the costs of smaller sizes and the rule behind them say.
    ThanForetold(Arc<(Vec<Point>, Fit)>),
}

impl Costlier {
    fn is(&self, n: u64, cost: u64) -> bool {
        match self {
            Costlier::Than(known) => cost > known.unwrap_or(0),
            Costlier::ThanForetold(rule) => contradicts(&rule.1, &rule.0, n, cost),
        }
    }

    /// Whether it is at least not what the rule says.
    fn misses(&self, n: u64, cost: u64) -> bool {
        match self {
            Costlier::Than(_) => false,
            Costlier::ThanForetold(rule) => {
                rule.1.predict(n).is_some_and(|foretold| cost as f64 > foretold)
            }
        }
    }
}

impl Raid {
    /// What the paths at a size come to.
    fn follow(&self, foray: &Foray) -> Result<Nearby, Error> {
        let Some((m, input)) = &foray.known else { return Ok(Nearby::default()) };
        let at = self.target.at(*m)?;
        let part = one_of(&self.budget, 2 * ATTACKED as u32);
        let known = follow(&at.module, &at.setup, &input.to_raw(), &part)?;
        let Some(witness) = known else { return Ok(Nearby::default()) };
        let preferences = SidePreferences::of(&witness.path);
        let budget = Budget { work: Some(self.work), ..part };
        let options = Options { budget, ..Options::default() };
        let plan = self.target.plan(foray.n, options, self.workers)?;
        let costlier = |cost| foray.costlier.is(foray.n, cost);
        let knows = |site| self.guide.as_ref().is_none_or(|guide| guide.knows_site(site));
        Ok(nearby(&plan, &preferences, &costlier, &knows)?)
    }

    /// What the paths at a size come to, made now if it was not made before.
    fn take(&mut self, i: usize) -> Result<Nearby, Error> {
        let foray = &self.forays[i];
        self.made.remove(&foray.n).unwrap_or_else(|| self.follow(foray))
    }

    fn evolve(&self, mutator: &Mutator) -> Option<Result<Evolved, Error>> {
        self.evolving.as_ref().map(|evolving| evolving.evolve(mutator.clone()))
    }

    /// The patterns, the same way; none where an earlier run has them.
    fn evolved(&mut self, mutator: &Mutator) -> Option<Result<Evolved, Error>> {
        self.evolved.take().unwrap_or_else(|| self.evolve(mutator))
    }
}

/// Whether an input of size n that costs so much is more than the sizes below foretell: more than their
/// exact rule says by more than a little, or, where there is none, enough to tell another class.
fn contradicts(fit: &Fit, points: &[Point], n: u64, cost: u64) -> bool {
    let Some(rule) = fit.candidates.first() else { return false };
    let Some(foretold) = rule.predict(n).filter(|foretold| cost as f64 > *foretold) else {
        return false;
    };
    if is_near(foretold as u64, cost) {
        return false;
    }
    fit.is_exact() || {
        let with_it: Vec<Point> = points.iter().copied().chain([Point::exact(n, cost)]).collect();
        pessimum_fit::fit(&with_it).class != fit.class
    }
}

const _: () = assert!(INSTRUCTIONS_PER_SECOND.is_multiple_of(crate::schedule::WORK_PER_SECOND));

fn at_some_sizes(sizes: Remainder) -> document::Finding {
    let Remainder { divisor, left } = sizes;
    let parts = match left {
        0 => format!("{divisor}*n"),
        _ => format!("{divisor}*n+{left}"),
    };
    document::Finding {
        kind: SOME_SIZES.to_owned(),
        message: format!(
            "growth is told from sizes {left}, {}, {}, … alone: at others these inputs cost less; to look at no others, write {parts} in place of n in the call",
            left + divisor,
            left + 2 * divisor,
        ),
        at: None,
        n: None,
        input: None,
        cause: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Method;
    use crate::program::Program;
    use pessimum_explore::{Outcome, Witness};

    fn job() -> Job {
        let module = include_bytes!("../../../pessimum/examples/insertion_sort.wasm");
        let program = Program::new("insertion_sort", module.as_slice());
        let program = program.and_then(|p| p.call("sort(&i32[n], n)")).expect("it can be called");
        let options = Analysis::of(program)
            .train(1..=8)
            .workers(3)
            .effort(Duration::from_secs(4))
            .time(Duration::from_secs(600));
        Job::new(options).expect("it can be analysed")
    }

    fn searched(cost: u64) -> SizeEvidence {
        let test = PathTest { input: Some(InputValues::new()), cost, instructions: 1, trap: None };
        let outcome = Outcome::of_one_path(Witness { test, path: Vec::new() });
        SizeEvidence::searched(outcome, 0.0)
    }

    #[test]
    fn a_row_below_a_smaller_size_is_left_out_and_said_to_be() {
        let mut job = job();
        for (n, cost) in [(10, 500), (12, 5_474_124), (15, 4578), (20, 4578), (25, 6_000_000)] {
            job.found.insert(n, searched(cost));
        }
        job.found.insert(30, SizeEvidence::nothing());
        job.leave_out_starved_sizes();
        assert_eq!(job.found.keys().copied().collect::<Vec<_>>(), [10, 12, 25]);
        let left_out: Vec<_> = job.findings.iter().filter(|f| f.kind == "size_left_out").collect();
        assert_eq!(left_out.iter().map(|f| f.n).collect::<Vec<_>>(), [15, 20, 30].map(Some));
        assert!(left_out[0].message.contains("5474124 at n = 12"), "{}", left_out[0].message);
    }

    /// What grows up to n = 8 and no further grows like anything, if the sizes beyond are not looked at.
    #[test]
    fn families_are_run_at_sizes_that_were_left_out() {
        let mut job = job();
        for (n, cost) in [(6, 454), (7, 1615), (8, 6078)] {
            job.found.insert(n, searched(cost));
        }
        job.leave_out(9, "nothing costs more");
        assert_eq!(job.sizes_in_time(), [6, 7, 8, 9]);
    }

    /// An exact cost may fall: it is the truth.
    #[test]
    fn an_exact_row_stays() {
        let mut job = job();
        job.found.insert(10, searched(500));
        let mut whole = searched(3).walk().clone();
        (whole.complete, whole.guided) = (true, false);
        job.found.insert(11, SizeEvidence::explored(whole, 0.0));
        job.leave_out_starved_sizes();
        assert_eq!(job.found.len(), 2);
    }

    /// Every byte of 7 costs a pass over all; others cost one step.
    fn hidden_square() -> Job {
        hidden_square_on(1)
    }

    fn hidden_square_on(workers: usize) -> Job {
        let text = r#"(module
          (memory (export "memory") 1)
          (func (export "f") (param $a i32) (param $n i32)
            (local $i i32) (local $j i32)
            (loop $each
              (if (i32.eq (i32.load8_u (i32.add (local.get $a) (local.get $i))) (i32.const 7))
                (then
                  (local.set $j (i32.const 0))
                  (loop $pass
                    (local.set $j (i32.add (local.get $j) (i32.const 1)))
                    (br_if $pass (i32.lt_u (local.get $j) (local.get $n))))))
              (local.set $i (i32.add (local.get $i) (i32.const 1)))
              (br_if $each (i32.lt_u (local.get $i) (local.get $n))))))"#;
        let program = Program::new("f.wasm", wat::parse_str(text).expect("it is a module"));
        let program = program.and_then(|p| p.call("f(&u8[n], n)")).expect("it can be called");
        let options = Analysis::of(program).effort(Duration::from_secs(2)).workers(workers);
        Job::new(options.time(Duration::from_secs(600))).expect("it can be analysed")
    }

    /// Small sizes as if they were exact, larger ones as if a validated policy had led there.
    fn claimed(n: u64, cost: u64) -> SizeEvidence {
        claimed_by(n, cost, InputValues::new())
    }

    fn claimed_by(n: u64, cost: u64, input: InputValues) -> SizeEvidence {
        let mut walk = searched(cost).walk().clone();
        let worst = walk.worst.as_mut().expect("a path was searched for");
        worst.test.input = Some(input);
        (walk.complete, walk.guided) = (true, n > 8);
        match n {
            0..=8 => SizeEvidence::explored(walk, 0.0),
            _ => SizeEvidence::followed(walk, Method::Wise, true, 0.0),
        }
    }

    /// A policy that takes no byte for 7, called validated: the attack itself finds the square, takes
    /// the claim away, and spreads what it found over the sizes that were not attacked.
    #[test]
    fn an_attack_that_finds_something_worse_takes_the_claim_away() {
        let mut job = hidden_square();
        for n in [1, 2, 3, 4, 5, 6, 8, 12, 20, 30, 40, 50] {
            job.found.insert(n, claimed(n, 2 * n));
        }
        // As if the sizes so far had taken work.
        job.ran.instructions = 2 * INSTRUCTIONS_PER_SECOND;
        assert!(job.claims());
        job.refute().expect("it can be searched");
        assert!(!job.claims());
        assert!(job.refuting.is_some_and(|tried| tried.runs > 0 && tried.work > 0));
        for n in [12, 20, 30, 40, 50] {
            let cost = job.found[&n].worst_cost();
            assert!(cost >= Some(n * n), "n = {n}: {cost:?}");
        }
    }

    /// Where nothing worse exists, the claim stays, and so does what was tried.
    #[test]
    fn an_attack_that_finds_nothing_leaves_the_claim() {
        let mut job = hidden_square();
        for n in [1, 2, 3, 4, 5, 6, 8, 12, 20, 30] {
            job.found.insert(n, claimed(n, n * n + 2 * n));
        }
        job.ran.instructions = INSTRUCTIONS_PER_SECOND / 10;
        job.refute().expect("it can be searched");
        assert!(job.claims() && job.refuting.is_some_and(|tried| tried.runs > 0));
    }

    /// What an attack begins with is made side by side: what it comes to, and what counts as having been run, is not changed,
    /// whether it refutes a policy at once, later, or not, or a rule of exact sizes.
    #[test]
    fn any_number_of_workers_attacks_in_the_same_way() {
        type Costs = fn(u64) -> u64;
        let true_cost = |n: u64| n * n + 2 * n;
        let cases: [(&[u64], Costs); 4] = [
            (&[1, 2, 3, 4, 5, 6, 8, 12, 20, 30, 40, 50], |n| 2 * n),
            (&[1, 2, 3, 4, 5, 6, 8, 12, 20, 30], true_cost),
            (&[1, 2, 3, 4, 5, 6, 7, 8], |n| 2 * n),
            (&[1, 2, 3, 4, 5, 6, 7, 8], true_cost),
        ];
        let mut refuted = Vec::new();
        for (sizes, cost) in cases {
            let attacked = |workers| {
                let mut job = hidden_square_on(workers);
                for &n in sizes {
                    // Paths are followed near that of the input.
                    let byte = if cost(n) == true_cost(n) { 7 } else { 120 };
                    let at = job.target.at(n).expect("a size");
                    let slots = at.setup.invocation.slots().into_iter();
                    let input = slots.map(|slot| (slot, byte)).collect();
                    job.found.insert(n, claimed_by(n, cost(n), input));
                }
                job.ran.instructions = INSTRUCTIONS_PER_SECOND / 4;
                assert!(job.claims());
                job.refute().expect("it can be searched");
                let costs: Vec<_> = job.found.iter().map(|(n, f)| (*n, f.worst_cost())).collect();
                let refuting = job.refuting.map(|tried| (tried.work, tried.runs));
                let patterns = job.mutator.patterns().to_vec();
                (costs, refuting, patterns, job.claims())
            };
            let one = attacked(1);
            for workers in [2, 5] {
                assert!(attacked(workers) == one, "{workers} workers, {sizes:?}");
            }
            refuted.push(!one.3);
        }
        assert_eq!(refuted, [true, false, true, false]);
    }

    #[test]
    fn training_is_shared_out() {
        let mut job = job();
        let budget = job.budget.clone();
        let trained = job.training(&[], &budget).expect("it can be explored");
        assert_eq!(trained.last().map(|s| (s.n, s.outcome.threads)), Some((8, 3)));
    }
}
