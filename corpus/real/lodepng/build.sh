#!/usr/bin/env bash
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
from=$sources/lodepng
# Its one file is C and C++; without a disk there is nothing to load from.
compile -I"$from" -DLODEPNG_NO_COMPILE_DISK -DLODEPNG_NO_COMPILE_CPP "$here/lodepng.c" \
    -x c "$from/lodepng.cpp"
