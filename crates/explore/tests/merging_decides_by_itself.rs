//! `Merge::Auto`: every path is followed while they are few; then states are merged, unless that does
//! not pay or somebody has to see every path. Nothing that is found depends on it, or on the number
//! of workers.

use crate::merge_case;
use crate::merging_changes_no_number::insertion_sort;

use merge_case::Case;
use pessimum_entry::{Arg, Call, CostModel, Invocation, NodeLayout, Slot, TreeLayout, Type};
use pessimum_explore::{Merge, Nobody, Options, Outcome, Plan, Trainer, explore};
use pessimum_learn::{Advice, ChoiceSet, Decision, Guide, Reads, SiteId, Unguided};
use pessimum_machine::Structures;
use pessimum_term::{Arena, Op, TermId};
use std::sync::Arc;

/// Insertion sort of the arguments, which are stored at 1024 first.
fn sort(n: u32) -> Case {
    let slots = vec![Slot::any(Type::I32); n as usize];
    Case::new(&insertion_sort(n), &slots, &CostModel::Conditionals)
}

/// Sums of neighbours, each of which is compared with another number: no two states are alike.
fn sums(n: u32) -> Case {
    let params = "i32 ".repeat(n as usize);
    let body: String = (0..n)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| {
            let at = 17 * i + 5 * j;
            format!(
                "(if (i32.lt_s (i32.add (local.get {i}) (local.get {j})) (i32.const {at}))
                    (then (global.set $g (i32.add (i32.mul (global.get $g) (i32.const 3))
                        (i32.const {at})))))"
            )
        })
        .collect();
    let text = format!(
        r#"(module (global $g (mut i32) (i32.const 1))
        (func (export "f") (param {params}) (result i32) {body}
            (if (i32.eqz (global.get $g)) (then (unreachable)))
            (global.get $g)))"#
    );
    Case::new(&text, &vec![Slot::within(Type::I32, 0, 60); n as usize], &CostModel::Instructions)
}

fn plan(case: &Case, merge: Merge, workers: usize) -> Plan {
    Plan {
        module: Arc::clone(&case.module),
        setup: case.setup.clone(),
        over: None,
        options: Options { merge, ..Options::default() },
        workers,
    }
}

fn walked(plan: &Plan) -> Outcome {
    explore(plan, &Unguided, || Nobody).expect("it explores").0
}

/// What a user is told.
fn told(found: &Outcome) -> String {
    let worst = found.worst.as_ref().map(|w| (w.test.cost, w.test.input.clone(), w.path.clone()));
    let paths = found.merged.as_ref().map_or(Some(found.paths.to_string()), |merged| {
        merged.paths.as_ref().map(ToString::to_string)
    });
    let least = found.least_cost;
    format!("{worst:?} {least:?} {paths:?} {} {}", found.trapped, found.is_exact())
}

/// The first tests of a tree that is shared out come from the walk that found it to be large: its parts make none.
#[test]
fn tests_of_a_tree_in_parts_are_those_of_one_walk() {
    let found = |max_tests: usize, paths: Option<u64>, workers: usize| {
        let mut plan = plan(&sort(8), Merge::Off, workers);
        (plan.options.max_tests, plan.options.budget.paths) = (max_tests, paths);
        walked(&plan)
    };
    let whole = found(50, Some(u64::MAX), 1);
    for workers in [1, 3] {
        let (parts, without) = (found(50, None, workers), found(0, None, workers));
        assert!(parts.threads > 0, "it was not shared out");
        assert_eq!((&parts.tests, told(&parts)), (&whole.tests, told(&whole)));
        assert_eq!((parts.tests.len(), parts.work), (50, without.work));
    }
}

#[test]
fn few_paths_are_followed_one_by_one() {
    let case = sort(5);
    let (plain, auto) = (case.walked(Merge::Off), case.walked(Merge::Auto));
    assert_eq!(auto.merged, None);
    assert_eq!((told(&auto), auto.work), (told(&plain), plain.work));
}

#[test]
fn many_are_merged_and_say_the_same_with_any_number_of_workers() {
    let case = sort(12);
    let one = walked(&plan(&case, Merge::Auto, 1));
    let merged = one.merged.as_ref().expect("it was merged");
    assert!(merged.reuses > 0);
    // Twelve factorial.
    assert_eq!(merged.paths.as_ref().map(ToString::to_string).as_deref(), Some("479001600"));
    assert_eq!(told(&one), told(&walked(&plan(&case, Merge::On, 1))));
    assert!(one.work < 479_001_600, "{}", one.work);
    let three = walked(&plan(&case, Merge::Auto, 3));
    assert_eq!((told(&three), three.work), (told(&one), one.work));
    assert_eq!(three.merged, one.merged);
}

#[test]
fn what_does_not_merge_takes_no_more_work() {
    let case = sums(6);
    let (plain, auto) = (walked(&plan(&case, Merge::Off, 1)), walked(&plan(&case, Merge::Auto, 1)));
    assert_eq!(auto.merged, None, "{} states", plain.paths);
    assert_eq!(told(&auto), told(&plain));
    let most = plain.work + plain.work / 20;
    assert!(auto.work <= most, "{} in place of {}", auto.work, plain.work);
    let three = walked(&plan(&case, Merge::Auto, 3));
    assert_eq!((told(&three), three.work), (told(&auto), auto.work));
}

#[test]
fn a_limit_that_a_plain_walk_keeps_is_kept() {
    let case = sums(5);
    let plain = walked(&plan(&case, Merge::Off, 1));
    assert!(plain.is_exact());
    let auto = case.walked_within(Merge::Auto, Some(plain.work + 1));
    assert_eq!(told(&auto), told(&plain));
}

#[test]
fn whoever_has_to_see_every_path_sees_it() {
    let case = sort(8);
    for merge in [Merge::Auto, Merge::On] {
        let plan = plan(&case, merge, 2);
        let (found, trainers) = explore(&plan, &Unguided, Trainer::default).expect("it explores");
        assert_eq!((found.merged, found.paths), (None, 40320));
        let leaves: u64 = trainers.iter().map(|t| t.wise.summary().leaves()).sum();
        assert_eq!(leaves, 40320, "{merge:?}");
    }
    let mut plan = plan(&sort(7), Merge::On, 1);
    plan.options.max_tests = usize::MAX;
    let all = walked(&plan);
    assert_eq!((all.tests.len(), all.merged), (5040, None));
}

/// Takes no side of a branch that it saw ten decisions above.
struct TenAbove;

impl Guide for TenAbove {
    fn advise(&self, _: SiteId, arms: u32, path: &[Decision], _: u32) -> Advice {
        let above = path.len().checked_sub(10).map(|at| path[at].choice);
        Advice::Only((0..arms).filter(|choice| Some(*choice) != above).collect::<ChoiceSet>())
    }

    fn reads(&self) -> Reads {
        Reads::OpenDecisions
    }
}

#[test]
fn a_guided_walk_is_not_merged() {
    let case = sort(8);
    let guided = |merge: Merge| {
        let plan = plan(&case, merge, 1);
        explore(&plan, &TenAbove, || Nobody).expect("it explores").0
    };
    let plain = guided(Merge::Off);
    assert!(plain.paths > 1 && plain.paths < 40320, "{}", plain.paths);
    for merge in [Merge::Auto, Merge::On] {
        let found = guided(merge);
        assert_eq!((told(&found), found.merged), (told(&plain), None), "{merge:?}");
    }
}

/// Pairs of numbers, in order or not.
#[derive(Debug)]
struct Pairs;

impl Structures for Pairs {
    fn count(&self) -> usize {
        2
    }

    fn slots(&self, _: usize) -> Vec<Slot> {
        vec![Slot::within(Type::U8, 1, 1), Slot::any(Type::I32), Slot::any(Type::I32)]
    }

    fn condition(&self, index: usize, arena: &mut Arena, terms: &[TermId]) -> Vec<TermId> {
        let in_order = arena.binary(Op::Slt, terms[1], terms[2]);
        vec![if index == 0 { in_order } else { arena.not(in_order) }]
    }
}

#[test]
fn each_structure_has_its_paths() {
    let text = r#"(module (memory (export "memory") 1) (func (export "f") (param $p i32)
        (if (i32.lt_s (i32.load (local.get $p)) (i32.load offset=4 (local.get $p)))
            (then (nop)) (else (nop) (nop)))
        (if (i32.lt_s (i32.load (local.get $p)) (i32.const 7)) (then (nop)))
        (if (i32.lt_s (i32.load offset=4 (local.get $p)) (i32.const 7)) (then (nop)))))"#;
    let mut case = Case::new(text, &[], &CostModel::Instructions);
    let fields = vec![(0, Type::I32), (4, Type::I32)];
    let pair = NodeLayout { bytes: 8, links: Vec::new(), fields, array: false, weight: 1 };
    let layout = TreeLayout { kinds: vec![pair], root: 0 };
    let args = vec![Arg::Tree(Arc::new(layout))];
    case.setup.invocation = Invocation::Call(Call { function: "f".to_owned(), args });
    let found =
        |merge: Merge| walked(&Plan { over: Some(Arc::new(Pairs)), ..plan(&case, merge, 1) });
    let plain = found(Merge::Off);
    assert_eq!(plain.paths, 6);
    for merge in [Merge::Auto, Merge::On, Merge::Verify] {
        assert_eq!(told(&found(merge)), told(&plain), "{merge:?}");
    }
}

/// A table with room for a small part of the states: those that save least for their bytes are dropped. It takes longer,
/// and nothing else is different.
#[test]
fn a_full_table_drops_what_saves_least() {
    let case = sort(12);
    let within = |bytes: Option<u64>, merge: Merge| {
        let mut plan = plan(&case, merge, 1);
        plan.options.table_bytes = bytes;
        walked(&plan)
    };
    let (large, small) = (within(None, Merge::On), within(Some(1 << 14), Merge::On));
    let states = |found: &Outcome| found.merged.as_ref().map_or(0, |merged| merged.states);
    assert!(large.is_exact() && told(&small) == told(&large));
    assert!(states(&small) > states(&large), "{} states: nothing was dropped", states(&small));
    // Were nothing kept any more once the table is full, it would be hundreds of times as many.
    assert!(states(&small) < 20_000, "{} for {}", states(&small), states(&large));
}
