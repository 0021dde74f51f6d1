#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
compile -I"$sources/utf8proc" "$here/utf8proc.c" "$sources/utf8proc/utf8proc.c"
