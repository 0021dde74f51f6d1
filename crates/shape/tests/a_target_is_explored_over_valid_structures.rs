//! `--call 'search(&tree where rep_ok, i32)'`: the worst case over valid inputs only.

mod common;

use common::{Judge, generator, module};
use pessimum_entry::{CallSpec, CostModel, Sizes};
use pessimum_explore::{Explorer, Nobody, Options};
use pessimum_learn::Unguided;
use pessimum_machine::{Limits, Module};
use std::sync::Arc;

#[test]
fn a_search_in_a_valid_tree() {
    let cost = CostModel::VisitsLine { file: "search_tree.c".to_owned(), line: 57 };
    let target = Arc::new(Module::load(&module("search_tree"), &cost).expect("a module"));
    let generator = generator("search_tree", "rep_ok", &["key=0..=1000"]);
    let spec = CallSpec::parse("search(&tree where rep_ok, i32)").expect("a call");
    let mut judge = Judge::new("search_tree", "rep_ok");
    for size in 1..=4usize {
        let call = spec.at(&Sizes::of(size as u64)).expect("sizes");
        let entered = generator.enter_over(&target, &call, size, Limits::default()).unwrap();
        let (mut paths, mut worst) = (0, 0);
        for start in entered {
            let shape = start.over.structure.nodes.len();
            assert_eq!(shape, size);
            let keep = Options { max_tests: usize::MAX, ..Options::default() };
            let (machine, arena) = (start.machine.clone(), start.arena.clone());
            let (outcome, _) = Explorer::new(machine, arena, &Unguided, Nobody, keep).run();
            assert!(outcome.is_exact());
            // Each node can be found, and each gap between them can be the end of the search.
            assert_eq!(outcome.paths, 2 * size as u64 + 1);
            paths += outcome.paths;
            worst = worst.max(outcome.worst_cost().unwrap_or(0));
            for test in &outcome.tests {
                let structure = start.structure_of(test.input.as_ref().expect("a solved path"));
                assert!(judge.accepts(generator.layout(), &structure), "{structure:?}");
            }
        }
        let catalan = [1, 1, 2, 5, 14][size];
        assert_eq!(paths, catalan * (2 * size as u64 + 1));
        assert_eq!(worst, size as u64, "a tree that is a list");
    }
}
