#!/bin/sh
# Makes the modules of this folder: clang-19 with lld-19, zig (ZIG, a copy in /opt/zig, since modules name the folder of its
# library) and AssemblyScript's asc (ASC). They are committed; other versions of the compilers make others. The sort in
# Rust is corpus/rust_insertion_sort.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=/tmp/one_sort
rm -rf "$work"
mkdir "$work"
trap 'rm -rf "$work"' EXIT
cp "$here"/sort.* "$work"
cd "$work"
flags="--target=wasm32 -O1 -g -nostdlib -ffile-prefix-map=$work=. -Wl,--no-entry -Wl,--export=sort"
clang-19 $flags sort.c -o c.wasm
clang++-19 $flags sort.cpp -o cpp.wasm
"${ZIG:-/opt/zig/zig}" build-exe sort.zig -target wasm32-freestanding -fno-entry --export=sort -O ReleaseSmall -fno-strip \
    -femit-bin=zig.wasm --cache-dir "$work/cache" --global-cache-dir "$work/cache"
"${ASC:-asc}" sort.ts --outFile assemblyscript.wasm --debug --runtime stub --optimizeLevel 1
cp ./*.wasm "$here"
