//! A Wasm module executed over values that are concrete or terms.
