//! `check` and `run` with programs in place of cargo, rustc and `pessimum`: what is started, and with which words.
#![cfg(unix)]

use super::world::{Place, Ran};
use std::os::unix::fs::PermissionsExt;

/// Answers `targets` with three of them, writes every other call down, and exits with the code that
/// stands behind the name of the target.
const PESSIMUM: &str = r#"#!/bin/sh
case $1 in
targets)
    echo '{"targets":[{"name":"a4","call":"a4(&str[n], n)","at_most":"n"},
        {"name":"b0","call":"b0(n)","at_most":"n"},
        {"name":"c1","call":"c1(&i32[n], n)","at_most":null}]}'
    exit 0 ;;
esac
echo "$*" >> log
case "$*" in *--target=a4*) exit 4 ;; *--target=b0*) exit 0 ;; *--target=c1*) exit 1 ;; esac
exit 9
"#;

/// Says that the harness was compiled.
const CARGO: &str = r#"#!/bin/sh
echo "$*" >> cargo-log
echo '{"reason":"compiler-artifact","manifest_path":"HERE/Cargo.toml","filenames":["HERE/other.wasm"]}'
echo '{"reason":"compiler-artifact","manifest_path":"HERE/pessimum/Cargo.toml","filenames":["HERE/module.wasm"]}'
"#;

const RUSTC: &str = "#!/bin/sh\necho HERE\n";

/// A harness with the programs beside a copy of the command.
pub(crate) fn with_programs(name: &str) -> Place {
    let place = Place::new(name);
    place.write("Cargo.toml", "");
    place.write("pessimum/Cargo.toml", "[package.metadata.pessimum]\n");
    let here = place.folder.display().to_string();
    for (program, text) in [("pessimum", PESSIMUM), ("cargo", CARGO), ("rustc", RUSTC)] {
        place.write(&format!("bin/{program}"), &text.replace("HERE", &here));
        let file = place.folder.join("bin").join(program);
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    std::fs::copy(env!("CARGO_BIN_EXE_cargo-pessimum"), place.folder.join("bin/cargo-pessimum"))
        .expect("it was built");
    place
}

/// Runs the copy.
pub(crate) fn run(place: &Place, line: &str) -> Ran {
    let bin = place.folder.join("bin");
    let mut command = std::process::Command::new(bin.join("cargo-pessimum"));
    command.arg("pessimum").args(line.split_whitespace()).current_dir(&place.folder);
    command.env("CARGO", bin.join("cargo")).env("RUSTC", bin.join("rustc"));
    command.env("PATH", "/usr/bin:/bin");
    Ran::of(command, line)
}

#[test]
fn the_gravest_code_counts_and_who_has_no_class_is_left_out() {
    let place = with_programs("fake-check");
    let ran = run(&place, "check").exits(4);
    assert!(ran.stderr.contains("c1 is not checked"), "{}", ran.stderr);
    let log = place.read("log");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 2, "{log}");
    assert!(lines[0].starts_with("check ") && lines[0].ends_with("module.wasm --target=a4"));
    let built = place.read("cargo-log");
    assert!(built.contains("--release --target wasm32-unknown-unknown"), "{built}");
    run(&place, "check b0").exits(0);
    run(&place, "check --at-most n").exits(1);
}

#[test]
fn flags_are_passed_on_and_files_told_apart() {
    let place = with_programs("fake-flags");
    run(&place, "check --html out/r.html --time 5s").exits(4);
    let log = place.read("log");
    assert!(log.contains("--target=a4 --html out/r-a4.html --time 5s"), "{log}");
    assert!(log.contains("--target=b0 --html out/r-b0.html --time 5s"), "{log}");
    run(&place, "check b0 --html r.html").exits(0);
    assert!(place.read("log").ends_with("--target=b0 --html r.html\n"));
    let ran = run(&place, "check --json -").exits(2);
    assert!(ran.stderr.contains("name one"), "{}", ran.stderr);
    run(&place, "run b0 --time 5s").exits(0);
    assert!(place.read("log").ends_with("module.wasm --target=b0 --time 5s\n"));
}

#[test]
fn targets_are_listed() {
    let place = with_programs("fake-list");
    let ran = run(&place, "list").exits(0);
    assert_eq!(
        ran.stdout,
        "a4   a4(&str[n], n)   at most n\nb0   b0(n)   at most n\nc1   c1(&i32[n], n)\n"
    );
    for line in ["run", "run d", "check d"] {
        let ran = run(&place, line).exits(2);
        assert!(ran.stderr.contains("there are a4, b0, c1"), "{}", ran.stderr);
    }
}
