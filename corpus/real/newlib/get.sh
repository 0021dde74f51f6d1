#!/usr/bin/env bash
# Obtains the sources of newlib from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh newlib "${PESSIMUM_REAL_SOURCES:-../.sources}"
