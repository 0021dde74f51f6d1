#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# One file for each way to compile it, since the layout of a token differs.
compile -I"$sources/jsmn" "$here/jsmn.c" "$here/parents.c"
