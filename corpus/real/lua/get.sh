#!/usr/bin/env bash
# Obtains the sources of lua5.1 from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh lua5.1 "${PESSIMUM_REAL_SOURCES:-../.sources}"
