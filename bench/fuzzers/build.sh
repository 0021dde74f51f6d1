#!/usr/bin/env bash
# Builds the programs for every tool from the same sources.
#
#   bench/fuzzers/build.sh                 native builds, into bench/fuzzers/.build/TOOL/PROGRAM
#   bench/fuzzers/build.sh --wasm          the modules that are committed: programs/PROGRAM.wasm
#   bench/fuzzers/build.sh [--wasm] NAME…  these programs only
#
# bzip2, zlib and cmark are Debian's source packages, as their authors ship them (corpus/real/debian_source.sh).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
real=$here/../../corpus/real
sources=${PESSIMUM_REAL_SOURCES:-$real/.sources}
mkdir -p "$sources"
sources=$(cd "$sources" && pwd)
build=$here/.build
wasm=no
names=()
for argument in "$@"; do
    case $argument in
    --wasm) wasm=yes ;;
    -*) echo "build.sh: no such option: $argument" >&2; exit 2 ;;
    *) names+=("$argument") ;;
    esac
done
if [ ${#names[@]} -eq 0 ]; then
    names=(insertion_sort quicksort php_hash bzip2 inflate wf cmark attributes)
fi

# The files and flags of a program, in $files and $flags.
describe() {
    files=("$here/programs/$1.c")
    flags=(-w)
    local from
    case $1 in
    bzip2)
        from=$sources/bzip2
        flags+=(-I"$from" -DBZ_NO_STDIO)
        files+=("$from"/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib}.c)
        ;;
    inflate)
        from=$sources/zlib
        flags+=(-I"$from" -DNO_GZIP)
        files+=("$from"/{adler32,crc32,inflate,inftrees,inffast,zutil}.c)
        ;;
    cmark)
        from=$sources/cmark/src
        flags+=(-I"$here/programs/cmark" -I"$from")
        files+=("$from"/{cmark,node,iterator,blocks,inlines,scanners,utf8,buffer,references,render,html}.c
            "$from"/{houdini_href_e,houdini_html_e,houdini_html_u,cmark_ctype}.c)
        ;;
    esac
}

for name in "${names[@]}"; do
    case $name in
    bzip2 | cmark) "$real/debian_source.sh" "$name" "$sources" ;;
    inflate) "$real/debian_source.sh" zlib "$sources" ;;
    esac
    describe "$name"
    if [ $wasm = yes ]; then
        # As corpus/real/common.sh compiles C.
        clang-19 --target=wasm32-wasi -O1 -mexec-model=reactor "${flags[@]}" \
            -ffile-prefix-map="$sources"=. -ffile-prefix-map="$here"=. \
            -Wl,--no-entry -Wl,--export=malloc -Wl,--export=target -Wl,--strip-debug -Wl,-z,stack-size=1048576 \
            "${files[@]}" -o "$here/programs/$name.wasm"
        continue
    fi
    mkdir -p "$build"/{afl,libfuzzer,queue}
    AFL_QUIET=1 afl-clang-fast -O2 "${flags[@]}" -fsanitize=fuzzer "${files[@]}" "$here/entry.c" -o "$build/afl/$name"
    clang-19 -O2 "${flags[@]}" -fsanitize=fuzzer "${files[@]}" "$here/entry.c" -o "$build/libfuzzer/$name"
    parts=()
    for file in "${files[@]}"; do
        part=$build/queue/$name-${#parts[@]}.o
        clang-19 -O2 "${flags[@]}" -fsanitize-coverage=trace-pc-guard -c "$file" -o "$part"
        parts+=("$part")
    done
    clang-19 -O2 -Wall -Wextra "$here/queue.c" "${parts[@]}" -o "$build/queue/$name"
    rm -f "${parts[@]}"
done
