#!/usr/bin/env bash
# Measures the tables of the papers and writes them to bench/results/: one line a run, with the
# command that made it. Give a part's name to run only that: exhaustive, guided, histories.
#   bench/run.sh            everything (about ten minutes on one core)
#   bench/run.sh guided
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release -p pessimum
target=${CARGO_TARGET_DIR:-target}
pessimum=$target/release/pessimum

# measure NAME COMMAND...: processor and wall seconds, the most memory it held, and the result, in two
# lines of $out.
measure() {
    python3 - "$@" <<'PY' | tee -a "$out"
import json, os, resource, subprocess, sys, tempfile, time
name, command = sys.argv[1], sys.argv[2:]
with tempfile.TemporaryDirectory() as folder:
    result = os.path.join(folder, "result.json")
    begun = time.monotonic()
    ran = subprocess.run(command + ["--json", result], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wall = time.monotonic() - begun
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ran.returncode:
        sys.exit(f"{name}: exit {ran.returncode}: {ran.stderr.strip()}")
    document = json.load(open(result))
if "fit" in document:
    shown = " ".join(
        f"n={s['n']}: cost {s['worst_cost']}, {s['paths']} path(s), {s['method']};"
        for s in document["sizes"])
    shown += " " + document["fit"].get("summary", "")
else:
    shown = f"{document['paths']} paths, worst {document['worst_cost']}, exact {document['exact']}"
command[0] = "pessimum"
megabytes = used.ru_maxrss / 1024
print(f"{name:26} {used.ru_utime + used.ru_stime:7.2f} s processor {wall:7.2f} s wall {megabytes:6.0f} MB  {shown}")
print(f"{'':26} {' '.join(repr(c) if any(x in c for x in ' &()[]') else c for c in command)}")
PY
}

explore() { measure "$1" "$pessimum" explore "corpus/$2/$2.wasm" --call "$3" --size "$4" --workers 1 --max-tests 0 --time 10m; }
analyze() { measure "$1" "$pessimum" analyze "corpus/$2/$2.wasm" --call "$3" --sizes "$4" --time 10m --train-budget 6s "${@:5}"; }

part() {
    [[ ${only:-$1} == "$1" ]] || return 1
    out=bench/results/$1.txt
    echo "# bench/run.sh $1" >"$out"
}

only=${1:-}
[[ -n $only ]] || unset only

if part exhaustive; then
    explore "insertion sort 9" insertion_sort 'sort(&i32[n], n)' 9
    explore "insertion sort 10" insertion_sort 'sort(&i32[n], n)' 10
    explore "merge sort 10" merge_sort 'sort(&i32[n], n)' 10
    explore "heap 15" heap_insert 'run()' 15
    explore "Dijkstra 5" dijkstra 'shortest(&i32[n*n] in 0..=1000, n)' 5
    explore "travelling salesman 4" tsp 'tour(&i32[n*n] in 0..=1000, n)' 4
    explore "Bellman-Ford 4" bellman_ford 'shortest(&i32[n*(n-1)] in -1000..=1000, n)' 4
fi
if part guided; then
    analyze "insertion sort 1000" insertion_sort 'sort(&i32[n], n)' 1000 --policy wise
    analyze "insertion sort 5000" insertion_sort 'sort(&i32[n], n)' 5000 --policy wise
    analyze "sorted list 1000" sorted_list 'run()' 1000 --policy wise
    analyze "binary search tree 1000" bst 'run()' 1000 --policy wise
    analyze "quicksort 300" quicksort 'sort(&i32[n], n)' 300 --policy wise
    analyze "heap 10000" heap_insert 'run()' 10000 --policy wise
    analyze "Dijkstra 30, 100" dijkstra 'shortest(&i32[n*n] in 0..=1000, n)' 30,100 --policy wise --cost visits:dijkstra.c:33
    analyze "Bellman-Ford 30" bellman_ford 'shortest(&i32[n*(n-1)] in -1000..=1000, n)' 30 --policy wise
    analyze "travelling salesman 9" tsp 'tour(&i32[n*n] in 0..=1000, n)' 5,6,7,8,9 --policy wise
fi
if part histories; then
    analyze "merge sort 1000" merge_sort 'sort(&i32[n], n)' 30,100,250,1000 --policy history=1 --cost decisions
    analyze "find entry 250" find_entry 'run()' 250
    analyze "n-gram 1000" ngram 'score(&u8[3*n], n, &u8[3])' 1000
    analyze "password 1000" password 'check(&u8[32*n], n, &u8[32])' 1000
    analyze "red-black tree 250" red_black_tree 'run()' 250
fi
