//! Random structured programs, run twice: by the copy in the engine, and by the obvious walk over
//! the program's own tree.

use crate::common;

use std::fmt::Write as _;

use common::{call, wasm};
use pessimum_entry::{InputValues, Sizes};
use pessimum_replay::{Input, Instrumented, Limits, Replayer};
use proptest::prelude::*;

/// A statement over one accumulator.
#[derive(Debug, Clone)]
enum Stmt {
    /// `acc += k`
    Add(i32),
    /// `if (acc & mask) … else …`
    If(i32, Vec<Stmt>, Vec<Stmt>),
    /// the body, this many times
    Repeat(u8, Vec<Stmt>),
    /// a block that can be left
    Block(Vec<Stmt>),
    /// leaves the innermost block, or the function, when `acc & mask`
    Leave(i32),
    /// calls a function that counts
    Work,
    /// returns when `acc & mask`
    ReturnIf(i32),
}

fn program() -> impl Strategy<Value = Vec<Stmt>> {
    let leaf = prop_oneof![
        (-9..9i32).prop_map(Stmt::Add),
        (0..8i32).prop_map(Stmt::Leave),
        Just(Stmt::Work),
        (0..4i32).prop_map(|mask| Stmt::ReturnIf(mask << 3)),
    ];
    let stmt = leaf.prop_recursive(4, 40, 4, |inner| {
        let body = || proptest::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            (0..8i32, body(), body()).prop_map(|(mask, yes, no)| Stmt::If(mask, yes, no)),
            (1..4u8, body()).prop_map(|(times, body)| Stmt::Repeat(times, body)),
            body().prop_map(Stmt::Block),
        ]
    });
    proptest::collection::vec(stmt, 0..6)
}

/// Writes a statement. `level` numbers the loop counters, `labels` are the enclosing structures
/// from the outside in: true for one that `Leave` aims at.
fn emit(stmt: &Stmt, level: usize, labels: &mut Vec<bool>, out: &mut String) {
    let test = |mask: &i32| format!("(i32.and (local.get $acc) (i32.const {mask}))");
    let _ = match stmt {
        Stmt::Add(k) => write!(out, "(local.set $acc (i32.add (local.get $acc) (i32.const {k})))"),
        Stmt::Work => write!(out, "(call $work)"),
        Stmt::ReturnIf(mask) => {
            write!(out, "(if {} (then (return (local.get $acc))))", test(mask))
        }
        Stmt::Leave(mask) => {
            let depth = labels.iter().rev().position(|&leavable| leavable);
            let depth = depth.unwrap_or(labels.len() - 1);
            write!(out, "(br_if {depth} {})", test(mask))
        }
        Stmt::If(mask, yes, no) => {
            write!(out, "(if {} (then ", test(mask)).unwrap();
            labels.push(false);
            yes.iter().for_each(|stmt| emit(stmt, level, labels, out));
            write!(out, ") (else ").unwrap();
            no.iter().for_each(|stmt| emit(stmt, level, labels, out));
            labels.pop();
            write!(out, "))")
        }
        Stmt::Repeat(times, body) => {
            write!(out, "(local.set $c{level} (i32.const {times})) (loop ").unwrap();
            labels.push(false);
            body.iter().for_each(|stmt| emit(stmt, level + 1, labels, out));
            labels.pop();
            write!(
                out,
                "(br_if 0 (local.tee $c{level} (i32.sub (local.get $c{level}) (i32.const 1)))))"
            )
        }
        Stmt::Block(body) => {
            write!(out, "(block ").unwrap();
            labels.push(true);
            body.iter().for_each(|stmt| emit(stmt, level, labels, out));
            labels.pop();
            write!(out, ")")
        }
    };
}

fn module(program: &[Stmt]) -> String {
    let mut body = String::new();
    let mut labels = vec![true];
    program.iter().for_each(|stmt| emit(stmt, 0, &mut labels, &mut body));
    let counters: String = (0..8).map(|level| format!("(local $c{level} i32)")).collect();
    format!(
        r#"(module (memory 1) (global $g (mut i32) (i32.const 0)) (global $__stack_pointer (mut i32) (i32.const 1024))
            (func $work (global.set $g (i32.add (global.get $g) (i32.const 1))))
            (func (export "f") (param $acc i32) (result i32) {counters}
                (block {body})
                (local.get $acc)))"#
    )
}

/// The obvious walk.
#[derive(Debug, Default, PartialEq, Eq)]
struct Walk {
    acc: i32,
    conditionals: u64,
    instructions: u64,
    work: u64,
}

enum Flow {
    Next,
    Leave,
    Return,
}

impl Walk {
    /// An operator sequence that computes `acc & mask` and branches on it.
    fn branch(&mut self, mask: i32) -> bool {
        self.instructions += 4;
        self.conditionals += 1;
        self.acc & mask != 0
    }

    fn all(&mut self, body: &[Stmt]) -> Flow {
        for stmt in body {
            match self.one(stmt) {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Next
    }

    fn one(&mut self, stmt: &Stmt) -> Flow {
        match stmt {
            Stmt::Add(k) => {
                self.instructions += 4;
                self.acc = self.acc.wrapping_add(*k);
            }
            Stmt::Work => {
                self.instructions += 1 + 4;
                self.work += 1;
            }
            Stmt::ReturnIf(mask) => {
                if self.branch(*mask) {
                    self.instructions += 2;
                    return Flow::Return;
                }
            }
            Stmt::Leave(mask) => {
                if self.branch(*mask) {
                    return Flow::Leave;
                }
            }
            Stmt::If(mask, yes, no) => {
                let arm = if self.branch(*mask) { yes } else { no };
                return self.all(arm);
            }
            Stmt::Repeat(times, body) => {
                self.instructions += 2;
                for _ in 0..*times {
                    match self.all(body) {
                        Flow::Next => {}
                        flow => return flow,
                    }
                    self.instructions += 5;
                    self.conditionals += 1;
                }
            }
            Stmt::Block(body) => {
                if let Flow::Return = self.all(body) {
                    return Flow::Return;
                }
            }
        }
        Flow::Next
    }

    fn run(program: &[Stmt], acc: i32) -> Self {
        let mut walk = Self { acc, ..Self::default() };
        if !matches!(walk.all(program), Flow::Return) {
            walk.instructions += 1;
        }
        walk
    }
}

/// What the original returns, in the engine without any counter.
fn original(text: &str, acc: i32) -> i32 {
    let engine = wasmi::Engine::default();
    let module = wasmi::Module::new(&engine, wasm(text)).unwrap();
    let mut store = wasmi::Store::new(&engine, ());
    let instance = wasmi::Linker::new(&engine).instantiate_and_start(&mut store, &module).unwrap();
    instance.get_typed_func::<i32, i32>(&store, "f").unwrap().call(&mut store, acc).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn copies_agree_with_the_walk_and_with_the_original(program in program(), acc in 0..64i32) {
        let text = module(&program);
        let walk = Walk::run(&program, acc);
        prop_assert_eq!(original(&text, acc), walk.acc);
        let expected = [
            ("conditionals", walk.conditionals),
            ("instructions", walk.instructions),
            ("visits:work", walk.work),
            ("calls:work", walk.work),
            ("stack", 1 + u64::from(walk.work > 0)),
        ];
        for (model, cost) in expected {
            let outcome = call(&text, model, "f(n)", acc as u64, &InputValues::new()).unwrap();
            prop_assert_eq!(outcome.cost, Some(cost), "{}", model);
            prop_assert_eq!(outcome.results[0].1, u64::from(walk.acc as u32), "{}", model);
        }
        for model in ["conditionals", "instructions", "blocks", "fuel:t.json", "visits:work"] {
            let plain = call(&text, model, "f(n)", acc as u64, &InputValues::new()).unwrap();
            let copy = Instrumented::profiled(&wasm(&text), &common::model(model), &[]).unwrap();
            let sizes = Sizes::of(acc as u64);
            let profiled = Replayer::new(&copy, Limits::default())
                .unwrap()
                .run(&common::invocation("f(n)", acc as u64), &sizes, Input::Raw(&[]))
                .unwrap();
            let sum: u64 = profiled.profile.iter().map(|operator| operator.cost).sum();
            prop_assert_eq!(profiled.cost, plain.cost, "{}", model);
            prop_assert_eq!(Some(sum), plain.cost, "{}", model);
            prop_assert!(plain.profile.is_empty());
            let pieces = Replayer::new(&copy, Limits::default())
                .unwrap()
                .in_pieces_of(1)
                .run(&common::invocation("f(n)", acc as u64), &sizes, Input::Raw(&[]))
                .unwrap();
            prop_assert_eq!(&pieces, &profiled, "{}", model);
        }
        for model in ["blocks", "decisions", "heap", "fuel:t.json", "stack-bytes"] {
            let outcome = call(&text, model, "f(n)", acc as u64, &InputValues::new()).unwrap();
            prop_assert_eq!(outcome.results[0].1, u64::from(walk.acc as u32), "{}", model);
        }
    }
}
