//! The schedule of an analysis: its ladder of sizes, and how work and time are shared out.

use crate::evidence::{self, Cut};
use crate::train::TrainedSize;
use pessimum_clock::{Deadline, Instant};
use pessimum_explore::Budget;
use pessimum_search::INSTRUCTIONS_PER_SECOND;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

/// Work units that a second is reckoned as. Only ratios of budgets depend on it, never results on
/// the speed of the machine.
pub const WORK_PER_SECOND: u64 = 20_000_000;

/// The parts of the effort, each by name. They add up to the whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Small sizes in full, from which policies are learned: a tenth, by contract.
    Training,
    /// Larger sizes in full, by walks that follow each state once. What is not used up is for following
    /// and searching.
    Proving,
    /// Policies tried against each other, and what they meet first at larger sizes.
    Learning,
    /// The model from which path conditions are written down.
    Modelling,
    /// Policies followed at the sizes of the ladder, or single paths where there is no policy.
    Following,
    /// Patterns evolved at small sizes, before the ladder is climbed.
    Evolving,
    /// Inputs run at the sizes of the ladder, for the first time.
    Searching,
    /// A second look: where there is a claim, it is attacked; where there is none, it is searched on.
    /// Half of all, so that it can be as much as everything before it.
    Refuting,
}

/// What the parts are counted in.
const WHOLE: u32 = 60;

impl Part {
    /// All of them, in the order they come.
    #[cfg(test)]
    const ALL: [Part; 8] = [
        Part::Training,
        Part::Proving,
        Part::Learning,
        Part::Modelling,
        Part::Following,
        Part::Evolving,
        Part::Searching,
        Part::Refuting,
    ];

    /// Sixtieths of the effort.
    const fn sixtieths(self) -> u32 {
        match self {
            Part::Training => 6,
            Part::Proving => 6,
            Part::Learning => 4,
            Part::Modelling => 2,
            Part::Following => 6,
            Part::Evolving => 2,
            Part::Searching => 4,
            Part::Refuting => 30,
        }
    }

    /// This part of the effort.
    pub(crate) fn of(self, effort: Duration) -> Duration {
        effort * self.sixtieths() / WHOLE
    }
}

/// One try of a policy at one size, at most. There are some dozens, most of which take next to nothing; the
/// bounds keep a try meaningful within a second and short within an hour.
pub(crate) fn one_trial(effort: Duration) -> u64 {
    let work = work_of(Part::Learning.of(effort) / 6);
    work.clamp(WORK_PER_SECOND / 10, 2 * WORK_PER_SECOND)
}

/// All tries of policies against each other: half of the part, and no less than gets anywhere.
pub(crate) fn all_trials(effort: Duration) -> u64 {
    work_of(Part::Learning.of(effort) / 2).max(WORK_PER_SECOND / 2)
}

/// One try of a policy at a size that was proven, which it has to reach the worst case of. Six times as
/// much is for all of them.
pub(crate) fn one_validation(effort: Duration) -> u64 {
    work_of(Part::Following.of(effort) / 6).max(WORK_PER_SECOND / 10)
}

/// What policies meet first at larger sizes: the other half of the part, and no less than gets anywhere. A third of
/// it is for one run.
pub(crate) fn all_stages(effort: Duration) -> Allowance {
    let work = work_of(Part::Learning.of(effort) / 2).max(WORK_PER_SECOND / 2);
    Allowance { left: work, one: work / 3 }
}

/// One search that follows single paths with terms, where no policy was learned.
pub(crate) fn one_search_with_terms(effort: Duration) -> u64 {
    work_of(Part::Following.of(effort) / 3).min(WORK_PER_SECOND)
}

/// Instructions of one search by running, where it is in doubt what a size costs. A round of searches
/// visits every rung once. `idle` is what others have left of their parts.
pub(crate) fn one_search(effort: Duration, part: Part, idle: Duration) -> u64 {
    instructions_in((part.of(effort) + idle) / rungs(TOP).len() as u32)
}

/// Instructions of one search by running among so many sizes at which nothing can be claimed. They have two
/// thirds of the second look, and patterns have the rest. Where there are sizes to hunt at, that is half of it.
pub(crate) fn one_search_again(effort: Duration, sizes: usize, hunts: bool) -> u64 {
    let all = Part::Refuting.of(effort) * 2 / 3;
    instructions_in(if hunts { all / 2 } else { all } / (sizes as u32).max(1))
}

/// Instructions of the last search by running at a size that was asked for, among so many: a third of the second look.
pub(crate) fn one_hunt(effort: Duration, sizes: usize) -> u64 {
    instructions_in(Part::Refuting.of(effort) / 3 / (sizes as u32).max(1))
}

/// Instructions of following one family of inputs to its ending. Two or three are, at most.
pub(crate) fn one_ending(effort: Duration) -> u64 {
    instructions_in(Part::Refuting.of(effort) / 8)
}

/// Instructions that an attack on a claim has in any case, however little led to the claim.
pub(crate) fn least_attack(effort: Duration) -> u64 {
    instructions_in(Part::Refuting.of(effort) / 16)
}

/// Instructions of evolving patterns, the first time and where nothing can be claimed.
pub(crate) fn evolving(effort: Duration, again: bool) -> u64 {
    instructions_in(if again { Part::Refuting.of(effort) / 3 } else { Part::Evolving.of(effort) })
}

/// Sizes at which patterns are evolved, in pairs: large enough for pieces to be repeated and small enough for
/// thousands of runs first, then about where the ladder ends.
pub(crate) const EVOLVED_AT: [[u64; 2]; 3] = [[16, 33], [64, 129], [256, 513]];

/// Instructions of concrete runs that a time is reckoned as.
pub(crate) fn instructions_in(time: Duration) -> u64 {
    (time.as_millis() as u64).max(1).saturating_mul(INSTRUCTIONS_PER_SECOND / 1000)
}

/// Instructions of concrete runs that take as long as so much work.
pub(crate) fn instructions_of(work: u64) -> u64 {
    work.saturating_mul(INSTRUCTIONS_PER_SECOND / WORK_PER_SECOND)
}

/// The least size that is not always run, and the largest that is looked at unasked, as long as the
/// sizes up to it tell how the cost grows; and the largest of all, where they do not.
const FIRST: u64 = 8;
pub(crate) const TOP: u64 = 300;
pub(crate) const LAST: u64 = 10_000;

/// Round sizes, about a third apart: these and ten times, a hundred times as much.
const ROUND: [u64; 9] = [10, 12, 15, 20, 25, 30, 40, 50, 70];

/// The sizes up to `most` that are searched as well as possible: round ones and powers of two, so that
/// no switch between two of them is far from a size that shows it.
pub(crate) fn rungs(most: u64) -> Vec<u64> {
    let tens = |k: u32| ROUND.map(|n| n.saturating_mul(10u64.saturating_pow(k)));
    let round = (0..=most.max(1).ilog10()).flat_map(tens);
    let powers = (FIRST.ilog2()..=most.max(1).ilog2()).map(|k| 1 << k);
    let all: BTreeSet<u64> = round.chain(powers).filter(|n| (FIRST..=most).contains(n)).collect();
    all.into_iter().collect()
}

/// The sizes up to `most` at which a rule that the rungs suggest is held out: the neighbours of powers
/// of two, where tables grow and recursions change their depth, and primes half-way between, which
/// nothing divides. None is beyond the ladder: there primes would take long to be found.
fn held_out(most: u64) -> Vec<u64> {
    let most = most.min(LAST);
    let is_prime = |n: &u64| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    let around = |k: u32| {
        let power = 1u64 << k;
        let prime = (power..power + power / 2).rev().find(is_prime);
        [power - 1, power + 1].into_iter().chain(prime)
    };
    let all: BTreeSet<u64> = (FIRST.ilog2()..=most.max(1).ilog2()).flat_map(around).collect();
    all.into_iter().filter(|n| (FIRST..=most).contains(n)).collect()
}

/// Rungs and held-out sizes up to `most`, in ascending order.
fn both(most: u64) -> Vec<u64> {
    let all: BTreeSet<u64> = rungs(most).into_iter().chain(held_out(most)).collect();
    all.into_iter().collect()
}

/// Whether a size is there to hold a rule out at, not to be searched for its own sake.
pub(crate) fn is_held_out(n: u64) -> bool {
    held_out(n).contains(&n) && !rungs(n).contains(&n)
}

/// Sizes below the largest that was asked for, so that a fit has something to go by.
/// `known` are those that were run, `largest` is the largest with an answer. Where a rule meets all that
/// is known, it is only held out.
pub(crate) fn between(
    known: &BTreeSet<u64>,
    largest: u64,
    stage_from: Option<u64>,
    has_rule: bool,
) -> Vec<u64> {
    let from = stage_from.unwrap_or(1);
    let larger = |n: &u64| *n >= from + FIRST;
    let all: Vec<u64> = match has_rule {
        true => {
            // A power of two belongs to its neighbours.
            let odd = held_out(largest).into_iter();
            let powers = rungs(largest).into_iter().filter(|n| n.is_power_of_two());
            odd.chain(powers).filter(larger).collect()
        }
        // Every one of the smallest: a program that few sizes can be had of grows fast.
        false => (from..from + FIRST).chain(both(largest).into_iter().filter(larger)).collect(),
    };
    let all: BTreeSet<u64> = all.into_iter().collect();
    all.into_iter().filter(|n| *n < largest && !known.contains(n)).collect()
}

/// Sizes above all that were run, for costs that leave two classes open, or end with a jump; none once
/// they were run. Where the ladder was not climbed to its end there is no climbing on.
pub(crate) fn beyond(largest: u64) -> Vec<u64> {
    if largest < TOP {
        return Vec::new();
    }
    beyond_all(largest)
}

/// The rungs above a size.
pub(crate) fn beyond_all(largest: u64) -> Vec<u64> {
    rungs(LAST).into_iter().filter(|n| *n > largest).collect()
}

/// Sizes beyond the largest at which a rule of exact sizes is attacked: the next one, the end of the
/// ladder, where a change of algorithm is most likely to show, and one half-way.
pub(crate) fn attacked_beyond(largest: u64) -> Vec<u64> {
    let above = beyond_all(largest);
    match above.first() {
        Some(&next) if next < TOP => {
            let half = above.iter().copied().find(|n| n * n >= next * TOP).unwrap_or(next);
            let all = BTreeSet::from([next, half, TOP]);
            all.into_iter().collect()
        }
        _ => above.into_iter().take(3).collect(),
    }
}

/// Sizes at which a rule is held out beyond the largest that was run: half octaves, odd ones and even ones in turn, as far as there is
/// work. They end three octaves beyond the ladder: programs have buffers of fixed sizes, and what they do beyond those is no growth of
/// theirs.
pub(crate) fn beyond_the_rule(largest: u64) -> Vec<u64> {
    let last = largest.max(TOP).saturating_mul(8);
    let size = |step: u32| (largest.max(1) as f64 * f64::from(step).exp2().sqrt()) as u64;
    let in_turn = |step: u32| size(step) & !1 | u64::from(step % 2);
    (1..).map(in_turn).take_while(|n| *n <= last).filter(|n| *n > largest).collect()
}

/// Sizes worth looking at: those around the training sizes and on to a few hundred.
pub(crate) fn ladder(trained: &[TrainedSize]) -> Vec<u64> {
    let last = trained.last().map_or(1, |s| s.n);
    both(TOP).into_iter().filter(|n| *n > last.min(FIRST)).collect()
}

/// Up to here every size is proven: the smallest that training leaves out cost little, and they tell
/// how the cost of odd sizes differs from that of even ones.
const EVERY: u64 = 2 * FIRST;

/// Sizes beyond `trained` and up to `most` that are proven first, in ascending order: rungs, and sizes
/// half-way between powers of two; for a program that halves they lie between its extremes.
pub(crate) fn proven_first(trained: u64, most: u64) -> Vec<u64> {
    let halfway = (1..).map(|k| 3u64 << k).take_while(|n| *n <= most);
    let every = (trained + 1..=EVERY.min(most)).chain(rungs(most)).chain(halfway);
    let all: BTreeSet<u64> = every.filter(|n| *n > trained).collect();
    all.into_iter().collect()
}

/// Sizes beyond `trained` that are proven with what is left: where a rule is held out, up to the
/// largest that was.
pub(crate) fn proven_then(trained: u64, largest: u64) -> Vec<u64> {
    held_out(largest).into_iter().filter(|n| *n > trained).collect()
}

/// Whether proofs reach far enough beyond what was trained on to tell a class by: twice as far, and two
/// octaves beyond the sizes that are always run, since that is where programs that have an algorithm for
/// few values and one for many change from one to the other.
pub(crate) fn is_far_beyond(trained: u64, largest: u64) -> bool {
    largest >= 4 * FIRST && largest >= 2 * trained
}

/// What a walk of size `n` takes, if walks go on growing as a power of the size: (size, work) of the
/// last two that ended are known.
pub(crate) fn expected_work(n: u64, before: (u64, u64), last: (u64, u64)) -> u64 {
    let log = |(a, b): (u64, u64)| (b.max(1) as f64 / a.max(1) as f64).ln();
    let power = log((before.1, last.1)) / log((before.0, last.0)).max(f64::MIN_POSITIVE);
    let growth = (n as f64 / last.0.max(1) as f64).powf(power.max(0.0));
    (last.1 as f64 * growth) as u64
}

/// Sizes at which it is looked whether a policy meets something new.
pub(crate) fn probes(trained: u64, largest: u64) -> Vec<u64> {
    let last = TOP.min(largest);
    rungs(last).into_iter().filter(|n| (trained + 1..last).contains(n)).chain([last]).collect()
}

/// Sizes worth looking at where every size is explored in full: the larger half of those that were,
/// and further ones as far as a quarter of the work goes, if they go on growing as the last did.
pub(crate) fn ladder_in_full(trained: &[TrainedSize], work: u64) -> Vec<u64> {
    let last = trained.last().map_or(0, |s| s.n);
    let work_at = |from_last: usize| {
        let size = trained.iter().rev().nth(from_last);
        size.map_or(1.0, |s| s.outcome.work.max(1) as f64)
    };
    let growth = (work_at(0) / work_at(1)).max(1.0);
    let affordable = |n: &u64| work_at(0) * growth.powf((n - last) as f64) <= work as f64 / 4.0;
    let half = trained.iter().map(|s| s.n).filter(|n| 2 * n > last);
    let further = ladder(trained).into_iter().filter(|n| *n > last).take_while(affordable);
    half.chain(further).collect()
}

/// A run that takes less than this part of what is left is cheap.
const CHEAP: u64 = 64;

/// The end of an analysis, which takes some time whether or not there is any left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending {
    until: Instant,
}

impl Ending {
    /// What is left, and a tenth of the whole. The guard of the command leaves four tenths.
    pub(crate) fn from_now(budget: &Budget, time: Duration) -> Ending {
        let left = budget.deadline.left().unwrap_or(time);
        Ending { until: Instant::now() + left + time / 10 }
    }

    /// When it is over.
    pub(crate) fn deadline(self) -> Deadline {
        Deadline::at(self.until)
    }

    /// Whether a run of so many instructions is likely to be over in time.
    pub(crate) fn has_time_for(self, instructions: u64) -> bool {
        let left = self.until.saturating_duration_since(Instant::now());
        !left.is_zero() && instructions <= instructions_in(left)
    }
}

/// Work for many steps, of which nobody knows how many there will be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    left: u64,
    /// What one step may take.
    one: u64,
}

impl Allowance {
    /// The limit of the next step.
    pub(crate) fn next(&self) -> u64 {
        self.left.min(self.one)
    }

    /// Takes off what a step took.
    pub(crate) fn spend(&mut self, work: u64) {
        self.left = self.left.saturating_sub(work);
    }

    /// Whether nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }
}

/// What of the work is for following policies, and how much of it the next size gets.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Share {
    left: u64,
    /// The part of what is left that one size may take.
    part: u64,
}

impl Share {
    pub(crate) fn new(total: u64) -> Share {
        Share { left: total, part: 3 }
    }

    /// The limit of the next size; none where there is none for all of them.
    pub(crate) fn next(&self) -> Option<u64> {
        (self.left < u64::MAX).then_some(self.left / self.part)
    }

    /// Takes off what a size took. A policy that leads to many paths, or to less than a search
    /// found, gets less and less of what is left; one that takes next to nothing may go on.
    pub(crate) fn spend(&mut self, work: u64, straight: bool, surpassed: bool) {
        if self.left < u64::MAX {
            self.left = self.left.saturating_sub(work);
            let cheap = work.saturating_mul(CHEAP) < self.left;
            let worth_it = straight && (cheap || !surpassed);
            self.part = if worth_it { 3 } else { self.part.saturating_mul(4) };
        }
    }

    /// Whether too little is left for a policy to get anywhere.
    pub(crate) fn is_spent(&self) -> bool {
        self.next().is_some_and(|work| work < WORK_PER_SECOND / 200)
    }
}

/// A time in units of work.
pub(crate) fn work_of(time: Duration) -> u64 {
    (time.as_millis() as u64).saturating_mul(WORK_PER_SECOND / 1000)
}

/// The time that some work is reckoned as.
pub(crate) fn time_of(work: u64) -> Duration {
    Duration::from_millis(work / (WORK_PER_SECOND / 1000))
}

/// A budget that ends when a third of the time that is left has passed: on a slow machine the work
/// for what comes first must not take the time of all the rest.
pub(crate) fn a_part_of(budget: &Budget) -> Budget {
    one_of(budget, 3)
}

/// A budget for the first of so many steps of equal length.
pub(crate) fn one_of(budget: &Budget, steps: u32) -> Budget {
    Budget { deadline: budget.deadline.first_of(steps), ..budget.clone() }
}

/// A budget that leaves a tenth of the time: the family of inputs that growth is read from is run at every size and
/// beyond, and without it nothing is said of growth.
pub(crate) fn but_the_family(budget: &Budget) -> Budget {
    Budget { deadline: budget.deadline.last_of(10), ..budget.clone() }
}

/// What ends the run at this moment, if anything.
pub(crate) fn cut_by_now(budget: &Budget) -> Option<Cut> {
    budget.stopped_by().map(evidence::cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_takes_a_tenth_beyond_the_time_and_no_more() {
        let over = Budget { deadline: Deadline::at(Instant::now()), ..Budget::default() };
        let ending = Ending::from_now(&over, Duration::from_secs(10_000));
        assert!(ending.has_time_for(100 * INSTRUCTIONS_PER_SECOND));
        assert!(!ending.has_time_for(1001 * INSTRUCTIONS_PER_SECOND));
        assert!(!Ending::from_now(&over, Duration::ZERO).has_time_for(0));
    }

    #[test]
    fn the_greatest_size_of_all_takes_no_time() {
        assert!(!is_held_out(u64::MAX) && !is_held_out(u64::MAX - 1));
        assert!(rungs(u64::MAX).contains(&(1 << 63)));
        assert!(is_held_out(129) && !is_held_out(128));
    }

    #[test]
    fn the_parts_add_up_to_the_whole() {
        let sum: u32 = Part::ALL.into_iter().map(Part::sixtieths).sum();
        assert_eq!(sum, WHOLE);
        // A claim is attacked with as much as everything before it may take.
        assert_eq!(2 * Part::Refuting.sixtieths(), WHOLE);
        let minute = Duration::from_secs(60);
        assert_eq!(Part::Training.of(minute), Duration::from_secs(6));
    }

    #[test]
    fn a_round_of_searches_takes_its_part() {
        let minute = Duration::from_secs(60);
        let visits = rungs(TOP).len() as u64;
        let idle = Part::Following.of(minute);
        for (part, idle) in [
            (Part::Searching, Duration::ZERO),
            (Part::Searching, idle),
            (Part::Refuting, Duration::ZERO),
        ] {
            let all = visits * one_search(minute, part, idle);
            let whole = (part.of(minute) + idle).as_secs() * INSTRUCTIONS_PER_SECOND;
            assert!(all <= whole && all >= whole * 9 / 10, "{part:?}: {all} of {whole}");
        }
    }

    #[test]
    fn the_ladder_has_powers_of_two_their_neighbours_and_primes() {
        let ladder = both(TOP);
        assert_eq!(
            ladder,
            [
                8, 9, 10, 11, 12, 15, 16, 17, 20, 23, 25, 30, 31, 32, 33, 40, 47, 50, 63, 64, 65,
                70, 89, 100, 120, 127, 128, 129, 150, 191, 200, 250, 255, 256, 257, 300
            ]
        );
        for k in 4..=8 {
            let power = 1 << k;
            assert!([power - 1, power, power + 1].iter().all(|n| ladder.contains(n)), "{power}");
        }
        // Every residue of the small divisors is there, among the larger sizes as well.
        for divisor in 2..=5 {
            for residue in 0..divisor {
                assert!(ladder.iter().any(|n| *n > 30 && n % divisor == residue));
            }
        }
        // No two are further apart than by a half.
        assert!(ladder.windows(2).all(|w| 2 * w[1] <= 3 * w[0]), "{ladder:?}");
    }

    #[test]
    fn rules_are_held_out_three_octaves_beyond_the_ladder() {
        assert_eq!(beyond_the_rule(300), [425, 600, 849, 1200, 1697, 2400]);
        let from_few = beyond_the_rule(1);
        assert!(from_few.iter().is_sorted() && from_few.last() > Some(&1600), "{from_few:?}");
        assert_eq!(beyond_the_rule(10_000).last(), Some(&80_000));
    }

    #[test]
    fn proofs_leave_out_no_small_size_and_no_power_of_two() {
        let first = proven_first(10, 70);
        assert_eq!(
            first,
            [11, 12, 13, 14, 15, 16, 20, 24, 25, 30, 32, 40, 48, 50, 64, 70],
            "an ascent that a switch of algorithm cannot hide between the steps of"
        );
        assert_eq!(proven_first(3, 6), [4, 5, 6]);
        assert_eq!(proven_then(10, 40), [11, 15, 17, 23, 31, 33]);
        assert_eq!(expected_work(20, (5, 25), (10, 100)), 400);
        assert_eq!(attacked_beyond(64), [70, 150, 300]);
        assert_eq!(attacked_beyond(TOP), [400, 500, 512]);
    }

    #[test]
    fn a_rule_of_sizes_asked_for_is_held_out_below_them() {
        let known = BTreeSet::from([1, 2, 3, 4, 5, 6, 10, 16, 20, 31, 40, 60]);
        assert_eq!(between(&known, 60, None, true), [9, 11, 15, 17, 23, 32, 33, 47]);
        let without = between(&known, 60, None, false);
        assert!(without.contains(&7) && without.contains(&33) && without.contains(&50));
    }

    #[test]
    fn the_ladder_goes_on_only_from_its_end() {
        assert!(beyond(200).is_empty());
        assert_eq!(beyond(TOP)[..3], [400, 500, 512]);
        assert_eq!(beyond(LAST), [0; 0]);
    }
}
