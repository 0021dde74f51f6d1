#!/usr/bin/env bash
# Obtains the sources of cjson from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh cjson "${PESSIMUM_REAL_SOURCES:-../.sources}"
