#!/usr/bin/env bash
# Attacks every claim that an analysis of so many seconds makes of the programs of the corpus and of the
# real ones: inputs and mutations of the attacker's own, costs counted by the independent engine, as
# long as the analysis took. Prints one line a program; a claim that fell is a bug.
#   bench/attackers.sh 10 > bench/results/attackers.txt
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release -p pessimum --example attack
exec target/release/examples/attack "$@"
