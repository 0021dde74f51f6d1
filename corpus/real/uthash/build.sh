#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
compile -I"$sources/uthash/src" "$here/uthash.c"
