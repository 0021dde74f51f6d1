#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
from=$sources/rsync
# The few names that wildmatch.c takes from the program's large header.
cat >"$sources/include/rsync.h" <<'H'
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
typedef unsigned char uchar;
#define False 0
#define True 1
H
compile -include "$sources/include/rsync.h" -I"$sources/include" -I"$from/lib" \
    "$here/rsync.c" "$from/lib/wildmatch.c"
