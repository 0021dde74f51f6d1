#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
/usr/bin/rustc --target wasm32-unknown-unknown -C opt-level=1 -C panic=abort \
    -C linker=wasm-ld-14 -C strip=debuginfo -o "$here/rust_std.wasm" "$here/rust_std.rs"
