#!/usr/bin/env python3
"""What it costs to share an exploration out as jobs, in processor time: `bench/jobs.py PESSIMUM N JOBS SHARE`.

Quicksort of N values, plainly by one worker and as jobs one after the other. Processor time does not depend on what else
the machine does; how long it takes on so many machines is reckoned from it in docs/scale.md.
"""

import json
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PESSIMUM, N, JOBS, SHARE = sys.argv[1:5]
CALL = ["corpus/quicksort/quicksort.wasm", "--call", "sort(&i32[n], n)", "--size", N]


def run(*words):
    """What a command prints, and the processor time it took."""

    def seconds():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = seconds()
    output = subprocess.run([PESSIMUM, *words], check=True, capture_output=True, text=True).stdout
    return output, seconds() - before


def timeless(output):
    document = json.loads(output)
    document.pop("seconds")
    return document


def size(folder):
    return sum(file.stat().st_size for file in Path(folder).iterdir())


def main():
    print(f"{' '.join(sys.argv)}")
    output, plain = run("explore", *CALL, "--merge", "off", "--workers", "1", "--time", "10h", "--json", "-")
    answer = timeless(output)
    print(f"plain      {plain:8.1f} s, {answer['paths']} paths")
    folder = tempfile.mkdtemp(prefix="pessimum-jobs-")
    _, plan = run("jobs", "plan", *CALL, "--out", folder, "--jobs", JOBS, "--share", SHARE)
    print(f"plan       {plan:8.2f} s")
    times = []
    while names := run("jobs", "missing", folder)[0].split():
        for name in names:
            times.append(run("jobs", "run", "--quiet", folder, name)[1])
    print(f"run        {sum(times):8.1f} s in {len(times)} jobs, the longest {max(times):.2f} s, the median {sorted(times)[len(times) // 2]:.2f} s")
    output, gather = run("jobs", "gather", folder, "--json", "-")
    print(f"gather     {gather:8.2f} s")
    whole = plan + sum(times) + gather
    print(f"more than the plain walk: {100 * (whole / plain - 1):.1f} %")
    jobs, done = size(f"{folder}/jobs"), size(f"{folder}/done")
    print(f"files      {jobs / len(times) / 1e3:8.1f} kB a job, {done / len(times) / 1e3:.1f} kB a result")
    print("the same answer" if timeless(output) == answer else "ANOTHER ANSWER")
    shutil.rmtree(folder)


main()
