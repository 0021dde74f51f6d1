#!/usr/bin/env python3
"""How long `pessimum explore --time 2s` takes over every module of the corpus and every function of
the real programs, at n = 64. Each must end within 3 seconds, with
a documented exit code.

    cargo build --release && bench/two_seconds.py target/release/pessimum > bench/results/two_seconds.txt

On a machine that does other work as well, the seconds on the clock say little; what the process
worked is shown beside them, and it is what is held to the limit when the option --worked is given.
"""

import pathlib
import resource
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 3.0
SIZES = ("64",)


def jobs():
    """(name, module, flags) of everything that has facts."""
    for file in sorted((ROOT / "corpus").glob("*/facts.toml")):
        facts = tomllib.loads(file.read_text())
        name = file.parent.name
        flags = entry(facts)
        for build in facts.get("builds", []) + [f"{name}.wasm"]:
            module = file.parent / build
            if flags is not None and module.exists():
                yield build.removesuffix(".wasm"), module, flags
    for file in sorted((ROOT / "corpus/real").glob("*/facts.toml")):
        facts = tomllib.loads(file.read_text())
        name = file.parent.name
        for function in facts.get("target", []):
            flags = entry(function)
            module = file.parent / f"{name}.wasm"
            if flags is not None and module.exists():
                yield f"{name}: {function.get('name', flags[-1])}", module, flags


def entry(facts):
    if "call" in facts:
        flags = ["--call", facts["call"]]
        lets = facts.get("let", {})
        if isinstance(lets, str):
            lets = dict([lets.split("=", 1)])
        for name, value in lets.items():
            flags += ["--let", f"{name.strip()}={value}"]
        return flags
    for way in ("stdin", "argv"):
        if facts.get("entry") == way or facts.get(way):
            return [f"--{way}"]
    return []


def main():
    pessimum = sys.argv[1]
    by_work = "--worked" in sys.argv
    print(f"{'program':<44} {'n':>5} {'seconds':>8} {'worked':>8} {'MB':>6}  exit")
    late = odd = runs = 0
    most = 0.0
    for name, module, flags in jobs():
        for size in SIZES:
            command = [pessimum, "explore", str(module), *flags, "--size", size]
            command += ["--time", "2s", "--workers", "1", "--json", "/dev/null", "--quiet"]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            begun = time.monotonic()
            job = subprocess.run(command, capture_output=True)
            seconds = time.monotonic() - begun
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            # The greatest of all children up to now.
            held = after.ru_maxrss // 1024
            runs += 1
            measure = worked if by_work else seconds
            most = max(most, measure)
            late += measure > LIMIT
            odd += job.returncode not in (0, 2, 3)
            mark = "" if measure <= LIMIT else "  LATE"
            print(f"{name:<44} {size:>5} {seconds:8.2f} {worked:8.2f} {held:>6}  {job.returncode}{mark}", flush=True)
    what = "worked" if by_work else "seconds"
    print(f"\n{runs} runs, {late} beyond {LIMIT} s ({what}; the longest {most:.2f}), {odd} with another exit code than 0, 2 or 3")
    sys.exit(1 if late or odd else 0)


main()
