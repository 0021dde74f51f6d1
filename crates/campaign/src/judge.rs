//! The one judge: evidence in; basis, bound, class and verdict out.
//!
//! `analyze`, `check`, the line of progress and the page all ask it, so that they cannot disagree.

use crate::evidence::{Claim, Cut, Method};
use pessimum_fit::{Class, Fit, Point, fit, fit_family, has_law_with, lasts};
use pessimum_report::document::{Basis, Bound};
use pessimum_search::{Family, Remainder};
use std::cell::RefCell;

/// One size, as far as a judgement depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizeClaim {
    /// The size.
    pub n: u64,
    /// The cost of the worst input that is known; `None` if none ended normally.
    pub cost: Option<u64>,
    /// What may be claimed of it.
    pub claim: Claim,
}

/// A whole run, as far as a judgement depends on it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Evidence {
    /// The sizes that were run, in ascending order.
    pub sizes: Vec<SizeClaim>,
    /// One family of inputs, the same recipe at all sizes: what growth is read from where costs were only reached.
    pub family: Option<Family>,
    /// The last size at which something new was met and learned, if there was one.
    pub stage_from: Option<u64>,
    /// What cut the run, if anything did.
    pub cut: Option<Cut>,
    /// Whether the two engines disagree on an input of this run.
    pub disagreed: bool,
    /// Whether the run ended before what it shows could be attacked: then nothing is proven or validated.
    pub unattacked: bool,
    /// Whether sizes were looked at and have no row, since less was found there than at smaller ones. A row would have said that its cost
    /// was merely reached: to leave it out makes nothing surer.
    pub starved: bool,
    /// Whether an exact rule of these sizes is missed by a little at others, which have no row.
    pub missed: bool,
}

/// What the evidence of a run comes to.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// What the costs rest on.
    pub basis: Basis,
    /// Whether the class is that of the worst case, or of inputs that were found.
    pub bound: Bound,
    /// The class and the formula, with everything that was tried.
    pub fit: Fit,
}

/// Why a run that shows nothing worse does not show that there is nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// The two engines disagree.
    Disagreement,
    /// No size, or not this one, has a cost.
    NotReached,
    /// The costs do not tell a class.
    NoClass,
    /// The run was cut.
    Cut(Cut),
    /// A policy was followed that is not validated, or not to its end.
    NotValidated,
    /// Only a search found the costs of some sizes.
    Searched,
}

/// How a run stands to a bound.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Standing {
    /// Proven or validated, and inside.
    Within,
    /// Beyond, with inputs that show it.
    Worse,
    /// The evidence does not say.
    Open(Doubt),
}

/// Judges a run.
///
/// ```
/// use pessimum_campaign::{Claim, Evidence, SizeClaim, Standing, judge};
/// use pessimum_fit::Class;
///
/// let sizes = (1..=9).map(|n| SizeClaim { n, cost: Some(n * n), claim: Claim::Exact }).collect();
/// let evidence = Evidence { sizes, ..Evidence::default() };
/// let judgement = judge(&evidence);
/// assert_eq!(judgement.class(), Some(Class::Quadratic));
/// assert_eq!(judgement.at_most(&evidence, Class::Quadratic), Standing::Within);
/// assert_eq!(judgement.at_most(&evidence, Class::Linear), Standing::Worse);
/// ```
pub fn judge(evidence: &Evidence) -> Judgement {
    let basis = basis(evidence);
    let fit = if evidence.disagreed { fit(&[]) } else { told(evidence).1 };
    Judgement { basis, bound: basis.bound(), fit }
}

/// The bound of what a run shows, which takes no fit.
pub(crate) fn bound(evidence: &Evidence) -> Bound {
    basis(evidence).bound()
}

/// What the costs rest on.
fn basis(evidence: &Evidence) -> Basis {
    // A run on which the engines disagree shows a bug of ours, and nothing of the program.
    if evidence.unattacked || evidence.disagreed || evidence.starved {
        return Basis::LowerBound;
    }
    let mut exact = 0;
    let mut others = 0;
    for size in evidence.sizes.iter().filter(|s| s.cost.is_some()) {
        match size.claim {
            Claim::Exact => exact += 1,
            Claim::Followed { validated: true, .. } => others += 1,
            Claim::Followed { validated: false, .. } | Claim::Reached { .. } => {
                return Basis::LowerBound;
            }
        }
    }
    match (exact, others) {
        // All of nothing proves nothing, and a policy is validated on exact sizes or not at all.
        (0, _) => Basis::LowerBound,
        (_, 0) => Basis::Proven,
        _ => Basis::Validated,
    }
}

/// The class that may be said: the one that the costs tell or, of costs that were merely reached, the least
/// that they leave. That something costs at least a constant is so of everything.
fn said(fit: &Fit, bound: Bound) -> Option<Class> {
    let says_something = |least: &Class| *least > Class::Constant || fit.left.len() == 1;
    match bound {
        Bound::Exact => fit.class,
        Bound::AtLeast => fit.at_least().filter(says_something),
    }
}

/// The costs that a class is told from, and what they tell: sizes below a switch of algorithm say nothing about what
/// comes after it, if those beyond tell a class alone.
pub(crate) fn told(evidence: &Evidence) -> (Vec<Point>, Fit) {
    let family = evidence.family.as_ref().filter(|_| basis(evidence) == Basis::LowerBound);
    let with_fit = |points: Vec<Point>| {
        let mut fit = if family.is_some() { fit_family(&points) } else { fit_once(&points) };
        if evidence.missed {
            fit.miss();
        }
        (points, fit)
    };
    let beyond = evidence.stage_from.map(|from| with_fit(points_from(evidence, from)));
    let telling = beyond.filter(|(_, fit)| said(fit, bound(evidence)).is_some());
    let told = telling.unwrap_or_else(|| with_fit(points_from(evidence, 0)));
    match family {
        Some(family) => to_the_end(family, told),
        None => told,
    }
}

thread_local! {
    /// What the points that were fitted last came to.
    static FITTED: RefCell<Option<(Vec<Point>, Fit)>> = const { RefCell::new(None) };
}

/// A fit takes as long as some thousand runs, and the steps of an analysis ask for that of the same points one after the other.
fn fit_once(points: &[Point]) -> Fit {
    FITTED.with_borrow_mut(|fitted| match fitted {
        Some((known, fit)) if known == points => fit.clone(),
        _ => fitted.insert((points.to_vec(), fit(points))).1.clone(),
    })
}

/// What a family tells: nothing that its ending excludes, and no power without a name that the ending alone does not tell. Of one that was not chosen for its cost, nothing that does not last; of one
/// that there was no time to follow, the last octaves of what it was run at are the ending, and show no such power.
fn to_the_end(family: &Family, (points, mut told): (Vec<Point>, Fit)) -> (Vec<Point>, Fit) {
    let ending = match family.unfollowed {
        true => reached(&family.own_ending()),
        false => reached(&family.ending),
    };
    let Some(class) = told.at_least().filter(|_| !ending.is_empty()) else {
        return (points, told);
    };
    // Random inputs are not chosen for what they cost: what they show has to last.
    if !family.is_chosen() && !lasts(&ending, class) {
        return (points, fit(&[]));
    }
    if !family.costly {
        return (points, told);
    }
    let last = fit_family(&ending);
    if last.left.last().is_some_and(|most| *most < class) {
        return (ending, last);
    }
    // A power without a name is rare, and what bends may look like one.
    let rare = matches!(class, Class::Power(_));
    let shown = if family.unfollowed { Some(Class::Linear) } else { last.at_least() };
    if let Some(shown) = shown.filter(|shown| rare && *shown < class) {
        told.leave(shown);
    }
    (points, told)
}

fn reached(costs: &[(u64, u64)]) -> Vec<Point> {
    costs.iter().map(|&(n, cost)| Point::reached(n, cost)).collect()
}

/// What a family costs at sizes beyond those that are known; `None` where there was no time.
type Followed<E> = Result<Option<Vec<(u64, u64)>>, E>;

/// The family whose costs show the steepest growth; of equal ones the first. It has to be as steep in its ending, to which
/// `follow` goes, and where it is steeper than a line `beyond` it as well: lists that take no more keys are a square until they are
/// full. One that is steep where it costs less than another is not believed unless the other may be as
/// steep: what is still cheap may bend before it is dear. One that tells nothing, or tells less in its ending, may do so `at_a_remainder`
/// of the sizes.
pub(crate) fn steepest<E>(
    evidence: &Evidence,
    mut families: Vec<Family>,
    follow: impl Fn(&Family) -> Followed<E>,
    beyond: impl Fn(&Family) -> Followed<E>,
    at_a_remainder: impl Fn(&Family) -> Result<Remainder, E>,
) -> Result<Option<Family>, E> {
    let fit_of =
        |family: &Family| told(&Evidence { family: Some(family.clone()), ..evidence.clone() }).1;
    let mut fits: Vec<Fit> = families.iter().map(fit_of).collect();
    for (family, fit) in families.iter_mut().zip(&mut fits) {
        if fit.at_least() <= Some(Class::Constant) {
            family.remainder = at_a_remainder(family)?;
            if family.remainder != Remainder::ALL {
                *fit = fit_of(family);
            }
        }
    }
    let mut followed = vec![0; families.len()];
    while let Some(at) = steepest_of(&families, &fits) {
        let family = &mut families[at];
        let is_steep = fits[at].at_least() > Some(Class::Linear);
        match followed[at] {
            0 => {
                let ending = follow(family)?;
                family.unfollowed = ending.is_none();
                family.ending = ending.unwrap_or_default();
                let tells_less = || fit_of(family).at_least() < fits[at].at_least();
                if family.remainder == Remainder::ALL && tells_less() {
                    family.remainder = at_a_remainder(family)?;
                    if family.remainder != Remainder::ALL {
                        family.ending = follow(family)?.unwrap_or_default();
                    }
                }
            }
            1 if is_steep => family.ending.extend(beyond(family)?.into_iter().flatten()),
            _ => return Ok(Some(families.swap_remove(at))),
        }
        followed[at] += 1;
        if family.is_chosen() || !family.ending.is_empty() {
            fits[at] = fit_of(family);
        } else {
            families.remove(at);
            fits.remove(at);
            followed.remove(at);
        }
    }
    Ok(None)
}

/// The steepest of families that tell this.
fn steepest_of(families: &[Family], fits: &[Fit]) -> Option<usize> {
    let is_denied = |at: usize| {
        let class = fits[at].at_least();
        let dearer = |other: usize| is_dearer(&families[other], &families[at]);
        let may_be = |other: usize| fits[other].left.iter().max().copied() >= class;
        (0..families.len())
            .any(|other| dearer(other) && !fits[other].left.is_empty() && !may_be(other))
    };
    let mut best: Option<usize> = None;
    for at in (0..families.len()).filter(|at| !is_denied(*at)) {
        if best.is_none_or(|best| fits[at].at_least() > fits[best].at_least()) {
            best = Some(at);
        }
    }
    best
}

/// Whether a family costs more than another at the largest size that both have.
fn is_dearer(one: &Family, other: &Family) -> bool {
    let at = |n: u64| other.costs.iter().find(|(m, _)| *m == n).map(|(_, cost)| *cost);
    one.costs.iter().rev().find_map(|(n, cost)| Some(*cost > at(*n)?)).unwrap_or(false)
}

/// An exact rule of the costs that says what a size costs. One that was found before is taken as long as it holds; where no law says
/// so, to know that takes little.
pub(crate) fn foretelling(
    evidence: &Evidence,
    (n, cost): (u64, u64),
    before: Option<Fit>,
) -> Option<Fit> {
    let says = |rule: &Fit, (n, cost): (u64, u64)| {
        let foretold = rule.candidates.first().and_then(|rule| rule.predict(n));
        foretold == Some(cost as f64)
    };
    let stage = evidence.stage_from.unwrap_or(0);
    let holds = |rule: &Fit| {
        let from = stage.max(rule.holds_from.unwrap_or(0));
        let points = points_from(evidence, from);
        !points.is_empty() && points.iter().all(|point| says(rule, (point.n, point.cost)))
    };
    let known = before.filter(holds).or_else(|| {
        let law = |from: u64| has_law_with(&points_from(evidence, from), (n, cost));
        (law(stage) || law(0)).then(|| told(evidence).1).filter(Fit::is_exact)
    });
    known.filter(|rule| says(rule, (n, cost)))
}

/// Whether all sizes are exact and tell the class, those from the last switch of algorithm on alone.
pub(crate) fn is_told_exactly(evidence: &Evidence) -> bool {
    basis(evidence) == Basis::Proven
        && fit(&points_from(evidence, evidence.stage_from.unwrap_or(0))).class.is_some()
}

fn points_from(evidence: &Evidence, from: u64) -> Vec<Point> {
    let basis = basis(evidence);
    let mut points: Vec<Point> = Vec::new();
    // The best of each size would bend with how well the search did there.
    if let Some(family) = evidence.family.as_ref().filter(|_| basis == Basis::LowerBound) {
        let mut points = reached(&family.telling());
        points.retain(|point| point.n >= from);
        return points;
    }
    for size in evidence.sizes.iter().filter(|s| s.n >= from) {
        let Some(cost) = size.cost else { continue };
        if size.claim.is_exact() {
            points.push(Point::exact(size.n, cost));
        } else if basis != Basis::LowerBound || points.iter().all(|p| p.cost <= cost) {
            points.push(Point::reached(size.n, cost));
        }
        // Else a search did not even reach the cost of a smaller size: that tells of the search, and
        // nothing of how the program grows.
    }
    points
}

impl Judgement {
    /// The class, if the evidence carries one.
    pub fn class(&self) -> Option<Class> {
        said(&self.fit, self.bound)
    }

    /// How a run stands to a class that it may not exceed.
    pub fn at_most(&self, evidence: &Evidence, bound: Class) -> Standing {
        if evidence.disagreed {
            return Standing::Open(Doubt::Disagreement);
        }
        match self.class() {
            Some(class) if class > bound => Standing::Worse,
            _ if self.bound == Bound::AtLeast || self.class().is_none() => {
                Standing::Open(self.doubt(evidence))
            }
            _ => match evidence.cut {
                Some(cut) => Standing::Open(Doubt::Cut(cut)),
                None => Standing::Within,
            },
        }
    }

    /// How one size stands to a cost that it may not exceed.
    pub fn at_size(&self, evidence: &Evidence, n: u64, limit: u64) -> Standing {
        if evidence.disagreed {
            return Standing::Open(Doubt::Disagreement);
        }
        let size = evidence.sizes.iter().find(|s| s.n == n);
        let Some((size, cost)) = size.and_then(|s| Some((s, s.cost?))) else {
            return Standing::Open(Doubt::NotReached);
        };
        match size.claim {
            _ if cost > limit => Standing::Worse,
            Claim::Exact => Standing::Within,
            Claim::Followed { validated: true, .. }
                if self.basis == Basis::Validated && evidence.cut.is_none() =>
            {
                Standing::Within
            }
            _ => Standing::Open(self.doubt(evidence)),
        }
    }

    /// Why nothing good is said of a run that shows nothing bad.
    fn doubt(&self, evidence: &Evidence) -> Doubt {
        if let Some(cut) = evidence.cut {
            return Doubt::Cut(cut);
        }
        if evidence.sizes.iter().all(|s| s.cost.is_none()) {
            return Doubt::NotReached;
        }
        let searched = |s: &SizeClaim| s.claim == Claim::Reached { by: Method::Search };
        match self.bound {
            Bound::Exact => Doubt::NoClass,
            Bound::AtLeast if evidence.sizes.iter().any(searched) => Doubt::Searched,
            Bound::AtLeast => Doubt::NotValidated,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pessimum_entry::host::Seeded;
    use pessimum_search::FamilyRecipe;

    fn size(n: u64, cost: u64, claim: Claim) -> SizeClaim {
        SizeClaim { n, cost: Some(cost), claim }
    }

    const FOLLOWED: Claim = Claim::Followed { policy: Method::Wise, validated: true };
    const REACHED: Claim = Claim::Reached { by: Method::Search };

    fn squares(claim: impl Fn(u64) -> Claim) -> Evidence {
        let sizes = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100];
        let sizes = sizes.map(|n| size(n, n * n + 1, claim(n)));
        Evidence { sizes: sizes.to_vec(), ..Evidence::default() }
    }

    fn beyond_six(claim: Claim) -> impl Fn(u64) -> Claim {
        move |n| if n <= 6 { Claim::Exact } else { claim }
    }

    #[test]
    fn nothing_is_proven_from_nothing() {
        let empty = judge(&Evidence::default());
        assert_eq!((empty.basis, empty.bound), (Basis::LowerBound, Bound::AtLeast));
        let no_cost = SizeClaim { n: 3, cost: None, claim: Claim::Exact };
        let trapped = judge(&Evidence { sizes: vec![no_cost], ..Evidence::default() });
        assert_eq!((trapped.basis, trapped.class()), (Basis::LowerBound, None));
    }

    #[test]
    fn exact_sizes_prove_and_a_validated_policy_goes_on() {
        let proven = judge(&squares(|_| Claim::Exact));
        assert_eq!((proven.basis, proven.bound), (Basis::Proven, Bound::Exact));
        assert_eq!(proven.class(), Some(Class::Quadratic));
        let validated = judge(&squares(beyond_six(FOLLOWED)));
        assert_eq!((validated.basis, validated.bound), (Basis::Validated, Bound::Exact));
    }

    #[test]
    fn nothing_is_validated_without_an_exact_size() {
        let judged = judge(&squares(|_| FOLLOWED));
        assert_eq!((judged.basis, judged.bound), (Basis::LowerBound, Bound::AtLeast));
    }

    #[test]
    fn one_size_that_was_only_reached_makes_a_lower_bound() {
        let mut evidence = squares(beyond_six(FOLLOWED));
        evidence.sizes[8].claim = REACHED;
        let judged = judge(&evidence);
        assert_eq!((judged.basis, judged.bound), (Basis::LowerBound, Bound::AtLeast));
    }

    /// A search that catches up late bends the best of each size; one family does not bend.
    #[test]
    fn reached_growth_is_that_of_one_family() {
        let mut evidence = squares(beyond_six(REACHED));
        let costs = evidence.sizes.iter().map(|s| (s.n, 3 * s.n + 2)).collect();
        evidence.family = Some(Family { costs, ..Family::of(FamilyRecipe::Fill(0)) });
        let judged = judge(&evidence);
        assert_eq!((judged.bound, judged.class()), (Bound::AtLeast, Some(Class::Linear)));
        // What is exact or validated needs none.
        let proven = Evidence { family: evidence.family, ..squares(|_| Claim::Exact) };
        assert_eq!(judge(&proven).class(), Some(Class::Quadratic));
    }

    /// Where a program takes every fourth size alone, growth is that at those, whether others were among those that were run or not.
    #[test]
    fn growth_may_be_that_at_a_remainder() {
        let evidence = squares(beyond_six(REACHED));
        let cost = |n: u64| (n, if n.is_multiple_of(4) { n * n } else { 2 });
        let fourth = Remainder { divisor: 4, left: 0 };
        for step in [1, 4] {
            let costs = (1..=40).map(|k| cost(k * step)).collect();
            let blocks = Family { costs, ..Family::of(FamilyRecipe::Fill(0)) };
            let follow = |family: &Family| {
                let sizes =
                    (200..=400).map(|n| if family.remainder == fourth { 4 * n } else { 2 * n + 1 });
                Ok::<_, ()>(Some(sizes.map(cost).collect()))
            };
            let nowhere = |_: &Family| Ok(None);
            let chosen = steepest(&evidence, vec![blocks], follow, nowhere, |_| Ok(fourth));
            let chosen = chosen.expect("nothing can fail").expect("it grows");
            assert_eq!(chosen.remainder, fourth);
            let told = told(&Evidence { family: Some(chosen), ..evidence.clone() }).1;
            assert_eq!(told.at_least(), Some(Class::Quadratic), "{step}");
        }
    }

    /// The steepest counts, but for one that costs less than a family which is known to be flatter.
    #[test]
    fn growth_is_read_where_it_is_steepest() {
        let evidence = squares(beyond_six(REACHED));
        let family = |seed: u64, cost: fn(u64) -> u64| Family {
            costs: (1..=12).map(|k| (1 << k, cost(1 << k))).collect(),
            ..Family::of(FamilyRecipe::Fill(seed))
        };
        let line = family(0, |n| 2 * n);
        let sorts = family(1, |n| 3 * n * u64::from(n.ilog2()) + 7);
        let again = family(2, |n| 2 * n * u64::from(n.ilog2()));
        let steepest = |families| {
            let nowhere = |_: &Family| Ok::<_, ()>(Some(Vec::new()));
            let everywhere = |_: &Family| Ok(Remainder::ALL);
            steepest(&evidence, families, nowhere, nowhere, everywhere).expect("nothing can fail")
        };
        let chosen = steepest(vec![line.clone(), sorts.clone(), again]);
        assert_eq!(chosen, Some(sorts.clone()));
        let dear = family(3, |n| 1_000_000 + 2 * n);
        let chosen = steepest(vec![dear.clone(), sorts.clone(), line.clone()]);
        assert_eq!(chosen, Some(dear.clone()));
        // What was not followed as far is compared where it was.
        let near = Family { costs: sorts.costs[..9].to_vec(), ..sorts };
        assert_eq!(steepest(vec![line, near.clone()]), Some(near));
    }

    /// Costs at the sizes of an ending.
    fn ending(largest: f64, mut cost: impl FnMut(u64) -> u64) -> Vec<(u64, u64)> {
        let size = |k: u32| (largest / 2f64.powf(f64::from(16 - k) / 4.0)) as u64 | 1;
        (0..=16).map(size).map(|n| (n, cost(n))).collect()
    }

    /// A line that looks like more where tables fill, and shows what it is beyond.
    #[test]
    fn growth_has_to_hold_in_the_ending() {
        let evidence = squares(beyond_six(REACHED));
        let cost = |n: u64| if n <= 256 { n * n } else { 256 * n };
        let bends = Family {
            costs: (1..=8).map(|k| (1 << k, cost(1 << k))).collect(),
            ..Family::of(FamilyRecipe::Fill(0))
        };
        let line = Family {
            costs: bends.costs.iter().map(|(n, _)| (*n, 2 * n)).collect(),
            ..Family::of(FamilyRecipe::Fill(1))
        };
        let class = |costly: bool, largest: Option<f64>| {
            let follow = |family: &Family| match (&family.recipe, largest) {
                (FamilyRecipe::Fill(0), Some(0.0)) => Ok::<_, ()>(None),
                (FamilyRecipe::Fill(0), Some(largest)) => Ok(Some(ending(largest, cost))),
                _ => Ok(Some(Vec::new())),
            };
            let families = vec![line.clone(), Family { costly, ..bends.clone() }];
            let beyond = |_: &Family| Ok(None);
            let chosen = steepest(&evidence, families, follow, beyond, |_| Ok(Remainder::ALL));
            let chosen = chosen.expect("nothing can fail");
            judge(&Evidence { family: chosen, ..evidence.clone() }).class()
        };
        assert_eq!(class(true, None), Some(Class::Quadratic));
        assert_eq!(class(true, Some(16384.0)), Some(Class::Linear));
        assert_eq!(class(true, Some(0.0)), Some(Class::Quadratic), "there was no time");
        // What was chosen for anything but its cost is believed only where it was followed, and lasts.
        assert_eq!(class(false, None), Some(Class::Linear));
        assert_eq!(class(false, Some(255.0)), Some(Class::Quadratic));
        for octave in 1..=6 {
            let largest = 256.0 * 2f64.powi(octave);
            assert_eq!(class(false, Some(largest)), Some(Class::Linear), "up to {largest}");
        }
    }

    /// Lists that take no more keys are full beyond the ending of random inputs, where nothing but more of them shows it.
    #[test]
    fn what_random_inputs_show_has_to_hold_beyond_their_ending() {
        let evidence = squares(beyond_six(REACHED));
        for recipe in [FamilyRecipe::Usual, FamilyRecipe::Random(1)] {
            let class = |full: u64, beyond: bool| {
                let cost = |n: u64| 10 * n + n * n.min(full) / 500;
                let ending = ending(20_000.0, cost);
                let chance = Family {
                    costs: ending[..3].to_vec(),
                    costly: recipe == FamilyRecipe::Usual,
                    ..Family::of(recipe.clone())
                };
                let more = |family: &Family| {
                    let last = family.ending.last().map_or(0, |last| last.0);
                    let sizes = [3, 4, 6, 8].map(|half| last * half / 2);
                    Ok::<_, ()>(beyond.then(|| sizes.map(|n| (n, cost(n))).to_vec()))
                };
                let follow = |_: &Family| Ok(Some(ending.clone()));
                let chosen =
                    steepest(&evidence, vec![chance], follow, more, |_| Ok(Remainder::ALL));
                let family = chosen.expect("nothing can fail");
                family.and_then(|family| {
                    judge(&Evidence { family: Some(family), ..evidence.clone() }).class()
                })
            };
            assert_eq!(class(u64::MAX, true), Some(Class::Quadratic));
            assert!(class(18_000, false) > Some(Class::Linear), "there was no time");
            for full in [9_000, 18_000, 36_000] {
                assert!(class(full, true) <= Some(Class::Linear), "full at {full}");
            }
        }
    }

    /// Costs of known growth at the sizes of a ladder and in an ending, as a family has them: with noise, with steps at powers
    /// of two, with an algorithm of their own for few values, with a bend where something fills. Whatever the judge
    /// says of them is not above the truth.
    #[test]
    fn nothing_above_the_truth_is_read_from_a_family() {
        let mut random = Seeded::new(7);
        let mut claimed = 0;
        for case in 0..cases() {
            let mut below = |n: u64| random.next_u64() % n;
            type Grows = fn(f64) -> f64;
            let classes: [(Class, Grows); 6] = [
                (Class::Constant, |_| 1.0),
                (Class::Log, f64::log2),
                (Class::Linear, |n| n),
                (Class::NLogN, |n| n * n.log2()),
                (Class::Power(1.5), |n| n.powf(1.5)),
                (Class::Quadratic, |n| n * n),
            ];
            let (truth, grows) = classes[below(6) as usize];
            let (factor, constant) = ((1 + below(40)) as f64, below(300) as f64);
            let (noise, steps, few) = (below(6) as f64 / 100.0, below(3) == 0, below(20));
            // Until it fills, something is searched through in full.
            let full = if below(3) == 0 { 1 << (2 + below(9)) } else { 1 };
            let mut cost = |n: u64| {
                let m = if steps { n.next_power_of_two() } else { n } as f64;
                let depth = n.min(full) as f64;
                let more = if n < few { (n * n) as f64 } else { 0.0 };
                let exact = factor * grows(m.max(1.0)) * depth + constant + more;
                let off = below(2001) as f64 / 1000.0 - 1.0;
                (exact * (1.0 + noise * off)).round() as u64
            };
            let ladder = [
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 25, 30, 32, 40, 50, 64, 70, 100,
                120, 128, 150, 200, 250, 256, 300, 400, 500, 512, 700, 1000, 1024, 1200, 1500,
                2000, 2048, 2500, 3000, 4000, 4096, 5000, 7000, 8192, 10000,
            ];
            let costs = ladder.iter().map(|n| (*n, cost(*n))).collect();
            let ending = ending(10_000.0 * 2f64.powi((case / 2 % 5) as i32), cost);
            let unfollowed = case % 3 == 0;
            let family = Family {
                costs,
                costly: case % 2 == 0 || unfollowed,
                ending: if unfollowed { Vec::new() } else { ending },
                unfollowed,
                ..Family::of(FamilyRecipe::Fill(0))
            };
            let evidence = Evidence { family: Some(family), ..squares(beyond_six(REACHED)) };
            let told = judge(&evidence).class();
            claimed += u64::from(told == Some(truth));
            assert!(
                told <= Some(truth),
                "case {case}: {told:?} of {truth:?}, full at {full}, noise {noise}, steps {steps}"
            );
        }
        assert!(claimed >= cases() / 3, "{claimed} of {}", cases());
    }

    /// How many sequences are tried: more with `PESSIMUM_CASES`.
    fn cases() -> u64 {
        std::env::var("PESSIMUM_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
    }

    #[test]
    fn engines_that_disagree_leave_no_claim() {
        let evidence = Evidence { disagreed: true, ..squares(|_| Claim::Exact) };
        let judged = judge(&evidence);
        assert_eq!((judged.basis, judged.class()), (Basis::LowerBound, None));
        let open = Standing::Open(Doubt::Disagreement);
        assert_eq!(judged.at_most(&evidence, Class::Cubic), open);
        assert_eq!(judged.at_most(&evidence, Class::Linear), open);
        assert_eq!(judged.at_size(&evidence, 3, 1), open);
    }

    #[test]
    fn inputs_found_can_break_a_bound_and_never_keep_one() {
        let evidence = squares(beyond_six(REACHED));
        let judged = judge(&evidence);
        assert_eq!(judged.class(), Some(Class::Quadratic));
        assert_eq!(judged.at_most(&evidence, Class::NLogN), Standing::Worse);
        assert_eq!(judged.at_most(&evidence, Class::Cubic), Standing::Open(Doubt::Searched));
        assert_eq!(judged.at_size(&evidence, 100, 20_000), Standing::Open(Doubt::Searched));
        assert_eq!(judged.at_size(&evidence, 100, 10_000), Standing::Worse);
        assert_eq!(judged.at_size(&evidence, 5, 26), Standing::Within);
        assert_eq!(judged.at_size(&evidence, 7, 26), Standing::Open(Doubt::NotReached));
    }

    #[test]
    fn what_was_not_attacked_is_a_lower_bound() {
        let claims: [fn(u64) -> Claim; 2] = [|_| Claim::Exact, |n| beyond_six(FOLLOWED)(n)];
        for claim in claims {
            let evidence = Evidence { unattacked: true, ..squares(claim) };
            let judged = judge(&evidence);
            assert_eq!((judged.basis, judged.bound), (Basis::LowerBound, Bound::AtLeast));
            assert!(matches!(judged.at_most(&evidence, Class::Quadratic), Standing::Open(_)));
        }
    }

    #[test]
    fn a_run_that_was_cut_keeps_no_bound() {
        let evidence = Evidence { cut: Some(Cut::Time), ..squares(beyond_six(FOLLOWED)) };
        let judged = judge(&evidence);
        let open = Standing::Open(Doubt::Cut(Cut::Time));
        assert_eq!(judged.at_most(&evidence, Class::Quadratic), open);
        assert_eq!(judged.at_size(&evidence, 100, 20_000), open);
        assert_eq!(judged.at_most(&evidence, Class::Linear), Standing::Worse);
    }
}
