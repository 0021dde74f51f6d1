#!/usr/bin/env bash
# Obtains the crates from crates.io, and the target it is compiled for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
rustup target add wasm32-unknown-unknown
cargo fetch --locked --target wasm32-unknown-unknown
