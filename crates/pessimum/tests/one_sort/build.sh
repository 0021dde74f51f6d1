#!/bin/sh
# Makes the modules of this folder: clang-19 with lld-19, zig (ZIG) and AssemblyScript's asc (ASC). They are committed;
# other versions of the compilers make others. The sort in Rust is corpus/rust_insertion_sort.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
zig=$(command -v "${ZIG:-zig}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/sort.* "$work"
cd "$work"
flags="--target=wasm32 -O1 -g -nostdlib -ffile-prefix-map=$work=. -Wl,--no-entry -Wl,--export=sort"
clang-19 $flags sort.c -o c.wasm
clang++-19 $flags sort.cpp -o cpp.wasm
"$zig" build-exe sort.zig -target wasm32-freestanding -fno-entry --export=sort -O ReleaseSmall -fno-strip \
    -femit-bin=zig.wasm --cache-dir "$work/cache" --global-cache-dir "$work/cache"
# Zig has no map for the folders that it names: slashes stand in the place of what is cut off.
python3 - "$work" one_sort "$(dirname "$zig")/lib" zig/lib <<'EOF'
import pathlib, sys
module = pathlib.Path("zig.wasm")
data = module.read_bytes()
for old, new in zip(sys.argv[1::2], sys.argv[2::2]):
    old, new = old.encode(), new.encode()
    data = data.replace(old + b"\0", new.ljust(len(old), b"/") + b"\0")
module.write_bytes(data)
EOF
"${ASC:-asc}" sort.ts --outFile assemblyscript.wasm --debug --runtime stub --optimizeLevel 1
cp ./*.wasm "$here"
