#!/bin/sh
# What used to end undecided, or took long, in the solvers, on one core:  bench/solver.sh > bench/results/solver.txt
# PESSIMUM names the command (default: target/release/pessimum), WALKS the folder of the examples of the solver
# (default: target/release/examples, from
#   cargo build --release -p pessimum-solver --examples
# ). Seconds are those of the processor; every result stands below the command that made it.
set -eu
cd "$(dirname "$0")/.."
pessimum=${PESSIMUM:-target/release/pessimum}
walks=${WALKS:-target/release/examples}
kept=$(mktemp)
trap 'rm -f "$kept"' EXIT
run() {
    tool=$1
    shift
    echo "\$ $(basename "$tool") $*" | sed "s|$kept|FILE|"
    python3 - "$tool" "$@" <<'PY'
import resource, subprocess, sys
ran = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"  {used.ru_utime + used.ru_stime:.2f} s processor, {used.ru_maxrss / 1024:.0f} MB, exit {ran.returncode}")
shown = ("Growth", "Stats", "n = ", "Result", "unknown at")
for line in ran.stdout.splitlines():
    if line.strip().startswith(shown) or " wise " in line and line.strip()[0].isdigit():
        # Seconds of the clock, where there are any, are not those of the processor.
        print("  " + line.strip())
PY
}
# What the last size of a kept result took by itself: the analysis also follows sizes that are held against the formula.
alone() {
    python3 - "$1" <<'PY'
import json, sys
size = json.load(open(sys.argv[1]))["sizes"][-1]
effort = size["effort"]
print(f"  n = {size['n']} alone: cost {size['worst_cost']}, {effort['solver_calls']} solver calls, {effort['seconds']:.2f} s")
PY
}
part() { printf '\n%s\n' "$*"; }
echo "# bench/solver.sh"
part "All inputs differ: half a million disequalities"
run "$walks/distinct_walk" 1000
run "$pessimum" analyze corpus/all_distinct/all_distinct.wasm --call 'all_distinct(&i32[n], n)' --sizes 1000 --policy wise --workers 1
part "A guided path of 12.5 million orders, of which 5,000 are needed"
run "$pessimum" analyze corpus/insertion_sort/insertion_sort.wasm --call 'sort(&i32[n], n)' --sizes 5000 --time 10m --train-budget 6s --policy wise --workers 1 --json "$kept"
alone "$kept"
part "Sums: every path, natively and of the module"
run "$walks/shortest_walk" bellman-ford 4
run "$walks/shortest_walk" dijkstra 5
run "$pessimum" explore corpus/bellman_ford/bellman_ford.wasm --call 'shortest(&i32[n*(n-1)] in -1000..=1000, n)' --size 4 --workers 1 --max-tests 0 --time 10m
run "$pessimum" explore corpus/dijkstra/dijkstra.wasm --call 'shortest(&i32[n*n] in 0..=1000, n)' --size 6 --workers 1 --max-tests 0 --time 10m
part "Keys of one bucket, all different"
for hash in affine remainder bernstein fnv; do run "$walks/hash_walk" $hash 300; done
