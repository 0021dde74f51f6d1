#!/usr/bin/env python3
"""pessimum against fuzzers: the best cost at n = 1,000 after 60 seconds, for eight programs and three seeds.

    bench/fuzzers/install.sh && bench/fuzzers/build.sh
    cargo build --release --workspace --bin pessimum --example cost_of_inputs
    bench/fuzzers/run.py --pessimum target/release/pessimum --counter target/release/examples/cost_of_inputs

Each cell (program, tool, seed) runs alone on one core and is written to bench/results/fuzzers.json when it is done;
what is there already is not run again. A cell in which other work took the processor is not written. Every input that a fuzzer kept is run in our own counter, on another core
while the next cell runs. At the end, and with --table alone, docs/fuzzers.md is made from the results.
"""

import argparse
import base64
import concurrent.futures
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import known
import table

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# The part of the seconds that a tool must have of the processor for its cell to count.
LEAST = 0.6

RESULTS = ROOT / "bench/results/fuzzers.json"
PAGE = ROOT / "docs/fuzzers.md"
BUILD = HERE / ".build"
CALL = "target(&u8[n], n)"
TOOLS = ["pessimum", "afl", "libfuzzer", "queue"]


def main():
    options = arguments()
    if options.table:
        table.write(json.loads(options.results.read_text()), PAGE)
        return
    bench = Bench(options)
    bench.measure_known()
    bench.measure_cells()
    if options.results == RESULTS:
        table.write(bench.results, PAGE)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pessimum", type=pathlib.Path, default=ROOT / "target/release/pessimum")
    parser.add_argument("--counter", type=pathlib.Path, default=ROOT / "target/release/examples/cost_of_inputs")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seeds", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2, 3])
    parser.add_argument("--programs", type=lambda text: text.split(","), default=list(known.PROGRAMS))
    parser.add_argument("--tools", type=lambda text: text.split(","), default=TOOLS)
    parser.add_argument("--core", type=int, default=1, help="the core that every tool runs on, one after the other")
    parser.add_argument("--counting-core", type=int, default=0, help="the core on which kept inputs are counted")
    parser.add_argument("--nice", type=int, default=0, help="the priority of the tools, as nice has it")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    parser.add_argument("--table", action="store_true", help="make the page from the results and end")
    return parser.parse_args()


class Bench:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        if options.results.exists():
            self.results = json.loads(options.results.read_text())
            if self.results["seconds"] != options.seconds:
                sys.exit(f"{options.results} has cells of {self.results['seconds']} seconds: name another file")
        else:
            self.results = {
                "command": "bench/fuzzers/run.py",
                "n": known.N,
                "seconds": options.seconds,
                "machine": machine(),
                "versions": versions(options.pessimum),
                "known": {},
                "cells": [],
            }

    def save(self):
        scratch = self.options.results.with_suffix(".part")
        scratch.write_text(json.dumps(self.results, indent=1) + "\n")
        scratch.replace(self.options.results)

    def measure_known(self):
        """What the inputs that were known before, the seed, and some random inputs cost."""
        for name in self.options.programs:
            if name in self.results["known"]:
                continue
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                inputs = known.PROGRAMS[name]["known"]
                (folder / "seed").write_bytes(known.PROGRAMS[name]["seed"])
                for i, (_, _, make) in enumerate(inputs):
                    made = make()
                    assert 0 < len(made) <= known.N, f"{name}: input {i} has {len(made)} bytes"
                    (folder / f"{i}").write_bytes(made)
                for i, made in enumerate(known.random_inputs()):
                    (folder / f"random{i}").write_bytes(made)
                costs = {file.name: cost for file, cost in self.count(name, [folder])}
            self.results["known"][name] = {
                "seed": costs["seed"],
                "random": max(cost for file, cost in costs.items() if file.startswith("random")),
                "inputs": [
                    {"name": what, "from": source, "cost": costs[str(i)]}
                    for i, (what, source, _) in enumerate(inputs)
                ],
            }
            self.save()

    def measure_cells(self):
        """All cells of the first seed, then of the second, so that a table of a part is a fair one."""
        done = {(cell["program"], cell["tool"], cell["seed"]) for cell in self.results["cells"]}
        with concurrent.futures.ThreadPoolExecutor(max_workers=1) as counting:
            waiting = []
            for seed in self.options.seeds:
                for program in self.options.programs:
                    for tool in self.options.tools:
                        if (program, tool, seed) in done:
                            continue
                        folder = pathlib.Path(tempfile.mkdtemp(prefix="pessimum-fuzzers-"))
                        cell = self.run(program, tool, seed, folder)
                        waiting.append(counting.submit(self.finish, cell, folder))
            for one in waiting:
                one.result()

    def run(self, program, tool, seed, folder):
        """One tool on one program; what it kept stands in the folder `kept`, or in those it made itself."""
        about = known.PROGRAMS[program]
        (folder / "seeds").mkdir()
        (folder / "kept").mkdir()
        (folder / "seeds" / "seed").write_bytes(about["seed"])
        words = folder / "words.dict"
        if about["words"]:
            words.write_text(known.dictionary(about["words"]))
        command = COMMANDS[tool](self.options, program, seed, folder, words if about["words"] else None)
        prefix = ["taskset", "-c", str(self.options.core), "nice", "-n", str(self.options.nice)]
        environment = dict(os.environ, **AFL_SETTINGS) if tool == "afl" else None
        begun = time.monotonic()
        with open(folder / "log", "wb") as log:
            job = subprocess.Popen(
                prefix + command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=environment
            )
            _, status, used = os.wait4(job.pid, 0)
        return {
            "program": program,
            "tool": tool,
            "seed": seed,
            "seconds": round(time.monotonic() - begun, 2),
            "worked": round(used.ru_utime + used.ru_stime, 2),
            "exit": os.waitstatus_to_exitcode(status),
        }

    def finish(self, cell, folder):
        """Counts what the tool kept, and keeps the costliest of it."""
        # AFL++ ends without waiting for its children, so that theirs is not known.
        if cell["tool"] != "afl" and cell["worked"] < LEAST * min(cell["seconds"], self.options.seconds):
            print(f"{cell['program']:16} {cell['tool']:10} seed {cell['seed']}: had {cell['worked']} s of the "
                  f"processor, not counted", flush=True)
            shutil.rmtree(folder)
            return
        cell["runs"] = RUNS[cell["tool"]](folder)
        if cell["tool"] == "pessimum":
            cell["said"] = keep_answer(folder)
        folders = [folder / part for part in ("kept", "out/default/queue", "out/default/crashes", "out/default/hangs")]
        counted = self.count(cell["program"], [f for f in folders if f.is_dir()])
        cell["kept"] = len(counted)
        ended = [(cost, file) for file, cost in counted if cost is not None]
        best = max(ended, default=(None, None), key=lambda one: (one[0], str(one[1])))
        cell["cost"] = best[0]
        cell["input"] = base64.b64encode(best[1].read_bytes()).decode() if best[1] else None
        with self.lock:
            self.results["cells"].append(cell)
            self.save()
        print(f"{cell['program']:16} {cell['tool']:10} seed {cell['seed']}: {cell['cost']} "
              f"({cell['kept']} kept, {cell['runs']} runs, {cell['seconds']} s, worked {cell['worked']} s, "
              f"exit {cell['exit']})", flush=True)
        shutil.rmtree(folder)

    def count(self, program, folders):
        """(file, cost) of every file; no cost where the run did not end normally."""
        command = ["taskset", "-c", str(self.options.counting_core), str(self.options.counter.resolve())]
        command += [str(HERE / "programs" / f"{program}.wasm"), CALL, str(known.N), *map(str, folders)]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        pairs = (line.split(" ", 1) for line in lines)
        return [(pathlib.Path(file), None if cost == "-" else int(cost)) for cost, file in pairs]


AFL_SETTINGS = {
    "AFL_NO_UI": "1",
    "AFL_NO_AFFINITY": "1",
    "AFL_SKIP_CPUFREQ": "1",
    "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1",
}


def pessimum_command(options, program, seed, folder, words):
    command = [str(options.pessimum.resolve()), "analyze", str(HERE / "programs" / f"{program}.wasm"), "--call", CALL]
    command += ["--sizes", str(known.N), "--time", f"{options.seconds}s", "--workers", "1", "--seed", str(seed)]
    command += ["--seeds", str(folder / "seeds"), "--json", str(folder / "result.json"), "--quiet"]
    return command + (["--dict", str(words)] if words else [])


def afl_command(options, program, seed, folder, words):
    command = ["afl-fuzz", "-i", str(folder / "seeds"), "-o", str(folder / "out"), "-V", str(options.seconds)]
    command += ["-s", str(seed), "-G", str(known.N)] + (["-x", str(words)] if words else [])
    return command + ["--", str(BUILD / "afl" / program)]


def libfuzzer_command(options, program, seed, folder, words):
    command = [str(BUILD / "libfuzzer" / program), "-use_value_profile=1", f"-max_len={known.N}", f"-seed={seed}"]
    # It counts whole seconds and ends one later than it is told.
    command += [f"-max_total_time={options.seconds - 1}", f"-artifact_prefix={folder / 'kept'}/", "-print_final_stats=1"]
    return command + ([f"-dict={words}"] if words else []) + [str(folder / "kept"), str(folder / "seeds")]


def queue_command(options, program, seed, folder, words):
    command = [str(BUILD / "queue" / program), str(folder / "seeds/seed"), str(folder / "kept")]
    return command + [str(options.seconds), str(seed)] + ([str(words)] if words else [])


def keep_answer(folder):
    """Writes the input that pessimum reports at n to the folder of kept ones; what it says of it."""
    file = folder / "result.json"
    if not file.exists():
        return None
    document = json.loads(file.read_text())
    for size in document["sizes"]:
        if size["n"] == known.N and size.get("input"):
            (folder / "kept" / "worst").write_bytes(base64.b64decode(size["input"]["bytes"]))
            fit = document.get("fit") or {}
            return {"cost": size["worst_cost"], "method": size["method"], "class": fit.get("class"),
                    "basis": fit.get("basis")}
    return None


def afl_runs(folder):
    stats = folder / "out/default/fuzzer_stats"
    found = re.search(r"execs_done\s*: (\d+)", stats.read_text()) if stats.exists() else None
    return int(found[1]) if found else None


def libfuzzer_runs(folder):
    found = re.search(r"number_of_executed_units: (\d+)", (folder / "log").read_text(errors="replace"))
    return int(found[1]) if found else None


def queue_runs(folder):
    lines = (folder / "log").read_text(errors="replace").split()
    return int(lines[-1]) if lines and lines[-1].isdigit() else None


COMMANDS = {
    "pessimum": pessimum_command,
    "afl": afl_command,
    "libfuzzer": libfuzzer_command,
    "queue": queue_command,
}
RUNS = {"pessimum": lambda folder: None, "afl": afl_runs, "libfuzzer": libfuzzer_runs, "queue": queue_runs}


def first_line(*command):
    if not shutil.which(command[0]):
        return "unknown"
    ran = subprocess.run(command, capture_output=True, text=True)
    lines = (ran.stdout + ran.stderr).splitlines()
    return re.sub(r"\x1b\[[0-9;]*m", "", lines[0]).strip() if lines else "unknown"


def versions(pessimum):
    return {
        "pessimum": first_line(str(pessimum.resolve()), "--version"),
        "commit": first_line("git", "-C", str(ROOT), "log", "-1", "--format=%h", "--", ":(glob)crates/*/src/**"),
        "afl": first_line("dpkg-query", "-W", "-f", "afl++ ${Version}", "afl++"),
        "libfuzzer": first_line("dpkg-query", "-W", "-f", "libclang-rt-19-dev ${Version}", "libclang-rt-19-dev"),
        "queue": first_line("clang-19", "--version"),
    }


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return {"processor": model[1] if model else platform.machine(), "cores": os.cpu_count()}


if __name__ == "__main__":
    main()
