"""`explore --on hq` and `analyze --on hq` against the plain run, with real servers and workers of HyperQueue that are killed
half way."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PESSIMUM = sys.argv[1]
SIZE = os.environ.get("SIZE", "9")


class Work:
    """A call of pessimum, the flags that say how it is shared out, and the cases it is tried in."""

    def __init__(self, command, module, call, words, shared_out):
        self.command = command
        self.name = f"{command} {Path(module).stem}"
        self.line = [PESSIMUM, command, module, "--call", call, *words]
        self.shared_out = shared_out

    def line_with(self, *more):
        return [*self.line, *more, "--time", "1h", "--quiet", "--json", "-"]

    def plain(self):
        line = self.line_with("--merge", "off") if self.command == "explore" else self.line_with()
        return timeless(json.loads(subprocess.run(line, check=True, capture_output=True).stdout))


SORT = ("corpus/quicksort/quicksort.wasm", "sort(&i32[n], n)")
PATHS = ("corpus/bellman_ford/bellman_ford.wasm", "shortest(&i32[n*(n-1)] in -1000..=1000, n)")


def works():
    """What is done, in which cases. Shares are small enough that jobs hand their rest back."""
    share = ["--jobs", "12", "--share", os.environ.get("SHARE", "8M")]
    train = ["--train", "1..=8", "--policy", "wise", "--sizes", "9", "--effort", "500ms"]
    every = [undisturbed, task_killed, workers_and_server_killed, submitter_killed, no_server]
    return [
        (Work("explore", *SORT, ["--size", SIZE], share), every),
        (Work("explore", *PATHS, ["--size", "4"], share), [undisturbed, workers_and_server_killed]),
        (Work("analyze", *SORT, train, []), every),
    ]


PATIENCE = 300


def timeless(document):
    for name in ("seconds", "parameters"):
        document.pop(name, None)
    for size in document.get("sizes", []) + document.get("training", []):
        size.pop("effort")
    return json.dumps(document, sort_keys=True)


def wait_for(what, condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, f"waited {PATIENCE} s for {what}"
        time.sleep(0.02)


class Run:
    """One exploration or analysis on the queue, in a folder of its own."""

    def __init__(self, work, name):
        self.work = work
        self.name = f"{work.name}, {name}"
        self.folder = Path(tempfile.mkdtemp(prefix=f"pessimum-hq-{work.command}-{name}-"))
        self.jobs = self.folder / "jobs"
        # An analysis has a folder for each size.
        self.within, self.each = {"explore": (self.jobs, "."), "analyze": (self.jobs / "parts", "*")}[work.command]
        self.server_dir = self.folder / "server"
        self.environment = {**os.environ, "HQ_SERVER_DIR": str(self.server_dir)}
        self.started = []

    def start(self, *words, **how):
        process = subprocess.Popen(words, env=self.environment, **how)
        self.started.append(process)
        return process

    def serve(self, workers=3):
        """A server with workers of one core each."""
        shutil.rmtree(self.server_dir, ignore_errors=True)
        self.server = self.start("hq", "server", "start", stdout=subprocess.DEVNULL)
        info = ["hq", "server", "info"]
        wait_for("a server", lambda: self.calls(info) == 0)
        for _ in range(workers):
            self.start("hq", "worker", "start", "--cpus", "1")
        there = lambda: len(list(self.server_dir.glob("worker-*.there"))) == workers
        wait_for("workers", there)

    def calls(self, line):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.run(line, env=self.environment, **quiet).returncode

    def explore(self):
        line = self.work.line_with(*self.work.shared_out, "--on", "hq", "--save", str(self.jobs))
        return self.start(*line, stdout=subprocess.PIPE, text=True)

    def done(self):
        folders = [self.within] if self.each == "." else self.within.glob(self.each)
        return sum(len(list((folder / "done").glob("*.json"))) for folder in folders)

    def tasks(self):
        """The processes that do jobs of this folder."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except (OSError, ValueError):
                continue
            if words[1:3] == [b"jobs", b"run"] and any(word.startswith(str(self.jobs).encode()) for word in words):
                found.append(int(entry.name))
        return found

    def ends_as(self, explore, expected):
        output, _ = explore.communicate(timeout=PATIENCE)
        assert explore.returncode == 0, f"{self.name}: exit code {explore.returncode}"
        assert timeless(json.loads(output)) == expected, f"{self.name}: another answer"
        print(f"{self.name}: the bytes of the plain run, from {self.done()} jobs", flush=True)

    def clean(self):
        for process in reversed(self.started):
            if process.poll() is None:
                process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def undisturbed(run, expected):
    run.serve()
    run.ends_as(run.explore(), expected)
    if run.work.command == "explore":
        handed_back = [job for job in (run.jobs / "jobs").iterdir() if "." in job.stem]
        assert handed_back, "no job handed its rest back"


def task_killed(run, expected):
    run.serve()
    explore = run.explore()
    killed = 0

    def kill():
        nonlocal killed
        for task in run.tasks()[:1]:
            try:
                os.kill(task, signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                pass
        return killed >= 2

    wait_for("tasks to kill", kill)
    run.ends_as(explore, expected)


def workers_and_server_killed(run, expected):
    run.serve()
    explore = run.explore()
    wait_for("some jobs", lambda: run.done() >= 3)
    run.server.kill()
    run.server.wait()
    assert explore.poll() is None, "it was over before the server was killed"
    run.serve(workers=2)
    run.ends_as(explore, expected)


def submitter_killed(run, expected):
    run.serve()
    explore = run.explore()
    wait_for("some jobs", lambda: run.done() >= 3)
    explore.kill()
    explore.wait()
    before = run.done()
    # The queue goes on with what it was given.
    run.ends_as(run.explore(), expected)
    assert run.done() > before


def no_server(run, expected):
    """None runs: one of our own is started, and stopped when all is done."""
    run.ends_as(run.explore(), expected)
    own = run.within / "hq"
    wait_for("its end", lambda: run.calls(["hq", "--server-dir", str(own), "server", "info"]) != 0)


def main():
    for work, cases in works():
        expected = work.plain()
        for case in cases:
            run = Run(work, case.__name__)
            try:
                case(run, expected)
            finally:
                run.clean()


main()
