#!/usr/bin/env bash
# Obtains the sources of zlib from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh zlib "${PESSIMUM_REAL_SOURCES:-../.sources}"
