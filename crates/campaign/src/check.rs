//! `check`: a gate for continuous integration, never falsely green.

use crate::analysis::AnalysisResult;
use crate::diff::class_of;
use crate::error::Error;
use crate::findings::contradiction;
use crate::judge::{Doubt, Evidence, Judgement, Standing};
use crate::program::Program;
use crate::publish;
use crate::witness::{Shown, above, plainest};
use pessimum_entry::CostModel;
use pessimum_fit::Class;
use pessimum_report::document::{self, CheckRule, CheckSize, Method, Verdict};
use pessimum_report::{Missing, Reason};

/// What a program is held to.
#[derive(Clone, Debug, Default)]
pub struct Requirement {
    /// `--at-most 'n*log(n)'`.
    pub at_most: Option<Class>,
    /// `--max-cost 'n=100:5000'`.
    pub max_cost: Vec<(u64, u64)>,
    /// An earlier run.
    pub baseline: Option<Baseline>,
    /// The part of a cost by which it may be worse than the earlier run: 0.1 for a tenth. Without one, nothing
    /// where both costs are exact, else as much as a search misses.
    pub tolerance: Option<f64>,
}

/// An earlier run that a program may not be worse than.
#[derive(Clone, Debug)]
pub struct Baseline {
    program: document::Program,
    cost_model: String,
    cost_version: Option<u32>,
    fit: document::Fit,
    sizes: Vec<BaselineSize>,
    inputs: Vec<Vec<u8>>,
}

#[derive(Clone, Copy, Debug)]
struct BaselineSize {
    n: u64,
    cost: u64,
    kind: EvidenceKind,
}

/// Kinds of evidence, the weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum EvidenceKind {
    Searched,
    Followed,
    Exact,
}

impl EvidenceKind {
    fn of(size: &document::Size) -> EvidenceKind {
        match size.method {
            _ if size.exact => EvidenceKind::Exact,
            Method::Search => EvidenceKind::Searched,
            _ if size.cut_by.is_some() => EvidenceKind::Searched,
            _ => EvidenceKind::Followed,
        }
    }
}

/// The part of a cost that was reached by which another run may find more.
const TOLERANCE: f64 = 0.05;

impl Baseline {
    /// The run that a document describes.
    pub fn of(before: &document::Analysis) -> Baseline {
        let sizes = before.training.iter().chain(&before.sizes);
        let sizes = sizes.filter_map(|s| {
            let cost = s.worst_cost?;
            Some(BaselineSize { n: s.n, cost, kind: EvidenceKind::of(s) })
        });
        let all = before.training.iter().chain(&before.sizes);
        let inputs = all.filter_map(|size| size.input.as_ref()?.raw());
        Baseline {
            program: before.program.clone(),
            cost_model: before.cost_model.clone(),
            cost_version: before.cost_version,
            fit: before.fit.clone(),
            sizes: sizes.collect(),
            inputs: inputs.collect(),
        }
    }

    /// Its worst inputs, as raw bytes: [seeds](crate::Analysis::seeds) of the run that is compared with it.
    pub fn inputs(&self) -> &[Vec<u8>] {
        &self.inputs
    }

    /// The cost of each of its sizes.
    pub(crate) fn costs(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.sizes.iter().map(|size| (size.n, size.cost))
    }

    /// Takes in that an input of a size costs so much; gives what was said to be the worst of all, if that
    /// was less.
    pub(crate) fn raise(&mut self, n: u64, cost: u64) -> Option<u64> {
        let mut said = None;
        for size in self.sizes.iter_mut().filter(|size| size.n == n && size.cost < cost) {
            if size.kind == EvidenceKind::Exact {
                said = Some(size.cost);
            }
            *size = BaselineSize { n, cost, kind: EvidenceKind::Searched };
        }
        said
    }

    /// Whether a run is one of the very build, call and settings that this is of: what is known of the one is known of
    /// the other.
    fn is_of_the_build(&self, now: &document::Analysis) -> bool {
        !now.program.fingerprint.is_empty()
            && self.program.fingerprint == now.program.fingerprint
            && self.cost_model == now.cost_model
            && self.cost_version == now.cost_version
    }

    /// Sizes at which the same runs cost more now than the worst of all was said to cost, each with both.
    fn contradictions(&self, now: &document::Analysis) -> Vec<(u64, u64, u64)> {
        let same = self.is_of_the_build(now);
        let exact = self.sizes.iter().filter(|size| same && size.kind == EvidenceKind::Exact);
        let cost_at = |n: u64| {
            let mut all = now.training.iter().chain(&now.sizes);
            all.find(|size| size.n == n).and_then(|size| size.worst_cost)
        };
        let more = |size: &BaselineSize| {
            let cost = cost_at(size.n).filter(|cost| *cost > size.cost)?;
            Some((size.n, size.cost, cost))
        };
        exact.filter_map(more).collect()
    }

    /// Its sizes.
    pub fn sizes(&self) -> impl Iterator<Item = u64> + '_ {
        self.sizes.iter().map(|s| s.n)
    }

    /// Refuses a baseline of another program, another call or other costs: their numbers have nothing
    /// to do with each other.
    pub fn fits(&self, program: &Program, cost: &CostModel) -> Result<(), Error> {
        let now = publish::program(program)?;
        let wrong = |what: &str, before: &str, now: &str| {
            Err(Error::Usage(format!(
                "the baseline is of another {what}: {before}, not {now}; make one with `pessimum analyze --json` and the same call"
            )))
        };
        // The very build may have been moved.
        let same = !now.fingerprint.is_empty() && self.program.fingerprint == now.fingerprint;
        if self.program.module != now.module && !same {
            return Err(Error::Usage(format!(
                "the baseline is of another program, by the name of its file: {}, not {}; give the module the name it had, or make a baseline of this one with `pessimum analyze --json`",
                self.program.module, now.module
            )));
        }
        if self.program.entry != now.entry {
            return wrong("call", &self.program.entry, &now.entry);
        }
        if self.cost_model != cost.to_string() {
            return wrong("cost model", &self.cost_model, &cost.to_string());
        }
        match self.cost_version {
            Some(version) if version != document::COST_VERSION => wrong(
                "version of the costs",
                &version.to_string(),
                &document::COST_VERSION.to_string(),
            ),
            _ => Ok(()),
        }
    }
}

/// Each rule with what it speaks of.
type Rules = Vec<(Subject, CheckRule)>;

/// What a rule speaks of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Subject {
    /// The cost of one size.
    Size(u64),
    /// How the costs of all sizes grow: as this class at most.
    Growth(Class),
}

/// Holds a result against a requirement; `at` is where the worst path spends its cost, as
/// `pessimum::hotspot` finds it.
///
/// ```
/// use pessimum_campaign::{Analysis, Program, Requirement, check};
/// use pessimum_report::document::Verdict;
///
/// let module = include_bytes!("../../pessimum/examples/insertion_sort.wasm");
/// let program = Program::new("insertion_sort", module.as_slice())?.call("sort(&i32[n], n)")?;
/// let result = Analysis::of(program).sizes([8, 12, 16, 20]).run()?;
/// let allowed = |max_cost| Requirement { max_cost: vec![(20, max_cost)], ..Requirement::default() };
/// assert_eq!(check(&result, &allowed(400), None).verdict, Verdict::Ok);
/// let worse = check(&result, &allowed(399), None);
/// assert_eq!(worse.verdict, Verdict::Worse);
/// // The witness is an input, run again in an independent engine.
/// let witness = worse.sizes.iter().find(|size| size.n == 20).and_then(|size| size.input.as_ref());
/// assert!(witness.is_some());
/// # Ok::<(), pessimum_campaign::Error>(())
/// ```
pub fn check(
    result: &AnalysisResult,
    requirement: &Requirement,
    at: Option<document::SourceLine>,
) -> document::Check {
    let document = &result.document;
    let mut all: Vec<&document::Size> = document.training.iter().chain(&document.sizes).collect();
    all.sort_by_key(|size| size.n);
    let before = requirement.baseline.as_ref();
    let contradicted = before.map_or(Vec::new(), |before| before.contradictions(document));
    let mut evidence = result.evidence.clone();
    // One promise that was broken leaves none to rely on.
    evidence.disagreed |= !contradicted.is_empty();
    let mut findings: Vec<_> =
        contradicted.into_iter().map(|(n, exact, cost)| contradiction(n, exact, cost)).collect();
    findings.extend(document.findings.iter().cloned());
    let same = before.is_some_and(|before| before.is_of_the_build(document));
    let rules = rules(&evidence, &result.judgement, requirement, &all, same);
    let witness = witness(result, &all, &rules);
    let sizes = all.iter().map(|s| check_size(s, requirement, &rules, witness));
    document::Check {
        schema: document::SCHEMA,
        program: document.program.clone(),
        cost_model: document.cost_model.clone(),
        verdict: Verdict::gravest(rules.iter().map(|(_, rule)| rule.verdict)),
        sizes: sizes.collect(),
        witness,
        rules: rules.into_iter().map(|(_, rule)| rule).collect(),
        change: requirement.baseline.as_ref().and_then(|b| change(&b.fit, &document.fit)),
        summary: document.fit.summary.clone(),
        cut_by: document.cut_by,
        at,
        findings,
    }
}

/// What became of the class, if it is another one.
fn change(before: &document::Fit, now: &document::Fit) -> Option<String> {
    let (was, is) = (class_of(before)?, class_of(now)?);
    (before.class != now.class).then(|| format!("{was} → {is}"))
}

/// The verdict of every rule, as the judge has it.
fn rules(
    evidence: &Evidence,
    judgement: &Judgement,
    requirement: &Requirement,
    all: &[&document::Size],
    same_build: bool,
) -> Rules {
    let mut rules: Rules = Vec::new();
    let in_full = evidence.sizes.iter().filter(|s| s.claim.is_exact() && s.cost.is_some());
    let explored = in_full.map(|s| s.n).max();
    if let Some(bound) = requirement.at_most {
        let standing = judgement.at_most(evidence, bound);
        let allowed = bound.to_string();
        let reason = match (standing, judgement.class()) {
            (Standing::Open(doubt), _) => {
                Reason::nothing_above(&allowed, missing(doubt, judgement))
            }
            (standing, class) => Reason::Grows {
                class: class.map_or_else(String::new, |c| c.to_string()),
                bound: judgement.bound,
                allowed,
                above: standing == Standing::Worse,
                basis: judgement.basis,
                explored,
            },
        };
        let text = format!("at most {bound}");
        rules.push((Subject::Growth(bound), rule(text, standing, &reason)));
    }
    if let Some(before) = &requirement.baseline
        && let Some(was) = before.fit.class.as_ref().and_then(|class| class.parse::<Class>().ok())
        && before.fit.bound == document::Bound::Exact
        && let Some(is) = judgement.class().filter(|is| *is > was)
    {
        let standing = judgement.at_most(evidence, was);
        let allowed = was.to_string();
        let Judgement { bound, basis, .. } = *judgement;
        let (class, above) = (is.to_string(), standing == Standing::Worse);
        let reason = Reason::Grows { class, bound, allowed, above, basis, explored };
        let text = format!("grows as before, {was}");
        rules.push((Subject::Growth(was), rule(text, standing, &reason)));
    }
    let cost_at = |n: u64| evidence.sizes.iter().find(|s| s.n == n).and_then(|s| s.cost);
    for &(n, limit) in &requirement.max_cost {
        let standing = judgement.at_size(evidence, n, limit);
        let reason = match (standing, cost_at(n)) {
            (Standing::Within | Standing::Worse, Some(cost)) => {
                Reason::Costs { cost, allowed: limit }
            }
            (Standing::Open(doubt), cost) => {
                Reason::within_so_far(cost, limit, missing(doubt, judgement))
            }
            (_, None) => Reason::within_so_far(None, limit, Missing::Cost),
        };
        let text = format!("n={n}: at most {limit}");
        let rule = CheckRule { n: Some(n), ..rule(text, standing, &reason) };
        rules.push((Subject::Size(n), rule));
    }
    for before in requirement.baseline.iter().flat_map(|b| &b.sizes) {
        let n = before.n;
        let size = all.iter().find(|s| s.n == n);
        let limit = before.limit(requirement.tolerance);
        let weaker = |size: &document::Size| !same_build && EvidenceKind::of(size) < before.kind;
        let (standing, reason) = match (cost_at(n), size) {
            _ if evidence.disagreed => (
                Standing::Open(Doubt::Disagreement),
                Reason::within_so_far(None, limit, Missing::Agreement),
            ),
            // The very same build costs what it did: what was reached then was too little.
            (Some(cost), _) if cost > limit && same_build && before.kind != EvidenceKind::Exact => {
                (Standing::Within, Reason::Costs { cost, allowed: cost })
            }
            (Some(cost), _) if cost > limit => {
                (Standing::Worse, Reason::Costs { cost, allowed: limit })
            }
            (Some(cost), Some(size)) if weaker(size) => (
                Standing::Open(Doubt::Searched),
                Reason::within_so_far(Some(cost), limit, Missing::BaselineEvidence),
            ),
            (Some(cost), _) => (Standing::Within, Reason::Costs { cost, allowed: limit }),
            // What was run before would be run again, with the same cost.
            (None, _) if same_build => {
                (Standing::Within, Reason::Costs { cost: before.cost, allowed: limit })
            }
            (None, _) => (
                Standing::Open(Doubt::NotReached),
                Reason::within_so_far(None, limit, Missing::Cost),
            ),
        };
        let text = format!("n={n}: no worse than {}", before.cost);
        let rule = CheckRule { n: Some(n), ..rule(text, standing, &reason) };
        rules.push((Subject::Size(n), rule));
    }
    rules
}

impl BaselineSize {
    /// What may be reached now: no more than before and what is tolerated. It is the same for every run that is
    /// held against it.
    fn limit(&self, tolerance: Option<f64>) -> u64 {
        let usual = if self.kind == EvidenceKind::Exact { 0.0 } else { TOLERANCE };
        self.cost.saturating_add((self.cost as f64 * tolerance.unwrap_or(usual)) as u64)
    }
}

fn rule(rule: String, standing: Standing, reason: &Reason) -> CheckRule {
    let verdict = match standing {
        Standing::Within => Verdict::Ok,
        Standing::Worse => Verdict::Worse,
        Standing::Open(_) => Verdict::Inconclusive,
    };
    CheckRule { rule, verdict, reason: reason.to_string(), n: None }
}

/// What would remove a doubt.
fn missing(doubt: Doubt, judgement: &Judgement) -> Missing {
    match doubt {
        Doubt::Disagreement => Missing::Agreement,
        Doubt::NotReached => Missing::Cost,
        Doubt::NoClass => Missing::Class(publish::fit(judgement).summary),
        Doubt::Cut(cut) => Missing::Time(cut),
        Doubt::NotValidated => Missing::Validation,
        Doubt::Searched => Missing::Paths,
    }
}

/// The size that shows best what is wrong, of those that were run again: where a class is exceeded, one that shows the
/// growth; where sizes are dearer than allowed, one of these.
fn witness(result: &AnalysisResult, all: &[&document::Size], rules: &Rules) -> Option<u64> {
    let broken = |rule: &CheckRule| rule.verdict == Verdict::Worse;
    let confirmed = all.iter().filter(|s| s.replayed.is_some_and(document::Replayed::is_confirmed));
    let shown = confirmed.filter_map(|size| {
        let random = size.random_cost.map(|random| random.max);
        let input = result.inputs.get(&size.n).map(|(input, _)| input);
        Some(Shown { n: size.n, cost: size.worst_cost?, random, input })
    });
    let shown: Vec<Shown<'_>> = shown.collect();
    let exceeded = rules.iter().find_map(|(subject, rule)| match subject {
        Subject::Growth(class) if broken(rule) => Some(*class),
        _ => None,
    });
    let candidates = match exceeded {
        Some(class) => Some(above(class, &shown)).filter(|above| !above.is_empty()),
        None => {
            let dear = |n| rules.iter().any(|(of, rule)| *of == Subject::Size(n) && broken(rule));
            Some(shown.iter().copied().filter(|size| dear(size.n)).collect())
        }
    };
    // A start that costs much may hide the growth from every single size.
    plainest(&candidates.unwrap_or(shown))
}

fn check_size(
    size: &document::Size,
    requirement: &Requirement,
    rules: &Rules,
    witness: Option<u64>,
) -> CheckSize {
    let of_size = |subject: Subject| subject == Subject::Size(size.n);
    let own = rules.iter().filter(|(of, _)| of_size(*of)).map(|(_, rule)| rule.verdict);
    let broken = |(of, rule): &(Subject, CheckRule)| {
        matches!(of, Subject::Growth(_)) && rule.verdict == Verdict::Worse
    };
    let grows = rules.iter().any(broken);
    let shows = Some(Verdict::Worse).filter(|_| grows && witness == Some(size.n));
    let reason = match shows {
        Some(_) => "witness of the growth".to_owned(),
        None => String::new(),
    };
    CheckSize {
        n: size.n,
        worst_cost: size.worst_cost,
        limit: limit_at(requirement, size),
        verdict: own.chain(shows).max(),
        exact: size.exact,
        method: size.method,
        replayed: size.replayed,
        input: size.input.clone(),
        reason,
        seconds: size.effort.seconds,
    }
}

fn limit_at(requirement: &Requirement, size: &document::Size) -> Option<u64> {
    let told = requirement.max_cost.iter().filter(|l| l.0 == size.n).map(|l| l.1);
    let before = requirement.baseline.iter().flat_map(|b| &b.sizes).filter(|b| b.n == size.n);
    told.chain(before.map(|b| b.limit(requirement.tolerance))).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Claim, Cut};
    use crate::judge::{SizeClaim, judge};
    use pessimum_report::document::Bound;
    use proptest::prelude::*;

    /// An input of the other build that the old one was run on.
    #[test]
    fn a_dearer_input_contradicts_what_was_exact() {
        let text = include_bytes!("../../report/fixtures/insertion_sort.json");
        let before: document::Analysis = document::parse(text).expect("it is a result");
        let mut baseline = Baseline::of(&before);
        assert_eq!(baseline.raise(5, 25), None, "as was said");
        assert_eq!(baseline.raise(5, 26), Some(25));
        assert_eq!(baseline.raise(5, 27), None, "nothing is promised any more");
        assert_eq!(baseline.raise(300, 90_001), None, "a policy was followed there");
        assert!(baseline.costs().any(|size| size == (300, 90_001)));
    }

    const BOUNDS: [Class; 7] = [
        Class::Constant,
        Class::Log,
        Class::Linear,
        Class::NLogN,
        Class::Quadratic,
        Class::Cubic,
        Class::Exp(2.0),
    ];

    fn claim() -> impl Strategy<Value = Claim> {
        let policy = Method::Wise;
        prop_oneof![
            4 => Just(Claim::Exact),
            4 => any::<bool>().prop_map(move |validated| Claim::Followed { policy, validated }),
            1 => Just(Claim::Reached { by: policy }),
            2 => Just(Claim::Reached { by: Method::Search }),
        ]
    }

    /// Costs of some growth, with claims as they come or all of one kind.
    fn evidence() -> impl Strategy<Value = Evidence> {
        let growth = prop::sample::select(vec![0u32, 1, 2, 3]);
        let claims = prop_oneof![
            prop::collection::vec(claim(), 14),
            claim().prop_map(|claim| vec![claim; 14]),
            claim().prop_map(|claim| [vec![Claim::Exact; 6], vec![claim; 8]].concat()),
        ];
        let unreached = prop::collection::vec(prop::bool::weighted(0.1), 14);
        let cut = prop::option::weighted(0.2, Just(Cut::Time));
        (growth, claims, unreached, cut, prop::bool::weighted(0.1), 0u64..9).prop_map(
            |(power, claims, unreached, cut, disagreed, noise)| {
                let sizes = [1u64, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 70, 100];
                let sizes =
                    sizes.iter().zip(claims).zip(unreached).map(|((&n, claim), unreached)| {
                        let cost = n.pow(power) + 3 * n + (n * noise) % 5;
                        SizeClaim { n, cost: (!unreached).then_some(cost), claim }
                    });
                Evidence { sizes: sizes.collect(), cut, disagreed, ..Evidence::default() }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// What `analyze` prints and what `check` answers come from the same judgement.
        #[test]
        fn check_and_analyze_never_disagree(evidence in evidence(), bound in prop::sample::select(BOUNDS.to_vec())) {
            let judgement = judge(&evidence);
            let printed = publish::fit(&judgement);
            let requirement = Requirement { at_most: Some(bound), ..Requirement::default() };
            let rules = rules(&evidence, &judgement, &requirement, &[], false);
            let class: Option<Class> = printed.class.as_ref().map(|c| c.parse().expect("a class"));
            let above = class.is_some_and(|class| class > bound);
            let promised = printed.bound == Bound::Exact && evidence.cut.is_none();
            let expected = match (above, promised && class.is_some()) {
                (true, _) => Verdict::Worse,
                (false, true) => Verdict::Ok,
                (false, false) => Verdict::Inconclusive,
            };
            prop_assert_eq!(rules[0].1.verdict, expected, "{} {}", printed.summary, rules[0].1.reason);
            prop_assert_eq!(printed.summary.contains("O("), class.is_some() && printed.bound == Bound::Exact);
            prop_assert_eq!(printed.summary.contains("Ω("), class.is_some() && printed.bound == Bound::AtLeast);
        }

        /// Green needs exact sizes, and nothing but exact sizes and a validated policy.
        #[test]
        fn green_rests_on_promises(evidence in evidence(), bound in prop::sample::select(BOUNDS.to_vec())) {
            let judgement = judge(&evidence);
            if judgement.at_most(&evidence, bound) == Standing::Within {
                let costs = || evidence.sizes.iter().filter(|s| s.cost.is_some());
                prop_assert!(costs().any(|s| s.claim.is_exact()));
                let promised = |claim| matches!(claim, Claim::Exact | Claim::Followed { validated: true, .. });
                prop_assert!(costs().all(|s| promised(s.claim)));
                prop_assert!(evidence.cut.is_none() && !evidence.disagreed);
            }
        }
    }
}
