//! A module to analyse: n inserts into a sorted vector, of which the last is measured.
//!
//! ```console
//! $ cargo build --release -p pessimum-input --example sorted_insert --target wasm32-unknown-unknown
//! $ pessimum analyze target/wasm32-unknown-unknown/release/examples/sorted_insert.wasm --call 'run()'
//! ```
#![allow(unsafe_code)] // for `no_mangle`

use pessimum_input::{input_range_i32, measure, size};

/// Inserts from the end, so that a value smaller than all others passes every one of them.
fn insert(sorted: &mut Vec<i32>, new: i32) {
    let mut at = sorted.len();
    while at > 0 && sorted[at - 1] > new {
        at -= 1;
    }
    sorted.insert(at, new);
}

/// What pessimum calls.
#[no_mangle]
pub extern "C" fn run() -> i32 {
    let mut sorted = Vec::with_capacity(size());
    for _ in 1..size() {
        insert(&mut sorted, input_range_i32(0, 1_000_000));
    }
    let last = input_range_i32(0, 1_000_000);
    measure(|| insert(&mut sorted, last));
    sorted[0]
}
