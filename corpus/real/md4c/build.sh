#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
from=$sources/md4c/src
compile -I"$from" "$here/md4c.c" "$from"/{md4c,md4c-html,entity}.c
