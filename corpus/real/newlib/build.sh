#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
from=$sources/newlib/newlib/libc/search
mkdir -p "$sources/include/newlib/sys"
printf '#define _DEFUN(name, names, types) name(types)\n' >"$sources/include/newlib/_ansi.h"
printf '#define __unused __attribute__((unused))\n' >"$sources/include/newlib/sys/cdefs.h"
compile -Dqsort=newlib_qsort -I"$sources/include/newlib" "$here/newlib.c" "$from/qsort.c"
