#!/usr/bin/env bash
# Rebuilds every .wasm of the corpus, byte for byte, with Debian's clang-19 and lld-19
# (and rustc 1.63 with lld-14 for Rust, wabt for WAT, the AssemblyScript of corpus/real/assemblyscript/get.sh).
#
#   corpus/build.sh              build everything in place
#   corpus/build.sh NAME...      build these programs only
#   corpus/build.sh --check      build aside and compare with what is committed
#
# The first line of a C source says how it is built:
#   /* build: export=NAME[,NAME] [opt=-O1] [levels=yes] [stack=BYTES] [libc=yes] [bulk=yes] [rotate=no] */
# rotate=no keeps the test of a loop in one place, where clang would copy it before the loop.
# levels=yes also makes NAME.O0.wasm, .O1.wasm, .O2.wasm and .Oz.wasm.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
corpus=$PWD
CC=clang-19
RUSTC=/usr/bin/rustc # Debian's 1.63, not one of rustup's

need=()
command -v "$CC" >/dev/null || need+=(clang-19)
command -v wasm-ld-19 >/dev/null || need+=(lld-19)
[ -e /usr/include/wasm32-wasi/stdio.h ] || need+=(wasi-libc)
[ -e /usr/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a ] ||
    need+=(libclang-rt-19-dev-wasm32)
command -v wat2wasm >/dev/null || need+=(wabt)
[ -x "$RUSTC" ] || need+=(rustc)
[ -e /usr/lib/rustlib/wasm32-unknown-unknown ] || need+=(libstd-rust-dev-wasm32)
command -v wasm-ld-14 >/dev/null || need+=(lld-14)
if [ ${#need[@]} -gt 0 ]; then
    echo "installing ${need[*]}" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${need[@]}" >&2
fi

check=no
names=()
for argument in "$@"; do
    case $argument in
    --check) check=yes ;;
    -*) echo "build.sh: no such option: $argument" >&2; exit 2 ;;
    *) names+=("$argument") ;;
    esac
done

# The value of key $2 in the build line $1, or $3.
setting() {
    local value
    value=$(sed -n "s/.*[ :]$2=\([^ ]*\).*/\1/p" <<<"$1")
    echo "${value:-$3}"
}

# compile NAME LEVEL OUTPUT PLAIN: PLAIN is yes for the modules of the four levels,
# which are what the compiler makes of the source by itself.
compile() {
    local name=$1 level=$2 output=$3 plain=$4 line flags=() name_
    line=$(head -n 1 "$name/$name.c")
    case $line in
    '/* build: '*) ;;
    *) echo "build.sh: $name/$name.c does not begin with a build line" >&2; exit 2 ;;
    esac
    flags=(--target=wasm32-wasi "$level" -g -std=c17 -Wall -Wextra -Werror
        -fno-vectorize -fno-slp-vectorize -fno-unroll-loops
        -ffile-prefix-map="$corpus/$name=." -ffile-prefix-map="${corpus%/*}/include=include"
        -ffile-prefix-map="$corpus=corpus" -ffile-prefix-map=/usr/include/wasm32-wasi=wasi
        -ffile-prefix-map=/usr/lib/llvm-19/lib/clang/19=clang
        -fdebug-compilation-dir=. -I "${corpus%/*}/include" -I "$corpus")
    if [ "$(setting "$line" libc no)" = no ]; then
        # No library: a loop that copies stays a loop.
        flags+=(-nostdlib -fno-builtin -Wl,--no-entry)
    fi
    if [ "$(setting "$line" bulk no)" = yes ]; then
        flags+=(-mbulk-memory)
    fi
    if [ "$plain" = no ] && [ "$(setting "$line" rotate yes)" = no ]; then
        flags+=(-mllvm -rotation-max-header-size=0)
    fi
    for name_ in $(setting "$line" export "" | tr , ' '); do
        flags+=("-Wl,--export=$name_")
    done
    flags+=(-Wl,-z,stack-size="$(setting "$line" stack 65536)")
    # Compiled from inside its directory, so that only the bare file name is recorded.
    (cd "$name" && "$CC" "${flags[@]}" -o "$output" "$name.c")
}

# compile_rust NAME OUTPUT: Debian's rustc and the linker that reads its libraries. A program may use
# the crate pessimum-input.
# Level 2, since below it the machinery of panic messages (a megabyte) is kept.
compile_rust() {
    local flags=(--edition 2021 --target wasm32-unknown-unknown -C opt-level=2 -g -C panic=abort
        --remap-path-prefix /usr/src/rustc-1.63.0=rust)
    local extern=()
    if grep -q pessimum_input "$1/$1.rs"; then
        flags+=(--remap-path-prefix "${corpus%/*}=pessimum")
        "$RUSTC" "${flags[@]}" --crate-type rlib --crate-name pessimum_input \
            -o "$aside/libpessimum_input.rlib" "${corpus%/*}/crates/pessimum-input/src/lib.rs"
        extern=(--extern "pessimum_input=$aside/libpessimum_input.rlib")
    fi
    (cd "$1" && "$RUSTC" "${flags[@]}" --remap-path-prefix "$corpus/$1=." "${extern[@]}" \
        --crate-type cdylib -C linker=wasm-ld-14 -o "$2" "$1.rs")
}

status=0
aside=$(mktemp -d)
trap 'rm -rf "$aside"' EXIT

# finish BUILT COMMITTED: put the fresh module in place, or compare it.
finish() {
    if [ $check = no ]; then
        mv "$1" "$2"
    elif ! cmp -s "$1" "$2"; then
        echo "differs: ${2#"$corpus"/}" >&2
        status=1
    fi
}

if [ ${#names[@]} -eq 0 ]; then
    for facts in */facts.toml; do
        names+=("${facts%/*}")
    done
fi
for name in "${names[@]}"; do
    if [ -e "$name/$name.ts" ]; then
        # AssemblyScript, with the compiler that corpus/real/assemblyscript/get.sh obtains.
        asc=${PESSIMUM_REAL_SOURCES:-$corpus/real/.sources}/assemblyscript/node_modules/.bin/asc
        [ -x "$asc" ] || "$corpus/real/assemblyscript/get.sh"
        (cd "$name" && "$asc" "$name.ts" -O1 --runtime stub --use abort= -o "$aside/$name.wasm")
        finish "$aside/$name.wasm" "$corpus/$name/$name.wasm"
        continue
    elif [ -e "$name/$name.wat" ]; then
        wat2wasm --debug-names -o "$aside/$name.wasm" "$name/$name.wat"
        finish "$aside/$name.wasm" "$corpus/$name/$name.wasm"
        continue
    elif [ -e "$name/$name.rs" ]; then
        compile_rust "$name" "$aside/$name.wasm"
        finish "$aside/$name.wasm" "$corpus/$name/$name.wasm"
        continue
    elif [ ! -e "$name/$name.c" ]; then
        echo "build.sh: no program $name" >&2
        exit 2
    fi
    line=$(head -n 1 "$name/$name.c")
    compile "$name" "$(setting "$line" opt -O1)" "$aside/$name.wasm" no
    finish "$aside/$name.wasm" "$corpus/$name/$name.wasm"
    if [ "$(setting "$line" levels no)" = yes ]; then
        for level in O0 O1 O2 Oz; do
            compile "$name" "-$level" "$aside/$name.$level.wasm" yes
            finish "$aside/$name.$level.wasm" "$corpus/$name/$name.$level.wasm"
        done
    fi
done
exit $status
