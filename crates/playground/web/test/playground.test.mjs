// The playground in a real browser, opened from a file: examples and dropped modules are answered, limits hold,
// nothing is asked of the network. PLAYGROUND is the folder that build.sh wrote.

import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "../../../report/web/test/browser.mjs";

const folder = process.env["PLAYGROUND"];
assert.ok(folder, "PLAYGROUND names the folder of the page");
const address = pathToFileURL(join(folder, "index.html")).href;
const example = (name) => fileURLToPath(new URL(`../../../pessimum/examples/${name}.wasm`, import.meta.url));
/** An analysis that ends by itself takes seconds; a machine under load gets more. */
const PATIENCE = 240_000;

let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
});

/** Runs a test on a fresh page and then asks that nothing went wrong in it and nothing left it. */
async function on({ width = 1000, height = 800, scheme = "light" }, body) {
  const page = await browser.context.newPage();
  const problems = [];
  const requests = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|data|blob|about):/.test(request.url())) requests.push(request.url());
  });
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(address);
  await page.waitForFunction(() => !document.querySelector(".go").disabled, null, { timeout: PATIENCE });
  await body(page);
  assert.deepEqual(problems, []);
  assert.deepEqual(requests, []);
  await page.close();
}

const status = (page) => page.locator(".status").textContent();
const done = (page) => page.waitForFunction(() => document.querySelector(".go").disabled === false, null, { timeout: PATIENCE });
const sizes = (page) =>
  page.$$eval("#sizes tbody tr", (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
const document_ = async (page) => {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("Download the result as JSON").click()]);
  return JSON.parse(await readFile(await download.path(), "utf8"));
};
const fits = async (page) => {
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(wide <= room, `${wide} px of content in ${room} px`);
};
const shot = async (page, name) => {
  const shots = process.env["SHOTS"];
  if (!shots) return;
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
};

/** Drops a file on the page, as a person does with a mouse. */
async function drop(page, path) {
  const bytes = [...(await readFile(path))];
  const data = await page.evaluateHandle((bytes) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], "dropped.wasm", { type: "application/wasm" }));
    return data;
  }, bytes);
  await page.dispatchEvent("main", "drop", { dataTransfer: data });
  await page.waitForFunction(() => document.querySelector(".status").textContent.startsWith("dropped.wasm"));
}

test("quicksort is answered: sizes arrive, then the report, which can be kept", () =>
  on({}, async (page) => {
    assert.equal(await page.locator("#example").inputValue(), "quicksort");
    await page.locator("#seconds").fill("60");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    // Sizes are there while the run goes on.
    await page.waitForSelector("#sizes tbody tr", { timeout: PATIENCE });
    assert.ok(await page.locator(".go").isDisabled());
    await done(page);
    assert.match(await status(page), /^Done after /);
    const arrived = await sizes(page);
    assert.ok(arrived.length >= 8, JSON.stringify(arrived));
    assert.ok(arrived.some((row) => row[3] === "exact"));
    const found = await document_(page);
    assert.equal(found.program.module, "quicksort");
    assert.equal(found.fit.class, "n^2");
    // The independent engine, inside the module as well, agrees on every cost.
    for (const size of found.sizes) assert.equal(size.replayed, "cost", `n = ${size.n}`);
    const report = page.frameLocator("iframe");
    await report.locator(".u-wrap canvas").waitFor();
    assert.match(await report.locator(".class").first().textContent(), /n2/);
    // Its links and its buttons work in the frame.
    await report.getByRole("link", { name: "Worst inputs" }).click();
    const scrolled = report.locator("main").evaluate(async () => {
      const there = () => Math.abs(document.getElementById("inputs").getBoundingClientRect().top) < innerHeight / 2;
      for (let i = 0; i < 100 && !there(); i++) await new Promise((done) => setTimeout(done, 20));
      return there() && document.activeElement.id;
    });
    assert.equal(await scrolled, "inputs");
    assert.equal(await report.locator("main").evaluate(() => origin), "null");
    const [input] = await Promise.all([page.waitForEvent("download"), report.getByRole("button", { name: /^Download JSON/ }).first().click()]);
    assert.ok((await readFile(await input.path(), "utf8")).length > 2);
    const [kept] = await Promise.all([page.waitForEvent("download"), page.getByText("Download the report").click()]);
    assert.equal(kept.suggestedFilename(), "quicksort.html");
    assert.match(await readFile(await kept.path(), "utf8"), /^<!doctype html>/);
    await shot(page, "quicksort");
  }));

test("a dropped module is answered, once the call is right", () =>
  on({}, async (page) => {
    await drop(page, example("linear_search"));
    assert.equal(await page.locator("#example").inputValue(), "");
    await page.locator("#call").fill("nowhere(n)");
    await page.locator("#call").press("Enter");
    await done(page);
    assert.match(await status(page), /nowhere/);
    await page.locator("#call").fill("find(&i32[n], n, i32)");
    await page.locator("#call").press("Enter");
    await page.waitForSelector("#report:not([hidden])", { timeout: PATIENCE });
    const found = await document_(page);
    assert.equal(found.program.module, "dropped.wasm");
    assert.equal(found.fit.class, "n");
    // The table on the page is what the document says.
    const rows = new Map((await sizes(page)).map(([n, worst]) => [n.replaceAll(",", ""), worst.replaceAll(",", "")]));
    for (const size of found.sizes) assert.equal(rows.get(String(size.n)), String(size.worst_cost), `n = ${size.n}`);
    for (const width of [320, 400]) {
      await page.setViewportSize({ width, height: 800 });
      await fits(page);
    }
    await shot(page, "dropped");
  }));

test("what is no module is refused in a sentence", () =>
  on({}, async (page) => {
    await page.locator("#file").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("not a module") });
    await page.waitForFunction(() => document.querySelector(".status").textContent.startsWith("notes.txt"));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await done(page);
    assert.match(await status(page), /not a WebAssembly module/);
    assert.ok(await page.locator("#report").isHidden());
  }));

test("a module without a call is answered with the ways into it, each a button", () =>
  on({}, async (page) => {
    await drop(page, fileURLToPath(new URL("../../../../corpus/real/sorting_rs/sorting_rs.wasm", import.meta.url)));
    await page.locator("#seconds").fill("20");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await done(page);
    assert.equal(await status(page), "3 exported functions take input: choose one");
    assert.deepEqual(await page.locator(".ways button").allTextContents(), ["heap(&i32[n], n)", "quick(&i32[n], n)", "quick_dual(&i32[n], n)"]);
    await page.locator(".ways button").nth(1).click();
    await page.waitForSelector("#report:not([hidden])", { timeout: PATIENCE });
    const found = await document_(page);
    assert.equal(found.program.entry, "quick(&i32[n], n)");
    assert.equal(found.fit.class, "n^2");
  }));

/** `f(a, n)`: a chain of selects on what is at `a`, each on the one before, and a branch on the last. */
function chain(length) {
  const leb = (value) => {
    const bytes = [];
    for (; value > 63; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
    return [...bytes, value];
  };
  const named = (text) => [...leb(text.length), ...Buffer.from(text)];
  const part = (id, content) => [id, ...leb(content.length), ...content];
  const load = [0x20, 0, 0x28, 2, 0];
  const kept = [0x20, 2];
  const link = (k) => [0x21, 2, ...kept, ...load, 0x6c, ...kept, 0x41, ...leb(k), 0x73, ...kept, 0x41, ...leb(k), 0x4a, 0x1b];
  const links = Array.from({ length }, (_, k) => link(k)).flat();
  const code = [1, 1, 0x7f, ...load, ...links, 0x41, 7, 0x70, 0x04, 0x7f, 0x41, 5, 0x05, 0x41, 6, 0x0b, 0x0b];
  return Buffer.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...part(1, [1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f]),
    ...part(3, [1, 0]),
    ...part(5, [1, 0, 1]),
    ...part(7, [2, ...named("memory"), 2, 0, ...named("f"), 0, 0]),
    ...part(10, [1, ...leb(code.length), ...code]),
  ]);
}

test("terms deeper than the stack of a browser are no end of a run", () =>
  on({}, async (page) => {
    await page.locator("#file").setInputFiles({ name: "chain.wasm", mimeType: "application/wasm", buffer: chain(3000) });
    await page.waitForFunction(() => document.querySelector(".status").textContent.startsWith("chain.wasm"));
    await page.locator("#call").fill("f(&i32[n], n)");
    await page.locator("#seconds").fill("10");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await done(page);
    assert.match(await status(page), /^Done after /);
  }));

test("the limit holds on a run that does not end by itself", () =>
  on({}, async (page) => {
    // A worker that never answers, as one that a module keeps busy.
    await page.evaluate(() => {
      Worker.prototype.postMessage = () => {};
    });
    await page.locator("#seconds").fill("1");
    const begun = Date.now();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await done(page);
    assert.match(await status(page), /^The 1 s are over, and the run did not end by itself\. Nothing was known yet\.$/);
    assert.ok(Date.now() - begun >= 2000, "it had its grace");
  }));

test("a run that is stopped keeps the sizes that arrived, and the next one begins anew", () =>
  on({}, async (page) => {
    await page.locator("#example").selectOption("regex_backtrack");
    await page.locator("#seconds").fill("600");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForFunction(() => document.querySelectorAll("#sizes tbody tr").length >= 3, null, { timeout: PATIENCE });
    await page.getByRole("button", { name: "Stop" }).click();
    assert.match(await status(page), /^Stopped\. The sizes below are what was known/);
    assert.ok((await sizes(page)).length >= 3);
    assert.ok(await page.locator("#report").isHidden());
    await page.locator("#example").selectOption("linear_search");
    await page.locator("#seconds").fill("60");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.waitForSelector("#report:not([hidden])", { timeout: PATIENCE });
    assert.equal((await document_(page)).program.module, "linear_search");
  }));

test("a short limit is kept by the run itself, with a report of what it had", () =>
  on({}, async (page) => {
    await page.locator("#example").selectOption("regex_backtrack");
    await page.locator("#seconds").fill("3");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await done(page);
    assert.ok((await sizes(page)).length > 0);
    assert.match(await status(page), /^(Done after |The 3 s are over)/);
  }));

for (const width of [320, 400, 800, 1600]) {
  test(`nothing sticks out at ${width} px, light or dark`, async () => {
    for (const scheme of ["light", "dark"]) {
      await on({ width, scheme }, async (page) => {
        await fits(page);
        await shot(page, `start-${width}-${scheme}`);
      });
    }
  });
}

test("the keyboard reaches everything, in the order of the page", () =>
  on({}, async (page) => {
    const reached = [];
    for (let i = 0; i < 9; i++) {
      await page.keyboard.press("Tab");
      reached.push(await page.evaluate(() => document.activeElement.id || (document.activeElement === document.body ? "" : document.activeElement.textContent)));
    }
    assert.deepEqual(reached, ["Skip to the program", "Theme: auto", "example", "file", "call", "cost", "seconds", "Run", ""]);
  }));

test("the page has no way out: connections are forbidden", () =>
  on({}, async (page) => {
    const policy = await page.locator("meta[http-equiv]").getAttribute("content");
    assert.match(policy, /^default-src 'none';/);
    assert.doesNotMatch(policy, /connect-src|https?:|\*|script-src[^;]*unsafe-inline/);
  }));
