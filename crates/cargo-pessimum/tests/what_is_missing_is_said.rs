//! Every program or file that is not there is named with what mends it.
#![cfg(unix)]

use super::check_holds_every_target::{run, with_programs};
use super::world::Place;

#[test]
fn a_harness() {
    let place = Place::new("no-harness");
    for line in ["run parse", "check", "list", "--harness . list"] {
        let ran = place.run(line).exits(2);
        assert!(ran.stderr.contains("cargo pessimum init"), "{line}: {}", ran.stderr);
    }
}

#[test]
fn the_command() {
    let place = with_programs("no-pessimum");
    std::fs::remove_file(place.folder.join("bin/pessimum")).expect("it was written");
    let ran = run(&place, "run").exits(2);
    assert!(ran.stderr.contains("cargo install --path crates/pessimum"), "{}", ran.stderr);
}

#[test]
fn the_library_of_the_target() {
    let place = with_programs("no-target");
    place.write("bin/rustc", "#!/bin/sh\necho /nowhere/wasm32\n");
    let ran = run(&place, "run").exits(2);
    let mend = "rustup target add wasm32-unknown-unknown";
    assert!(ran.stderr.contains(mend), "{}", ran.stderr);
}

#[test]
fn a_command_that_is_too_old() {
    let place = with_programs("old-pessimum");
    place.write("bin/pessimum", "#!/bin/sh\nexit 2\n");
    let ran = run(&place, "run").exits(2);
    assert!(ran.stderr.contains("install the version"), "{}", ran.stderr);
}

#[test]
fn a_crate_or_its_library() {
    let place = Place::new("no-crate");
    // Of the crates further up none is meant.
    place.write("Cargo.toml", "[workspace]\nmembers = [\"one\", \"two\"]\nresolver = \"3\"\n");
    for name in ["one", "two"] {
        let manifest = format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n");
        place.write(&format!("{name}/Cargo.toml"), &manifest);
    }
    place.write("one/src/lib.rs", "");
    place.write("two/src/main.rs", "fn main() {}");
    let ran = place.run("init").exits(2);
    assert!(ran.stderr.contains("--package NAME, one of one, two"), "{}", ran.stderr);
    let ran = place.run("init --package two").exits(2);
    assert!(ran.stderr.contains("src/lib.rs"), "{}", ran.stderr);
    let ran = place.run("init --package three").exits(2);
    assert!(ran.stderr.contains("there are one, two"), "{}", ran.stderr);
    place.run("init --package one").exits(0);
    let ran = place.run("init --package one").exits(2);
    assert!(ran.stderr.contains("there already"), "{}", ran.stderr);
}

#[test]
fn a_workspace_that_takes_the_harness_in() {
    let place = Place::with_crate("takes-all");
    let manifest = place.read("Cargo.toml") + "members = [\"*\"]\nexclude = [\"src\"]\n";
    place.write("Cargo.toml", &manifest);
    let ran = place.run("init").exits(0);
    assert!(ran.stderr.contains("exclude = [\"pessimum\"]"), "{}", ran.stderr);
}
