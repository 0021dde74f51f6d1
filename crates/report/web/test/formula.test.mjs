// The formulas of the fit, evaluated.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile } from "node:fs/promises";
import { transform } from "esbuild";

const source = await readFile(new URL("../src/formula.ts", import.meta.url), "utf8");
const { code } = await transform(source, { loader: "ts", format: "esm" });
const { parse } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

const CASES = [
  ["3", 7, 3],
  ["n^2 + n - 1", 10, 109],
  ["1/2*n^2 - 1/2*n", 10, 45],
  ["-n + 2^n", 4, 12],
  ["2^n^2", 2, 16],
  ["0.423*n*log2(n)", 8, 0.423 * 24],
  ["2.5e3*sqrt(n)", 4, 5000],
  ["n*floor(log2(n + 1))", 6, 12],
  ["(n - 1)!", 6, 120],
  ["n!", 12, 479001600],
  ["1.62^n", 2, 1.62 ** 2],
];

for (const [formula, n, value] of CASES) {
  test(`${formula} at ${n}`, () => {
    const found = parse(formula)(n);
    assert.ok(Math.abs(found - value) <= 1e-7 * Math.max(1, value), `${found}`);
  });
}

test("what is beyond the grammar is not guessed", () => {
  for (const text of ["", "n +", "f(n - 1) + n", "(n", "n m", "⌊n/2⌋", "n^", "alert(1)"]) assert.equal(parse(text), null, text);
});
