#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
from=$sources/mujs
# There is no setjmp on this platform; only an error in a pattern would need it.
cat >"$sources/include/setjmp.h" <<'H'
#include <stdlib.h>
typedef int jmp_buf[1];
#define setjmp(b) 0
#define longjmp(b, v) abort()
H
compile -I"$sources/include" -I"$from" "$here/mujs.c" "$from/regexp.c" "$from/utf.c"
