#!/bin/sh
# The scale figures of path condition synthesis: the programs of XSTRESSOR's table I and its case
# studies, each from small sizes explored to inputs replayed in an independent engine.
# Run from the root: sh bench/synth.sh > bench/results/synth.txt
set -eu
cargo build --release --quiet -p pessimum-synth --example worst_inputs
bin=${CARGO_TARGET_DIR:-target}/release/examples/worst_inputs
echo "# sh bench/synth.sh  ($(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg) when it began)"
run() {
    name=$1 call=$2 cost=$3
    shift 3
    echo
    echo "== $name  $call  $cost"
    # One process for each size, so that every line has its own training in it.
    for n in "$@"; do
        begun=$(date +%s.%N)
        "$bin" "corpus/$name/$name.wasm" "$call" "$cost" "$n" | grep -E '^n=|not modelled'
        echo "   $(date +%s.%N) $begun" | awk '{ printf "   %.2f s for the whole run, replay included\n", $1 - $2 }'
    done
    "$bin" "corpus/$name/$name.wasm" "$call" "$cost" | cut -c1-200
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
