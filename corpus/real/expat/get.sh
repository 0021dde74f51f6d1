#!/usr/bin/env bash
# Obtains the sources of expat from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh expat "${PESSIMUM_REAL_SOURCES:-../.sources}"
