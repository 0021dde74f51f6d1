#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
from=$sources/cjson
compile -I"$from" "$here/cjson.c" "$from/cJSON.c" "$from/cJSON_Utils.c"
