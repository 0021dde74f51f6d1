# Sourced by the build scripts: where things are and how C and crates are compiled.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
name=$(basename "$here")
sources=${PESSIMUM_REAL_SOURCES:-$here/../.sources}
mkdir -p "$sources/include"
sources=$(cd "$sources" && pwd)
# Where it was built must not show in a module: programs keep the names of their files for messages.
# Debug information of whole libraries is larger than the repository should be; names stay.
flags=(--target=wasm32-wasi -O1 -mexec-model=reactor -w -Wno-implicit-function-declaration
    -ffile-prefix-map="$sources"=. -ffile-prefix-map="$here"=.
    -Wl,--no-entry -Wl,--export=malloc -Wl,--strip-debug)
compile() {
    clang-19 "${flags[@]}" "$@" -o "$here/$name.wasm"
}
# A package of cargo in the folder: its dependencies are the programs, at the versions of its lock.
compile_crate() {
    local target=$sources/cargo remap="--remap-path-prefix=$here=." folder
    for folder in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
        remap+=" --remap-path-prefix=$folder=."
    done
    RUSTFLAGS=$remap CARGO_TARGET_DIR=$target cargo build --quiet --release --locked \
        --target wasm32-unknown-unknown --manifest-path "$here/Cargo.toml"
    cp "$target/wasm32-unknown-unknown/release/real_$name.wasm" "$here/$name.wasm"
}
