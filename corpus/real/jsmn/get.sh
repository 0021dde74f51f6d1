#!/usr/bin/env bash
# Obtains the sources of jsmn from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh jsmn "${PESSIMUM_REAL_SOURCES:-../.sources}"
