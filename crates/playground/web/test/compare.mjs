// Holds the module against the command: `node compare.mjs TOOL.wasm PESSIMUM [EFFORT] [MODULE CALL]...` runs the
// examples, or the modules that are named, in both with the same work, and says where the results differ in anything
// but times. One run here takes as long as the command's and its factor.

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const [wasm, command, effort = "1", ...modules] = process.argv.slice(2);
if (!wasm || !command) throw new Error("usage: node compare.mjs TOOL.wasm PESSIMUM [EFFORT] [MODULE CALL]...");
const tool = await WebAssembly.compile(await readFile(wasm));

/** One run of the module: the document, or the refusal, and the seconds it took. */
function inModule(wish, bytes) {
  let reason;
  const text = (at, n) => new TextDecoder().decode(new Uint8Array(run.memory.buffer, at >>> 0, n >>> 0));
  const page = { now_ms: () => performance.now(), told: () => {}, failed: (at, n) => (reason = text(at, n)) };
  const run = new WebAssembly.Instance(tool, { page }).exports;
  run.begin();
  const examples = JSON.parse(text(run.result(1), run.result_bytes(1)));
  if (!wish) return { examples };
  const write = (which, content) => {
    const at = run.room(which, content.length) >>> 0;
    new Uint8Array(run.memory.buffer, at, content.length).set(content);
  };
  write(0, bytes);
  write(1, new TextEncoder().encode(JSON.stringify(wish)));
  const begun = performance.now();
  try {
    run.run();
  } catch (error) {
    return { document: { broken: reason ?? String(error) }, seconds: (performance.now() - begun) / 1000 };
  }
  return { document: JSON.parse(text(run.result(1), run.result_bytes(1))), seconds: (performance.now() - begun) / 1000 };
}

/** Without what is allowed to differ: times, and the words that started it. */
function comparable(value) {
  if (Array.isArray(value)) return value.map(comparable);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([key]) => !/^(seconds|parameters|threads|not_read)$/.test(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, comparable(inner)]));
}

/** The first place where two documents differ. */
function difference(a, b, at = "") {
  if (a === b) return undefined;
  // The last digits of a logarithm are the library's.
  if (typeof a === "number" && !Number.isInteger(a) && Math.abs(a - b) <= 1e-9 * Math.abs(a)) return undefined;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return `${at}: ${JSON.stringify(a)?.slice(0, 80)} and ${JSON.stringify(b)?.slice(0, 80)}`;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = difference(a[key], b[key], `${at}.${key}`);
    if (found) return found;
  }
  return undefined;
}

const runs = [];
if (modules.length) for (let i = 0; i < modules.length; i += 2) runs.push({ path: modules[i], call: modules[i + 1] });
else for (const { name, call } of inModule().examples) runs.push({ path: fileURLToPath(new URL(`../../../pessimum/examples/${name}.wasm`, import.meta.url)), call });
let different = 0;
for (const { path, call } of runs) {
  const name = path.split("/").pop();
  const wish = { name, way: { call }, seconds: 3000, grace: 100, effort: Number(effort) };
  const here = inModule(wish, await readFile(path));
  const begun = performance.now();
  const there = JSON.parse(execFileSync(command, ["analyze", path, "--call", call, "--time", "3000s", "--effort", `${effort}s`, "--workers", "1", "--memory", "2G", "--quiet", "--json", "-"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 2 ** 30 }));
  const native = (performance.now() - begun) / 1000;
  const found = difference(comparable(here.document), comparable(there));
  if (found) different++;
  console.log(`${name.padEnd(24)} ${here.seconds.toFixed(1)} s, native ${native.toFixed(1)} s  ${found ?? "the same"}`);
}
process.exit(different ? 1 : 0);
