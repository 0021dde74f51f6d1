#!/usr/bin/env bash
# Installs what the comparison needs from Debian: AFL++ as it comes, clang-19 with libFuzzer, and the compiler and
# library for Wasm. Nothing is done for what is there already.
set -euo pipefail
need=()
command -v clang-19 >/dev/null || need+=(clang-19)
command -v wasm-ld-19 >/dev/null || need+=(lld-19)
command -v afl-fuzz >/dev/null || need+=(afl++)
[ -e /usr/include/wasm32-wasi/stdio.h ] || need+=(wasi-libc)
[ -e /usr/lib/llvm-19/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a ] || need+=(libclang-rt-19-dev-wasm32)
[ -e /usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.fuzzer-x86_64.a ] || need+=(libclang-rt-19-dev)
command -v g++ >/dev/null || need+=(g++)
if [ ${#need[@]} -gt 0 ]; then
    echo "installing ${need[*]}" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${need[@]}" >&2
fi
