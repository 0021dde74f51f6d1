//! The explorer against a walk that asks no solver: it carries the set of all inputs of a small
//! domain down the tree and parts it at every stop.
//!
//! The leaves of that walk part the domain. The explorer must have one test in each of them, with
//! its cost and its trap: then every input belongs to exactly one path, and none is missing.

#![allow(clippy::print_stdout)]

use crate::brute_force::{call, explored};
use crate::{random_floats, random_function};

use pessimum_entry::{Arg, Call, CostModel, InputValues, Invocation, Sizes, Slot, Type};
use pessimum_explore::{FindingKind, Nobody, Options, Outcome, Plan, explore, run_concrete};
use pessimum_learn::Unguided;
use pessimum_machine::{End, Inputs, Limits, Machine, Module, Purpose, Setup, Stop, Trap};
use pessimum_term::{Arena, Evaluator, TermId, VarId};
use std::collections::BTreeMap;
use std::sync::Arc;

type Input = Vec<u64>;

/// The inputs that end at one place, how they end and what that costs.
#[derive(Debug)]
struct Leaf {
    inputs: Vec<Input>,
    end: End,
    cost: u64,
}

struct Case {
    module: Arc<Module>,
    setup: Setup,
    slots: Vec<Slot>,
}

impl Case {
    fn new(text: &str, slots: &[Slot]) -> Case {
        let bytes = wat::parse_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let module = Module::load(&bytes, &CostModel::Instructions).expect("it loads");
        let args = slots.iter().map(|s| Arg::Scalar(*s)).collect();
        let setup = Setup {
            invocation: Invocation::Call(Call { function: "f".to_owned(), args }),
            sizes: Sizes::of(0),
            seed: 0,
            limits: Limits::default(),
        };
        Case { module: Arc::new(module), setup, slots: slots.to_vec() }
    }

    fn walked(&self) -> Outcome {
        let plan = Plan {
            module: Arc::clone(&self.module),
            setup: self.setup.clone(),
            over: None,
            options: Options { max_tests: 100_000, ..Options::default() },
            workers: 1,
        };
        explore(&plan, &Unguided, || Nobody).expect("it explores").0
    }

    /// Every input of the domain.
    fn domain(&self) -> Vec<Input> {
        self.slots.iter().fold(vec![Vec::new()], |inputs, slot| {
            let (low, high) = slot.domain.expect("a small domain");
            let with =
                |input: &Input, v: i128| [input.as_slice(), &[v as u64 & slot.ty.mask()]].concat();
            inputs.iter().flat_map(|input| (low..=high).map(move |v| with(input, v))).collect()
        })
    }

    fn leaves(&self) -> Vec<Leaf> {
        let mut arena = Arena::new();
        let machine = Machine::start(&self.module, &self.setup, Inputs::Symbolic, &mut arena)
            .expect("it starts");
        let mut leaves = Vec::new();
        let mut pending = vec![(machine, arena, self.domain())];
        while let Some((mut machine, mut arena, inputs)) = pending.pop() {
            let stop = machine.run(&mut arena);
            part(stop, machine, arena, inputs, &mut pending, &mut leaves);
        }
        leaves
    }

    /// What a concrete run says.
    fn concrete(&self, input: &Input) -> (End, u64) {
        let mut values = InputValues::new();
        self.slots.iter().zip(input).for_each(|(slot, bits)| values.push(*slot, *bits));
        let (end, machine) =
            run_concrete(&self.module, &self.setup, values, |_| ()).expect("it runs");
        (end, machine.counters().cost)
    }

    fn check(&self, context: &str) -> usize {
        let leaves = self.leaves();
        let mut leaf_of: BTreeMap<&Input, usize> = BTreeMap::new();
        for (i, leaf) in leaves.iter().enumerate() {
            for input in &leaf.inputs {
                assert_eq!(leaf_of.insert(input, i), None, "{context}: {input:?} has two paths");
                let (end, cost) = self.concrete(input);
                assert_eq!((leaf.end, leaf.cost), (end, cost), "{context}: {input:?}");
            }
        }
        assert_eq!(leaf_of.len(), self.domain().len(), "{context}: an input has no path");

        let outcome = self.walked();
        assert!(outcome.is_exact(), "{context}: not exact: {outcome:?}");
        let mut hit = vec![0; leaves.len()];
        for test in &outcome.tests {
            let input = test.input.as_ref().expect("a solved input");
            let input: Input = input.iter().map(|v| v.1).collect();
            let i =
                *leaf_of.get(&input).unwrap_or_else(|| panic!("{context}: {input:?} is no input"));
            let expected: Option<Trap> = match leaves[i].end {
                End::Trap(trap) => Some(trap),
                _ => None,
            };
            assert_eq!((test.cost, test.trap), (leaves[i].cost, expected), "{context}: {input:?}");
            hit[i] += 1;
        }
        let missed: Vec<&Leaf> =
            leaves.iter().zip(&hit).filter(|(_, n)| **n != 1).map(|(l, _)| l).collect();
        assert!(missed.is_empty(), "{context}: leaves without exactly one test: {missed:?}");
        leaves.len()
    }
}

fn value(arena: &Arena, t: TermId, input: &Input) -> u64 {
    Evaluator::new().value(arena, t, |v: VarId| input.get(v.0 as usize).copied().unwrap_or(0))
}

/// Parts a set of inputs at a stop; what goes on is pending, what ends is a leaf.
fn part(
    stop: Stop,
    machine: Machine,
    mut arena: Arena,
    inputs: Vec<Input>,
    pending: &mut Vec<(Machine, Arena, Vec<Input>)>,
    leaves: &mut Vec<Leaf>,
) {
    let cost = machine.counters().cost;
    let sides = |arena: &Arena, condition: TermId| {
        let holds = |input: &Input| value(arena, condition, input) != 0;
        inputs.iter().cloned().partition::<Vec<Input>, _>(holds)
    };
    let mut go = |machine: Machine, arena: Arena, inputs: Vec<Input>| {
        if !inputs.is_empty() {
            pending.push((machine, arena, inputs));
        }
    };
    match stop {
        Stop::Branch { condition, .. } | Stop::Split { condition, .. } => {
            let (yes, no) = sides(&arena, condition);
            for (inputs, holds) in [(yes, true), (no, false)] {
                let (mut machine, mut arena) = (machine.clone(), arena.clone());
                match stop {
                    Stop::Branch { .. } => machine.take(holds),
                    _ => machine.split(&mut arena, holds),
                }
                go(machine, arena, inputs);
            }
        }
        Stop::Switch { arms, .. } => {
            for arm in 0..arms {
                let condition = machine.arm_condition(&mut arena, arm);
                let (inputs, _) = sides(&arena, condition);
                let mut machine = machine.clone();
                machine.take_arm(arm);
                go(machine, arena.clone(), inputs);
            }
        }
        Stop::Guard { condition, trap } => {
            let (traps, passes) = sides(&arena, condition);
            if !traps.is_empty() {
                leaves.push(Leaf { inputs: traps, end: End::Trap(trap), cost });
            }
            let mut machine = machine;
            machine.pass_guard();
            go(machine, arena, passes);
        }
        Stop::Choose { term, purpose } => {
            let mut by_value: BTreeMap<u64, Vec<Input>> = BTreeMap::new();
            for input in inputs {
                by_value.entry(value(&arena, term, &input)).or_default().push(input);
            }
            let access = matches!(purpose, Purpose::Load | Purpose::Store);
            if access && by_value.len() > 1 && by_value.len() <= 256 {
                let values: Vec<u64> = by_value.keys().copied().collect();
                let mut machine = machine;
                machine.read_over(&values);
                go(machine, arena, by_value.into_values().flatten().collect());
                return;
            }
            for (value, inputs) in by_value {
                let (mut machine, mut arena) = (machine.clone(), arena.clone());
                machine.choose(&mut arena, value);
                go(machine, arena, inputs);
            }
        }
        Stop::Assume { condition } => {
            let (holds, _) = sides(&arena, condition);
            let mut machine = machine;
            machine.pass_guard();
            go(machine, arena, holds);
        }
        Stop::End(end) => leaves.push(Leaf { inputs, end, cost }),
    }
}

fn small(ty: Type) -> Slot {
    Slot::within(ty, 0, 5)
}

#[test]
fn functions_written_for_the_purpose() {
    let two = [small(Type::I32), small(Type::I32)];
    let cases = [
        (
            "a select that reaches a branch",
            r#"(func (export "f") (param i32 i32) (result i32)
            (if (result i32) (i32.gt_s (select (local.get 0) (local.get 1)
                    (i32.lt_u (local.get 0) (local.get 1))) (i32.const 2))
                (then (i32.const 1)) (else (i32.const 0))))"#,
        ),
        (
            "a comparison used as data",
            r#"(func (export "f") (param i32 i32) (result i32)
            (if (result i32) (i32.and (i32.lt_s (local.get 0) (i32.const 3))
                    (i32.ne (local.get 1) (local.get 0)))
                (then (i32.const 7)) (else (i32.add (local.get 0) (local.get 1)))))"#,
        ),
        (
            "a switch with repeated labels",
            r#"(func (export "f") (param i32 i32) (result i32)
            (block (block (block
                (br_table 0 1 0 2 1 (i32.add (local.get 0) (local.get 1))))
                (return (i32.const 10))) (return (i32.const 20))) (i32.const 30))"#,
        ),
        (
            "a table in memory",
            r#"(func (export "f") (param i32 i32) (result i32)
            (if (result i32) (i32.gt_u (i32.load8_u (local.get 0)) (i32.load8_u (local.get 1)))
                (then (i32.const 1)) (else (i32.const 2))))"#,
        ),
        (
            "a store to a symbolic address",
            r#"(func (export "f") (param i32 i32) (result i32)
            (i32.store8 (local.get 0) (local.get 1))
            (if (result i32) (i32.eq (i32.load8_u (local.get 1)) (local.get 1))
                (then (i32.const 1)) (else (i32.load8_u (i32.const 3)))))"#,
        ),
        (
            "words that overlap",
            r#"(func (export "f") (param i32 i32) (result i32)
            (i32.store (local.get 0) (i32.mul (local.get 1) (i32.const 0x01010101)))
            (if (result i32) (i32.lt_u (i32.load (i32.const 2)) (i32.load offset=1 (local.get 1)))
                (then (i32.const 1)) (else (i32.const 2))))"#,
        ),
        (
            "division by zero and overflow",
            r#"(func (export "f") (param i32 i32) (result i32)
            (i32.add (i32.div_u (i32.const 60) (local.get 0))
                (i32.div_s (i32.sub (i32.const -2147483643) (local.get 1))
                    (i32.sub (local.get 0) (i32.const 3)))))"#,
        ),
        (
            "the end of memory",
            r#"(func (export "f") (param i32 i32) (result i32)
            (if (i32.gt_s (local.get 1) (i32.const 2))
                (then (return (i32.load (i32.add (local.get 0) (i32.const 65530))))))
            (i32.load8_u (i32.mul (local.get 0) (i32.const 20000))))"#,
        ),
        (
            "an indirect call",
            r#"(func (export "f") (param i32 i32) (result i32)
            (call_indirect (type $t) (local.get 1) (local.get 0)))"#,
        ),
        (
            "a length",
            r#"(func (export "f") (param i32 i32) (result i32)
            (memory.fill (i32.const 0) (local.get 1) (local.get 0))
            (memory.copy (local.get 1) (i32.const 1) (i32.const 3))
            (if (result i32) (i32.eq (i32.load8_u (i32.const 3)) (local.get 1))
                (then (i32.const 1)) (else (i32.const 2))))"#,
        ),
        (
            "a loop",
            r#"(func (export "f") (param i32 i32) (result i32) (local i32)
            (block (loop (br_if 1 (i32.ge_u (local.get 2) (local.get 0)))
                (if (i32.eq (local.get 2) (local.get 1)) (then (return (i32.const 99))))
                (local.set 2 (i32.add (local.get 2) (i32.const 1))) (br 0)))
            (local.get 2))"#,
        ),
        (
            "recursion",
            r#"(func $g (export "f") (param i32 i32) (result i32)
            (if (result i32) (local.get 1)
                (then (call $g (local.get 1) (i32.rem_u (local.get 0) (local.get 1))))
                (else (local.get 0))))"#,
        ),
        (
            "wide arithmetic",
            r#"(func (export "f") (param i32 i32) (result i32)
            (if (result i32) (i64.lt_s
                (i64.mul (i64.extend_i32_s (i32.sub (local.get 0) (local.get 1))) (i64.const 1000000007))
                (i64.shl (i64.extend_i32_u (local.get 1)) (i64.const 31)))
                (then (i32.const 1)) (else (i32.const 2))))"#,
        ),
        (
            "bits",
            r#"(func (export "f") (param i32 i32) (result i32)
            (if (result i32) (i32.gt_u (i32.popcnt (i32.rotl (local.get 0) (local.get 1)))
                (i32.clz (i32.shl (local.get 1) (i32.const 28))))
                (then (i32.const 1)) (else (i32.ctz (local.get 0)))))"#,
        ),
    ];
    for (name, function) in cases {
        let text = format!(
            r#"(module (memory 1 1) (data (i32.const 0) "\03\01\04\01\05\09\02\06\05\03")
            (type $t (func (param i32) (result i32)))
            (table 5 funcref) (elem (i32.const 0) $double $choose $wrong)
            (func $double (type $t) (i32.mul (local.get 0) (i32.const 2)))
            (func $choose (type $t) (if (result i32) (i32.gt_u (local.get 0) (i32.const 3))
                (then (i32.const 1)) (else (i32.const 2))))
            (func $wrong) {function})"#
        );
        let leaves = Case::new(&text, &two).check(name);
        println!("{name}: {leaves} leaves");
        assert!(leaves >= 2, "{name}: {leaves}");
    }
}

#[test]
fn random_functions() {
    let slots = [
        small(Type::I32),
        Slot::within(Type::I32, -1, 2),
        Slot::within(Type::I64, 0, 1),
        Slot::within(Type::I64, 0, 2),
    ];
    let mut leaves = 0;
    for seed in 0..60 {
        let text = random_function::text(seed);
        leaves += Case::new(&text, &slots).check(&format!("seed {seed}"));
    }
    println!("{leaves} leaves");
    assert!(leaves >= 300, "{leaves}");
}

/// Floats computed from the inputs have the paths that the inputs have. The domains are of bytes, which have tables, and of
/// more than bytes, which have none.
#[test]
fn random_floats() {
    let slots = [
        Slot::within(Type::I32, -2, 3),
        Slot::within(Type::I8, -2, 2),
        Slot::within(Type::I32, 250, 256),
    ];
    let mut leaves = 0;
    for seed in 0..300 {
        let text = random_floats::text(seed);
        leaves += Case::new(&text, &slots).check(&format!("seed {seed}"));
    }
    println!("{leaves} leaves");
    assert!(leaves >= 1000, "{leaves}");
}

/// `if (b - a == b)` is a = 0 and mentions b: what follows on a alone must not forget it.
#[test]
fn a_byte_that_an_equation_ties_to_another_has_no_other_value_later() {
    let text = r#"(module (func (export "f") (param i32 i32) (result i32) (local $count i32)
        (if (i32.eq (i32.sub (local.get 1) (local.get 0)) (local.get 1)) (then
            (if (i32.eq (i32.and (local.get 0) (i32.const 3)) (i32.const 1))
                (then (local.set $count (i32.add (local.get $count) (i32.const 1)))))
            (if (i32.eq (i32.and (local.get 1) (i32.const 3)) (i32.const 1))
                (then (local.set $count (i32.add (local.get $count) (i32.const 1)))))))
        (local.get $count)))"#;
    let case = Case::new(text, &[Slot::within(Type::U8, 0, 7), Slot::within(Type::U8, 0, 7)]);
    assert_eq!(case.check("tied bytes"), 3);
}

/// x in 0..=10 and y in 0..=2^63 + 492: x < y and y < 1000 has models, [0, 1] for one.
#[test]
fn an_order_of_domains_on_both_sides_of_the_middle_is_feasible() {
    let text = r#"(module (func (export "f") (param i64 i64) (result i32) (local $i i32)
        (if (i32.and (i64.lt_u (local.get 0) (local.get 1)) (i64.lt_u (local.get 1) (i64.const 1000)))
            (then (loop (br_if 0 (i32.lt_u
                (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 100))))))
        (local.get $i)))"#;
    let slots =
        [Slot::within(Type::U64, 0, 10), Slot::within(Type::U64, 0, 9_223_372_036_854_776_300)];
    let case = Case::new(text, &slots);
    let outcome = case.walked();
    assert!(outcome.is_exact());
    let (end, cost) = case.concrete(&vec![0, 1]);
    assert_eq!((end, outcome.worst_cost()), (End::Return, Some(cost)));
}

/// One input of four sends the loop round for ever; the walk tells it from the others and goes on.
#[test]
fn an_endless_path_does_not_keep_the_walk() {
    let text = r#"(module (func (export "f") (param i32) (result i32)
        (loop (br_if 0 (i32.eq (local.get 0) (i32.const 2))))
        (if (result i32) (i32.lt_u (local.get 0) (i32.const 2)) (then (i32.const 1)) (else (i32.const 0)))))"#;
    let case = Case::new(text, &[Slot::within(Type::I32, 0, 3)]);
    let outcome = case.walked();
    assert_eq!((outcome.paths, outcome.cut, outcome.complete), (2, 1, true));
    assert!(!outcome.is_exact());
    assert!(outcome.instructions < 10_000_000, "{}", outcome.instructions);
    let mut findings = outcome.findings.values().filter(|f| f.kind == FindingKind::Endless);
    let shown = findings.next().and_then(|f| f.input.clone()).expect("an input that shows it");
    assert_eq!(shown.iter().map(|v| v.1).collect::<Vec<_>>(), [2]);
}

/// No root of 2 is a float. Without a solver that knows so both sides are followed, and that the one with
/// an input costs the same as itself says nothing of the other.
#[test]
fn a_path_without_an_input_has_a_cost_too() {
    let text = r#"(module (func (export "f") (param f64) (result i32)
        (if (result i32) (f64.eq (f64.mul (local.get 0) (local.get 0)) (f64.const 2))
            (then (i32.add (i32.const 1) (i32.const 2))) (else (i32.const 0)))))"#;
    let outcome = Case::new(text, &[Slot::any(Type::F64)]).walked();
    assert_eq!(outcome.cost_independent_of_input(), outcome.paths == 1);
}

/// Two functions by the value of an index: what they return makes one and the same branch fold to true
/// in the one and to false in the other, without a question.
#[test]
fn a_branch_that_folds_below_a_fork_makes_another_path() {
    let text = r#"(module
        (type $h (func (param i32) (result i32)))
        (table 2 funcref)
        (elem (i32.const 0) $small $large)
        (func $small (type $h) (local.get 0))
        (func $large (type $h) (i32.or (local.get 0) (i32.const 16)))
        (func (export "f") (param $x i32)
            (if (i32.lt_u
                    (call_indirect (type $h) (local.get $x) (i32.and (local.get $x) (i32.const 1)))
                    (i32.const 16))
                (then (nop)))))"#;
    let bytes = wat::parse_str(text).expect("text");
    let outcome = explored(&bytes, &CostModel::Conditionals, &call("f(u8 in 0..=7)"), 1);
    assert!(outcome.is_exact() && outcome.address_forks == 1, "{outcome:?}");
    assert_eq!(outcome.paths, 2);
}
