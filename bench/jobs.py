#!/usr/bin/env python3
"""What it costs to share an exploration out as jobs, in processor time: `bench/jobs.py PESSIMUM PROGRAM N JOBS SHARE`.

A sort of N values (PROGRAM: insertion_sort, quicksort), plainly by one worker and, at the same time, as jobs one after the
other: on two cores both have the same neighbour, so that what the machine does beside them counts for both. How long it
takes on so many machines is reckoned from it in docs/scale.md.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PESSIMUM, PROGRAM, N, JOBS, SHARE = sys.argv[1:6]
CALL = [f"corpus/{PROGRAM}/{PROGRAM}.wasm", "--call", "sort(&i32[n], n)", "--size", N]


class Running:
    """A command that was started."""

    def __init__(self, *words):
        self.output = tempfile.TemporaryFile()
        self.process = subprocess.Popen([PESSIMUM, *words], stdout=self.output, stderr=subprocess.DEVNULL)

    def end(self):
        """What it printed, and the processor time it took."""
        _, status, usage = os.wait4(self.process.pid, 0)
        assert status == 0, self.process.args
        self.output.seek(0)
        return self.output.read().decode(), usage.ru_utime + usage.ru_stime


def run(*words):
    return Running(*words).end()


def timeless(output):
    document = json.loads(output)
    document.pop("seconds")
    return document


def size(folder):
    return sum(file.stat().st_size for file in Path(folder).iterdir())


def main():
    print(f"{' '.join(['bench/jobs.py', 'PESSIMUM', *sys.argv[2:]])}", flush=True)
    walk = Running("explore", *CALL, "--merge", "off", "--workers", "1", "--time", "10h", "--json", "-")
    folder = tempfile.mkdtemp(prefix="pessimum-jobs-")
    _, plan = run("jobs", "plan", *CALL, "--out", folder, "--jobs", JOBS, "--share", SHARE)
    print(f"plan       {plan:8.2f} s", flush=True)
    times = []
    while names := run("jobs", "missing", folder)[0].split():
        for name in names:
            times.append(run("jobs", "run", "--quiet", folder, name)[1])
    print(f"run        {sum(times):8.1f} s in {len(times)} jobs, the longest {max(times):.2f} s, the median {sorted(times)[len(times) // 2]:.2f} s", flush=True)
    output, gather = run("jobs", "gather", folder, "--json", "-")
    print(f"gather     {gather:8.2f} s", flush=True)
    whole = plan + sum(times) + gather
    plainly, plain = walk.end()
    answer = timeless(plainly)
    print(f"plain      {plain:8.1f} s, {answer['paths']} paths")
    print(f"more than the plain walk: {100 * (whole / plain - 1):.1f} %")
    jobs, done = size(f"{folder}/jobs"), size(f"{folder}/done")
    print(f"files      {jobs / len(times) / 1e3:8.1f} kB a job, {done / len(times) / 1e3:.1f} kB a result")
    print("the same answer" if timeless(output) == answer else "ANOTHER ANSWER")
    shutil.rmtree(folder)


main()
