#!/usr/bin/env bash
# Obtains the sources of bzip2 from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh bzip2 "${PESSIMUM_REAL_SOURCES:-../.sources}"
