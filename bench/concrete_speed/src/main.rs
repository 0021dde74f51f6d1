//! How fast the machine runs concrete programs, beside wasmi in the same process.
//!
//! `cargo run --release --manifest-path bench/concrete_speed/Cargo.toml`
//!
//! Words behind `--` name programs by a part of their name; without any, all run. Each program runs five times in each engine, taking turns; the fastest run of each counts.

use pessimum_entry::{CallSpec, CostModel, InputValues, Invocation, Sizes, Slot, Type};
use pessimum_machine::{End, Inputs, Limits, Machine, Module, Setup, Stop};
use pessimum_term::Arena;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Error = Box<dyn std::error::Error>;

struct Program {
    name: &'static str,
    bytes: Vec<u8>,
    /// `f(&i32[n], n)` or `f(n)`.
    call: &'static str,
    n: u64,
    array: Option<Vec<i32>>,
}

fn main() -> Result<(), Error> {
    println!(
        "{:<28} {:>13} {:>9} {:>9} {:>11} {:>7}",
        "program", "instructions", "ours s", "wasmi s", "ours Mi/s", "ratio"
    );
    let mut least = f64::INFINITY;
    let named: Vec<String> = std::env::args().skip(1).collect();
    let is_named = |p: &Program| named.is_empty() || named.iter().any(|n| p.name.contains(n.as_str()));
    for program in programs()?.into_iter().filter(is_named) {
        let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
        let mut instructions = 0;
        for _ in 0..5 {
            let (time, count) = run_ours(&program)?;
            ours = ours.min(time);
            instructions = count;
            theirs = theirs.min(run_wasmi(&program)?);
        }
        let (ours, theirs) = (ours.as_secs_f64(), theirs.as_secs_f64());
        let ratio = theirs / ours;
        least = least.min(ratio);
        println!(
            "{:<28} {instructions:>13} {ours:>9.4} {theirs:>9.4} {:>11.0} {ratio:>7.2}",
            program.name,
            instructions as f64 / ours / 1e6
        );
    }
    println!("least ratio of speeds (ours to wasmi's): {least:.2}");
    Ok(())
}

fn programs() -> Result<Vec<Program>, Error> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let read = |name: &str| std::fs::read(corpus.join(name));
    let falling = |n: i32| Some((0..n).rev().collect::<Vec<i32>>());
    let mixed = |n: i32| Some((0..n).map(|i| i.wrapping_mul(0x9e37_79b1u32 as i32)).collect());
    Ok(vec![
        Program {
            name: "insertion sort n=5000",
            bytes: read("insertion_sort/insertion_sort.wasm")?,
            call: "sort(&i32[n], n)",
            n: 5000,
            array: falling(5000),
        },
        Program {
            name: "insertion sort -O0 n=2000",
            bytes: read("insertion_sort/insertion_sort.O0.wasm")?,
            call: "sort(&i32[n], n)",
            n: 2000,
            array: falling(2000),
        },
        Program {
            name: "merge sort n=100000",
            bytes: read("merge_sort/merge_sort.wasm")?,
            call: "sort(&i32[n], n)",
            n: 100_000,
            array: mixed(100_000),
        },
        Program {
            name: "quicksort n=3000 falling",
            bytes: read("quicksort/quicksort.wasm")?,
            call: "sort(&i32[n], n)",
            n: 3000,
            array: falling(3000),
        },
        Program {
            name: "fib(30)",
            bytes: wat::parse_str(FIB)?,
            call: "fib(n)",
            n: 30,
            array: None,
        },
        Program {
            name: "sieve below 4000000",
            bytes: wat::parse_str(SIEVE)?,
            call: "sieve(n)",
            n: 4_000_000,
            array: None,
        },
        Program {
            name: "matrix product n=120",
            bytes: wat::parse_str(PRODUCT)?,
            call: "product(n)",
            n: 120,
            array: None,
        },
    ])
}

fn run_ours(program: &Program) -> Result<(Duration, u64), Error> {
    let module = Arc::new(Module::load(&program.bytes, &CostModel::Conditionals)?);
    let sizes = Sizes::of(program.n);
    let setup = Setup {
        invocation: Invocation::Call(CallSpec::parse(program.call)?.at(&sizes)?),
        sizes,
        seed: 0,
        limits: Limits { instructions: u64::MAX, ..Limits::default() },
    };
    let mut inputs = InputValues::new();
    for value in program.array.iter().flatten() {
        inputs.push(Slot::any(Type::I32), u64::from(*value as u32));
    }
    let mut arena = Arena::new();
    let mut machine = Machine::start(&module, &setup, Inputs::Concrete(inputs), &mut arena)?;
    let begun = Instant::now();
    match machine.run(&mut arena) {
        Stop::End(End::Return) => Ok((begun.elapsed(), machine.counters().instructions)),
        other => Err(format!("{}: {other:?}", program.name).into()),
    }
}

fn run_wasmi(program: &Program) -> Result<Duration, Error> {
    let engine = wasmi::Engine::default();
    let module = wasmi::Module::new(&engine, &program.bytes)?;
    let mut store = wasmi::Store::new(&engine, ());
    let instance = wasmi::Linker::new(&engine).instantiate_and_start(&mut store, &module)?;
    let mut args = Vec::new();
    if let Some(array) = &program.array {
        let memory = instance.get_memory(&store, "memory").ok_or("no memory is exported")?;
        let bytes: Vec<u8> = array.iter().flat_map(|v| v.to_le_bytes()).collect();
        let old = memory.grow(&mut store, bytes.len() as u64 / 65536 + 1)?;
        memory.write(&mut store, old as usize * 65536, &bytes)?;
        args.push(wasmi::Val::I32(old as i32 * 65536));
    }
    args.push(wasmi::Val::I32(program.n as i32));
    let name = program.call.split('(').next().unwrap_or_default();
    let function = instance.get_func(&store, name).ok_or("no such function")?;
    let results = function.ty(&store).results().to_vec();
    let mut results: Vec<_> = results.into_iter().map(wasmi::Val::default_for_ty).collect();
    let begun = Instant::now();
    function.call(&mut store, &args, &mut results)?;
    Ok(begun.elapsed())
}

const FIB: &str = r#"(module (func $fib (export "fib") (param i32) (result i32)
    (if (result i32) (i32.lt_s (local.get 0) (i32.const 2))
        (then (local.get 0))
        (else (i32.add
            (call $fib (i32.sub (local.get 0) (i32.const 1)))
            (call $fib (i32.sub (local.get 0) (i32.const 2))))))))"#;

const SIEVE: &str = r#"(module (memory (export "memory") 64)
    (func (export "sieve") (param $n i32) (result i32) (local $i i32) (local $j i32) (local $count i32)
    (local.set $i (i32.const 2))
    (block $done (loop $next
        (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
        (if (i32.eqz (i32.load8_u (local.get $i))) (then
            (local.set $count (i32.add (local.get $count) (i32.const 1)))
            (local.set $j (i32.add (local.get $i) (local.get $i)))
            (block $out (loop $strike
                (br_if $out (i32.ge_u (local.get $j) (local.get $n)))
                (i32.store8 (local.get $j) (i32.const 1))
                (local.set $j (i32.add (local.get $j) (local.get $i)))
                (br $strike)))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))
    (local.get $count)))"#;

const PRODUCT: &str = r#"(module (memory (export "memory") 16)
    (func $at (param $m i32) (param $i i32) (param $j i32) (param $n i32) (result i32)
        (i32.add (local.get $m) (i32.mul (i32.const 8)
            (i32.add (i32.mul (local.get $i) (local.get $n)) (local.get $j)))))
    (func (export "product") (param $n i32) (result f64)
        (local $i i32) (local $j i32) (local $k i32) (local $sum f64)
        (loop $rows
            (local.set $j (i32.const 0))
            (loop $columns
                (local.set $k (i32.const 0))
                (local.set $sum (f64.const 0))
                (loop $terms
                    (local.set $sum (f64.add (local.get $sum) (f64.mul
                        (f64.load (call $at (i32.const 0) (local.get $i) (local.get $k) (local.get $n)))
                        (f64.load offset=262144 (call $at (i32.const 0) (local.get $k) (local.get $j) (local.get $n))))))
                    (br_if $terms (i32.lt_u
                        (local.tee $k (i32.add (local.get $k) (i32.const 1))) (local.get $n))))
                (f64.store offset=524288
                    (call $at (i32.const 0) (local.get $i) (local.get $j) (local.get $n)) (local.get $sum))
                (br_if $columns (i32.lt_u
                    (local.tee $j (i32.add (local.get $j) (i32.const 1))) (local.get $n))))
            (br_if $rows (i32.lt_u
                (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
        (local.get $sum)))"#;
