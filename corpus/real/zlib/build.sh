#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
from=$sources/zlib
compile -I"$from" -DNO_GZIP "$here/zlib.c" \
    "$from"/{adler32,crc32,inflate,inftrees,inffast,deflate,trees,zutil}.c
