// The report page in a real browser: it draws, its controls work, it complains of nothing, and it
// asks the network for nothing. PAGES is the folder of pages made from ../fixtures.

import assert from "node:assert/strict";
import { mkdir, readFile, stat } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { join } from "node:path";
import { launch, open } from "./browser.mjs";

const pages = process.env["PAGES"];
assert.ok(pages, "PAGES names the folder of report pages");
const url = (name) => pathToFileURL(join(pages, `${name}.html`)).href;
const fixture = async (name) => {
  const made = name === "altered" ? join(pages, "altered.json") : fileURLToPath(new URL(`../../fixtures/${name}.json`, import.meta.url));
  return JSON.parse(await readFile(made, "utf8"));
};

let browser;
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
});

/** Runs a test on a page and then asks that nothing went wrong in it. */
async function on(name, options, body) {
  const { page, problems, requests } = await open(browser.context, url(name), options);
  await body(page);
  assert.deepEqual(problems, []);
  assert.deepEqual(requests, []);
  await page.close();
}

const NAMES = ["insertion_sort", "merge_sort", "wat_br_table", "constant_cost", "regex_backtrack", "trap_division", "altered"];

for (const name of NAMES) {
  test(`${name}: every section that has data is there`, () =>
    on(name, {}, async (page) => {
      const data = await fixture(name);
      const ids = await page.$$eval("main > section", (all) => all.map((s) => s.id));
      const expected = ["cost"];
      if (data.policy) expected.push("policy");
      if (data.source?.length) expected.push("source");
      expected.push("inputs");
      if (data.graphs?.length) expected.push("graph");
      if (data.tree) expected.push("tree");
      if (data.findings.length) expected.push("findings");
      expected.push("sizes", "run");
      assert.deepEqual(ids, expected);
      assert.equal(await page.title(), `${data.program.module} ${data.program.entry} · pessimum`);
      const rows = await page.locator("#sizes tbody tr").count();
      assert.equal(rows, data.sizes.length + data.training.length);
    }));

  for (const width of [320, 800, 1600]) {
    test(`${name}: nothing sticks out at ${width} px`, async () => {
      for (const scheme of ["light", "dark"]) {
        await on(name, { width, scheme }, async (page) => {
          const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
          assert.ok(wide <= room, `${wide} px of content in ${room} px`);
          if (process.env["SHOTS"]) {
            await mkdir(process.env["SHOTS"], { recursive: true });
            await page.waitForTimeout(150);
            await page.screenshot({ path: join(process.env["SHOTS"], `${name}-${width}-${scheme}.png`), fullPage: true });
          }
        });
      }
    });
  }
}

/** How many pixels of the plot have about this colour. */
async function inked(page, variable) {
  return page.evaluate((name) => {
    const probe = document.createElement("span");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const [r, g, b] = getComputedStyle(probe).color.match(/\d+/g).map(Number);
    probe.remove();
    // Read from a copy: Chromium warns of a drawn canvas that is read often.
    const drawn = document.querySelector(".u-wrap canvas");
    const copy = new OffscreenCanvas(drawn.width, drawn.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(drawn, 0, 0);
    const { data } = copy.getImageData(0, 0, drawn.width, drawn.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      const near = Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 24;
      if (near && data[i + 3] > 200) count++;
    }
    return count;
  }, variable);
}

const picture = (page) => page.evaluate(() => document.querySelector(".u-wrap canvas").toDataURL());
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

test("each curve has a toggle that draws and removes it", () =>
  on("insertion_sort", {}, async (page) => {
    const data = await fixture("insertion_sort");
    const boxes = page.locator(".series input");
    // What is met as well as the answer, and what is off by tens, has no curve.
    const told = data.fit.candidates.filter((c, i) => i === 0 || (c.error > 0 && c.error < 10));
    const formulas = new Set(told.map((c) => c.formula));
    assert.ok(formulas.size < new Set(data.fit.candidates.map((c) => c.formula)).size);
    assert.equal(await boxes.count(), 3 + formulas.size);
    assert.ok((await inked(page, "worst")) > 100);
    await boxes.nth(0).uncheck();
    await settle(page);
    assert.equal(await inked(page, "worst"), 0);
    await boxes.nth(1).uncheck();
    await settle(page);
    assert.equal(await inked(page, "random"), 0);
    for (let i = 0; i < (await boxes.count()); i++) {
      const before = await picture(page);
      await boxes.nth(i).setChecked(!(await boxes.nth(i).isChecked()));
      await settle(page);
      assert.notEqual(await picture(page), before, `curve ${i}`);
    }
  }));

test("logarithmic axes, zoom and reset redraw the plot", () =>
  on("insertion_sort", {}, async (page) => {
    const pictures = [await picture(page)];
    const expectNew = async (what) => {
      await settle(page);
      const now = await picture(page);
      assert.ok(!pictures.includes(now), what);
      pictures.push(now);
    };
    // What grows as a power opens on two logarithmic axes.
    assert.ok((await page.getByLabel("log cost").isChecked()) && (await page.getByLabel("log n", { exact: true }).isChecked()));
    await page.getByLabel("log cost").uncheck();
    await expectNew("log cost");
    await page.getByLabel("log n", { exact: true }).uncheck();
    await expectNew("log n");
    await page.getByLabel("log n", { exact: true }).check();
    await page.getByLabel("log cost").check();
    await page.locator("#cost").getByRole("button", { name: "Zoom in" }).click();
    await expectNew("zoom in");
    await page.getByRole("button", { name: "Show all sizes" }).click();
    await settle(page);
    assert.equal(await picture(page), pictures[0], "all sizes again");
    const over = await page.locator(".u-over").boundingBox();
    await page.mouse.move(over.x + 20, over.y + 20);
    await page.mouse.down();
    await page.mouse.move(over.x + 160, over.y + 22, { steps: 4 });
    await page.mouse.up();
    await expectNew("drag");
    await page.mouse.move(over.x + over.width - 5, over.y + 30);
    assert.match(await page.locator(".readout").textContent(), /^n = \d+: worst [\d,]+, random, mean [\d,.]+/);
  }));

test("an exponential cost opens on a logarithmic axis", () =>
  on("regex_backtrack", {}, async (page) => {
    assert.ok(await page.getByLabel("log cost").isChecked());
  }));

test("axes have titles, and the page begins with how it was found", () =>
  on("insertion_sort", {}, async (page) => {
    const titles = await page.$$eval(".u-axis", (all) => all.length);
    assert.equal(titles, 2);
    assert.match(await page.locator(".story p").textContent(), /^pessimum looked for .* every path .* Each worst input was run again/s);
    // Words are explained where they stand, by keyboard too.
    const words = page.locator("#sizes details");
    assert.equal(await words.locator("dl").isVisible(), false);
    await words.locator("summary").focus();
    await page.keyboard.press("Enter");
    assert.match(await words.textContent(), /exhaustiveEvery path of the size was followed/);
  }));

test("text is shown with its repetitions counted", () =>
  on("regex_backtrack", {}, async (page) => {
    await page.locator("#inputs select").selectOption("16");
    assert.match(await page.locator("#inputs .runs").textContent(), /a ×1\d/);
  }));

for (const [name, id, verdict] of [
  ["check_worse", "check", "worse than allowed"],
  ["check_inconclusive", "check", "inconclusive: the search cannot tell"],
  ["diff_worse", "diff", "worse than before"],
]) {
  for (const width of [400, 1600]) {
    for (const scheme of ["light", "dark"]) {
      test(`${name}: the verdict comes first, at ${width} px, ${scheme}`, () =>
        on(name, { width, scheme }, async (page) => {
          const data = await fixture(name);
          assert.equal(await page.locator("main > section").first().getAttribute("id"), id);
          assert.equal(await page.locator(`#${id} .answer`).textContent(), verdict);
          const rows = await page.locator(`#${id} table`).first().locator("tbody tr").count();
          assert.equal(rows, (data.rules ?? data.sizes).length);
          const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
          assert.ok(wide <= room, `${wide} px of content in ${room} px`);
          if (process.env["SHOTS"]) {
            await mkdir(process.env["SHOTS"], { recursive: true });
            await page.screenshot({ path: join(process.env["SHOTS"], `${name}-${width}-${scheme}.png`), fullPage: true });
          }
        }));
    }
  }
}

test("a comparison draws the other build beside the new one", () =>
  on("diff_worse", {}, async (page) => {
    assert.ok((await inked(page, "curve-1")) > 100);
    assert.match(await page.locator("#diff table").first().textContent(), /30549900\+63.9 %worse/);
  }));

test("no page is larger than 300 kB", async () => {
  for (const name of [...NAMES, "check_worse", "diff_worse"]) {
    const { size } = await stat(join(pages, `${name}.html`));
    assert.ok(size < 300_000, `${name}: ${size} bytes`);
  }
});

test("the theme button goes through the themes and is remembered", () =>
  on("insertion_sort", {}, async (page) => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    const button = page.getByRole("button", { name: /^Theme/ });
    await button.click();
    assert.equal(await background(), light);
    await button.click();
    const dark = await background();
    assert.notEqual(dark, light);
    await page.reload();
    await page.waitForSelector(".u-wrap canvas");
    assert.equal(await background(), dark);
    await button.click();
    assert.equal(await background(), light);
  }));

test("the source shows heat by size and the policy in the margin", () =>
  on("insertion_sort", {}, async (page) => {
    const data = await fixture("insertion_sort");
    const rows = page.locator("table.source tbody tr");
    assert.equal(await rows.count(), data.source[0].lines.length);
    const line = (n) => rows.nth(n - 1);
    assert.match(await line(9).locator(".margin").textContent(), /stay in the loop \(line 10\) whenever feasible/);
    const [hot, expected] = data.source[0].heat.find((x) => x.n === 5).lines.find(([l]) => l === 9);
    const heat = () => line(hot).locator(".count").textContent();
    const large = await heat();
    await page.locator("#source select").selectOption("5");
    const small = await heat();
    assert.equal(small, String(expected));
    assert.notEqual(small, large);
  }));

test("the graph has every block and edge, and the policy on its edges", async () => {
  for (const name of ["insertion_sort", "merge_sort", "wat_br_table"]) {
    await on(name, {}, async (page) => {
      const { graphs } = await fixture(name);
      for (const [i, graph] of graphs.entries()) {
        if (graphs.length > 1) await page.locator("#graph select").selectOption(String(i));
        assert.equal(await page.locator("#graph .box").count(), graph.nodes.length);
        assert.equal(await page.locator("#graph .arrow").count(), graph.edges.length);
        for (const policy of ["always", "either", "depends", "if-forced", "never"]) {
          const drawn = await page.locator(`#graph .arrow.${policy}`).count();
          assert.equal(drawn, graph.edges.filter((e) => e.policy === policy).length, policy);
          if (drawn) assert.ok(await page.locator(`#graph .legend .key.${policy}`).count(), policy);
        }
      }
      assert.ok(graphs.some((g) => g.edges.some((e) => e.policy)));
    });
  }
});

test("the graph is one stop of the Tab key, and the arrow keys follow its arrows", () =>
  on("insertion_sort", {}, async (page) => {
    const [graph] = (await fixture("insertion_sort")).graphs;
    assert.equal(await page.locator("#graph .box[tabindex='0']").count(), 1);
    const focused = () => page.evaluate(() => Number(document.activeElement.dataset.id));
    await page.locator("#graph .box").first().focus();
    const seen = new Set([await focused()]);
    for (let i = 0; i < 3; i++) {
      const from = await focused();
      await page.keyboard.press("ArrowDown");
      const to = await focused();
      assert.ok(graph.edges.some((e) => e.from === from && e.to === to), `${from} to ${to}`);
      seen.add(to);
    }
    assert.ok(seen.size >= 3, [...seen].join());
    assert.equal(await page.locator("#graph .box[tabindex='0']").count(), 1);
    const back = await focused();
    await page.keyboard.press("ArrowUp");
    assert.ok(graph.edges.some((e) => e.from !== e.to && e.to === back));
    // What the block decides is said, not only drawn.
    const decides = graph.edges.find((e) => e.policy === "always").from;
    await page.locator(`#graph .box[data-id="${decides}"]`).click();
    assert.match(await page.locator("#graph .detail").textContent(), /taken whenever feasible/);
  }));

for (const width of [400, 1600]) {
  for (const scheme of ["light", "dark"]) {
    test(`graph and tree fit, zoom and can be dragged, at ${width} px, ${scheme}`, () =>
      on("insertion_sort", { width, scheme }, async (page) => {
        for (const id of ["graph", "tree"]) {
          const frame = page.locator(`#${id} .viewport`);
          await frame.scrollIntoViewIfNeeded();
          const view = () => page.locator(`#${id} svg.drawing`).getAttribute("viewBox").then((v) => v.split(" ").map(Number));
          const scale = () => frame.getAttribute("data-scale").then(Number);
          const inside = () =>
            frame.evaluate((e) => {
              const outer = e.getBoundingClientRect();
              return [...e.querySelectorAll(".box")].filter((b) => {
                const r = b.getBoundingClientRect();
                return r.left >= outer.left - 1 && r.right <= outer.right + 1 && r.top >= outer.top - 1 && r.bottom <= outer.bottom + 1;
              }).length;
            });
          // It opens so that the worst can be read, and no larger than it is.
          assert.ok((await scale()) >= 0.5 && (await scale()) <= 1, `${id}: ${await scale()}`);
          assert.ok((await inside()) >= 1);
          await page.locator(`#${id}`).getByRole("button", { name: "Fit the window" }).click();
          assert.equal(await inside(), await page.locator(`#${id} .box`).count(), `${id} fits`);
          const fitted = await scale();
          await page.locator(`#${id}`).getByRole("button", { name: "Zoom in" }).click();
          assert.ok((await scale()) > fitted);
          const before = await view();
          const box = await frame.boundingBox();
          await page.mouse.move(box.x + box.width / 2, box.y + 30);
          await page.mouse.down();
          await page.mouse.move(box.x + box.width / 2 - 60, box.y + 30, { steps: 5 });
          await page.mouse.up();
          const after = await view();
          assert.ok(after[0] > before[0], `${id}: dragged from ${before[0]} to ${after[0]}`);
          // The wheel alone scrolls the page; with Ctrl it zooms.
          const still = await scale();
          await page.mouse.wheel(0, 40);
          assert.equal(await scale(), still);
          await frame.scrollIntoViewIfNeeded();
          await frame.focus();
          await page.keyboard.press("-");
          assert.ok((await scale()) < still);
          await page.keyboard.press("0");
          assert.equal(await scale(), fitted);
        }
        if (process.env["SHOTS"]) {
          await mkdir(process.env["SHOTS"], { recursive: true });
          for (const id of ["graph", "tree"]) await page.locator(`#${id}`).screenshot({ path: join(process.env["SHOTS"], `${id}-${width}-${scheme}.png`) });
        }
      }));
  }
}

test("a box that the keyboard comes to is brought into the window", () =>
  on("insertion_sort", { width: 400 }, async (page) => {
    await page.locator("#graph .box").first().focus();
    for (let i = 0; i < 6; i++) {
      await page.keyboard.press("ArrowDown");
      const seen = await page.evaluate(() => {
        const frame = document.querySelector("#graph .viewport").getBoundingClientRect();
        const own = document.activeElement.getBoundingClientRect();
        return own.left + own.width / 2 >= frame.left && own.left + own.width / 2 <= frame.right && own.top >= frame.top - 1 && own.bottom <= frame.bottom + 1;
      });
      assert.ok(seen, `step ${i}`);
    }
  }));

test("a large graph opens without the blocks that the worst path never visits", () =>
  on("altered", {}, async (page) => {
    const [graph] = (await fixture("altered")).graphs;
    const visited = graph.nodes.filter((n) => n.visits > 0).length;
    assert.equal(await page.locator("#graph .box").count(), visited);
    await page.getByLabel("only blocks that the worst path visits").uncheck();
    assert.equal(await page.locator("#graph .box").count(), graph.nodes.length);
  }));

test("the tree opens and closes by mouse and by keyboard, with the worst path marked", () =>
  on("insertion_sort", {}, async (page) => {
    const { tree } = await fixture("insertion_sort");
    const count = (node) => 1 + (node.children ?? []).reduce((sum, [, child]) => sum + count(child), 0);
    const boxes = page.locator("#tree .box");
    assert.equal(await boxes.count(), count(tree.root));
    assert.equal(await page.locator("#tree .leaf.worst").count(), 1);
    // The worst path comes first, a leaf shows its input and an arrow what is met there.
    const leaves = await page.$$eval("#tree .leaf", (all) => all.map((e) => [Number(e.querySelector("rect").getAttribute("x")), e.classList.contains("worst"), e.textContent]));
    leaves.sort((a, b) => a[0] - b[0]);
    assert.deepEqual(leaves.map(([, worst]) => worst), [true, ...leaves.slice(1).map(() => false)]);
    assert.match(leaves[0][2], /16\[3, 2, 1, 0\]$/);
    const met = await page.$$eval("#tree .arrow.worst text", (all) => all.map((t) => t.textContent));
    assert.deepEqual(met.sort(), ["x0 > x1", "x0 > x2", "x0 > x3", "x1 > x2", "x1 > x3", "x2 > x3"]);
    await page.getByRole("button", { name: "Collapse" }).click();
    assert.equal(await boxes.count(), 1);
    const root = boxes.first();
    assert.equal(await root.getAttribute("aria-expanded"), "false");
    await root.focus();
    await page.keyboard.press("Enter");
    assert.equal(await boxes.count(), 3);
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-expanded")), "true");
    await boxes.first().click();
    assert.equal(await boxes.count(), 1);
    await page.getByRole("button", { name: "Only worst paths" }).click();
    const drawn = await boxes.count();
    assert.ok(drawn > 3 && drawn < count(tree.root), String(drawn));
    await page.getByRole("button", { name: "Expand all" }).click();
    assert.equal(await boxes.count(), count(tree.root));
  }));

test("inputs are pictured, listed, copied and downloaded", () =>
  on("insertion_sort", {}, async (page) => {
    await page.locator("#inputs select").selectOption("10");
    assert.match(await page.locator("#inputs figcaption").textContent(), /Strictly decreasing/);
    assert.equal((await page.locator(".bars path").getAttribute("d")).match(/M/g).length, 10);
    assert.equal(await page.locator("#inputs .values").textContent(), "9, 8, 7, 6, 5, 4, 3, 2, 1, 0");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: /^Download bytes/ }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "insertion_sort-n10-cost100.bin");
    const bytes = await readFile(await download.path());
    const expected = Buffer.alloc(40);
    for (let i = 0; i < 10; i++) expected.writeInt32LE(9 - i, 4 * i);
    assert.deepEqual(bytes, expected);
    await page.getByRole("button", { name: "Copy values" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
  }));

test("values beyond 2^53 are shown to the last digit", () =>
  on("altered", {}, async (page) => {
    assert.match(await page.locator("#inputs .values").textContent(), /^9223372036854775807, 9223372036854775806, /);
    assert.match(await page.locator("#inputs figcaption").textContent(), /Strictly decreasing/);
  }));

test("text from the program is never markup", () =>
  on("altered", {}, async (page) => {
    assert.match(await page.locator("#findings").textContent(), /<\/script><b>not markup<\/b>/);
    assert.equal(await page.locator("#findings b").count(), 0);
  }));

test("everything that reacts can be reached by keyboard and has a name", () =>
  on("insertion_sort", {}, async (page) => {
    const nameless = await page.evaluate(() => {
      const reactive = document.querySelectorAll("a, button, select, input, [tabindex='0']");
      const named = (e) => (e.getAttribute("aria-label") ?? e.textContent ?? "").trim() || e.closest("label")?.textContent?.trim();
      return [...reactive].filter((e) => !named(e)).map((e) => e.outerHTML.slice(0, 80));
    });
    assert.deepEqual(nameless, []);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
    const seen = new Set();
    for (let i = 0; i < 140; i++) {
      await page.keyboard.press("Tab");
      seen.add(await page.evaluate(() => document.activeElement.closest("section")?.id ?? "none"));
    }
    for (const id of ["cost", "source", "inputs", "graph", "tree", "sizes", "run"]) assert.ok(seen.has(id), id);
  }));

test("the worst cost stands out from the page in both themes", async () => {
  for (const scheme of ["light", "dark"]) {
    await on("insertion_sort", { scheme }, async (page) => {
      const ratios = await page.evaluate(() => {
        const rgb = (name) => {
          const probe = document.createElement("span");
          probe.style.color = `var(--${name})`;
          document.body.append(probe);
          const out = getComputedStyle(probe).color.match(/\d+/g).map(Number);
          probe.remove();
          return out;
        };
        const light = (c) => {
          const [r, g, b] = c.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (a, b) => {
          const [x, y] = [light(rgb(a)), light(rgb(b))].sort((p, q) => q - p);
          return (x + 0.05) / (y + 0.05);
        };
        return ["ink", "faint", "worst", "random", "good", "warn", "link"].map((name) => [name, contrast(name, "card")]);
      });
      for (const [name, ratio] of ratios) assert.ok(ratio >= 4.5, `${name} in ${scheme}: ${ratio.toFixed(2)}`);
    });
  }
});
