#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
cd "$here"
"$sources/assemblyscript/node_modules/.bin/asc" assemblyscript.ts -O1 --runtime stub \
    --use abort= -o assemblyscript.wasm
