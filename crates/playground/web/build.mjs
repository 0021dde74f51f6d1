// Puts the playground together: `node build.mjs TOOL.wasm FOLDER` writes FOLDER/index.html, one file with everything
// in it, and fails if it is too large to be sent.

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** Bytes of the page as a server sends it. */
const MOST = 3_000_000;

const [wasm, folder] = process.argv.slice(2);
if (!wasm || !folder) throw new Error("usage: node build.mjs TOOL.wasm FOLDER");
const here = new URL(".", import.meta.url);
// One set of packages for both pages.
const { build } = createRequire(new URL("../../report/web/package.json", here))("esbuild");

const bundle = async (entry, define = {}) => {
  const { outputFiles } = await build({
    absWorkingDir: here.pathname,
    entryPoints: [entry],
    outdir: "out",
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022"],
    charset: "ascii",
    legalComments: "none",
    define,
  });
  return (suffix) => outputFiles.find((f) => f.path.endsWith(suffix))?.text.trim() ?? "";
};
const worker = (await bundle("src/worker.ts"))(".js");
const page = await bundle("src/main.ts", { WORKER: JSON.stringify(worker) });
const script = page(".js").replaceAll("</script", "<\\/script");

// The report is shown in a frame, which keeps to the policy of this page: its script is known, so it is named.
const report = await readFile(new URL("../../report/assets/report.html", here), "utf8");
const scripts = [script, ...[...report.matchAll(/<script>([^]*?)<\/script>/g)].map((found) => found[1])];
if (scripts.length < 2) throw new Error("the report page has no script");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const tool = await readFile(wasm);
const packed = gzipSync(tool, { level: 9 });
// Replacements are functions: a `$` in the code must stay a `$`.
const html = (await readFile(new URL("src/page.html", here), "utf8"))
  .replace("/*HASHES*/", () => scripts.map(hash).join(" "))
  .replace("/*STYLE*/", () => page(".css"))
  .replace("/*TOOL*/", () => packed.toString("base64"))
  .replace("/*SCRIPT*/", () => script);
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "index.html"), html);

const sent = gzipSync(html, { level: 9 }).length;
const number = (n) => n.toLocaleString("en-US");
console.log(`the tool: ${number(tool.length)} bytes, ${number(packed.length)} with gzip`);
console.log(`index.html: ${number(html.length)} bytes, ${number(sent)} with gzip`);
if (sent > MOST) {
  console.error(`more than ${number(MOST)} bytes with gzip: the page is too large`);
  process.exit(1);
}
