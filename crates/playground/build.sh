#!/bin/sh
# Builds the playground into one page, target/playground/index.html (or FOLDER/index.html: build.sh FOLDER).
# Needs cargo with the target wasm32-unknown-unknown, which rustup adds, and node with npm.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
folder=${1:-target/playground}
target=wasm32-unknown-unknown
if ! rustc --print target-libdir --target $target >/dev/null 2>&1 || [ ! -d "$(rustc --print target-libdir --target $target)" ]; then
    rustup target add $target
fi
# Walks are on this stack; a browser's own is smaller still.
cargo rustc --package pessimum-playground --lib --crate-type cdylib --profile playground --target $target \
    -- -C link-arg=-zstack-size=16777216
wasm=${CARGO_TARGET_DIR:-target}/$target/playground/pessimum_playground.wasm
if command -v wasm-opt >/dev/null; then
    wasm-opt -O3 "$wasm" -o "$wasm.opt"
    wasm=$wasm.opt
fi
(cd crates/report/web && { [ -d node_modules ] || npm ci --silent --no-audit --no-fund; } &&
    npx --no-install tsc --noEmit -p ../../playground/web)
node crates/playground/web/build.mjs "$wasm" "$folder"
