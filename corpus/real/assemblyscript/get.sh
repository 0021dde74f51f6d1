#!/usr/bin/env bash
# Obtains the compiler from npm.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
into=${PESSIMUM_REAL_SOURCES:-../.sources}/assemblyscript
mkdir -p "$into"
[ -e "$into/node_modules/assemblyscript" ] ||
    npm install --silent --no-audit --no-fund --prefix "$into" assemblyscript@0.27.31
