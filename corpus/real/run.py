#!/usr/bin/env python3
"""Runs the tool on every real program and holds the answers against what is known of them.

    run.py                      all targets, 20 s each; writes results.json and the table
    run.py --quick              6 s each; writes nothing
    run.py --only mujs klibc    these programs alone; the other rows of the table stay

Beside each analysis a random search runs for the same time at the largest size that was reached.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import tomllib

import adversary

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = HERE / "results.json"
TABLE = ROOT / "docs" / "real-programs.md"

# Classes that cannot be told apart by what can be measured.
ALIKE = {"c^n": lambda found: found.endswith("^n")}


# An input is as bad as a known one if it costs nine tenths of it.
AS_BAD = 0.9


def growth(name):
    """A class as something that can be ordered."""
    if name == "n!":
        return (2, 0.0, 0)
    if name.endswith("^n"):
        base = name[:-2]
        return (1, float(base) if base != "c" else float("inf"), 0)
    power, logs = 0.0, 0
    for factor in name.split("*"):
        base, _, exponent = factor.partition("^")
        if base.startswith("log"):
            logs += int(exponent or 1)
        elif base.startswith("sqrt"):
            power += 0.5
        elif base == "n":
            power += float(exponent or 1)
    return (0, power, logs)


def verdict(known, found, bound, reaches):
    """Right, weak or wrong: the known class with an input as bad as the worst known; true but lower;
    above the truth, or an exact bound that is not the truth."""
    if found is None:
        return "no answer"
    if ALIKE.get(known, known.__eq__)(found):
        return "right" if reaches else "weak"
    return "weak" if bound == "at_least" and growth(found) < growth(known) else "wrong"


def call(command, seconds):
    """Output of a command, or None if it failed or took far too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.stdout.strip() else None


def entry(target):
    words = ["--call", target["call"]]
    if "let" in target:
        words += ["--let", target["let"]]
    return words


def cost_of(tool, module, target, n, values):
    """What an input costs."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(values, file)
        file.flush()
        words = [tool, "replay", module, file.name, *entry(target), "--size", str(n), "--json", "-"]
        out = call(words, 60)
    return json.loads(out).get("cost") if out else None


def known_bad(expression, n):
    """The values that an expression of `facts.toml` stands for at a size."""
    names = {"n": n, "range": range, "list": list, "newlib_killer": adversary.newlib_killer}
    return eval(expression, {"__builtins__": {}} | names)


def short(values):
    """An input in a few characters: runs are written with their length."""
    runs = []
    for v in values:
        if runs and runs[-1][0] == v:
            runs[-1][1] += 1
        else:
            runs.append([v, 1])
    words = [f"{v}" if k == 1 else f"{v}×{k}" for v, k in runs]
    return " ".join(words[:9]) + (" …" if len(words) > 9 else "")


def search(options, module, target, n, seconds):
    """The costliest random input of size n that is found in the time."""
    if not options.random.exists():
        return {}
    lets = [target["let"]] if "let" in target else []
    words = [str(options.random), module, target["call"], str(n), f"{max(seconds, 1):.1f}", *lets]
    out = call(words, seconds + 60)
    if not out:
        return {}
    worst, tried = map(int, out.split())
    return {"random": worst, "tried": tried}


def measure(options, family, target):
    module = str(HERE / family / f"{family}.wasm")
    begun = time.monotonic()
    words = [options.tool, "analyze", module, *entry(target), "--time", f"{options.time}s", "-q",
             "--json", "-", *(["--workers", str(options.workers)] if options.workers else [])]
    out = call(words, 6 * options.time + 30)
    seconds = time.monotonic() - begun
    row = {"family": family, "name": target["name"], "known": target["class"],
           "kind": target["kind"], "why": target["why"], "changed": target.get("changed"),
           "seconds": round(seconds, 1)}
    if out is None:
        return row | {"verdict": "no answer", "note": target.get("note", "ran out of time")}
    document = json.loads(out)
    points = {p["n"]: p for p in document["sizes"] + document["training"]
              if p.get("worst_cost") is not None}
    fit = document.get("fit") or {}
    found = fit.get("class")
    row |= {"found": found, "formula": fit.get("formula"), "basis": fit.get("basis"),
            "bound": fit.get("bound"), "left": fit.get("left") or []}
    if not points:
        return row | {"verdict": "no answer", "note": target.get("note", "no size was finished")}
    n = max(points)
    exact = max((m for m, p in points.items() if p.get("exact")), default=0)
    worst = points[n]["worst_cost"]
    values = (points[n].get("input") or {}).get("values") or []
    row |= {"n": n, "exact": exact, "cost": worst, "method": points[n]["method"],
            "input": short(values)}
    # On a control there is nothing to be found.
    if not options.quick and target["kind"] == "bad":
        row |= search(options, module, target, n, seconds)
    # The known bad input must not be worse than what was found at its size.
    reaches = True
    if "bad" in target:
        known = known_bad(target["bad"], n)
        row["bad_cost"] = cost_of(options.tool, module, target, n, known)
        reaches = row["bad_cost"] is None or worst >= AS_BAD * row["bad_cost"]
    row["verdict"] = verdict(target["class"], found, fit.get("bound"), reaches)
    if row["verdict"] != "right":
        row["note"] = target.get("note") or reason(document, row)
    return row


def reason(document, row):
    """Why a row is not right, as far as the analysis itself can tell."""
    if row["verdict"] == "no answer" and document.get("cut_by") == "time":
        return "ran out of time"
    kinds = {f["kind"] for f in document.get("findings", [])}
    if row["verdict"] == "no answer":
        return "the costs that were found carry no class"
    return "the search fell short" if row.get("method") == "search" else ", ".join(sorted(kinds))


def is_find(row):
    """A bad case of which a random search of the same time reaches less than half."""
    return row["kind"] == "bad" and 2 * row.get("random", row["cost"]) < row["cost"]


def table(rows, seconds, remark):
    """The page of the documentation."""
    right = [r for r in rows if r["verdict"] == "right"]
    finds = [r for r in right if is_find(r)]
    weak = [r for r in rows if r["verdict"] == "weak"]
    wrong = [r for r in rows if r["verdict"] == "wrong"]
    alarms = [r for r in wrong if r["kind"] == "control"]
    proven = [r for r in rows if r.get("basis") == "proven"]
    far = [r for r in rows if r.get("exact", 0) >= 20]
    changed = [r for r in rows if r.get("changed")]
    lines = [
        "# Real programs",
        "",
        "Code that nobody here wrote, compiled as its authors ship it: `corpus/real/` has for each",
        "program a script that obtains it (`get.sh`), one that compiles it (`build.sh`), a harness",
        "of a few lines, and what is known of it (`facts.toml`). This page is made by",
        "`corpus/real/run.py` and is not edited by hand.",
        "",
        f"{len(rows)} targets, {seconds} s each: {len(right)} right, {len(weak)} weak, {len(wrong)} wrong (of which",
        f"{len(alarms)} controls); {len(finds)} bad cases of which a random search of the same time reaches less than",
        f"half. Exact at n = 20 or more: {len(far)}; classes proven: {len(proven)}.",
        "",
        "*n* is the largest size with an answer, *exact* the largest at which every path was",
        "explored or has the future of one that was, *by* how the input at n was found, *best known* what the input costs at n that was",
        "written down as bad before the first run, where there is one, *random* the greatest cost of a random search",
        "at the same n and for the same seconds (bad cases only: on a control there is nothing to be",
        "found), *s* the seconds that the analysis took. A control is a program that is not known to",
        "be slow. *Found* is O(…) where the class is proven or validated, and Ω(…) where it is that of",
        "inputs which were found. *Right* is the known class and, where an input is known to be bad, one that",
        "costs nine tenths of it or more; *weak* is true but lower; *wrong* is above the truth, or an O(…) that",
        "is not the truth.",
        "",
        *([remark, ""] if remark else []),
        "| program | target | known | found | n | exact | by | cost | best known | random | s | input | verdict |",
        "|---|---|---|---|---:|---:|---|---:|---:|---:|---:|---|---|",
    ]
    for r in rows:
        cell = lambda key: str(r.get(key, "")) if r.get(key) is not None else ""
        known = r["known"] + ("" if r["kind"] == "bad" else " (control)")
        verdict = r["verdict"] + (f": {r['note']}" if r.get("note") else "")
        letter = "Ω" if r.get("bound") == "at_least" else "O"
        found = f"{letter}({r['found']})" if r.get("found") else " or ".join(r.get("left", []))
        cells = [r["family"], f"`{r['name']}`", known, found, cell("n"), cell("exact"),
                 cell("method"), cell("cost"), cell("bad_cost"), cell("random"), cell("seconds"), cell("input"),
                 verdict]
        lines.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    lines += ["", "## What was changed after results had been seen", "",
              "The facts are meant to be known before the tool is run. These were not, or were put",
              "right afterwards:", ""]
    lines += [f"- {r['family']} `{r['name']}`: {r['changed']}." for r in changed]
    lines += ["", "## Why each is as it is", ""]
    lines += [f"- {r['family']} `{r['name']}`: {r['why']}." for r in rows]
    return "\n".join(lines) + "\n"


def save(rows, old, seconds):
    """Keeps what has been measured, and of the rest what was measured before."""
    new = {(r["family"], r["name"]) for r in rows}
    rest = [r for key, r in old.items() if key not in new]
    RESULTS.write_text(json.dumps({"seconds": seconds, "rows": rows + rest}, indent=1) + "\n")


def row_of(options, family, target, before):
    """The row of a target, and whether it was made now."""
    asked = not options.only or {family, f"{family}/{target['name']}"} & set(options.only)
    if not asked or (options.redo and before and before["verdict"] == "right"):
        return before, False
    if not options.search:
        return measure(options, family, target), True
    row = dict(before or {})
    if "n" in row and "random" not in row and row["kind"] == "bad":
        module = str(HERE / family / f"{family}.wasm")
        row |= search(options, module, target, row["n"], row["seconds"])
    return row, True


def show(row):
    print(f"{row['family']:15} {row['name']:22} known {row['known']:9} found "
          f"{row.get('found')!s:9} n {row.get('n', '-')!s:5} {row['seconds']:6.1f} s  "
          f"{row['verdict']}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", default=str(ROOT / "target/release/pessimum"))
    parser.add_argument("--random", type=pathlib.Path,
                        default=ROOT / "target/release/examples/random_search")
    parser.add_argument("--time", type=int, default=20)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="*", default=[], help="programs, or program/target")
    parser.add_argument("--search", action="store_true",
                        help="add the random search where it is missing, and nothing else")
    parser.add_argument("--remark", help="a sentence for the page: where this was measured")
    parser.add_argument("--redo", action="store_true", help="only what was not right before")
    options = parser.parse_args()
    if options.quick:
        options.time = min(options.time, 6)
    old = {}
    if RESULTS.exists():
        old = {(r["family"], r["name"]): r for r in json.loads(RESULTS.read_text())["rows"]}
    work = []
    for facts in sorted(HERE.glob("*/facts.toml")):
        family = facts.parent.name
        for target in tomllib.loads(facts.read_text())["target"]:
            work.append((family, target, old.get((family, target["name"]))))
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row, new in pool.map(lambda item: row_of(options, *item), work):
            rows += [row] if row else []
            if row and new:
                show(row)
                if not options.quick:
                    save(rows, old, options.time)
    if not options.quick:
        save(rows, {}, options.time)
        TABLE.write_text(table(rows, options.time, options.remark))
    right = sum(r["verdict"] == "right" for r in rows)
    print(f"{right} of {len(rows)} right")
    return 0 if right * 25 >= len(rows) * 18 or options.only or options.redo else 1


if __name__ == "__main__":
    sys.exit(main())
