//! From a crate to an answer: `init`, `list`, `run`, `check`, compiled by the machine's own compiler.

use super::world::{Place, compiles};

/// Every kind of parameter. A wrong one traps, and a trap is no path.
const KINDS: &str = r#"
#[pessimum::target(len(half = "n/2", text = "n", floats = "n", flags = "n", bytes = "n"), within(letters = "'a'..='c'", digit = "0..=9"))]
fn kinds<'a>(
    letters: &'a str, half: Vec<u16>, digit: u8, pair: (i32, bool), pairs: &[(u8, char)], some: Option<u8>,
    mut text: String, floats: &mut Vec<f64>, wide: &i64, three: [u8; 3], flags: &[bool], bytes: &mut [u8],
) -> (&'a str, String) {
    let n = text.len();
    assert!(letters.len() == n && half.len() == n / 2 && pairs.len() == n && floats.len() == n);
    assert!(flags.len() == n && bytes.len() == n && three.len() == 3);
    bytes.fill(0);
    floats.push(*wide as f64);
    text.push('.');
    // One decision: the other values only have to be there.
    if pair.1 { (letters, text) } else { ("", text + if digit <= 9 { "" } else { unreachable!() }) }
}
"#;

const TARGETS: &str = r#"
#[pessimum::target(at_most = "n")]
fn spaces(text: &str) -> usize {
    demo::spaces(text)
}

#[pessimum::target(at_most = "n^2")]
fn sort(values: &mut [i32]) {
    demo::sort(values);
}
"#;

const TWO_LENGTHS: &str = r#"
#[pessimum::target(at_most = "n")]
fn find(text: &[u8], pattern: &[u8]) -> bool {
    text.windows(pattern.len().max(1)).any(|part| part == pattern)
}
"#;

#[test]
fn the_example_of_a_new_harness_is_analysed() {
    if !compiles() {
        return;
    }
    let place = Place::with_crate("new-harness");
    let ran = place.run("init").exits(0);
    assert!(ran.stdout.contains("cargo pessimum run example"), "{}", ran.stdout);
    assert_eq!(place.read("pessimum/.gitignore"), "/target\n");
    let ran = place.run("list").exits(0);
    assert_eq!(ran.stdout, "example   example(&i32[n], n)   at most n^2\n", "{}", ran.stderr);
    let ran = place.run("run example --sizes 8,12,16,20 --quiet").exits(0);
    assert!(ran.stdout.contains("O(n^2)"), "{}", ran.stdout);
    // Advice is in the lines of the harness, which is read.
    assert!(ran.stdout.contains("lib.rs:"), "{}", ran.stdout);
    // In the names of the parameters, and with commands that can be given again.
    assert!(ran.stdout.contains("values[0] > values[1]"), "{}", ran.stdout);
    let again = "cargo pessimum check example --sizes 8,12,16,20 --at-most n^2";
    assert!(ran.stdout.contains(again), "{}", ran.stdout);
    // From inside the harness it is found as well, and the only target need not be named.
    let mut inside = place.command("run --train 1..=3 --sizes 4,8 --quiet --json -");
    inside.current_dir(place.folder.join("pessimum/src"));
    let ran = super::world::Ran::of(inside, "run").exits(0);
    assert!(ran.stdout.contains("\"worst_cost\""), "{}", ran.stdout);
}

/// The test that is written for an input is one of the harness's own.
#[test]
fn an_input_is_a_test_of_the_target() {
    if !compiles() {
        return;
    }
    let place = Place::with_crate("tested-target");
    place.run("init").exits(0);
    place.write("pessimum/src/lib.rs", TARGETS);
    place.run("run spaces --sizes 4 --train 1..=2 --quiet --inputs worst").exits(0);
    let folder = place.folder.join("worst/rust");
    let mut files = std::fs::read_dir(&folder).expect("there are tests");
    let file = files.next().expect("there is one").expect("it can be read").path();
    let test = std::fs::read_to_string(file).expect("it is text");
    assert!(test.contains("spaces(std::str::from_utf8(&text).unwrap())"), "{test}");
}

#[test]
fn targets_are_held_to_their_classes() {
    if !compiles() {
        return;
    }
    let place = Place::with_crate("held-targets");
    place.run("init").exits(0);
    // A pattern as long as its text is found or not in one look: nothing to hold a search to.
    place.write("pessimum/src/lib.rs", TWO_LENGTHS);
    let ran = place.run("check").exits(2);
    assert!(ran.stderr.contains("Write len(pattern = "), "{}", ran.stderr);
    place.write("pessimum/src/lib.rs", TARGETS);
    let ran = place.run("check sort --sizes 8,12,16,20 --quiet").exits(0);
    assert!(ran.stdout.contains("n^2"), "{}", ran.stdout);
    let ran = place.run("check sort --at-most n --sizes 8,12,16,20 --quiet").exits(1);
    assert!(ran.stdout.contains("n^2"), "{}", ran.stdout);
    place.write("pessimum/src/lib.rs", &TARGETS.replace("&mut [i32]", "&mut Heap"));
    let ran = place.run("check").exits(2);
    assert!(ran.stderr.contains("cannot find type `Heap`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the harness does not compile"), "{}", ran.stderr);
}

#[test]
fn every_kind_of_parameter_arrives() {
    if !compiles() {
        return;
    }
    let place = Place::with_crate("kinds");
    place.run("init").exits(0);
    place.write("pessimum/src/lib.rs", KINDS);
    let ran = place.run("list").exits(0);
    assert_eq!(
        ran.stdout.trim(),
        "kinds   kinds(&u8[n] in 'a'..='c', n, &u16[n/2], n/2, u8 in 0..=9, &str[n], n, &f64[n], n, i64, \
         &bool[n], n, &u8[n], n)"
    );
    let ran = place.run("run --sizes 2,3,4 --train 1..=2 --json - --quiet").exits(0);
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).expect("it is JSON");
    for size in found["sizes"].as_array().expect("there are sizes") {
        assert_eq!(size["replayed"], "cost", "{size}");
    }
    let findings = found["findings"].to_string();
    assert!(!findings.contains("trap"), "{findings}");
}
