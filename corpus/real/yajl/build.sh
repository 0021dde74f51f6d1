#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
from=$sources/yajl/src
# What its cmake would do: headers under their public name, and one with the version.
mkdir -p "$sources/include/yajl"
cp "$from"/api/*.h "$sources/include/yajl/"
cat >"$sources/include/yajl/yajl_version.h" <<'H'
#define YAJL_MAJOR 2
#define YAJL_MINOR 1
#define YAJL_MICRO 0
int yajl_version(void);
H
compile -DNDEBUG -I"$sources/include" -I"$from" "$here/yajl.c" \
    "$from"/yajl{,_alloc,_buf,_encode,_lex,_parser}.c
