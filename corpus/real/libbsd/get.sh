#!/usr/bin/env bash
# Obtains the sources of libbsd from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh libbsd "${PESSIMUM_REAL_SOURCES:-../.sources}"
