//! Whatever bytes are given as a module: an answer, no panic, and one clear sentence.

#![allow(clippy::print_stdout)]

use crate::support;

use pessimum_entry::CostModel;
use pessimum_entry::host::{Stream, Wasi};
use pessimum_machine::{End, Limits, LoadError, Machine, Module};
use pessimum_term::Arena;
use std::path::PathBuf;
use std::sync::Arc;
use support::rng::Rng;

fn corpus(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn load(bytes: &[u8]) -> Result<Module, LoadError> {
    Module::load(bytes, &CostModel::Conditionals)
}

fn message(bytes: &[u8]) -> String {
    match load(bytes) {
        Ok(_) => panic!("the module loads"),
        Err(e) => e.to_string(),
    }
}

fn refused(text: &str) -> String {
    message(&wat::parse_str(text).unwrap_or_else(|e| panic!("{e}")))
}

#[test]
fn what_is_no_module_at_all() {
    assert!(message(b"").starts_with("the file is empty"), "{}", message(b""));
    let text = message(b"int main(void) { return 0; }\n");
    assert!(text.starts_with("not a WebAssembly module"), "{text}");
    assert!(message(b"(module)").starts_with("not a WebAssembly module"));
    assert!(message(b"\0asm").contains("truncated"), "{}", message(b"\0asm"));
    let component = message(b"\0asm\x0d\0\x01\0");
    assert!(component.contains("component"), "{component}");
}

#[test]
fn every_prefix_of_a_module() {
    let bytes = corpus("insertion_sort/insertion_sort.wasm");
    for len in 0..bytes.len() {
        // A prefix that ends between two sections is a module of its own.
        if let Err(e) = load(&bytes[..len]) {
            let text = e.to_string();
            assert!(!text.is_empty() && !text.contains('\n'), "{len}: {text}");
        }
    }
    assert!(load(&bytes).is_ok());
}

#[test]
fn ten_thousand_mutations() {
    let modules = [
        corpus("insertion_sort/insertion_sort.wasm"),
        corpus("word_count/word_count.wasm"),
        corpus("wat_br_table/wat_br_table.wasm"),
        corpus("wat_recursion/wat_recursion.wasm"),
    ];
    let mut rng = Rng::new(7);
    let (mut loaded, mut ran) = (0, 0);
    for round in 0..10_000 {
        let mut bytes = modules[round % modules.len()].clone();
        for _ in 0..=rng.below(4) {
            let at = rng.below(bytes.len() as u64) as usize;
            match rng.below(4) {
                0 => bytes[at] = rng.next() as u8,
                1 => bytes[at] ^= 1 << rng.below(8),
                2 => bytes.insert(at, rng.next() as u8),
                _ => {
                    bytes.remove(at);
                }
            }
        }
        let Ok(module) = load(&bytes) else { continue };
        loaded += 1;
        // What loads can also be made an instance of and run for a while.
        let limits = Limits { instructions: 10_000, depth: 1000, ..Limits::default() };
        let names: Vec<(String, usize)> = module
            .exported_functions()
            .map(|(name, ty)| (name.to_owned(), ty.params.len()))
            .collect();
        let wasi = Wasi::new(Stream::None, 0);
        let Ok(mut machine) = Machine::instantiate(Arc::new(module), limits, wasi, 3) else {
            continue;
        };
        let mut arena = Arena::new();
        if machine.initialize(&mut arena).is_err() {
            continue;
        }
        for (name, params) in names {
            let args: Vec<u64> = (0..params).map(|_| rng.below(64)).collect();
            let _ = machine.invoke(&mut arena, &name, &args);
            ran += 1;
        }
    }
    println!("{loaded} of 10000 loaded, {ran} calls");
    assert!((1000..=9900).contains(&loaded), "{loaded}");
}

#[test]
fn instructions_that_are_not_supported_are_named() {
    let simd = refused(
        r#"(module (memory 1) (func $sum (result i32)
            (i32x4.extract_lane 0 (v128.load (i32.const 0)))))"#,
    );
    assert_eq!(simd, "not supported: instruction v128.load in function sum");
    let atomic = refused(
        r#"(module (memory 1 1) (func (export "bump")
            (drop (i32.atomic.rmw.add (i32.const 0) (i32.const 1)))))"#,
    );
    assert!(atomic.starts_with("not supported: instruction i32.atomic"), "{atomic}");
    assert!(atomic.ends_with("in function bump"), "{atomic}");
    let tail = refused(r#"(module (func $again (return_call $again)))"#);
    assert_eq!(tail, "not supported: instruction return_call in function again");
}

#[test]
fn declarations_that_are_not_supported_are_named() {
    let cases = [
        (r#"(module (memory 1) (memory 1))"#, "more than one memory"),
        (r#"(module (memory i64 1))"#, "64-bit memories"),
        (r#"(module (memory 1 2 shared))"#, "shared memories"),
        (r#"(module (type (struct (field i32))))"#, "garbage collection"),
        (r#"(module (tag))"#, "exceptions"),
        (r#"(module (func (param v128)))"#, "vectors"),
        (r#"(module (func $f (local v128)))"#, "vector"),
        (r#"(module (table 20000000 funcref))"#, "tables of more than 10,000,000 entries"),
        (r#"(module (import "env" "time" (func)))"#, "nobody provides the import env.time"),
        (r#"(module (import "env" "memory" (memory 1)))"#, "nobody provides the import env.memory"),
        (r#"(module (import "pessimum" "size" (func (param f64))))"#, "has the type"),
    ];
    for (text, expected) in cases {
        let found = refused(text);
        assert!(found.contains(expected), "{text}: {found}");
    }
}

fn recursion(depth: u32) -> End {
    let bytes = wat::parse_str(
        r#"(module (func $down (export "down") (param i32) (result i32)
            (if (result i32) (local.get 0)
                (then (i32.add (i32.const 1) (call $down (i32.sub (local.get 0) (i32.const 1)))))
                (else (i32.const 1)))))"#,
    );
    let module = Arc::new(load(&bytes.expect("text")).expect("it loads"));
    let wasi = Wasi::new(Stream::None, 0);
    let mut machine = Machine::instantiate(module, Limits::default(), wasi, 0).expect("instance");
    let (end, results) =
        machine.invoke(&mut Arena::new(), "down", &[u64::from(depth - 1)]).expect("a call");
    if end == End::Return {
        assert_eq!(results, [u64::from(depth)]);
    }
    end
}

#[test]
fn a_million_activations_and_no_more() {
    assert_eq!(recursion(1_000_000), End::Return);
    assert_eq!(recursion(1_000_001), End::OutOfStack);
}

/// Frames of a thousand values each: the limit is memory then, and it is ours.
#[test]
fn wide_frames_do_not_take_all_memory() {
    let text =
        format!(r#"(module (func $f (export "f") (local {}) (call $f)))"#, "i64 ".repeat(1000));
    let module = load(&wat::parse_str(text).expect("text")).expect("it loads");
    let wasi = Wasi::new(Stream::None, 0);
    let limits = Limits::default();
    let mut machine = Machine::instantiate(Arc::new(module), limits, wasi, 0).expect("instance");
    let (end, _) = machine.invoke(&mut Arena::new(), "f", &[]).expect("a call");
    assert_eq!(end, End::OutOfStack);
}

#[test]
fn a_program_that_never_ends_is_stopped() {
    let module =
        load(&wat::parse_str(r#"(module (func (export "f") (loop (br 0))))"#).expect("text"));
    let wasi = Wasi::new(Stream::None, 0);
    let limits = Limits { instructions: 1_000_000, ..Limits::default() };
    let module = Arc::new(module.expect("it loads"));
    let mut machine = Machine::instantiate(module, limits, wasi, 0).expect("instance");
    let (end, _) = machine.invoke(&mut Arena::new(), "f", &[]).expect("a call");
    assert_eq!(end, End::OutOfInstructions);
}

#[test]
fn a_start_that_traps_is_told() {
    let module =
        load(&wat::parse_str(r#"(module (func $s unreachable) (start $s))"#).expect("text"));
    let wasi = Wasi::new(Stream::None, 0);
    let module = Arc::new(module.expect("it loads"));
    let mut machine = Machine::instantiate(module, Limits::default(), wasi, 0).expect("instance");
    let found = machine.initialize(&mut Arena::new()).expect_err("it traps").to_string();
    assert!(found.contains("the start function trapped"), "{found}");
}
