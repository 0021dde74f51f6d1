#!/usr/bin/env python3
"""Seconds from the start of `pessimum analyze example:NAME` to its first answer, its first word on
the growth, and its end, for every example.

    cargo build --release && bench/first_answer.py target/release/pessimum > bench/results/first_answer.txt
"""

import os
import pty
import re
import subprocess
import sys
import time


def examples(pessimum):
    listed = subprocess.run([pessimum, "examples"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in listed.stdout.splitlines() if line.startswith("  ")]


def run(pessimum, example):
    """Runs it as on a terminal and reads the progress line as it is drawn."""
    begun = time.monotonic()
    reader, writer = pty.openpty()
    job = subprocess.Popen(
        [pessimum, "analyze", f"example:{example}"], stdout=subprocess.PIPE, stderr=writer
    )
    os.close(writer)
    answer = growth = None
    drawn = ""
    while True:
        try:
            part = os.read(reader, 4096)
        except OSError:  # the terminal is gone: the run has ended
            break
        now = time.monotonic() - begun
        drawn += part.decode(errors="replace")
        if answer is None and (first := re.search(r"n = \d+: worst [\d,]+( \(exact\))?", drawn)):
            answer = (now, first.group())
        if growth is None and (first := re.search(r"so far ≈ [^;\s]+", drawn)):
            growth = (now, first.group())
    result = job.stdout.read().decode()
    job.wait()
    end = time.monotonic() - begun
    if job.returncode != 0:
        sys.exit(f"{example}: exit code {job.returncode}")
    found = re.search(r"O\([^)]*\)", result)
    return answer, growth, end, found.group() if found else "-"


def shown(told):
    return f"{told[0]:6.2f} s  {told[1]:<24}" if told else f"{'-':>6}    {'':<24}"


def main():
    pessimum = sys.argv[1]
    print(f"{'example':<16} {'first answer':<34} {'first word on the growth':<34} {'end':>8}  result")
    for example in examples(pessimum):
        answer, growth, end, result = run(pessimum, example)
        print(f"{example:<16} {shown(answer)} {shown(growth)} {end:6.2f} s  {result}", flush=True)


main()
