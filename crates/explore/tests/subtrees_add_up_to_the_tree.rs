//! A tree that is walked in parts, each by whoever takes it, gives what one walk of all of it does.

use crate::merge_case::Case;
use crate::random_sorter;

use pessimum_entry::{CostModel, Slot, Type};
use pessimum_explore::{
    Nobody, Options, Outcome, Piece, Plan, Share, Subtree, SubtreeError, explore, explore_pieces,
    explore_subtree, packed, split,
};
use pessimum_learn::Unguided;
use std::sync::Arc;

fn plan(case: &Case) -> Plan {
    Plan {
        module: Arc::clone(&case.module),
        setup: case.setup.clone(),
        over: None,
        options: Options { max_tests: 50, ..Options::default() },
        workers: 1,
    }
}

/// Everything that does not depend on how the tree was shared out.
fn told(outcome: &Outcome) -> String {
    let mut told = outcome.clone();
    (told.work, told.instructions) = (0, 0);
    serde_json::to_string(&told).expect("it is saved")
}

fn plainly(plan: &Plan) -> Outcome {
    explore(plan, &Unguided, || Nobody).expect("it explores").0
}

/// Through a file and back.
fn kept(pieces: Vec<Piece>) -> Vec<Piece> {
    let text = serde_json::to_string(&pieces).expect("it is saved");
    serde_json::from_str(&text).expect("it was saved")
}

/// Walks jobs and what they hand back; how many there were.
fn walk_all(plan: &Plan, jobs: Vec<Vec<Piece>>, share: Option<u64>) -> (Outcome, usize) {
    let mut all = Outcome::nothing();
    let mut count = 0;
    let mut next: Vec<Vec<Piece>> = jobs;
    next.reverse();
    while let Some(job) = next.pop() {
        count += 1;
        let (found, rest) = explore_pieces(plan, kept(job), share).expect("it is walked");
        let found: Outcome =
            serde_json::from_str(&serde_json::to_string(&found).expect("it is saved"))
                .expect("it was saved");
        all.merge(found, plan.options.max_tests);
        let mut rest = packed(rest, share.unwrap_or(1) / 2);
        rest.reverse();
        next.extend(rest);
    }
    (all, count)
}

#[test]
fn in_any_number_of_jobs_with_any_share() {
    let mut handed_back = 0;
    for seed in 0..25 {
        let (text, slots) = random_sorter::program(seed);
        let plan = plan(&Case::new(&text, &slots, &CostModel::Conditionals));
        let plain = plainly(&plan);
        if plain.uncertain || plain.work > 500_000 {
            continue;
        }
        for jobs in [1, 3, 17] {
            let planned = split(&plan, jobs).expect("it is shared out");
            assert!(planned.len() <= jobs, "seed {seed}");
            for share in [None, Some(100_000), Some(3_000), Some(1)] {
                let (all, count) = walk_all(&plan, planned.clone(), share);
                handed_back += count - planned.len();
                assert_eq!(told(&all), told(&plain), "seed {seed}, {jobs} jobs, share {share:?}");
            }
        }
    }
    assert!(handed_back > 100, "{handed_back} jobs were handed back");
}

/// Values of a byte that a table of eight targets goes by, and traps on the way.
#[test]
fn switches_and_traps_are_shared_out_too() {
    let text = r#"(module (func (export "f") (param i32 i32 i32) (result i32) (local i32)
        (local.set 3 (i32.const 3))
        (block (block (block (block (br_table 0 1 2 3 (local.get 0))))))
        (if (i32.eq (local.get 1) (i32.const 7)) (then (local.set 3 (i32.const 0))))
        (block (block (block (br_table 0 1 2 (local.get 2)))))
        (drop (i32.div_u (i32.const 9) (local.get 1)))
        (if (i32.gt_u (local.get 0) (local.get 2)) (then (unreachable)))
        (i32.div_u (i32.const 5) (local.get 3))))"#;
    let slots = [Slot { ty: Type::U8, domain: None }; 3];
    let plan = plan(&Case::new(text, &slots, &CostModel::Instructions));
    let plain = plainly(&plan);
    assert!(plain.trapped > 3 && plain.paths > 3, "{} {}", plain.trapped, plain.paths);
    for share in [None, Some(40), Some(1)] {
        let (all, count) = walk_all(&plan, split(&plan, 1).expect("one job"), share);
        assert_eq!(told(&all), told(&plain), "share {share:?}, {count} jobs");
        assert_eq!(count > 1, share.is_some(), "share {share:?}, {count} jobs");
    }
}

#[test]
fn a_subtree_of_another_program_is_not_walked() {
    let text = |value: u32| {
        format!(
            r#"(module (func (export "f") (param i32 i32)
            (if (i32.eq (local.get 0) (i32.const {value})) (then (nop)))
            (if (i32.eq (local.get 1) (local.get 0)) (then (nop)))))"#
        )
    };
    let slots = [Slot { ty: Type::U8, domain: None }; 2];
    let case = |value| plan(&Case::new(&text(value), &slots, &CostModel::Conditionals));
    let share = Share { begin: 1, end: 1 };
    let (_, left) =
        explore_subtree(&case(7), &Subtree::whole(), Some(share)).expect("it is walked");
    assert!(left.len() >= 2, "{left:?}");
    for left in &left {
        // Another constant, the same decisions: the same tree as far as anybody can tell.
        assert!(explore_subtree(&case(9), &left.subtree, None).is_ok());
        // A byte is never 300: the first decision is forced, and the way is another one.
        let strayed = explore_subtree(&case(300), &left.subtree, None);
        assert!(matches!(strayed, Err(SubtreeError::Strayed(_))), "{strayed:?}");
    }
}
