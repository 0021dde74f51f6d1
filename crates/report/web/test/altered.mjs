// A result with what no program of the corpus gives: `node altered.mjs FROM TO`.
//
// Text that looks like markup, values that a double cannot hold, and a function that is too large to draw.

import { readFile, writeFile } from "node:fs/promises";

const [from, to] = process.argv.slice(2);
const result = JSON.parse(await readFile(from, "utf8"));
result.findings = [{ kind: "trap", message: "out of bounds </script><b>not markup</b>", n: 4 }];

const largest = result.sizes.at(-1);
largest.input.values = "VALUES";

const [graph] = result.graphs;
const last = Math.max(...graph.nodes.map((n) => n.id));
for (let i = 1; i <= 60; i++) {
  graph.nodes.push({ id: last + i, label: `idle.c:${i}`, text: "nobody(comes, here);", visits: 0 });
  graph.edges.push({ from: i === 1 ? 0 : last + i - 1, to: last + i });
}

// Written by hand: JSON.stringify would round them.
const values = Array.from({ length: 20 }, (_, i) => String(9223372036854775807n - BigInt(i)));
await writeFile(to, JSON.stringify(result).replace('"VALUES"', `[${values.join(",")}]`));
