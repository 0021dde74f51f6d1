//! What the fuzz targets do, apart from how they are driven.
//!
//! The comparison of engines is the one the machine's own tests use.

#[path = "../../crates/machine/tests/support/mod.rs"]
pub mod support;

pub use support::differential::{Effort, compare};
pub use support::random_module::{FUEL, from_bytes, from_seed};

use pessimum_entry::{CallSpec, CostModel, Sizes};
use pessimum_machine::Module;

/// The target `differential`: bytes stand for a module, which does the same here and in wasmi.
///
/// # Panics
///
/// When the two engines disagree.
pub fn differential(bytes: &[u8]) -> Effort {
    let Some(module) = from_bytes(bytes, FUEL) else { return Effort::default() };
    let seed = bytes.len() as u64;
    match compare(&module, seed, seed % 2 == 1) {
        Ok(effort) => effort,
        Err(e) => panic!("{e}"),
    }
}

/// The target `loader`: any bytes are a module or an error in one line.
///
/// # Panics
///
/// When they are neither.
pub fn loader(bytes: &[u8]) {
    if let Err(e) = Module::load(bytes, &CostModel::Conditionals) {
        assert!(!e.to_string().trim().is_empty(), "an error without words");
    }
}

/// The target `call_spec`: any text is a call or an error, at any size.
pub fn call_spec(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(spec) = CallSpec::parse(text) {
        for n in [0, 1, 1000, u64::MAX] {
            let _ = spec.at(&Sizes::of(n));
        }
    }
}
