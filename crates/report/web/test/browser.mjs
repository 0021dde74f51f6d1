// Debian's Chromium, driven by Playwright; the pages are opened from files, as a user opens them.

import { chromium } from "playwright-core";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser with a profile of its own, which goes away with it. */
export async function launch() {
  const profile = await mkdtemp(join(tmpdir(), "pessimum-browser-"));
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: QUIET,
    acceptDownloads: true,
    viewport: { width: 1000, height: 800 },
  });
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  };
  return { context, close };
}

/** Opens a page and keeps what went wrong in it and what it asked the network for. */
export async function open(context, url, { width = 1000, height = 800, scheme = "light" } = {}) {
  const page = await context.newPage();
  const problems = [];
  const requests = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) requests.push(request.url());
  });
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(url);
  await page.waitForSelector(".u-wrap canvas");
  return { page, problems, requests };
}
