#!/bin/sh
# How far *exact* reaches when states are merged, on one core:  bench/merging.sh > bench/results/merging.txt
# PESSIMUM names the binary (default: target/release/pessimum). Every line is one run; its command is
#   pessimum explore corpus/PROGRAM --call CALL --size N --merge=on --workers 1 --max-tests 0 --time LIMIT --json -
set -eu
cd "$(dirname "$0")/.."
bin=${PESSIMUM:-target/release/pessimum}
limit=${LIMIT:-60s}
printf '%-42s %5s  %-6s %-9s %10s %9s %9s %8s  %s\n' \
    program n exact method worst states reuses seconds paths
run() {
    module=$1 call=$2 sizes=$3
    for n in $sizes; do
        "$bin" explore "corpus/$module" --call "$call" --size "$n" --merge=on --workers 1 \
            --max-tests 0 --time "$limit" --json - 2> /dev/null |
            python3 -c '
import json, sys
d = json.load(sys.stdin)
e = d.get("effort") or {}
paths = d.get("paths_exact") or "not counted"
print("%-42s %5s  %-6s %-9s %10s %9s %9s %8.2f  %s" % (sys.argv[1], d["n"],
      "yes" if d["exact"] else "no", d["method"], d["worst_cost"], e.get("states", "-"),
      e.get("reuses", "-"), d["seconds"], paths if d["exact"] else d.get("cut_by")))
if not d["exact"]:
    sys.exit(1)' "$module" || break
    done
}
sort='sort(&i32[n], n)'
run insertion_sort/insertion_sort.O2.wasm "$sort" "10 30 60 100"
run insertion_sort/insertion_sort.O0.wasm "$sort" "10 30 60"
run merge_sort/merge_sort.O2.wasm "$sort" "10 16 24 32 40"
run heap_insert/heap_insert.wasm 'run()' "10 15 20 25 31"
run heap_sort/heap_sort.O2.wasm "$sort" "7 9 11 12 14"
run quicksort/quicksort.O2.wasm "$sort" "8 9 10 11 12 13"
run hybrid_sort/hybrid_sort.wasm "$sort" "8 12 16 20 24"
run sorted_list/sorted_list.wasm 'run()' "7 8 9 10 20 60"
run bst/bst.wasm 'run()' "7 8 9 10"
run red_black_tree/red_black_tree.wasm 'run()' "6 7 8 9 10"
run password/password.wasm "$(sed -n 's/^call = "\(.*\)"/\1/p' corpus/password/facts.toml)" "3 6 10 20 30"
run ngram/ngram.wasm "$(sed -n 's/^call = "\(.*\)"/\1/p' corpus/ngram/facts.toml)" "10 30 100 200"
run word_count/word_count.wasm "$(sed -n 's/^call = "\(.*\)"/\1/p' corpus/word_count/facts.toml)" "10 30 100 200"
run uri_verifier/uri_verifier.wasm 'verify(&u8[n], n)' "10 13 16 20 26"
run recursive_descent/recursive_descent.wasm 'parse(&u8[n], n)' "8 10 12 17"
run regex_backtrack/regex_backtrack.wasm 'match(&u8[n], n)' "12 16 20 26"
run dijkstra/dijkstra.wasm "$(sed -n 's/^call = "\(.*\)"/\1/p' corpus/dijkstra/facts.toml)" "2 3 4"
run hash_table/hash_table.wasm 'run()' "2 3 4 5"
