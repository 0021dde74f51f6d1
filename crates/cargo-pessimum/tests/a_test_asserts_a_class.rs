//! `assert_at_most!` in an ordinary test of a crate: it starts the installed command.

use super::world::{Place, Ran, compiles};

const TESTS: &str = r#"
#[test]
fn holds() {
    pessimum::assert_at_most!("sort", "n^2", "--sizes=8,12,16,20");
}

#[test]
#[should_panic(expected = "`sort` grows faster than n\n")]
fn fails() {
    pessimum::assert_at_most!("sort", "n", "--sizes=8,12,16,20");
}

#[test]
#[should_panic(expected = "it is not known that `sort` grows at most as n^2")]
fn a_lower_bound_fails() {
    pessimum::assert_at_most!("sort", "n^2", "--sizes=8,12,16,20", "--merge=off", "--train=1..=2");
}

#[test]
fn a_lower_bound_is_accepted_where_told() {
    let reached = ["--sizes=8,12,16,20", "--merge=off", "--train=1..=2"];
    pessimum::assert_at_most!("sort", "n^2", reached[0], reached[1], reached[2], "--inconclusive=pass");
}
"#;

#[test]
fn a_lower_bound_fails_unless_told_otherwise() {
    if !compiles() {
        return;
    }
    let place = Place::with_crate("assertion");
    place.run("init").exits(0);
    place.write(
        "pessimum/src/lib.rs",
        "#[pessimum::target]\nfn sort(values: &mut [i32]) {\n    demo::sort(values);\n}\n",
    );
    // As a test of the harness, which has the crate `pessimum` already.
    place.write("pessimum/tests/growth.rs", TESTS);
    let bin =
        std::path::Path::new(env!("CARGO_BIN_EXE_cargo-pessimum")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path)));
    let mut cargo = std::process::Command::new(env!("CARGO"));
    cargo.args(["test", "--test", "growth"]).current_dir(place.folder.join("pessimum"));
    cargo.env("PATH", path.expect("no folder has a colon")).env("PESSIMUM_PATIENCE", "20");
    cargo.env_remove("CARGO_TARGET_DIR");
    let ran = Ran::of(cargo, "cargo test").exits(0);
    assert!(ran.stdout.contains("4 passed"), "{}", ran.stdout);
}
