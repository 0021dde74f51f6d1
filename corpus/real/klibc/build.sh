#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
from=$sources/klibc/usr/klibc
# Its names are those of the C library that is linked as well; one is declared nowhere else.
cat >"$sources/include/klibc.h" <<'H'
#include <stddef.h>
void klibc_memswap(void *, void *, size_t);
H
compile -D_GNU_SOURCE -Dfnmatch=klibc_fnmatch -Dqsort=klibc_qsort -Dmemmem=klibc_memmem \
    -Dmemswap=klibc_memswap -include "$sources/include/klibc.h" \
    "$here/klibc.c" "$from"/{fnmatch,qsort,memmem,memswap}.c
