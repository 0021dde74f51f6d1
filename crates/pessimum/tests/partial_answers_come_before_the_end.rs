//! Whoever watches an analysis is told each answer when it is there, not when all are.

use pessimum::{Analysis, AnalysisResult, Class, CostModel, Program, Stage};
use std::path::Path;
use std::sync::mpsc;

fn insertion_sort() -> Analysis {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let module = corpus.join("insertion_sort/insertion_sort.wasm");
    let bytes = std::fs::read(module).expect("the corpus is there");
    let program = Program::new("insertion_sort", bytes).and_then(|p| p.call("sort(&i32[n], n)"));
    Analysis::of(program.expect("it can be called")).train(1..=5).sizes([8, 12])
}

/// The result and all that was told on the way, in order.
fn watched(analysis: Analysis) -> (AnalysisResult, Vec<Stage>) {
    let (sender, told) = mpsc::channel();
    let analysis = analysis.watch(move |stage| sender.send(stage).expect("somebody listens"));
    let result = analysis.run().expect("the analysis ends");
    (result, told.into_iter().collect())
}

/// Where in what was told each size was answered, and with what cost.
fn answers(told: &[Stage]) -> Vec<(usize, u64, Option<u64>, bool)> {
    let answer = |(at, stage): (usize, &Stage)| match stage {
        Stage::Answer { n, worst, exact, .. } => Some((at, *n, *worst, *exact)),
        _ => None,
    };
    told.iter().enumerate().filter_map(answer).collect()
}

#[test]
fn each_size_is_answered_before_the_next_one_is_begun() {
    let (_, told) = watched(insertion_sort());
    let costs: Vec<_> = answers(&told).iter().map(|a| (a.1, a.2, a.3)).collect();
    let trained: Vec<_> = (1..=5).map(|n| (n, Some(n * n), true)).collect();
    assert_eq!(costs[..trained.len()], trained);
    // Sizes that the growth needs may come beside those that were asked for.
    for n in [8, 12] {
        assert!(costs.contains(&(n, Some(n * n), true)), "{costs:?}");
    }
    for (at, n, ..) in answers(&told) {
        let begun = &told[at - 1];
        let own = match begun {
            Stage::Training { n: m } | Stage::Proving { n: m } | Stage::Generating { n: m } => {
                *m == n
            }
            _ => false,
        };
        assert!(own, "n = {n} is answered after {begun:?}");
    }
}

#[test]
fn the_growth_is_told_as_soon_as_small_sizes_show_it() {
    let (result, told) = watched(insertion_sort());
    let learning = told.iter().position(|s| matches!(s, Stage::Learning)).expect("it learns");
    let classes: Vec<_> = told
        .iter()
        .map(|stage| match stage {
            Stage::Answer { so_far, .. } => *so_far,
            _ => None,
        })
        .collect();
    assert!(classes[..learning].contains(&Some(Class::Quadratic)), "{told:?}");
    assert_eq!(classes.iter().flatten().last(), result.class().as_ref());
}

#[test]
fn no_answer_is_taken_back() {
    let (result, told) = watched(insertion_sort());
    let sizes = result.document.training.iter().chain(&result.document.sizes);
    let mut reported: Vec<_> = sizes.map(|s| (s.n, s.worst_cost, s.exact)).collect();
    reported.sort_unstable();
    let mut told: Vec<_> = answers(&told).iter().map(|a| (a.1, a.2, a.3)).collect();
    told.sort_unstable();
    assert_eq!(told, reported);
}

#[test]
fn the_result_is_the_same_for_those_who_do_not_watch() {
    let timeless = |result: AnalysisResult| {
        let sizes = result.document.training.into_iter().chain(result.document.sizes);
        sizes
            .map(|s| {
                (
                    s.n,
                    s.worst_cost,
                    s.exact,
                    s.paths,
                    s.effort.solver_calls,
                    s.input.map(|i| i.values),
                )
            })
            .collect::<Vec<_>>()
    };
    let (seen, _) = watched(insertion_sort());
    let unseen = insertion_sort().run().expect("the analysis ends");
    assert_eq!(timeless(seen), timeless(unseen));
}

#[test]
fn answers_are_in_the_cost_that_is_measured_not_in_the_one_that_is_learned_from() {
    let (_, told) = watched(insertion_sort().learn_cost(CostModel::Instructions));
    let costs: Vec<_> = answers(&told).iter().map(|a| (a.1, a.2)).collect();
    assert_eq!(costs[..5], [1, 2, 3, 4, 5].map(|n| (n, Some(n * n))));
}
