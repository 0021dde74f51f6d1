"""docs/fuzzers.md from the results: the table, how it came about, and the reading in reading.md."""

import pathlib
import statistics

import known

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = {"pessimum": "pessimum", "afl": "AFL++", "libfuzzer": "libFuzzer", "queue": "PerfFuzz-like"}

# Within this part of the best, two results count as equal.
NEAR = 0.05


def write(results, page):
    page.write_text(document(results))


def document(results):
    programs = [name for name in known.PROGRAMS if name in results["known"]]
    rows = [Row(results, name) for name in programs]
    seeds = sorted({cell["seed"] for cell in results["cells"]})
    counts = {what: sum(row.verdict() == what for row in rows) for what in ("ahead", "equal", "behind")}
    reached = sum(row.reaches_known() for row in rows)
    versions, machine = results["versions"], results["machine"]
    return "\n".join(
        [
            "# Against fuzzers",
            "",
            "The best cost that each tool finds at n = 1,000 bytes in 60 seconds on one core. This page is made by",
            "`bench/fuzzers/run.py` from `bench/results/fuzzers.json` and is not edited by hand; the section *Reading*",
            "is `bench/fuzzers/reading.md`.",
            "",
            f"Of {len(rows)} programs pessimum is ahead of every fuzzer on {counts['ahead']}, within 5 % of the best",
            f"on {counts['equal']}, behind on {counts['behind']}. It reaches the best input that was known before on",
            f"{reached}."
            + ("" if len(seeds) > 2 else " The table is partial: not all of the three seeds were run."),
            "",
            *main_table(rows),
            "",
            "Each number is the median of the *seeds* of the random choices, of two the lower. The unit is",
            "`conditionals`, counted by replaying in our own counter every input that a tool kept. *Known* is the",
            "greatest cost of the inputs in `bench/fuzzers/known.py`, which were written down before any tool was run;",
            "*begin* is what the one input costs that every tool began with, *random* the greatest cost of twenty inputs",
            "of random bytes. *To the best* and *to the known* are pessimum's median as a part of the best fuzzer's and",
            "of the known one.",
            "",
            (HERE / "reading.md").read_text().strip(),
            "",
            "## How it was measured",
            "",
            f"{results['seconds']} seconds on the clock for each tool, program and seed, on one core of {machine['cores']}",
            f"({machine['processor']}); {results.get('lanes', 'one cell at a time, kept inputs counted on another core')}.",
            *busy(results),
            "Cells of less than 36 seconds of the processor do not count and are run again.",
            "All programs are compiled from the same C sources (`bench/fuzzers/programs`, `build.sh`): for the fuzzers",
            "natively with `-O2` and each tool's own instrumentation, for pessimum to a Wasm module with `-O1`, which is",
            "also what costs are counted in. Every tool has the same seed, dictionary and maximal length.",
            "",
            "| tool | version | command |",
            "|---|---|---|",
            f"| pessimum | {versions['pessimum']}, {versions['commit']} | `pessimum analyze PROGRAM.wasm --call "
            "'target(&u8[n], n)' --sizes 1000 --time 60s --workers 1 --seed K --seeds SEEDS --dict WORDS` |",
            f"| AFL++ | Debian's {versions['afl']} | `afl-fuzz -i SEEDS -o OUT -V 60 -s K -G 1000 -x WORDS -- PROGRAM`,"
            " `afl-clang-fast -fsanitize=fuzzer` |",
            f"| libFuzzer | Debian's {versions['libfuzzer']} | `PROGRAM -use_value_profile=1 -max_len=1000 -seed=K "
            "-max_total_time=59 -dict=WORDS KEPT SEEDS` |",
            f"| PerfFuzz-like | `bench/fuzzers/queue.c`, {versions['queue']} | `PROGRAM SEED KEPT 60 K WORDS` |",
            "",
            "```",
            "bench/fuzzers/install.sh && bench/fuzzers/build.sh",
            "cargo build --release --workspace --bin pessimum --example cost_of_inputs",
            "bench/fuzzers/run.py",
            "```",
            "",
            "## Each seed",
            "",
            *seed_table(rows, seeds),
            "",
            "In brackets: thousands of inputs that the fuzzer ran. The seconds that the cells took lie between "
            f"{min(c['seconds'] for c in results['cells']):.1f} and {max(c['seconds'] for c in results['cells']):.1f}.",
            "",
            "## What was known before",
            "",
            "| program | input | from | cost |",
            "|---|---|---|---:|",
            *known_table(results, programs),
            "",
            "Papers and talks are named from memory, as are the inputs of CVE-2023-24824 and CVE-2023-22486; the issues and",
            "tests of cmark and the issue of quick-xml were looked up.",
            "",
        ]
    )


class Row:
    """A program: the cells of its tools."""

    def __init__(self, results, name):
        self.name = name
        self.title = known.PROGRAMS[name]["title"]
        self.seed_cost = results["known"][name]["seed"]
        self.random = results["known"][name].get("random")
        self.known = max(one["cost"] for one in results["known"][name]["inputs"])
        self.cells = {tool: {} for tool in TOOLS}
        for cell in results["cells"]:
            if cell["program"] == name:
                self.cells[cell["tool"]][cell["seed"]] = cell

    def median(self, tool):
        costs = [cell["cost"] or 0 for cell in self.cells[tool].values()]
        return statistics.median_low(costs) if costs else None

    def best_fuzzer(self):
        return max((self.median(tool) or 0 for tool in TOOLS if tool != "pessimum"), default=0)

    def part(self, of):
        ours = self.median("pessimum")
        return ours / of if ours is not None and of else None

    def verdict(self):
        part = self.part(self.best_fuzzer())
        if part is None:
            return "open"
        return "ahead" if part > 1 + NEAR else "equal" if part >= 1 - NEAR else "behind"

    def reaches_known(self):
        return (self.part(self.known) or 0) >= 1

    def seeds(self):
        """Those that were run with every tool, and what is missing of some."""
        every = sorted(set().union(*self.cells.values()))
        shown = ", ".join(map(str, every))
        for tool, cells in self.cells.items():
            if len(cells) < len(every):
                shown += f"; {TOOLS[tool]}: {', '.join(map(str, sorted(cells))) or 'none'}"
        return shown


def busy(results):
    """What each tool had of the processor; AFL++ does not wait for its children, so that theirs is not known."""
    for tool, name in TOOLS.items():
        worked = sorted(cell["worked"] for cell in results["cells"] if cell["tool"] == tool)
        if worked and tool != "afl":
            middle = statistics.median(worked)
            yield f"{name} had {worked[0]:.0f} to {worked[-1]:.0f} seconds of the processor, {middle:.0f} in the middle."


def number(value):
    return "–" if value is None else f"{value:,}"


def part(value):
    return "–" if value is None else f"{value:.2f}"


def main_table(rows):
    tools = " | ".join(TOOLS.values())
    yield f"| program | begin | random | known | {tools} | to the best | to the known | seeds | |"
    yield "|---|---:|---:|---:|" + "---:|" * len(TOOLS) + "---:|---:|---|---|"
    words = {"ahead": "ahead", "equal": "within 5 %", "behind": "behind", "open": "not run"}
    for row in rows:
        costs = " | ".join(number(row.median(tool)) for tool in TOOLS)
        yield (
            f"| {row.title} | {number(row.seed_cost)} | {number(row.random)} | {number(row.known)} | {costs} "
            f"| {part(row.part(row.best_fuzzer()))} | {part(row.part(row.known))} | {row.seeds()} | {words[row.verdict()]} |"
        )


def seed_table(rows, seeds):
    yield "| program | tool | " + " | ".join(f"seed {seed}" for seed in seeds) + " |"
    yield "|---|---|" + "---:|" * len(seeds)
    for row in rows:
        for tool, cells in row.cells.items():
            shown = " | ".join(cell_text(cells.get(seed)) for seed in seeds)
            yield f"| {row.name} | {TOOLS[tool]} | {shown} |"


def cell_text(cell):
    if cell is None:
        return "–"
    runs = f" ({cell['runs'] / 1000:,.0f})" if cell["runs"] else ""
    return number(cell["cost"]) + runs


def known_table(results, programs):
    for name in programs:
        for one in results["known"][name]["inputs"]:
            yield f"| {name} | {one['name']} | {one['from']} | {number(one['cost'])} |"
