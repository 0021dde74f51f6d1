#!/usr/bin/env bash
# Obtains the sources of yajl from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh yajl "${PESSIMUM_REAL_SOURCES:-../.sources}"
