// What the page says of a formula that is not met everywhere, of merged sizes, of inputs that were not run again, and of a policy
// that did not make the largest input.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { launch, open } from "./browser.mjs";

const url = pathToFileURL(join(process.env["PAGES"] ?? ".", "family.html")).href;
let browser;
let page;
before(async () => {
  browser = await launch();
  ({ page } = await open(browser.context, url));
});
after(async () => {
  await browser.close();
});
const text = async (selector) => (await page.locator(selector).first().textContent()).replaceAll("\u00a0", " ");

test("a formula is said to hold where it holds", async () => {
  const legend = await text(".series");
  assert.match(legend, /met by one family of inputs from n = 3 on; others cost more at n = 1, 2/);
  assert.doesNotMatch(legend, /meets every size/);
  const facts = await text(".facts");
  assert.match(facts, /for n ≥ 3/);
  assert.match(facts, /others cost more at n = 1, 2/);
});

test("inputs that were not run again are named", async () => {
  const story = await text(".story p");
  assert.match(story, /The worst input of n = 257 is too long for the independent engine/);
  assert.match(story, /The worst input of n = 300 was not run again in the independent engine, as the time was over/);
  assert.match(story, /Every other worst input was run again/);
  assert.match(story, /every state that any input can lead to/);
});

test("a policy that did not make the largest input says so", async () => {
  const policy = await text("#policy");
  assert.match(policy, /The input of n = 300 was found by a search/);
  assert.match(policy, /learned at small sizes; it does not say what that input does/);
});

test("the page says where the time goes, and shows it first", async () => {
  const said = /Most of the cost at n = 257 is spent at insertion_sort.c:9 \(67 %\)/;
  assert.match(await text(".story p"), said);
  const source = await text("#source");
  assert.match(source, said);
  assert.match(source, /The largest size that was profiled is n = 257/);
  assert.equal(await page.locator("#source h3").first().textContent(), "insertion_sort.c");
  assert.equal(await page.locator("#source select").inputValue(), "257");
});

test("each argument of a call is shown by its name", async () => {
  assert.deepEqual(await page.locator("#inputs h3").allTextContents(), ["pattern", "name", "k"]);
  const texts = await page.locator("#inputs pre.text").allTextContents();
  assert.deepEqual(texts, ['"*\\x00\\x00\\x00\\x00"', '"ab"']);
});
