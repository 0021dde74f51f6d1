#!/bin/sh
# How far *exact* reaches when states are merged, on one core:  bench/merging.sh > bench/results/merging.txt
# COUNT_PATHS names the program that walks (default: target/release/examples/count_paths, from
#   cargo build --release -p pessimum-explore --example count_paths)
# and LIMIT the seconds that a program has for all its sizes. Every line is one walk:
#   count_paths corpus/PROGRAM CALL N 1 auto
# `not counted`: the worst cost is exact, and the paths were too many to count, or values are split.
set -eu
cd "$(dirname "$0")/.."
walk=${COUNT_PATHS:-target/release/examples/count_paths}
limit=${LIMIT:-60}
run() {
    timeout "$limit" "$walk" "corpus/$1" "$2" "$3" 1 "${4:-auto}" | sed -n "s|^n=|$1 n=|p" |
        sed 's/ trapped=.* worst=Some(\([0-9]*\)) least=[^ ]* / worst=\1 /' || true
}
# A program whose second size is half of the first, at one size.
halves() {
    timeout "$limit" "$walk" "corpus/$1" "find(&u8[$2], $2, &u8[$(($2 / 2))], $(($2 / 2)))" 1 1 auto |
        sed -n "s|^n=1 |$1 n=$2 |p" | sed 's/ trapped=.* worst=Some(\([0-9]*\)) least=[^ ]* / worst=\1 /' || true
}
call() { sed -n 's/^call = "\(.*\)"/\1/p' "corpus/$1/facts.toml"; }
sort='sort(&i32[n], n)'
run insertion_sort/insertion_sort.O2.wasm "$sort" 10,30,60,100
run insertion_sort/insertion_sort.O0.wasm "$sort" 10,30,60
run merge_sort/merge_sort.O2.wasm "$sort" 10,16,24,32,40
run heap_insert/heap_insert.wasm 'run()' 10,20,25,31,60
run heap_sort/heap_sort.O2.wasm "$sort" 7,9,11,12,14,16
run quicksort/quicksort.O2.wasm "$sort" 8,9,10,11,12,13
run hybrid_sort/hybrid_sort.wasm "$sort" 8,16,20,24,40
run sorted_list/sorted_list.wasm 'run()' 9,20,60,100
run bst/bst.wasm 'run()' 7,8,9,10,11
run red_black_tree/red_black_tree.wasm 'run()' 7,8,9,10,12
run password/password.wasm "$(call password)" 3,10,20,30
run ngram/ngram.wasm "$(call ngram)" 10,50,100,200
for n in 14 17 25 40; do halves strstr_naive/strstr_naive.wasm $n; done
run uri_verifier/uri_verifier.wasm "$(call uri_verifier)" 10,16,22,26
run recursive_descent/recursive_descent.wasm "$(call recursive_descent)" 10,14,17
run regex_backtrack/regex_backtrack.wasm "$(call regex_backtrack)" 12,20,26
real='sort_ints(&i32[n], n)'
run real/musl/musl.wasm "$real" 8,10,12
run real/klibc/klibc.wasm "$real" 8,10,12
echo
echo "Where nothing merges, auto and off:"
for how in auto off; do
    run dijkstra/dijkstra.wasm "$(call dijkstra)" 5,6 $how
    run hash_table/hash_table.wasm "$(call hash_table)" 6,7 $how
    run tsp/tsp.wasm "$(call tsp)" 4 $how
done
