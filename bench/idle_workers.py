#!/usr/bin/env python3
"""How long workers of HyperQueue wait for jobs: `bench/idle_workers.py PESSIMUM N JOBS SHARE WORKERS`.

`explore --on hq` of quicksort with N values, on a server of the PyPI package `hyperqueue` with workers of one core each
(crates/queue/test/test.sh installs it). The package does not tell when a task began, so that the processes which do jobs are
counted instead, fifty times a second from the first to the last: a worker has one, or is idle.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PESSIMUM, N, JOBS, SHARE, WORKERS = sys.argv[1:6]
WORKERS = int(WORKERS)
HERE = Path(__file__).resolve().parent.parent
CALL = ["corpus/quicksort/quicksort.wasm", "--call", "sort(&i32[n], n)", "--size", N]


def tasks(folder):
    """The processes that do jobs of a folder."""
    found = 0
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            continue
        found += words[1:3] == [b"jobs", b"run"] and any(w.startswith(folder) for w in words)
    return found


def main():
    print(" ".join(["bench/idle_workers.py", "PESSIMUM", *sys.argv[2:]]), flush=True)
    folder = Path(tempfile.mkdtemp(prefix="pessimum-idle-"))
    target = Path(os.environ.get("CARGO_TARGET_DIR", "target")).resolve() / "hyperqueue" / "bin"
    path = f"{HERE / 'crates/queue/test'}:{target}:{os.environ['PATH']}"
    environment = {**os.environ, "HQ_SERVER_DIR": str(folder / "server"), "PATH": path}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
    started = [subprocess.Popen(["hq", "server", "start"], **quiet)]
    while subprocess.run(["hq", "server", "info"], **quiet).returncode:
        time.sleep(0.1)
    started += [subprocess.Popen(["hq", "worker", "start", "--cpus", "1"], **quiet) for _ in range(WORKERS)]
    while len(list((folder / "server").glob("worker-*.there"))) < WORKERS:
        time.sleep(0.1)
    line = [PESSIMUM, "explore", *CALL, "--jobs", JOBS, "--share", SHARE, "--on", "hq", "--save", str(folder / "jobs")]
    begin = time.monotonic()
    explore = subprocess.Popen([*line, "--time", "10h", "--quiet"], **quiet)
    counts = []
    while explore.poll() is None:
        counts.append((time.monotonic() - begin, min(WORKERS, tasks(bytes(folder / "jobs")))))
        time.sleep(0.02)
    assert explore.returncode == 0, explore.returncode
    whole = time.monotonic() - begin
    busy = [at for at, count in counts if count]
    within = [count for at, count in counts if busy[0] <= at <= busy[-1]]
    done = len(list((folder / "jobs" / "done").glob("*.json")))
    print(f"{whole:.1f} s in all, of which jobs were done for {busy[-1] - busy[0]:.1f} s, {done} jobs")
    print(f"idle: {100 * (1 - sum(within) / len(within) / WORKERS):.1f} % of the time of {WORKERS} workers")
    for process in reversed(started):
        process.kill()
        process.wait()
    shutil.rmtree(folder)


main()
