#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
from=$sources/hiredis
compile -I"$from" "$here/hiredis.c" "$from"/{alloc,sds}.c
