#!/bin/sh
# Builds the playground and tries it in Chromium, which it installs from Debian if there is none (or set CHROMIUM).
# SHOTS=DIR keeps screenshots. PLAYGROUND=DIR tries a page that was built before.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
if [ -z "${CHROMIUM:-}" ] && [ ! -x /usr/bin/chromium ]; then
    (apt-get update -qq && apt-get install -y -qq chromium) >/dev/null
fi
if [ -z "${PLAYGROUND:-}" ]; then
    PLAYGROUND=$(mktemp -d)
    trap 'rm -rf "$PLAYGROUND"' EXIT
    crates/playground/build.sh "$PLAYGROUND"
fi
export PLAYGROUND
node --test crates/playground/web/test/*.test.mjs
