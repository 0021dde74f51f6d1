// Builds the page into one file: crates/report/assets/report.html.
//
// `node build.mjs` writes it; `node build.mjs --check` fails if the committed one is not, byte for
// byte, what these sources give.

import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";

const here = new URL(".", import.meta.url);
const target = new URL("../assets/report.html", here);

const { outputFiles } = await build({
  absWorkingDir: here.pathname,
  entryPoints: ["src/main.ts"],
  outdir: "out",
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: ["es2022"],
  charset: "ascii",
  legalComments: "none",
});
const output = (suffix) => {
  const file = outputFiles.find((f) => f.path.endsWith(suffix));
  if (!file) throw new Error(`the build made no ${suffix}`);
  return file.text.trim();
};

// What the file carries of others, it carries with their terms.
const packages = ["uplot", "@dagrejs/dagre", "@dagrejs/graphlib"];
const licences = [];
for (const name of packages) {
  const { version } = JSON.parse(await readFile(new URL(`node_modules/${name}/package.json`, here), "utf8"));
  const text = await readFile(new URL(`node_modules/${name}/LICENSE`, here), "utf8");
  licences.push(`${name} ${version}\n\n${text.trim()}`);
}

// Replacements are functions: a `$` in the code must stay a `$`.
const page = (await readFile(new URL("src/page.html", here), "utf8"))
  .replace("/*STYLE*/", () => output(".css"))
  .replace("/*SCRIPT*/", () => output(".js").replaceAll("</script", "<\\/script"))
  .replace("<!--LICENCES-->", () => `<!--\n${licences.join("\n\n").replaceAll("--", "- -")}\n-->`);

if (process.argv.includes("--check")) {
  const committed = await readFile(target, "utf8").catch(() => "");
  if (committed !== page) {
    console.error("assets/report.html is not what web/ builds: run crates/report/web/build.sh and commit it");
    process.exit(1);
  }
} else {
  await writeFile(target, page);
  console.log(`assets/report.html: ${page.length} bytes`);
}
