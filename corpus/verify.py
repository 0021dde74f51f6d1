#!/usr/bin/env python3
"""Checks the facts of the corpus by brute force, without any code of pessimum.

Each module is translated to C by wabt's wasm2c, its branches are wrapped so that
their outcomes are recorded, and the result is run over every input of a small
domain (the `[brute]` table of facts.toml). Distinct traces are the feasible paths;
the largest number of executed and of open branches are the worst `conditionals`
and `decisions`. A copy of the source with a call at the line marked TARGET gives
the worst `visits`. Formulas are then evaluated at larger sizes on the input family
that the facts call the worst.

  corpus/verify.py                 check everything; exit 1 if a fact is wrong
  corpus/verify.py NAME...         only these programs
  corpus/verify.py --show NAME...  print what brute force finds instead of comparing
  corpus/verify.py --quick         leave the larger sizes out

Needs Python 3.11, wabt, a C compiler, and clang-19 for the visits.
"""

import argparse
import functools
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from fractions import Fraction
from pathlib import Path

CORPUS = Path(__file__).resolve().parent
CFLAGS = ["-O2", "-w", "-DWASM_RT_MEMCHECK_SIGNAL_HANDLER=0",
          "-DWASM_RT_MAX_CALL_STACK_DEPTH=200000"]
WIDTH = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8}
FLOATS = {"f32": 4, "f64": 8}


class Disagreement(Exception):
    """A fact that brute force contradicts."""


# ---- formulas -------------------------------------------------------------

@functools.lru_cache(maxsize=None)
def merge_comparisons(n):
    """W(n) of the merge sort: comparisons when both halves alternate at every merge."""
    if n < 7:
        return n * (n - 1) // 2
    return merge_comparisons(n // 2) + merge_comparisons(n - n // 2) + n


@functools.lru_cache(maxsize=None)
def hybrid_comparisons(n):
    """H(n) of the hybrid sort: insertion sort below 20, else all comparisons of each merge."""
    if n < 20:
        return n * (n - 1) // 2
    return hybrid_comparisons(n // 2) + hybrid_comparisons(n - n // 2) + n - 1


def red_black_height(n):
    """R(n): nodes on the longest way down in a red-black tree of n nodes."""
    # A tree with h nodes on its longest way has h // 2 black ones beside it on every other.
    height = 0
    while 2 ** ((height + 1) // 2) + 2 ** (height // 2 + 1) - 2 <= n:
        height += 1
    return height


FUNCTIONS = {
    "C": math.comb,
    "W": merge_comparisons,
    "floor_log2": lambda n: n.bit_length() - 1,
    "min": min,
    "max": max,
    "factorial": math.factorial,
    "fubini": lambda n: fubini(n),
    "H": hybrid_comparisons,
    "R": red_black_height,
}


@functools.lru_cache(maxsize=None)
def fubini(n):
    """Ordered Bell numbers: the ways to order n things with ties."""
    return 1 if n == 0 else sum(math.comb(n, k) * fubini(n - k) for k in range(1, n + 1))


def evaluate(formula, n):
    """The value of a formula of the facts at n: Python's integers, `^` is the power."""
    text = formula.replace("^", "**")
    # Whole numbers stay exact under `/`; `//` rounds down.
    text = re.sub(r"(?<![\w.])(\d+)(?![\w.])", r"F(\1)", text) if "/" in text.replace("//", "") else text
    value = eval(text, {"__builtins__": {}, "F": Fraction, **FUNCTIONS}, {"n": n})
    if value != int(value):
        raise Disagreement(f"{formula} is {value} at n = {n}, not a whole number")
    return int(value)


# ---- input families -------------------------------------------------------

def decreasing(n, count):
    return list(range(count, 0, -1))


def increasing(n, count):
    return list(range(1, count + 1))


def alternating_halves(n, count):
    """For the merge sort: every merge takes from left and right in turn."""
    def unmerge(values):
        if len(values) < 7:
            return values[::-1]
        half = len(values) // 2
        # The merge ends with the longer half's last; the right half is the longer one.
        if len(values) % 2:
            left, right = values[1::2], values[0::2]
        else:
            left, right = values[0::2], values[1::2]
        assert len(left) == half
        return unmerge(left) + unmerge(right)
    return unmerge(list(range(1, count + 1)))


def interleaved(n, count):
    """Two sorted arrays that alternate strictly, the second one first."""
    return list(range(1, 2 * n, 2)) + list(range(0, 2 * n, 2))


def all_relaxed(n, count):
    """Weights under which Dijkstra's scan shortens every distance every time."""
    # Vertices are fixed in the order 0, 1, 2, ...; the step to the next is 0 and any
    # further vertex is made a little cheaper from each vertex than from the one before.
    return [0 if v <= u + 1 else n - u for u in range(n) for v in range(n)]


def dear_return(n, count):
    """Every way is free but the one back: no tour is ever cut short."""
    return [1000 if place % n == 0 else 0 for place in range(count)]


def last_byte(n, count):
    """Two blocks of words that differ in the last byte of the last word only."""
    return [0] * (count - 1) + [1 << 24]


FAMILIES = {
    "strictly-decreasing": decreasing,
    "strictly-increasing": increasing,
    "alternating-halves": alternating_halves,
    "interleaved": interleaved,
    "every-edge-relaxed": all_relaxed,
    "free-but-the-return": dear_return,
    "equal-but-the-last": lambda n, count: [0] * (count - 1) + [1],
    "equal-but-the-last-byte": last_byte,
    "multiples-of-8": lambda n, count: [8 * i for i in range(count)],
    "all-minus-1000": lambda n, count: [-1000] * count,
    "all-ones": lambda n, count: [1] * count,
    "all-equal": lambda n, count: [0] * count,
    "all-a": lambda n, count: [ord("a")] * count,
    "quoted-commas": lambda n, count: [ord('"' if n > 2 else ",")] + [ord(",")] * (count - 1),
    "all-b": lambda n, count: [ord("b")] * count,
    "all-P": lambda n, count: [ord("P")] * count,
    "all-opening-brackets": lambda n, count: [ord("(")] * count,
    "any": lambda n, count: [(i * 7919) % 101 for i in range(count)],
}


# ---- building the driver --------------------------------------------------

def c_expression(text):
    """An integer expression of the call language, as C."""
    if not re.fullmatch(r"[\w\s+*/()-]+", text):
        raise ValueError(f"not an expression of n: {text}")
    return text


def parse_call(call, lets):
    """(export, C text that makes the arguments, their names, C expression for how many inputs)"""
    name, inside = re.fullmatch(r"(\w+)\((.*)\)", call.strip()).groups()
    lines, names, inputs = [f"long {k} = {c_expression(v)}; (void){k};" for k, v in lets.items()], [], ["0"]
    parts = re.findall(r'(?:"[^"]*"|[^,"])+', inside)
    for index, part in enumerate(parts):
        part = part.split(" in ")[0].strip()
        value = f"argument{index}"
        if match := re.fullmatch(r"&(\w+)\[(.*)\]", part):
            kind, count = match.groups()
            if kind in FLOATS:
                lines.append(f"u32 {value} = floats({c_expression(count)}, {FLOATS[kind]});")
            else:
                lines.append(f"u32 {value} = array({c_expression(count)}, {WIDTH[kind]});")
            inputs.append(c_expression(count))
        elif match := re.fullmatch(r'&"(.*)"', part):
            lines.append(f'u32 {value} = constant("{match[1]}", {len(match[1])});')
        elif part in WIDTH:
            lines.append(f"u32 {value} = (u32)next_input();")
            inputs.append("1")
        else:
            lines.append(f"u32 {value} = (u32)({c_expression(part)});")
        names.append(value)
    return name, " ".join(lines), names, " + ".join(f"({i})" for i in inputs)


def build_driver(wasm, facts, work):
    """Translates a module and compiles it with the driver; the path of the program."""
    work.mkdir(parents=True, exist_ok=True)
    subprocess.run(["wasm2c", wasm, "-n", "m", "-o", work / "m.c"], check=True)
    text = (work / "m.c").read_text()
    start = text.index("static bool s_module_initialized")
    head, body = text[:start], text[start:]
    body = re.sub(r"\bif \((w2c_\w+)\) \{", r"if (BRANCH(\1)) {", body)
    body = re.sub(r"switch \((w2c_\w+)\) \{((?:.|\n)*?)\n\s*\}",
                  lambda m: f"switch (TABLE({m[1]}, {m[2].count('case ')})) {{{m[2]}\n}}", body)
    body = re.sub(r"(_store\d*\(&instance->w2c_memory, )([^;]*?), (w2c_\w+\);)", r"\1TOUCH(\2), \3", body)
    body = re.sub(r"= (w2c_\w+) \? (w2c_\w+ : w2c_\w+;)", r"= SELECT(\1) ? \2", body)
    body = re.sub(r"(memory_copy\(&instance->w2c_memory, &instance->w2c_memory, )(w2c_\w+), (w2c_\w+), (w2c_\w+)\)",
                  r"\1TOUCH_RANGE(\2, \4), \3, \4)", body)
    body = re.sub(r"(memory_fill\(&instance->w2c_memory, )(w2c_\w+), (w2c_\w+), (w2c_\w+)\)",
                  r"\1TOUCH_RANGE(\2, \4), \3, \4)", body)
    hooks = ("static u32 branch_hook(u32), select_hook(u32), table_hook(u32, u32), touch_range_hook(u32, u32);\n"
             "static u64 touch_hook(u64);\nstatic int site;\n"
             "#define BRANCH(c) (site = __COUNTER__, branch_hook(c))\n"
             "#define SELECT(c) (site = __COUNTER__, select_hook(c))\n"
             "#define TABLE(i, t) (site = __COUNTER__, table_hook(i, t))\n#define TOUCH(a) touch_hook(a)\n"
             "#define TOUCH_RANGE(a, n) touch_range_hook(a, n)\n")
    if "static void init_globals" not in body:
        hooks += "#define init_globals(instance) ((void)0)\n"

    if facts.get("stdin"):
        name, arguments, names, inputs = "_start", "", [], "n"
    else:
        name, arguments, names, inputs = parse_call(facts["call"], facts.get("let", {}))
    inputs = facts.get("inputs", inputs)
    lets = " ".join(f"long {k} = {c_expression(v)};" for k, v in facts.get("let", {}).items())
    header = (work / "m.h").read_text()
    imports = "".join(f", &{host}" for module, host in (("pessimum", "host"), ("wasi_snapshot_preview1", "wasi"))
                      if f"struct Z_{module}_instance_t;" in header)
    own = [
        f"#define ARGUMENTS {arguments}",
        f"#define CALL Z_mZ_{name}(&instance"
        + "".join(f", {n}" for n in names) + ")",
        f"#define INSTANTIATE Z_m_instantiate(&instance{imports})",
        "static long run_size;",
        f"static long count_inputs(long n) {{ {lets} return {inputs}; }}",
        "#define INPUTS count_inputs(run_size)",
        (CORPUS / "verify" / "driver.c").read_text(),
    ]
    (work / "m.c").write_text(head + hooks + body + "\n".join(own))
    subprocess.run(["cc", *CFLAGS, "-I", work, "-o", work / "driver", work / "m.c", "-lm"], check=True)
    return work / "driver"


def marked_line(name):
    """The number of the one line of the source that is marked TARGET."""
    source = (CORPUS / name / f"{name}.c").read_text().splitlines()
    marked = [number for number, line in enumerate(source, 1) if "/* TARGET" in line]
    if len(marked) != 1:
        raise Disagreement(f"{len(marked)} lines are marked TARGET, not one")
    return marked[0]


def build_with_visits(name, work):
    """A module of the same source that calls the host at the line marked TARGET."""
    source = (CORPUS / name / f"{name}.c").read_text().splitlines()
    place = marked_line(name) - 1
    line = source[place]
    indent = len(line) - len(line.lstrip())
    source[place] = line[:indent] + "corpus_visit(); " + line[indent:]
    source.insert(1, '__attribute__((import_module("pessimum"), import_name("visit"))) void corpus_visit(void);')
    work.mkdir(parents=True, exist_ok=True)
    (work / f"{name}.c").write_text("\n".join(source) + "\n")
    exports = re.search(r"export=(\S+)", source[0])[1].split(",")
    subprocess.run(
        ["clang-19", "--target=wasm32-wasi", "-O1", "-nostdlib", "-fno-builtin", "-Wl,--no-entry",
         "-I", CORPUS.parent / "include", "-I", CORPUS, "-Wl,-z,stack-size=1048576",
         *[f"-Wl,--export={e}" for e in exports],
         "-o", work / "visits.wasm", work / f"{name}.c"], check=True)
    return work / "visits.wasm"


def patch_with_visits(wasm, line, work):
    """The committed module itself, with a call put in where its DWARF says the line begins."""
    work.mkdir(parents=True, exist_ok=True)

    def output(*command):
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    rows = re.findall(r"^(0x[0-9a-f]+)\s+(\d+)\s", output("llvm-dwarfdump-19", "--debug-line", wasm), re.M)
    begins = [int(address, 16) for address, number in rows if int(number) == line]
    if len(begins) != 1:
        raise Disagreement(f"line {line} begins at {len(begins)} places of the module, not at one")
    code = int(re.search(r"Code start=0x([0-9a-f]+)", output("wasm-objdump", "-h", wasm))[1], 16)

    # wasm2wat writes the instructions in the order of wasm-objdump, one to a line.
    function, index, found = -1, 0, None
    for text in output("wasm-objdump", "-d", wasm).splitlines():
        if re.match(r"[0-9a-f]+ func\[", text):
            function, index = function + 1, 0
        elif match := re.match(r" ([0-9a-f]+): .*\| *(.*)", text):
            if match[2].startswith("local["):
                continue
            if int(match[1], 16) >= code + begins[0]:
                found = (function, index)
                break
            index += 1
    function, index = -1, 0
    lines = []
    for text in output("wasm2wat", "--generate-names", wasm).splitlines():
        word = text.strip()
        if word.startswith("(func "):
            function, index = function + 1, -1
        if 0 <= function and not word.startswith("("):
            index += 1
            if (function, index) == found:
                lines.append("call $corpus_visit")
        lines.append(text)
        if word.startswith("(module"):
            lines.append('(import "pessimum" "visit" (func $corpus_visit))')
    (work / "patched.wat").write_text("\n".join(lines))
    subprocess.run(["wat2wasm", work / "patched.wat", "-o", work / "patched.wasm"], check=True)
    return work / "patched.wasm"


def ask(driver, *arguments, stdin=""):
    done = subprocess.run([driver, *map(str, arguments)], input=stdin, capture_output=True, text=True)
    if done.returncode != 0:
        raise Disagreement(f"the driver failed with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


# ---- the checks -----------------------------------------------------------

def brute(driver, facts, quick):
    """What brute force finds, by size."""
    table = facts["brute"]
    values = table.get("values", [])
    last = min(table["max_n"], table.get("quick_n", table["max_n"])) if quick else table["max_n"]
    found = {n: {**ask(driver, table["domain"], n, *values), "complete": True}
             for n in range(1, last + 1)}
    if not quick:
        for n in range(table["max_n"] + 1, table.get("sample_max_n", 0) + 1):
            seen = ask(driver, table["samples"], n, *table.get("sample_values", values))
            found[n] = {**seen, "complete": table.get("samples_reach_all", False)}
    return found


def expect(what, n, stated, found, complete=True):
    if stated != found and (complete or found > stated):
        raise Disagreement(f"{what} at n = {n}: the facts say {stated}, brute force finds {found}")


def compare(facts, found):
    for n, seen in found.items():
        complete = seen["complete"]
        for field in ("paths", "trapped", "endless"):
            stated = facts.get(field, [0] * n if field != "paths" else [])
            if n <= len(stated):
                expect(field, n, stated[n - 1], seen[field], complete)
        if "paths_formula" in facts:
            expect("paths_formula", n, evaluate(facts["paths_formula"], n), seen["paths"], complete)
        for cost in facts.get("cost", []):
            model = cost["model"].split(":")[0]
            if model not in ("conditionals", "decisions", "visits"):
                continue
            if n <= len(cost.get("worst", [])):
                expect(f"worst {model}", n, cost["worst"][n - 1], seen[model], complete)
            if "formula" in cost and cost.get("from", 1) <= n:
                expect(f"formula of {model}", n, evaluate(cost["formula"], n), seen[model], complete)
            if model == "conditionals" and complete:
                same = seen["conditionals"] == seen["least_conditionals"]
                if cost.get("independent_of_input", False) and not same:
                    raise Disagreement(f"conditionals vary at n = {n}")


def family_run(driver, facts, name, n):
    """A concrete run on an input family."""
    count_of = facts.get("inputs")
    if count_of is None:
        count_of = "n" if facts.get("stdin") else parse_call(facts["call"], facts.get("let", {}))[3]
    names = {k: int(eval(v.replace("/", "//"), {"n": n})) for k, v in facts.get("let", {}).items()}
    count = int(eval(count_of, {"n": n, **names}))
    return ask(driver, "run", n, stdin=" ".join(map(str, FAMILIES[name](n, count))))


def check_family(driver, facts, model_checked, found):
    """The family that is named as the worst is the worst wherever brute force saw everything."""
    for cost in facts.get("cost", []):
        family = cost.get("worst_input", facts.get("worst_input"))
        if cost["model"].split(":")[0] != model_checked or family not in FAMILIES:
            continue
        for n, seen in found.items():
            if seen["complete"] and n >= cost.get("from", 1):
                ran = family_run(driver, facts, family, n)
                expect(f"{model_checked} on {family}", n, seen[model_checked], ran[model_checked])


def check_points(driver, facts, model_checked):
    """Costs at sizes no brute force reaches, on the family that is named as the worst."""
    for cost in facts.get("cost", []):
        model = cost["model"].split(":")[0]
        for n, value in cost.get("points", []):
            if "formula" in cost and n >= cost.get("from", 1):
                expect(f"formula of {model}", n, evaluate(cost["formula"], n), value)
            family = cost.get("worst_input", facts.get("worst_input"))
            if model == model_checked and family in FAMILIES:
                seen = family_run(driver, facts, family, n)
                expect(f"{model} on {family}", n, value, seen[model])


def extent(found):
    """How far brute force went, for the report; samples that miss paths are called samples."""
    complete = max((n for n, seen in found.items() if seen["complete"]), default=0)
    last = max(found, default=0)
    return f"to n = {complete}" + (f" (samples to {last})" if last > complete else "")


def check_program(directory, work, arguments):
    name = directory.name
    facts = tomllib.loads((directory / "facts.toml").read_text())
    modules = [facts.get("wasm", f"{name}.wasm"), *facts.get("builds", [])]
    report = []
    if "brute" not in facts:
        return "no brute force for it"
    for module in modules:
        driver = build_driver(directory / module, facts, work / module)
        # Visits are counted on a build of their own, below.
        own = {**facts, "cost": [c for c in facts.get("cost", []) if not c["model"].startswith("visits")]}
        if module != modules[0]:
            # Another level keeps the paths and the decisions; its conditionals are its own.
            own = {**facts, "cost": [c for c in facts.get("cost", []) if c["model"] == "decisions"]}
        found = brute(driver, own, arguments.quick)
        if arguments.show:
            for n, seen in found.items():
                print(f"{name} {module} n={n} {seen}")
            continue
        compare(own, found)
        if module == modules[0]:
            check_family(driver, facts, "conditionals", found)
            check_points(driver, facts, "conditionals")
        report.append(f"{module} {extent(found)}")
    if "target" in facts:
        line = marked_line(name)
        if facts["target"] != f"visits:{name}.c:{line}":
            raise Disagreement(f"target is {facts['target']}, the marked line is {line}")
        own = {**facts, "cost": [c for c in facts["cost"] if c["model"] == facts["target"]]}
        for kind, module in (
            ("by source", build_with_visits(name, work / "source")),
            ("by DWARF", patch_with_visits(directory / modules[0], line, work / "patched")),
        ):
            driver = build_driver(module, facts, work / kind)
            found = brute(driver, facts, arguments.quick)
            if arguments.show:
                print(f"{name} visits {kind}", [seen["visits"] for seen in found.values()])
                continue
            compare(own, found)
            check_family(driver, own, "visits", found)
            check_points(driver, own, "visits")
            report.append(f"visits {kind}")
    return ", ".join(report)


def main():
    parser = argparse.ArgumentParser(description="Check the facts of the corpus by brute force.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--show", action="store_true", help="print what is found instead of comparing")
    parser.add_argument("--quick", action="store_true", help="leave out the larger sizes")
    arguments = parser.parse_args()
    for tool in ("wasm2c", "cc"):
        if not shutil.which(tool):
            sys.exit(f"verify.py: {tool} is not installed (Debian: apt-get install wabt gcc)")

    directories = sorted(p.parent for p in CORPUS.glob("*/facts.toml"))
    if arguments.names:
        directories = [d for d in directories if d.name in arguments.names]
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for directory in directories:
            try:
                print(f"{directory.name}: {check_program(directory, Path(scratch) / directory.name, arguments)}",
                      flush=True)
            except Disagreement as problem:
                failed += 1
                print(f"{directory.name}: WRONG: {problem}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
