#!/usr/bin/env bash
# Obtains the sources of mujs from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh mujs "${PESSIMUM_REAL_SOURCES:-../.sources}"
