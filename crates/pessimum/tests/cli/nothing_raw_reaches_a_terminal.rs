//! Names come from modules, files and documents. Whatever they hold, what is printed moves no cursor,
//! turns no text around, and gives no command to the system that reads the log.

use super::world::{Ran, file, module, run, scratch};
use pessimum_report::escape::acts;

/// A name with everything: an escape sequence, line breaks before commands of CI systems, DEL, C1,
/// a bidi override. Twice: as the text format writes it, and as Rust does.
const IN_WAT: &str = r"\1b[2Jf\0a::error title=x::y\0d##[error]z\7f\c2\9b31m\e2\80\ae";
const NAME: &str = "\u{1b}[2Jf\n::error title=x::y\r##[error]z\u{7f}\u{9b}31m\u{202e}";

/// A loop to the first zero in a function of that name, exported and in the name section.
fn hostile() -> String {
    let text = format!(
        r#"(module (memory (export "memory") 1)
          (func $f (@name "{IN_WAT}") (export "{IN_WAT}") (param $p i32) (param $n i32) (result i32)
            (local $i i32)
            (block $out (loop $next
              (br_if $out (i32.ge_u (local.get $i) (local.get $n)))
              (br_if $out (i32.eqz (i32.load
                (i32.add (local.get $p) (i32.shl (local.get $i) (i32.const 2))))))
              (local.set $i (i32.add (local.get $i) (i32.const 1)))
              (br $next)))
            (i32.div_u (i32.const 1) (i32.sub (local.get $i) (i32.const 2))))
          (func (export "run") (param $p i32) (param $n i32) (result i32)
            (call $f (local.get $p) (local.get $n))))"#
    );
    module("hostile\u{1b}[2J\n::error::name.wasm", &text)
}

/// Nothing acts but line breaks, and no line is a command. Gives both streams.
fn harmless(ran: Ran) -> String {
    let all = ran.stdout + &ran.stderr;
    let raw = all.chars().find(|c| acts(*c) && *c != '\n');
    assert_eq!(raw, None, "{all:?}");
    let command = all.lines().find(|l| l.trim_start().starts_with("::") || l.contains("##["));
    assert_eq!(command, None, "{all}");
    all
}

const CALL: [&str; 2] = ["--call", "run(&i32[n], n)"];

#[test]
fn results_and_messages() {
    let module = hostile();
    let run = |args: &[&str]| run(&[args, &CALL].concat());
    let all = harmless(run(&["analyze", &module, "--sizes", "3,4"]).exits(0));
    assert!(all.contains(r"\u{1b}[2J"), "the name is shown by its numbers: {all}");
    harmless(run(&["analyze", &module, "--sizes", "3", "--json", "-"]).exits(0));
    harmless(run(&["explore", &module, "--size", "3"]).exits(0));
    harmless(run(&["explore", &module, "--size", "1..=3", "--json", "-"]).exits(0));
    harmless(run(&["check", &module, "--at-most", "n^2"]));
    let input = file("hostile-input.json", "[1, 2, 0]");
    harmless(run(&["replay", &module, &input]).exits(0));
    harmless(run(&["explore", &module, "--size", "3", "--cost", &format!("calls:{NAME}")]));
    harmless(run(&["explore", &module, "--size", "3", "--cost", "fuel:\u{1b}[2J\n::error::x"]));
    harmless(run(&["explore", &format!("{NAME}.wasm"), "--size", "3"]).exits(2));
    harmless(run(&["explore", &module, "--size", NAME]).exits(2));
    harmless(run(&["explore", &module, "--size", "3", NAME]).exits(2));
}

#[test]
fn imports_and_exports_in_errors() {
    let import = module(
        "hostile_import.wasm",
        &format!(
            r#"(module (import "{IN_WAT}" "{IN_WAT}" (func $g)) (func (export "f") (call $g)))"#
        ),
    );
    harmless(run(&["explore", &import, "--call", "f()", "--size", "1"]).exits(2));
    let two = module(
        "hostile_exports.wasm",
        &format!(
            r#"(module (func (export "{IN_WAT}") (param i32)) (func (export "g") (param i32)))"#
        ),
    );
    harmless(run(&["explore", &two, "--size", "1"]).exits(2));
    harmless(run(&["generate", &two, "--predicate", NAME, "--size", "1"]).exits(2));
}

#[test]
fn policies_and_their_drawings() {
    let module = hostile();
    let folder = scratch("hostile-saved");
    let saved = folder.display().to_string();
    let job = ["analyze", &module, "--sizes", "3,4", "--save", &saved, "--quiet"];
    run(&[job.as_slice(), &CALL].concat()).exits(0);
    let policy = folder.join("policy.json").display().to_string();
    for how in [&[][..], &["--graphviz"], &["--mermaid"]] {
        let show = ["policy", "show", &policy, "--module", &module];
        harmless(run(&[show.as_slice(), how].concat()).exits(0));
    }
    harmless(run(&["policy", "show", &policy]).exits(0));
    harmless(run(&["policy", "diff", &policy, &policy]).exits(0));
    harmless(run(&["policy", "unify", &policy, &policy]).exits(0));
    let text = std::fs::read_to_string(&policy).expect("it was saved");
    let refused = file("hostile-policy.json", text.replace("\"kind\"", "\"\\n::error::\\u001b\""));
    harmless(run(&["policy", "show", &refused]));
}

#[test]
fn annotations_are_ours_alone() {
    let module = hostile();
    let args = ["check", &module, "--at-most", "1", "--github"];
    let ran = run(&[args.as_slice(), &CALL].concat());
    let raw = ran.stdout.chars().find(|c| acts(*c) && *c != '\n');
    assert_eq!(raw, None, "{:?}", ran.stdout);
    let commands: Vec<&str> = ran.stdout.lines().filter(|l| l.starts_with("::")).collect();
    assert_eq!(commands.len(), 2, "{}", ran.stdout);
    for line in commands {
        let ours = ["::error ", "::warning ", "::notice "].iter().any(|c| line.starts_with(c));
        assert!(ours && line.contains("title=pessimum%3A "), "{line}");
    }
}

#[test]
fn a_message_has_an_end() {
    let long = "x".repeat(100_000);
    let two = module(
        "long_exports.wasm",
        &format!(
            r#"(module (func (export "{long}") (param i32)) (func (export "g") (param i32)))"#
        ),
    );
    let ran = run(&["explore", &two, "--size", "1"]).exits(2);
    assert!(ran.stderr.len() < 10_000, "{} bytes", ran.stderr.len());
    assert!(ran.stderr.contains("more characters"), "{}", &ran.stderr[..200]);
}
