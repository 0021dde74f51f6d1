use super::*;
use crate::evolve::pairs::tests::NESTED;
use crate::family::{Family, FamilyRecipe};
use crate::orders::orders;
use crate::sample::{Sampling, sample};
use pessimum_clock::Deadline;
use pessimum_entry::{CallSpec, Entry, InputValues, Sizes, Slot};
use pessimum_machine::{Limits, Module, Setup};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn at_size(bytes: &[u8], call: &str, n: u64) -> AtSize {
    let module = Module::load(bytes, &CostModel::Conditionals).expect("it is a module");
    let sizes = Sizes::at(n, &[]).expect("the size fits");
    let call = CallSpec::parse(call).expect("the call is one");
    let invocation = Entry::Call(call).at(&sizes).expect("the size fits");
    let setup = Setup { invocation, sizes, seed: 0, limits: Limits::default() };
    AtSize::new(n, Arc::new(module), setup, Deadline::NEVER)
}

fn insertion_sort(n: u64) -> AtSize {
    let bytes = include_bytes!("../../../pessimum/examples/insertion_sort.wasm");
    at_size(bytes, "sort(&i32[n], n)", n)
}

fn cost_of(values: &[u64]) -> PathTest {
    let slot = Slot::any(pessimum_entry::Type::I32);
    let mut input = InputValues::new();
    values.iter().for_each(|bits| input.push(slot, *bits));
    let at = insertion_sort(values.len() as u64);
    let (_, machine) = at.run(input.clone()).expect("it can be run");
    let counters = machine.counters();
    let (cost, instructions) = (counters.cost, counters.instructions);
    PathTest { input: Some(input), cost, instructions, trap: None }
}

fn searched(mutator: &mut Mutator, n: u64, vary: bool) -> u64 {
    let effort =
        Effort { instructions: 5_000_000, vary, round: 0, aim: Aim::Growth, ends: Ends::WithWork };
    let found = mutator.search(&insertion_sort(n), effort, 0, &Budget::default());
    found.expect("it can be run").best.map_or(0, |test| test.cost)
}

#[test]
fn a_costly_input_is_stretched() {
    let mut mutator = Mutator::default();
    let seed = cost_of(&[3, 2, 1, 0]);
    mutator.note(&insertion_sort(4), &seed).expect("it fits");
    let falling: Vec<u64> = (0..20).rev().collect();
    assert_eq!(searched(&mut mutator, 20, false), cost_of(&falling).cost);
}

/// The user does not wait for the work that was planned.
#[test]
fn an_interrupted_search_ends() {
    let stopped = Deadline::NEVER.or_when(Arc::new(AtomicBool::new(true)));
    let budget = Budget { deadline: stopped, ..Budget::default() };
    let effort = Effort {
        instructions: 50_000_000,
        vary: true,
        round: 0,
        aim: Aim::Growth,
        ends: Ends::WithWork,
    };
    let mut mutator = Mutator::default();
    let done = mutator.search(&insertion_sort(20), effort, 0, &budget).expect("it can be run");
    assert!(done.instructions < 1_000_000, "{done:?}");
    let pairs = [[insertion_sort(8), insertion_sort(16)]];
    let evolved = mutator.evolve(&pairs, 50_000_000, 1, &budget).expect("it can be run");
    assert!(evolved.instructions < 1_000_000, "{evolved:?}");
}

#[test]
fn without_a_seed_inputs_are_varied() {
    let best = cost_of(&[5, 4, 3, 2, 1, 0]).cost;
    let random = cost_of(&[3, 0, 5, 1, 4, 2]).cost;
    let found = searched(&mut Mutator::default(), 6, true);
    assert!(random < found && found <= best, "{random} {found} {best}");
}

/// What such a program asks for is not in its call.
#[test]
fn a_program_that_asks_for_its_inputs_is_searched() {
    let bytes = include_bytes!("../../../pessimum/examples/sorted_list.wasm");
    let at = at_size(bytes, "run()", 30);
    let effort = Effort {
        instructions: 5_000_000,
        vary: true,
        round: 0,
        aim: Aim::Growth,
        ends: Ends::WithWork,
    };
    let mut mutator = Mutator::default();
    let found = mutator.search(&at, effort, 0, &Budget::default());
    let found = found.expect("it can be run").best.expect("a run that ends");
    // Each value greater than all before it: the last insert goes past every one.
    assert!(found.cost >= 30, "{}", found.cost);
}

fn raw(values: impl Iterator<Item = u32>) -> Vec<u8> {
    values.flat_map(u32::to_le_bytes).collect()
}

fn given(seed: &[u8]) -> (Mutator, Option<u64>) {
    let mut mutator = Mutator::default();
    let at = |n: u64| Ok::<_, LoadError>(Arc::new(insertion_sort(n)));
    let own = mutator.give(seed, 1000, at).expect("it can be run");
    (mutator, own)
}

#[test]
fn what_the_user_gave_is_run_at_its_own_size_and_at_all_others() {
    let (mut mutator, own) = given(&raw((0..20).rev()));
    assert_eq!(own, Some(20));
    for n in [5, 19, 20, 21, 300] {
        // No work at all is left for anything else.
        let effort = Effort {
            instructions: 0,
            vary: false,
            round: 0,
            aim: Aim::Growth,
            ends: Ends::WithWork,
        };
        let found = mutator.search(&insertion_sort(n), effort, 0, &Budget::default());
        let found = found.expect("it can be run");
        assert!(found.runs > 0 && found.best.is_some(), "n = {n}");
        if n <= 20 {
            let falling: Vec<u64> = (0..n).rev().collect();
            assert_eq!(found.best.map(|test| test.cost), Some(cost_of(&falling).cost));
        }
    }
}

#[test]
fn a_seed_between_two_sizes_belongs_to_the_larger() {
    assert_eq!(given(&raw(0..7)).1, Some(7));
    assert_eq!(given(&[1, 2, 3, 4, 5]).1, Some(2));
    assert_eq!(given(&vec![0; 4004]).1, None, "larger than the largest");
}

/// One value of the dictionary everywhere is tried before anything that needs luck.
#[test]
fn fills_are_tried_where_little_is() {
    let mut mutator = Mutator::default();
    let slot = Slot::any(pessimum_entry::Type::I32);
    mutator.dictionary().learn(&[(slot, 7u64)].into_iter().collect());
    let effort = Effort {
        instructions: 10 * START,
        vary: false,
        round: 0,
        aim: Aim::Growth,
        ends: Ends::WithWork,
    };
    let found = mutator.search(&insertion_sort(9), effort, 0, &Budget::default());
    let best = found.expect("it can be run").best.and_then(|test| test.input);
    assert!(best.expect("an input").iter().all(|v| v.1 == 7));
}

#[test]
fn the_family_of_a_sort_is_the_falling_one() {
    let mut mutator = Mutator::default();
    let seed = cost_of(&[5, 4, 3, 2, 1, 0]);
    mutator.note(&insertion_sort(6), &seed).expect("it fits");
    let sizes: Vec<AtSize> = [4, 6, 9, 16, 30].map(insertion_sort).into();
    let made = mutator.families(&sizes, 50_000_000, &Budget::default()).expect("it can be run");
    let made_up = |family: &Family| family.recipe == FamilyRecipe::Adversary;
    assert!(made.families.iter().any(made_up), "what is made up is among them");
    let ranked = Family::ranked(made.families, &[4, 6, 9, 16, 30]);
    let family = ranked.first().expect("there is one");
    let falling = |n: u64| cost_of(&(0..n).rev().collect::<Vec<_>>()).cost;
    assert_eq!(family.costs, [4, 6, 9, 16, 30].map(|n| (n, falling(n))));
    // Nothing that was run is forgotten.
    let costs = |(n, test): (&u64, &PathTest)| (*n, test.cost);
    assert_eq!(made.costliest.iter().map(costs).collect::<Vec<_>>(), family.costs);
}

/// A program that asks for more than it is given is given zeros, which are part of its input.
#[test]
fn a_sample_is_what_the_program_took() {
    let bytes = include_bytes!("../../../pessimum/examples/sorted_list.wasm");
    let module = Module::load(bytes, &CostModel::Conditionals).expect("it is a module");
    let sizes = Sizes::at(5, &[]).expect("the size fits");
    let invocation = Entry::Program { export: "run".to_owned() }.at(&sizes).expect("it fits");
    let setup = Setup { invocation, sizes, seed: 0, limits: Limits::default() };
    let at = AtSize::new(5, Arc::new(module), setup, Deadline::NEVER);
    let beginnings = [Vec::new()];
    let how = Sampling {
        beginnings: &beginnings,
        slots: &[],
        seed: 0,
        most: 1,
        instructions: 1_000_000,
        workers: 1,
    };
    let sampled = sample(&at, how).expect("it can be run").expect("it ends");
    let taken = sampled.costliest.and_then(|test| test.input).expect("an input");
    let (_, machine) = at.run(taken.clone()).expect("it can be run");
    assert!(!taken.is_empty() && machine.inputs().len() == taken.len(), "{taken:?}");
}

#[test]
fn a_family_is_followed_to_its_ending_while_it_grows() {
    let falling = |n: u64| (n, cost_of(&(0..n).rev().collect::<Vec<_>>()).cost);
    let family = |recipe| Family { costs: vec![falling(32)], ..Family::of(recipe) };
    let ending = |family: &Family, most: u64| {
        let at = |n: u64| (n <= most).then(|| Arc::new(insertion_sort(n)));
        let ending = family.ending(at, 10_000_000, (&Budget::default(), 1)).expect("it can be run");
        ending.expect("there is time")
    };
    let falls = family(FamilyRecipe::Order(orders()[1]));
    let found = ending(&falls, u64::MAX);
    let (Some(first), Some(last)) = (found.first(), found.last()) else { panic!("nothing") };
    assert!(last.0 > 64 && first.0 <= last.0 / 16 + 1, "{found:?}");
    assert!(found.iter().all(|at| *at == falling(at.0)), "{found:?}");
    let bounded = ending(&falls, 70);
    assert_eq!(bounded.last(), Some(&falling(65)), "a call may have no meaning at larger sizes");
    let at = |n: u64| Some(Arc::new(insertion_sort(n)));
    let within = |family: &Family, instructions: u64| {
        family.ending(at, instructions, (&Budget::default(), 1)).expect("it can be run")
    };
    let lower = within(&falls, 20_000).and_then(|ending| ending.last().copied());
    assert!(lower.is_some_and(|(n, _)| n < 32), "one that costs much ends below: {lower:?}");
    assert_eq!(within(&Family { costly: false, ..falls }, 20_000), None);
    // What costs less than at a smaller size is something else.
    let equal = ending(&family(FamilyRecipe::Fill(7)), u64::MAX);
    assert_eq!(equal.last().map(|at| at.0), Some(33));
}

#[test]
fn the_same_search_finds_the_same() {
    let run = || searched(&mut Mutator::default(), 12, true);
    assert_eq!(run(), run());
}

/// Puts keys into 64 lists by a multiplicative hash; a key that is in its list already is not put there again. Every
/// key that a lookup passes costs.
const LISTS: &str = r#"(module
    (memory (export "memory") 1)
    (func (export "put_all") (param $a i32) (param $n i32)
        (local $key i32) (local $list i32) (local $at i32) (local $count i32)
        (loop $each
            (if (i32.eqz (local.get $n)) (then (return)))
            (local.set $n (i32.sub (local.get $n) (i32.const 1)))
            (local.set $key (i32.load (local.get $a)))
            (local.set $a (i32.add (local.get $a) (i32.const 4)))
            ;; A list is 64 words: how many keys, and the keys.
            (local.set $list (i32.add (i32.const 16384)
                (i32.shl (i32.shr_u (i32.mul (local.get $key) (i32.const 0x9e3779b1)) (i32.const 26))
                    (i32.const 8))))
            (local.set $count (i32.load (local.get $list)))
            (local.set $at (i32.const 0))
            (block $end
                (loop $next
                    (br_if $end (i32.ge_u (local.get $at) (local.get $count)))
                    (local.set $at (i32.add (local.get $at) (i32.const 1)))
                    (br_if $each (i32.eq (local.get $key)
                        (i32.load (i32.add (local.get $list) (i32.shl (local.get $at) (i32.const 2))))))
                    (br $next)))
            (i32.store (local.get $list) (i32.add (local.get $count) (i32.const 1)))
            (i32.store offset=4
                (i32.add (local.get $list) (i32.shl (local.get $count) (i32.const 2)))
                (local.get $key))
            (br $each))))"#;

/// No change of one key pays before it meets the others, and none is alike.
#[test]
fn keys_are_sent_to_one_list() {
    let bytes = wat::parse_str(LISTS).expect("text");
    let n = 40;
    let at = at_size(&bytes, "put_all(&u32[n], n)", n);
    let ends = Ends::WithWork;
    let effort = Effort { instructions: 20_000_000, vary: true, round: 0, aim: Aim::Worst, ends };
    let found = Mutator::default().search(&at, effort, 0, &Budget::default());
    let best = found.expect("it can be run").best.expect("every input ends");
    // Two conditionals for each key that is passed, and two for each that is put.
    let all_in_one = n * (n - 1) + 2 * n + 1;
    assert!(best.cost > all_in_one * 9 / 10, "{} of {all_in_one}", best.cost);
}

/// What meets at the largest size meets at smaller ones: the family is a square, where chance spreads keys over all lists.
#[test]
fn keys_that_meet_are_a_family() {
    let bytes = wat::parse_str(LISTS).expect("text");
    // A list has room for 63 keys.
    let at = |n: u64| (n < 64).then(|| Arc::new(at_size(&bytes, "put_all(&u32[n], n)", n)));
    let ladder: Vec<AtSize> = [8, 20, 30].map(|n| at_size(&bytes, "put_all(&u32[n], n)", n)).into();
    let made = Mutator::default()
        .keys_that_meet(&ladder, at, 100_000_000, (&Budget::default(), 1))
        .expect("it can be run");
    let [family] = made.families.as_slice() else { panic!("no family: {made:?}") };
    let all_in_one = |n: u64| n * (n - 1) + 2 * n + 1;
    let last = family.costs.last().copied();
    assert!(last.is_some_and(|(n, cost)| n == 31 && cost > all_in_one(n) * 9 / 10), "{last:?}");
    let square = |(n, cost): &(u64, u64)| *cost > all_in_one(*n) * 8 / 10;
    assert!(family.costs.iter().all(square), "{:?}", family.costs);
    let at_twenty = made.costliest.get(&20).map_or(0, |test| test.cost);
    assert!(at_twenty > all_in_one(20) * 8 / 10, "the sizes of the ladder have their inputs");
    // Where the others go further, it says how much inputs cost and not how that grows.
    let at = |n: u64| (n < 64).then(|| Arc::new(at_size(&bytes, "put_all(&u32[n], n)", n)));
    let ladder: Vec<AtSize> = [20, 100].map(|n| at_size(&bytes, "put_all(&u32[n], n)", n)).into();
    let made = Mutator::default()
        .keys_that_meet(&ladder, at, 100_000_000, (&Budget::default(), 1))
        .expect("it can be run");
    assert_eq!(made.families, []);
    assert!(made.costliest.get(&20).is_some_and(|test| test.cost > all_in_one(20) * 8 / 10));
    // A sort has no keys that could meet.
    let at = |n: u64| Some(Arc::new(insertion_sort(n)));
    let none = Mutator::default().keys_that_meet(&[], at, 100_000_000, (&Budget::default(), 1));
    assert_eq!(none.expect("it can be run").families, []);
}

/// Puts the names of a text, with a comma behind each, into 64 lists. Every name that a lookup passes costs.
const NAMED: &str = r#"(module
    (memory (export "memory") 3)
    (func (export "put_names") (param $a i32) (param $n i32)
        (local $hash i32) (local $list i32) (local $at i32) (local $byte i32)
        (loop $each
            (if (i32.eqz (local.get $n)) (then (return)))
            (local.set $n (i32.sub (local.get $n) (i32.const 1)))
            (local.set $byte (i32.load8_u (local.get $a)))
            (local.set $a (i32.add (local.get $a) (i32.const 1)))
            (if (i32.ne (local.get $byte) (i32.const 44))
                (then
                    (local.set $hash (i32.mul (i32.xor (local.get $hash) (local.get $byte))
                        (i32.const 16777619)))
                    (br $each)))
            ;; A list is 256 words: how many names, and their hashes.
            (local.set $list (i32.add (i32.const 65536)
                (i32.shl (i32.and (local.get $hash) (i32.const 63)) (i32.const 10))))
            (local.set $at (i32.load (local.get $list)))
            (i32.store (local.get $list) (i32.add (local.get $at) (i32.const 1)))
            (i32.store offset=4
                (i32.add (local.get $list) (i32.shl (local.get $at) (i32.const 2)))
                (local.get $hash))
            (loop $next
                (if (i32.ne (local.get $at) (i32.const 0))
                    (then
                        (local.set $at (i32.sub (local.get $at) (i32.const 1)))
                        (br $next))))
            (local.set $hash (i32.const 0))
            (br $each))))"#;

/// Chance makes few names of a text, and long ones: keys of four letters are put between what separates them.
#[test]
fn keys_of_a_text_are_a_family() {
    let bytes = wat::parse_str(NAMED).expect("text");
    let sized = |n: u64| at_size(&bytes, "put_names(&u8[n], n)", n);
    let mut mutator = Mutator::default();
    let slot = shape(&sized(20)).expect("it can be run").expect("plain values")[0].slot;
    mutator.dictionary().learn(&[(slot, u64::from(b','))].into_iter().collect());
    let ladder = [20, 100].map(sized);
    let at = |n: u64| (n < 1024).then(|| Arc::new(sized(n)));
    let made = mutator
        .keys_that_meet(&ladder, at, 200_000_000, (&Budget::default(), 1))
        .expect("it can be run");
    let one_place = made.families.last().expect("a family");
    let (n, cost) = one_place.costs.last().copied().expect("it has sizes");
    // Two conditionals for every byte, and one for every name that is passed, of n/5 names.
    let names = n / 5;
    let all_in_one = 2 * n + names * (names - 1) / 2;
    assert!(n == 101 && cost > all_in_one * 8 / 10, "{cost} at {n}, and not {all_in_one}");
}

/// How many inputs are run ahead changes nothing: searches, patterns and families are those of one worker.
#[test]
fn any_number_of_workers_finds_the_same() {
    let found = |workers: usize| {
        let mut mutator = Mutator::with_workers(workers);
        let pairs = [[insertion_sort(8), insertion_sort(16)]];
        let budget = Budget::default();
        let evolved = mutator.evolve(&pairs, 4_000_000, 1, &budget).expect("it can be run");
        let searched = [Aim::Growth, Aim::Worst].map(|aim| {
            let ends = Ends::WithWork;
            let effort = Effort { instructions: 6_000_000, vary: true, round: 0, aim, ends };
            mutator.search(&insertion_sort(20), effort, 3, &budget).expect("it can be run")
        });
        let sizes = [5, 10, 20, 40].map(insertion_sort);
        let families = mutator.families(&sizes, 6_000_000, &budget).expect("it can be run");
        let at = |n| Some(Arc::new(insertion_sort(n)));
        let within = (&budget, workers);
        let ending = families.families[0].ending(at, 6_000_000, within).expect("it can be run");
        (evolved, searched, families, ending, mutator.patterns().to_vec())
    };
    let one = found(1);
    assert!(one.1.iter().all(|searched| searched.runs > 50), "{:?}", one.1);
    for workers in [2, 5] {
        assert_eq!(found(workers), one, "{workers} workers");
    }
}

fn worst(mutator: &mut Mutator, at: &AtSize, instructions: u64) -> u64 {
    let (aim, ends) = (Aim::Worst, Ends::WithWork);
    let effort = Effort { instructions, vary: true, round: 0, aim, ends };
    let found = mutator.search(at, effort, 0, &Budget::default());
    found.expect("it can be run").best.map_or(0, |test| test.cost)
}

/// How many of one word there are for how many of another is found in a few runs.
#[test]
fn what_is_repeated_is_balanced() {
    let bytes = wat::parse_str(NESTED).expect("text");
    let at = |n: u64| at_size(&bytes, "f(&u8[n], n)", n);
    let mut mutator = Mutator::default();
    let seed = [vec![b'-'; 20], vec![b'x'], vec![b'\n'; 379]].concat();
    let own = mutator.give(&seed, 1000, |n| Ok::<_, LoadError>(Arc::new(at(n))));
    assert_eq!(own.expect("it can be run"), Some(400));
    let found = worst(&mut mutator, &at(400), 20_000_000);
    assert!(found > 199 * 200, "{found}");
}

/// Names end with a semicolon; a name of one letter that was there before ends all, and each name takes as many steps as there
/// were names.
const NAMES: &str = r#"(module
    (memory (export "memory") 2)
    (func (export "f") (param $a i32) (param $n i32)
        (local $i i32) (local $c i32) (local $last i32) (local $len i32) (local $count i32) (local $j i32)
        (loop $each
            (local.set $c (i32.load8_u (i32.add (local.get $a) (local.get $i))))
            (if (i32.eq (local.get $c) (i32.const 59))
                (then
                    (if (i32.eqz (local.get $len)) (then (return)))
                    (if (i32.eq (local.get $len) (i32.const 1)) (then
                        (if (i32.load8_u (i32.add (i32.const 100000) (local.get $last))) (then (return)))
                        (i32.store8 (i32.add (i32.const 100000) (local.get $last)) (i32.const 1))))
                    (local.set $len (i32.const 0))
                    (local.set $j (local.tee $count (i32.add (local.get $count) (i32.const 1))))
                    (loop $before
                        (br_if $before (local.tee $j (i32.sub (local.get $j) (i32.const 1))))))
                (else
                    (local.set $len (i32.add (local.get $len) (i32.const 1)))
                    (local.set $last (local.get $c))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $each (i32.lt_u (local.get $i) (local.get $n))))))"#;

/// What was taken for a word may be a letter of a name: then more names are short. What ends a name is none.
#[test]
fn names_get_the_letters_that_pay() {
    let bytes = wat::parse_str(NAMES).expect("text");
    let at = at_size(&bytes, "f(&u8[n], n)", 400);
    for without in [0..200, 0..0] {
        let mut pattern = Pattern::fill(59, 1);
        pattern.arrays[0][0].values = vec![120, 59];
        pattern.arrays[0][0].change = crate::pattern::Change::name(0, without.clone());
        let mut mutator = Mutator::default();
        mutator.set_patterns(vec![pattern]);
        let found = worst(&mut mutator, &at, 20_000_000);
        assert!(found > 19_000, "{found}: two hundred names of one letter fit, {without:?}");
    }
}

/// Below 64 values n² steps, from there on twenty for each.
const ANOTHER_WAY: &str = r#"(module
    (memory (export "memory") 1)
    (func (export "f") (param $a i32) (param $n i32) (local $i i32)
        (local.set $i (select
            (i32.mul (local.get $n) (local.get $n))
            (i32.mul (local.get $n) (i32.const 20))
            (i32.lt_u (local.get $n) (i32.const 64))))
        (loop $each
            (br_if $each (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))))"#;

/// A dip is no end: what costs less at twice the size is followed to where it costs more.
#[test]
fn a_family_is_followed_through_a_dip() {
    let bytes = wat::parse_str(ANOTHER_WAY).expect("text");
    let at = |n: u64| at_size(&bytes, "f(&u8[n], n)", n);
    let budget = Budget::default();
    let sizes = [8, 16, 32, 60].map(at);
    let families = Mutator::default().families(&sizes, 6_000_000, &budget).expect("it can be run");
    let ending = |instructions: u64| {
        let at = |n: u64| Some(Arc::new(at(n)));
        let ending = families.families[0].ending(at, instructions, (&budget, 1));
        ending.expect("it can be run").expect("there is work enough")
    };
    let far = ending(6_000_000);
    let is_line = |(n, cost): &(u64, u64)| *cost == 20 * n;
    assert!(far.len() > 8 && far.iter().rev().take(8).all(is_line), "{far:?}");
    // Where there is work for the size that refutes it and for its ending, the square is not the end.
    let near = ending(400_000);
    assert!(near.last().is_some_and(is_line), "{near:?}");
}

/// A one goes up and anything else down; whoever passes from 40 to 41 or back takes forty steps.
const BORDER: &str = r#"(module
    (memory (export "memory") 1)
    (func (export "f") (param $a i32) (param $n i32)
        (local $i i32) (local $depth i32) (local $least i32) (local $j i32)
        (loop $each
            (local.set $least (local.get $depth))
            (if (i32.eq (i32.load8_u (i32.add (local.get $a) (local.get $i))) (i32.const 1))
                (then (local.set $depth (i32.add (local.get $depth) (i32.const 1))))
                (else
                    (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
                    (local.set $least (local.get $depth))))
            (if (i32.eq (local.get $least) (i32.const 40)) (then
                (local.set $j (i32.const 40))
                (loop $step
                    (local.set $j (i32.sub (local.get $j) (i32.const 1)))
                    (br_if $step (local.get $j)))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $each (i32.lt_u (local.get $i) (local.get $n))))))"#;

/// One seam alone is the right one, and none near it is better than those far away.
#[test]
fn the_seam_between_two_words_is_put_everywhere() {
    let at = at_size(&wat::parse_str(BORDER).expect("text"), "f(&u8[n], n)", 200);
    let slot = Slot::any(pessimum_entry::Type::U8);
    let mut input = InputValues::new();
    (0..200).for_each(|i| input.push(slot, u64::from(i < 9 || i % 2 == 0)));
    let (_, machine) = at.run(input.clone()).expect("it can be run");
    let begun = PathTest::of_run(input, machine.counters());
    let mut mutator = Mutator::default();
    mutator.note(&at, &begun).expect("it fits");
    let effort = Effort {
        instructions: 40_000_000,
        vary: true,
        round: 0,
        aim: Aim::Growth,
        ends: Ends::WithWork,
    };
    let found = mutator.search(&at, effort, 0, &Budget::default()).expect("it can be run");
    let cost = found.best.map_or(0, |test| test.cost);
    assert!(cost > 150 * 40 && begun.cost < 1000, "{cost}, {}", begun.cost);
}
