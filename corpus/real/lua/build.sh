#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
compile -I"$sources/lua5.1/src" "$here/lua.c"
