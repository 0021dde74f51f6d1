#!/usr/bin/env bash
# The library comes with Debian's compiler.
set -euo pipefail
[ -e /usr/lib/rustlib/wasm32-unknown-unknown ] ||
    apt-get install -y --no-install-recommends rustc libstd-rust-dev-wasm32 lld-14
