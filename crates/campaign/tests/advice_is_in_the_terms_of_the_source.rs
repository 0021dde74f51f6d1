//! What a policy says of a branch is the same for every build of one source: it names what a side does,
//! and not whether the compiled condition is true there.

use pessimum_campaign::{Analysis, Program};
use std::time::Duration;

/// The advice for each line of the source, without columns, which differ between builds.
fn advice(module: &str) -> Vec<(u32, String)> {
    let path = format!("{}/../../corpus/insertion_sort/{module}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let program = Program::new(module, bytes).and_then(|p| p.call("sort(&i32[n], n)"));
    let analysis = Analysis::of(program.expect("it can be called"));
    let result = analysis.sizes([8]).effort(Duration::from_secs(1)).time(Duration::from_secs(600));
    let document = result.run().expect("it can be analysed").document;
    let sites = document.policy.expect("a policy was learned").sites;
    sites.into_iter().map(|site| (site.line.expect("a line"), site.advice)).collect()
}

/// The worst input makes `a[j] > x` hold in every round of the inner loop, in line 9.
#[test]
fn of_one_loop_compiled_in_two_ways() {
    let expected = [(9, "stay in the loop (line 10) whenever feasible".to_owned())];
    assert_eq!(advice("insertion_sort.O0.wasm"), expected);
    assert_eq!(advice("insertion_sort.O2.wasm"), expected);
}
