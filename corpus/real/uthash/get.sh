#!/usr/bin/env bash
# Obtains the sources of uthash from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh uthash "${PESSIMUM_REAL_SOURCES:-../.sources}"
