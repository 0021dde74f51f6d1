#!/usr/bin/env bash
# Obtains the sources of utf8proc from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh utf8proc "${PESSIMUM_REAL_SOURCES:-../.sources}"
