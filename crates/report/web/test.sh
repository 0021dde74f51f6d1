#!/bin/sh
# Checks the page: the committed bundle is what the sources build, and it works in Chromium.
# Installs Chromium from Debian if there is none. SHOTS=DIR keeps screenshots.
set -eu
cd "$(dirname "$0")"
if [ -z "${CHROMIUM:-}" ] && [ ! -x /usr/bin/chromium ]; then
    (apt-get update -qq && apt-get install -y -qq chromium) >/dev/null
fi
./build.sh --check
PAGES=$(mktemp -d)
export PAGES
trap 'rm -rf "$PAGES"' EXIT
fixtures=../fixtures
node test/altered.mjs $fixtures/insertion_sort.json "$PAGES/altered.json"
node test/family.mjs $fixtures/insertion_sort.json "$PAGES/family.json"
cargo run --quiet --package pessimum-report --example report_page -- "$PAGES" \
    $fixtures/insertion_sort.json $fixtures/merge_sort.json $fixtures/wat_br_table.json \
    $fixtures/constant_cost.json $fixtures/regex_backtrack.json $fixtures/trap_division.json \
    $fixtures/check_worse.json $fixtures/check_inconclusive.json $fixtures/diff_worse.json \
    "$PAGES/altered.json" "$PAGES/family.json"
node --test test/*.test.mjs
