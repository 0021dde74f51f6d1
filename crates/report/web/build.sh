#!/bin/sh
# Rebuilds assets/report.html from its sources. With --check: fails if the committed file differs.
set -eu
cd "$(dirname "$0")"
npm ci --silent --no-audit --no-fund
npx --no-install tsc --noEmit
node build.mjs "$@"
