//! Small modules that want much: endless loops where nobody looks, memory by the gigabyte, questions
//! that no solver answers, very many of everything. Each run ends within twice its `--time` and 1.2
//! times its `--memory`, with an exit code that is documented.
//!
//! A test must not fail because a machine is busy. So time is what the process worked, by one worker
//! (two work twice as long in the same time), not what a clock shows, and memory is the most it held, as the system counts both.

#![cfg(target_os = "linux")]

use super::world::{command, module};
use std::process::Stdio;
use std::time::Duration;

const TIME: Duration = Duration::from_secs(1);
const MEMORY: u64 = 256 << 20;

/// What a process took.
struct Took {
    worked: Duration,
    held: u64,
    code: Option<i32>,
    said: String,
}

/// Runs a job within the limits.
fn take(args: &[&str]) -> Took {
    let limits = ["--time", "1s", "--memory", "256M"];
    let child = command(&[args, &limits].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command was built");
    let process = std::path::PathBuf::from(format!("/proc/{}", child.id()));
    let mut held = 0;
    let worked = loop {
        let status = std::fs::read_to_string(process.join("status")).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|text| text.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        held = held.max(peak.unwrap_or(0) * 1024);
        // One that has ended is kept until it is waited for, and its times with it.
        let stat = std::fs::read_to_string(process.join("stat")).expect("it was not waited for");
        let after = stat.rsplit_once(')').expect("a name in brackets").1;
        let fields: Vec<&str> = after.split_whitespace().collect();
        if fields[0] == "Z" {
            let ticks = |at: usize| fields[at].parse::<u64>().expect("a number of ticks");
            break Duration::from_millis(10 * (ticks(11) + ticks(12)));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let ran = child.wait_with_output().expect("it was ours");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    Took { worked, held, code: ran.status.code(), said }
}

/// The module keeps every job within its limits.
fn held(name: &str, wat: &str, call: &str) {
    let module = module(&format!("limits-{name}.wasm"), wat);
    let explore = ["explore", &module, "--call", call, "--size", "4", "--workers", "1"];
    let analyze = ["analyze", &module, "--call", call, "--sizes", "8", "--quiet", "--workers", "1"];
    for job in [explore.as_slice(), &analyze] {
        within(name, job);
    }
}

fn within(name: &str, job: &[&str]) {
    let took = take(job);
    let Took { worked, held, code, said } = &took;
    let what = format!("{name}: {} took {worked:?} and {} MB: {said}", job[0], held >> 20);
    assert!(matches!(code, Some(0 | 2 | 3 | 4)), "exit code {code:?}, {what}");
    assert!(!said.contains("panicked"), "{what}");
    assert!(*worked <= 2 * TIME, "{what}");
    assert!(*held <= MEMORY + MEMORY / 5, "{what}");
}

/// A module of one exported function on 64 KiB of memory.
fn with_body(head: &str, body: &str) -> String {
    format!(
        r#"(module {head} (memory (export "memory") 1 65536) (func (export "f")
          (param $p i32) (param $n i32) (result i32) (local $i i32) (local $x i64) {body}))"#
    )
}

const CALL: &str = "f(&i32[n], n)";

#[test]
fn loops_that_do_not_end() {
    held("loop", &with_body("", "(loop $l (br $l)) (i32.const 0)"), CALL);
    let counts =
        "(loop $l (local.set $x (i64.add (local.get $x) (i64.const 1))) (br $l)) (i32.const 0)";
    held("count", &with_body("", counts), CALL);
    let start = "(start $s) (func $s (local $x i64) (loop $l
        (local.set $x (i64.add (local.get $x) (i64.const 1))) (br $l)))";
    held("start", &with_body(start, "(i32.const 0)"), CALL);
    let start = "(start $s) (func $s (loop $l (br $l)))";
    held("start-still", &with_body(start, "(i32.const 0)"), CALL);
    let deep = "(func $r (param i32) (result i32) (call $r (i32.add (local.get 0) (i32.const 1))))";
    held("recursion", &with_body(deep, "(call $r (i32.const 0))"), CALL);
}

/// A single run has the same limits, before the entry is called and after.
#[test]
fn a_replay_that_does_not_end() {
    let input = std::path::PathBuf::from(module("limits-replay.wasm", "(module)"));
    let input = input.with_file_name("limits-replay.bin");
    std::fs::write(&input, "").expect("it can be written");
    let input = input.to_str().expect("a name");
    let start = "(module (start $s) (func $s (loop $l (br $l))) (func (export \"f\")))";
    let entry = "(module (func (export \"f\") (loop $l (br $l))))";
    for (name, text) in [("start", start), ("entry", entry)] {
        let module = module(&format!("limits-replay-{name}.wasm"), text);
        let took = take(&["replay", &module, input, "--call", "f()", "--size", "1"]);
        assert_eq!(took.code, Some(3), "{name}: {}", took.said);
        assert!(!took.said.contains("did not end by itself"), "{name}: {}", took.said);
        assert!(took.worked <= 2 * TIME, "{name}: {:?}", took.worked);
    }
}

#[test]
fn bulk_operations() {
    let fill = "(drop (memory.grow (i32.const 32768)))
        (loop $l (memory.fill (i32.const 0) (local.get $i) (i32.const 0x40000000)) (br $l))
        (i32.const 0)";
    held("fill", &with_body("", fill), CALL);
    let fill = "(start $s) (func $s (drop (memory.grow (i32.const 32768)))
        (loop $l (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x40000000)) (br $l)))";
    held("fill-start", &with_body(fill, "(i32.const 0)"), CALL);
    let copy = "(drop (memory.grow (i32.const 32768)))
        (loop $l (memory.copy (i32.const 0) (i32.const 65536) (i32.const 0x40000000)) (br $l))
        (i32.const 0)";
    held("copy", &with_body("", copy), CALL);
    let table = "(drop (table.grow $t (ref.null func) (i32.const 0x30000000))) (i32.const 0)";
    held("table", &with_body("(table $t 0 funcref)", table), CALL);
    let table = "(loop $l (drop (table.grow $t (ref.null func) (i32.const 100000))) (br $l))
        (i32.const 0)";
    held("table-loop", &with_body("(table $t 0 funcref)", table), CALL);
    let large = r#"(module (memory (export "memory") 65536) (func (export "f") (param i32 i32)
        (loop $l (i32.store8 (local.get 0) (i32.const 1))
          (local.set 0 (i32.add (local.get 0) (i32.const 4096))) (br $l))))"#;
    held("pages", large, CALL);
}

#[test]
fn host_functions() {
    let import = |name: &str, ty: &str| {
        format!(r#"(import "wasi_snapshot_preview1" "{name}" (func $h {ty} (result i32)))"#)
    };
    let random = "(drop (memory.grow (i32.const 32768)))
        (loop $l (drop (call $h (i32.const 0) (i32.const 0x7fff0000))) (br $l)) (i32.const 0)";
    held("random", &with_body(&import("random_get", "(param i32 i32)"), random), CALL);
    let write = "(drop (memory.grow (i32.const 32768)))
        (i32.store (i32.const 4) (i32.const 0x40000000))
        (loop $l (drop (call $h (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (br $l))
        (i32.const 0)";
    held("write", &with_body(&import("fd_write", "(param i32 i32 i32 i32)"), write), CALL);
    let many = "(drop (memory.grow (i32.const 32768)))
        (loop $l (drop (call $h (i32.const 1) (i32.const 0) (i32.const 0x0fffffff) (i32.const 8)))
        (br $l)) (i32.const 0)";
    held("vectors", &with_body(&import("fd_write", "(param i32 i32 i32 i32)"), many), CALL);
}

#[test]
fn questions_without_an_answer() {
    // b * b == a large constant that is no square, over 64 bits.
    let multiply = "(i64.eq
        (i64.mul (i64.load (local.get $p)) (i64.load offset=8 (local.get $p)))
        (i64.const 0x1fffffffffffff47)) (if (result i32) (then (i32.const 1)) (else (i32.const 0)))";
    held("multiply", &with_body("", multiply), "f(&i64[2], n)");
    let floats = "(loop $l
        (local.set $i (i32.add (local.get $i) (i32.and (i32.const 7)
          (i32.trunc_sat_f64_s (f64.mul (f64.convert_i32_s (i32.load8_u (local.get $p)))
            (f64.convert_i32_s (local.get $i)))))))
        (br_if $l (i32.lt_u (local.get $i) (i32.load (local.get $p))))) (local.get $i)";
    held("floats", &with_body("", floats), CALL);
    let floats = "(loop $l
        (local.set $i (i32.add (local.get $i) (i32.and (i32.const 7)
          (i32.trunc_sat_f32_u (f32.convert_i32_u (i32.load8_u (local.get $p)))))))
        (br_if $l (i32.lt_u (local.get $i) (i32.const 1000)))) (local.get $i)";
    held("converted", &with_body("", floats), CALL);
    let divide = "(loop $l
        (local.set $x (i64.rem_u (i64.mul (i64.xor (local.get $x) (i64.load (local.get $p)))
          (i64.const 6364136223846793005)) (i64.or (i64.const 1) (i64.load (local.get $p)))))
        (br_if $l (i64.ne (local.get $x) (i64.const 7)))) (i32.const 0)";
    held("divide", &with_body("", divide), "f(&i64[2], n)");
    let addresses = "(loop $l
        (i32.store8 (i32.and (i32.load (local.get $p)) (i32.const 0xffff)) (local.get $i))
        (local.set $i (i32.add (local.get $i) (i32.load8_u (local.get $i))))
        (br_if $l (i32.load8_u (local.get $i)))) (i32.const 0)";
    held("addresses", &with_body("", addresses), CALL);
}

#[test]
fn very_many_of_everything() {
    let arms: String = "0 ".repeat(65_000);
    let table = format!("(block (br_table {arms} 0 (i32.load (local.get $p)))) (i32.const 0)");
    held("arms", &with_body("", &table), CALL);
    let blocks = format!(
        "{}(br_table {} 0 (i32.load (local.get $p))){} (i32.const 0)",
        "(block ".repeat(2_000),
        (0..2_000).map(|i| format!("{i} ")).collect::<String>(),
        ")".repeat(2_000)
    );
    held("blocks", &with_body("", &blocks), CALL);
    let exports: String = (0..90_000).map(|i| format!(r#"(export "e{i}" (func 0))"#)).collect();
    let many = format!("(module {exports} (func (param i32 i32)))");
    held("exports", &many, "e7(&i32[n], n)");
    let path = module("limits-exports-found.wasm", &many);
    within("exports", &["explore", &path, "--size", "2"]);
    let functions: String =
        (0..40_000).map(|_| "(func (param i32) (drop (local.get 0)))").collect();
    held("functions", &with_body(&functions, "(i32.const 0)"), CALL);
    let branches = "(if (i32.load8_u (local.get $p)) (then (local.set $i (i32.const 1))))";
    held("branches", &with_body("", &format!("{} (i32.const 0)", branches.repeat(20_000))), CALL);
    let locals = "(local i64)".repeat(49_000);
    let wide = format!(
        r#"(module (memory (export "memory") 1) (func $r (param i32) {locals}
          (call $r (i32.const 1))) (func (export "f") (param i32 i32) (call $r (i32.const 0))))"#
    );
    held("locals", &wide, CALL);
}

#[test]
fn the_other_commands() {
    let endless = module(
        "limits-other.wasm",
        r#"(module (memory (export "memory") 1)
          (func (export "f") (param i32 i32) (loop $l (br $l)))
          (func $p (export "p") (param i32) (result i32)
            (if (i32.eqz (local.get 0)) (then (return (i32.const 1))))
            (loop $l (br $l)) (call $p (i32.load (local.get 0)))))"#,
    );
    let input = super::world::file("limits-other.json", "[1, 2]");
    within("replay", &["replay", &endless, "--call", CALL, &input]);
    within(
        "generate",
        &["generate", &endless, "--predicate", "p", "--fields", "next:&", "--size", "3"],
    );
    let some = super::world::run(&[
        "replay",
        &endless,
        "--call",
        CALL,
        &input,
        "--max-instructions",
        "1000",
    ]);
    assert_eq!(some.code, 3, "{}", some.stderr);
}

/// With less memory than the command itself takes there is no answer, and still an end.
#[test]
fn a_limit_that_nothing_fits_in_is_one() {
    let module = module("limits-nothing-fits.wasm", &with_body("", "(i32.const 0)"));
    for workers in ["1", "3"] {
        let job = ["analyze", &module, "--call", CALL, "--memory", "1M", "--workers", workers];
        let ran = command(&job).output().expect("the command was built");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(3), "{said}");
        assert!(said.contains("--memory 1M is used up"), "{said}");
    }
}
