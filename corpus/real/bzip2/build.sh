#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
compile -I"$sources/bzip2" "$here/bzip2.c"
