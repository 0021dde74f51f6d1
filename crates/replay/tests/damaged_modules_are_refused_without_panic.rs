//! Any byte string may be given as a module: it is refused, or it can be copied; never a panic.

use crate::common;

use common::{INSERTION_SORT, model, wasm};
use pessimum_replay::{Instrumented, Limits, Replayer};
use proptest::prelude::*;

const MODELS: [&str; 7] =
    ["conditionals", "decisions", "blocks", "heap", "stack", "stack-bytes", "visits:sort"];

fn try_all(module: &[u8]) {
    for cost in MODELS {
        if let Ok(copy) = Instrumented::profiled(module, &model(cost), &[]) {
            // The engine has the last word on what is a module; only a panic would be wrong.
            let _ = Replayer::new(&copy, Limits::default());
        }
    }
}

#[test]
fn every_prefix_of_a_module() {
    let module = wasm(INSERTION_SORT);
    (0..module.len()).for_each(|end| try_all(&module[..end]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_module_with_some_bytes_changed(changes in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..4)) {
        let mut module = wasm(INSERTION_SORT);
        for (place, byte) in changes {
            let place = usize::from(place) % module.len();
            module[place] = byte;
        }
        try_all(&module);
    }
}
