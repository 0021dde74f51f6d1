#!/usr/bin/env bash
# The scale figures of path condition synthesis: the programs of XSTRESSOR's table I and its case
# studies, each from small sizes explored to inputs replayed in an independent engine.
# Run from the root: bash bench/synth.sh > bench/results/synth.txt
# BIN names an example that is built already (`cargo test` builds it too, without link-time optimisation).
set -eu
if [ -z "${BIN:-}" ]; then
    cargo build --release --quiet -p pessimum-synth --example worst_inputs
    BIN=${CARGO_TARGET_DIR:-target}/release/examples/worst_inputs
fi
TIMEFORMAT='   whole run, training and replay included: %R s elapsed, %U s of processor'
echo "# bash bench/synth.sh  ($(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg) when it began)"
run() {
    name=$1 call=$2 cost=$3
    shift 3
    echo
    echo "== $name  $call  $cost"
    "$BIN" "corpus/$name/$name.wasm" "$call" "$cost" | cut -c1-200
    # One process for each size, so that every line has its own training in it.
    for n in "$@"; do
        time "$BIN" "corpus/$name/$name.wasm" "$call" "$cost" "$n" | { grep '^n=' || true; }
    done 2>&1
}
run insertion_sort 'sort(&i32[n], n)' visits:insertion_sort.c:10 10 30 50 100 500 5000
run sorted_list 'run()' visits:sorted_list.c:26 10 30 50 100 500
run merge_arrays 'run()' visits:merge_arrays.c:21 10 30 50 100 500
run bst 'run()' visits:bst.c:42 10 30 50 100 500
run dijkstra 'shortest(&i32[n*n] in 0..=1000, n)' visits:dijkstra.c:33 10 30 50 100 500
run bool_matrix 'multiply(&i32[n*n] in 0..=1, &i32[n*n] in 0..=1, n)' visits:bool_matrix.c:15 10 30 50 100 500
run block_compare 'run()' visits:block_compare.c:19 10 30 50 100 500
run boyer_moore 'search(&u8[n], n, &"abc", 3)' visits:boyer_moore.c:30 10 30 50 100 500
run tsp 'tour(&i32[n*n] in 0..=1000, n)' conditionals 8
