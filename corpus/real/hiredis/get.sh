#!/usr/bin/env bash
# Obtains the sources of hiredis from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh hiredis "${PESSIMUM_REAL_SOURCES:-../.sources}"
