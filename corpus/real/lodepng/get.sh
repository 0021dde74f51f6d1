#!/usr/bin/env bash
# Obtains the sources of lodepng from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh lodepng "${PESSIMUM_REAL_SOURCES:-../.sources}"
