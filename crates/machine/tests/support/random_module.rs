//! Random modules of the supported feature set that always end.

use super::rng::Rng;
use arbitrary::Unstructured;
use wasm_smith::{Config, Module};

/// Loop iterations and calls that a module may make in all.
pub const FUEL: u32 = 20_000;

/// Exactly the features the machine has; limits that keep one module small.
pub fn config() -> Config {
    Config {
        allow_start_export: true,
        bulk_memory_enabled: true,
        canonicalize_nans: true,
        compact_imports_enabled: false,
        custom_page_sizes_enabled: false,
        exceptions_enabled: false,
        export_everything: true,
        extended_const_enabled: false,
        gc_enabled: false,
        max_data_segments: 8,
        max_element_segments: 8,
        max_elements: 20,
        max_funcs: 12,
        max_globals: 12,
        max_imports: 0,
        max_instructions: 300,
        max_memories: 1,
        max_memory32_bytes: 1 << 20,
        max_table_elements: 1000,
        max_tables: 3,
        max_values: 6,
        memory64_enabled: false,
        memory_max_size_required: true,
        min_funcs: 2,
        min_globals: 2,
        min_memories: 1,
        multi_value_enabled: true,
        reference_types_enabled: true,
        relaxed_simd_enabled: false,
        saturating_float_to_int_enabled: true,
        sign_extension_ops_enabled: true,
        simd_enabled: false,
        table_max_size_required: true,
        tail_call_enabled: false,
        threads_enabled: false,
        wide_arithmetic_enabled: false,
        ..Config::default()
    }
}

/// The module that these bytes stand for, if they do.
pub fn from_bytes(bytes: &[u8], fuel: u32) -> Option<Vec<u8>> {
    let mut module = Module::new(config(), &mut Unstructured::new(bytes)).ok()?;
    module.ensure_termination(fuel).ok()?;
    Some(module.to_bytes())
}

/// The module of a seed.
pub fn from_seed(seed: u64, fuel: u32) -> Option<Vec<u8>> {
    let mut rng = Rng::new(seed);
    let len = 512 + rng.below(12_000) as usize;
    from_bytes(&rng.bytes(len), fuel)
}
