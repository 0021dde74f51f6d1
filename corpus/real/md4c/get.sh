#!/usr/bin/env bash
# Obtains the sources of md4c from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh md4c "${PESSIMUM_REAL_SOURCES:-../.sources}"
