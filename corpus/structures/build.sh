#!/usr/bin/env bash
# Rebuilds the modules of this directory with Debian's clang-19 and lld-19, with the flags of
# ../build.sh and -fno-optimize-sibling-calls: a predicate that ends in a call of itself would
# become a loop, and the generator would have no recursive calls to see.
#
#   corpus/structures/build.sh             build everything in place
#   corpus/structures/build.sh NAME...     build these only
#   corpus/structures/build.sh --check     build aside and compare with what is committed
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
here=$PWD
check=no
if [ "${1-}" = --check ]; then
    check=yes
    shift
fi
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for source in */*.c; do names+=("${source%%/*}"); done
fi
status=0
aside=$(mktemp -d)
trap 'rm -rf "$aside"' EXIT
for name in "${names[@]}"; do
    flags=(--target=wasm32-wasi -O1 -g -std=c17 -Wall -Wextra -Werror -fno-optimize-sibling-calls
        -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -nostdlib -fno-builtin
        -ffile-prefix-map="$here/$name=." -ffile-prefix-map=/usr/lib/llvm-19/lib/clang/19=clang
        -fdebug-compilation-dir=. -Wl,--no-entry -Wl,-z,stack-size=65536)
    exports=$(sed -n '1s/.*export=\([^ ]*\).*/\1/p' "$name/$name.c")
    for export in ${exports//,/ }; do flags+=("-Wl,--export=$export"); done
    (cd "$name" && clang-19 "${flags[@]}" -o "$aside/$name.wasm" "$name.c")
    if [ $check = no ]; then
        mv "$aside/$name.wasm" "$name/$name.wasm"
    elif ! cmp -s "$aside/$name.wasm" "$name/$name.wasm"; then
        echo "differs: $name/$name.wasm" >&2
        status=1
    fi
done
exit $status
