#!/usr/bin/env python3
"""How much faster `analyze` is with more workers, and whether it says the same: `bench/cores.py PESSIMUM [ROUNDS [NAME]]`.

Each program is analysed by one worker, by two, and by two processes of one worker each at the same time. The last is what the
machine can give at most: two cores that are hyperthreads of one give less than twice. The least time of all rounds counts, since
other work on the machine only adds to it. The work is measured out (`--effort`), so that no clock is in play.
"""

import json
import resource
import subprocess
import sys
import time

PESSIMUM = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
ONLY = sys.argv[3] if len(sys.argv) > 3 else ""

SORT = "sort(&i32[n], n)"
CASES = [
    ("quicksort, every path to n = 9", "quicksort/quicksort.wasm", SORT, ["--train", "1..=9", "--policy", "wise", "--sizes", "10", "--effort", "1s"]),
    ("quicksort, every path to n = 10", "quicksort/quicksort.wasm", SORT, ["--train", "1..=10", "--policy", "wise", "--sizes", "10", "--effort", "1s"]),
    ("search tree, every path to 9", "bst/bst.wasm", "run()", ["--train", "1..=9", "--policy", "wise", "--sizes", "9", "--effort", "1s"]),
    ("quicksort", "quicksort/quicksort.wasm", SORT, ["--effort", "4s"]),
    ("merge sort", "merge_sort/merge_sort.wasm", SORT, ["--effort", "4s"]),
    ("hybrid sort", "hybrid_sort/hybrid_sort.wasm", SORT, ["--effort", "4s"]),
    ("regex", "regex_backtrack/regex_backtrack.wasm", "match(&u8[n], n)", ["--effort", "10s"]),
    ("musl qsort", "real/musl/musl.wasm", "sort_ints(&i32[n], n)", ["--effort", "4s"]),
    ("cjson", "real/cjson/cjson.wasm", "parse(&u8[n], n)", ["--effort", "3s"]),
    ("cjson, n = 200", "real/cjson/cjson.wasm", "parse(&u8[n], n)", ["--effort", "3s", "--sizes", "200"]),
    ("uthash", "real/uthash/uthash.wasm", "distinct(&i32[n], n)", ["--effort", "4s"]),
]


def start(case, workers):
    _, module, call, flags = case
    words = [PESSIMUM, "analyze", f"corpus/{module}", "--call", call, *flags]
    words += ["--time", "1h", "--workers", str(workers), "--json", "-", "--quiet"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def answer(process):
    document = json.loads(process.communicate()[0])
    assert document.get("cut_by") is None, document["cut_by"]
    document.pop("parameters")
    for size in document["sizes"] + document["training"]:
        size.pop("effort")
    return document


def timed(case, *workers):
    """What each process says, how long all of them took, and their processor time."""
    usage = lambda: resource.getrusage(resource.RUSAGE_CHILDREN)
    before, begun = usage(), time.monotonic()
    answers = [answer(process) for process in [start(case, count) for count in workers]]
    took, after = time.monotonic() - begun, usage()
    return answers, took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    print(" ".join(sys.argv))
    print(f"{'':32}{'1 worker':>10}{'2 workers':>11}{'faster':>8}{'2 processes':>13}{'at most':>9}{'work':>8}")
    for case in CASES:
        if ONLY not in case[0]:
            continue
        best = [None] * 3
        for _ in range(ROUNDS):
            runs = [timed(case, 1), timed(case, 2), timed(case, 1, 1)]
            assert all(said == runs[0][0][0] for run in runs for said in run[0]), f"{case[0]}: not the same"
            best = [min(old, run[1:]) if old else run[1:] for old, run in zip(best, runs)]
        (one, cpu), (two, cpu_of_two), (both, _) = best
        print(
            f"{case[0]:32}{one:8.1f} s{two:9.1f} s{one / two:8.2f}{both:11.1f} s{2 * one / both:9.2f}"
            f"{cpu_of_two / cpu:8.2f}",
            flush=True,
        )


main()
