#!/usr/bin/env bash
# The library is Debian's package wasi-libc, compiled already.
set -euo pipefail
[ -e /usr/lib/wasm32-wasi/libc.a ] || apt-get install -y --no-install-recommends wasi-libc
