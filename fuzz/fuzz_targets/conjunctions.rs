#![no_main]

#[path = "../../crates/solver/tests/conjunctions/mod.rs"]
#[allow(dead_code, unexpected_cfgs)]
mod conjunctions;

use conjunctions::{Source, Tally, session};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(what) = session(&mut Source::Bytes(bytes), &mut Tally::default()) {
        panic!("{what}");
    }
});
