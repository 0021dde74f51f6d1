#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
from=$sources/libbsd/src
mkdir -p "$sources/include/libbsd/sys"
printf '#define __restrict\n' >"$sources/include/libbsd/sys/cdefs.h"
compile -I"$sources/include/libbsd" "$here/libbsd.c" "$from"/{heapsort,merge,strnstr}.c
