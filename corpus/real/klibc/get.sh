#!/usr/bin/env bash
# Obtains the sources of klibc from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh klibc "${PESSIMUM_REAL_SOURCES:-../.sources}"
