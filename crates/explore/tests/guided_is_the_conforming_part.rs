//! Guided exploration against the definition: of all paths exactly those whose open decisions all
//! went where the policy says "always".

use crate::rng;

use pessimum_entry::{CallSpec, CostModel, Invocation, Sizes};
use pessimum_explore::{Leaf, Observer, Options, Plan, explore};
use pessimum_learn::{Branch, BranchPolicy, Decision, Guide, Level, SiteId, Unguided, WiseGuide};
use pessimum_machine::{Limits, Module, Setup};
use rng::Rng;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Keeps every path: sites, choices, and whether there was a choice.
#[derive(Default)]
struct Paths(Vec<Vec<Decision>>);

impl Observer for Paths {
    fn push(&mut self, _: &Decision) {}
    fn mark(&self) -> u64 {
        0
    }
    fn undo_to(&mut self, _: u64) {}
    fn leaf(&mut self, leaf: &Leaf<'_>) {
        self.0.push(leaf.path.to_vec());
    }
}

fn paths<G: Guide + Sync>(
    module: &Arc<Module>,
    call: &str,
    n: u64,
    guide: &G,
) -> Vec<Vec<Decision>> {
    let sizes = Sizes::of(n);
    let call = CallSpec::parse(call).and_then(|spec| spec.at(&sizes)).expect("a call");
    let invocation = Invocation::Call(call);
    let setup = Setup { invocation, sizes, seed: 0, limits: Limits::default() };
    let options = Options::default();
    let plan = Plan { module: Arc::clone(module), setup, over: None, options, workers: 1 };
    let (outcome, mut seen) = explore(&plan, guide, Paths::default).expect("it starts");
    assert!(outcome.complete && !outcome.uncertain && outcome.cut == 0);
    // Sides were left out on purpose: nothing is claimed of the whole tree.
    assert_eq!(outcome.is_exact(), guide.follows_all());
    seen.remove(0).0
}

/// What tells paths apart, without openness: a guide that wants one side need not find out whether
/// there was another.
fn shape(path: &[Decision]) -> Vec<(SiteId, u32)> {
    path.iter().map(|d| (d.site, d.choice)).collect()
}

fn conforms(path: &[Decision], policy: &BranchPolicy) -> bool {
    path.iter().filter(|d| d.openness.is_open()).all(|d| {
        let branch = Branch { site: d.site, choice: d.choice };
        policy.level(branch) == Level::Always
    })
}

#[test]
fn for_random_policies() {
    let mut pruned = 0;
    for (name, call, n) in [
        ("insertion_sort", "sort(&i32[n], n)", 5),
        ("merge_sort", "sort(&i32[n], n)", 7),
        ("quicksort", "sort(&i32[n], n)", 6),
        ("bellman_ford", "shortest(&i32[n*(n-1)] in -1000..=1000, n)", 3),
        ("wat_br_table", "interpret(&u8[n], n)", 3),
    ] {
        let file = format!("{}/../../corpus/{name}/{name}.wasm", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(file).expect("a module of the corpus");
        let module = Arc::new(Module::load(&bytes, &CostModel::Conditionals).expect("it loads"));
        let all = paths(&module, call, n, &Unguided);
        let branches: BTreeSet<Branch> = all
            .iter()
            .flatten()
            .flat_map(|d| (0..d.arms).map(|choice| Branch { site: d.site, choice }))
            .collect();
        let sites: BTreeSet<SiteId> = branches.iter().map(|b| b.site).collect();
        let mut rng = Rng::new(17);
        for _ in 0..40 {
            let levels = branches.iter().map(|branch| {
                let level = match rng.below(4) {
                    0 => Level::Never,
                    1 => Level::IfForced,
                    _ => Level::Always,
                };
                (*branch, level)
            });
            let policy: BranchPolicy = levels.collect();
            let guided = paths(&module, call, n, &WiseGuide::new(&policy, &sites));
            let wanted: Vec<_> =
                all.iter().filter(|p| conforms(p, &policy)).map(|p| shape(p)).collect();
            let found: Vec<_> = guided.iter().map(|p| shape(p)).collect();
            assert_eq!(found, wanted, "{name} under {policy:?}");
            pruned += usize::from(found.len() < all.len() && !found.is_empty());
        }
    }
    // Most policies leave some paths and not others, or nothing was shown.
    assert!(pruned > 20, "{pruned}");
}
