//! Compiled programs of the corpus: every one can be copied and linked in every cost model, and
//! those with a closed form cost what it says.

use crate::common;

use std::path::{Path, PathBuf};

use common::{bytes, ints, invocation, model};
use pessimum_entry::{Entry, InputValues, Invocation, Sizes};
use pessimum_replay::{Input, InstrumentError, Instrumented, Limits, Replayer};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn read(name: &str) -> Vec<u8> {
    std::fs::read(corpus().join(name).join(name).with_extension("wasm")).expect(name)
}

fn replayer(name: &str, cost: &str) -> Replayer {
    let copy = Instrumented::new(&read(name), &model(cost), &[]).expect(name);
    Replayer::new(&copy, Limits::default()).expect(name)
}

fn cost(replayer: &Replayer, invocation: &Invocation, n: u64, input: &InputValues) -> u64 {
    let outcome = replayer.run(invocation, &Sizes::of(n), Input::Values(input)).expect("it runs");
    assert!(outcome.end.is_normal(), "{:?}", outcome.end);
    outcome.cost.expect("a counted model")
}

#[test]
fn every_module_can_be_copied_and_linked_in_every_cost_model() {
    let mut modules = 0;
    for directory in std::fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap().path()) {
        if !directory.is_dir() {
            continue;
        }
        for path in std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_none_or(|extension| extension != "wasm") {
                continue;
            }
            modules += 1;
            let module = std::fs::read(&path).unwrap();
            for cost in [
                "conditionals",
                "decisions",
                "instructions",
                "blocks",
                "heap",
                "stack",
                "stack-bytes",
                "output",
                "fuel:t.json",
            ] {
                let copy = match Instrumented::new(&module, &model(cost), &[]) {
                    Err(InstrumentError::NoStackPointer) => continue,
                    copy => copy.unwrap_or_else(|error| panic!("{}: {error}", path.display())),
                };
                wasmparser::Validator::new()
                    .validate_all(copy.bytes())
                    .unwrap_or_else(|error| panic!("{} in {cost}: {error}", path.display()));
                if let Err(error) = Replayer::new(&copy, Limits::default()) {
                    panic!("{} in {cost}: {error}", path.display());
                }
            }
        }
    }
    assert!(modules >= 20, "only {modules} modules in the corpus");
}

#[test]
fn insertion_sort_takes_n_squared_conditionals() {
    let sort = replayer("insertion_sort", "conditionals");
    for n in [1, 2, 3, 8, 10, 30, 100, 1000] {
        let falling: Vec<i32> = (0..n as i32).rev().collect();
        assert_eq!(
            cost(&sort, &invocation("sort(&i32[n], n)", n), n, &ints(&falling)),
            n * n,
            "n = {n}"
        );
    }
}

#[test]
fn putting_a_string_together_is_quadratic() {
    let build = replayer("string_concat", "conditionals");
    for n in [1, 9, 12, 100, 1000] {
        let ones = bytes(&vec![1; n as usize]);
        assert_eq!(
            cost(&build, &invocation("build(&u8[n], n)", n), n, &ones),
            (n * n + 3 * n + 2) / 2,
            "n = {n}"
        );
    }
}

#[test]
fn counting_words_of_standard_input_is_linear() {
    let words = replayer("word_count", "conditionals");
    for n in 1..=5u32 {
        let sizes = Sizes::of(u64::from(n));
        let stdin = Entry::Stdin.at(&sizes).unwrap();
        let worst = (0..3u32.pow(n)).map(|code| {
            let text: Vec<u8> =
                (0..n).map(|place| [97, 32, 10][(code / 3u32.pow(place) % 3) as usize]).collect();
            cost(&words, &stdin, u64::from(n), &bytes(&text))
        });
        // The bytes are read, and the number written, in a step each.
        assert_eq!(worst.max(), Some(u64::from(7 + 4 * n + 2)), "n = {n}");
    }
}
