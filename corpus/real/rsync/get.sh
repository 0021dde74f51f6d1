#!/usr/bin/env bash
# Obtains the sources of rsync from Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
../debian_source.sh rsync "${PESSIMUM_REAL_SOURCES:-../.sources}"
