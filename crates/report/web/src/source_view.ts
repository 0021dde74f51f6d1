// The source, hot lines marked, the policy in the margin.

import { bySize, type Analysis, type SitePolicy, type SourceFile } from "./document";
import { button, choice, h, number, section } from "./dom";

/** Lines shown around every line that ran or has a policy. */
const CONTEXT = 3;

export function sourceView(analysis: Analysis): HTMLElement | null {
  const files = (analysis.source ?? []).filter((f) => f.lines.length || f.heat.length);
  if (!files.length) return null;
  const sizes = [...new Set(files.flatMap((f) => f.heat.map((x) => x.n)))].sort((a, b) => a - b);
  const body = h("div");
  const show = (n: number | undefined): void => {
    const heat = (file: SourceFile): Map<number, number> =>
      new Map((file.heat.find((x) => x.n === n)?.lines ?? []).map(([line, count]) => [line, Number(count)]));
    const hottest = Math.max(1, ...files.flatMap((f) => [...heat(f).values()]));
    const cost = (file: SourceFile): number => [...heat(file).values()].reduce((a, b) => a + b, 0);
    const own = (file: SourceFile): number => (file.hottest ? 1 : 0);
    const ordered = [...files].sort((a, b) => own(b) - own(a) || cost(b) - cost(a));
    body.replaceChildren(...ordered.map((f) => fileView(f, heat(f), hottest, sitesOf(analysis, f))));
  };
  const last = sizes.at(-1);
  show(last);
  const by = files.find((f) => f.counted)?.counted ?? "instructions";
  const counted = by.charAt(0).toUpperCase() + by.slice(1);
  const options = sizes.map((n) => ({ value: String(n), text: String(n) }));
  const pick = sizes.length ? choice(`${counted} on the worst path at n =`, options, String(last), (v) => show(Number(v))) : null;
  const largest = bySize(analysis).filter((s) => s.worst_cost !== null).at(-1)?.n;
  const short = last !== undefined && largest !== undefined && last < largest;
  const told = mostlyAt(analysis);
  const notes = [
    told ? h("p", {}, told) : null,
    short ? h("p", { class: "note" }, `The largest size that was profiled is n = ${number(last)}: the run of n = ${number(largest)} takes too many instructions to be made once more.`) : null,
  ];
  return section("source", "Source", ...notes, pick ? h("div", { class: "controls" }, pick) : null, body);
}

/** Where the time goes, in one sentence; empty where that is not known. */
export function mostlyAt(analysis: Analysis): string {
  const file = (analysis.source ?? []).find((f) => f.hottest);
  if (!file?.hottest) return "";
  const { n, line, share } = file.hottest;
  const percent = Math.round(100 * share);
  const head = percent >= 50 ? `Most of the cost at n = ${number(n)} is spent at` : `The costliest line at n = ${number(n)} is`;
  return `${head} ${file.name}:${line} (${percent} %).`;
}

function sitesOf(analysis: Analysis, file: SourceFile): Map<number, SitePolicy[]> {
  const out = new Map<number, SitePolicy[]>();
  for (const site of analysis.policy?.sites ?? []) {
    const same = site.file && (site.file === file.name || file.name.endsWith(`/${site.file}`));
    if (same && site.line) out.set(site.line, [...(out.get(site.line) ?? []), site]);
  }
  return out;
}

function fileView(
  file: SourceFile,
  heat: Map<number, number>,
  hottest: number,
  sites: Map<number, SitePolicy[]>,
): HTMLElement {
  const count = Math.max(file.lines.length, 0, ...heat.keys(), ...sites.keys());
  const kept = new Set<number>();
  for (const line of [...heat.keys(), ...sites.keys()]) {
    const around = file.lines.length ? CONTEXT : 0;
    for (let l = line - around; l <= line + around; l++) if (l >= 1 && l <= count) kept.add(l);
  }
  // A few more lines cost less than a button in their place.
  if (count <= 60 && file.lines.length) for (let l = 1; l <= count; l++) kept.add(l);
  const body = h("tbody");
  const row = (line: number): HTMLElement => lineView(line, file.lines[line - 1] ?? "", heat.get(line), hottest, sites.get(line));
  for (let line = 1; line <= count; line++) {
    if (kept.has(line)) {
      body.append(row(line));
      continue;
    }
    const first = line;
    while (line < count && !kept.has(line + 1)) line++;
    if (!file.lines.length) continue;
    const final = line;
    const more = h("tr", { class: "gap" });
    const open = button(`Show lines ${first} to ${final}`, () => {
      const lines = [];
      for (let l = first; l <= final; l++) lines.push(row(l));
      more.replaceWith(...lines);
    });
    more.append(h("td", { colspan: 4 }, open));
    body.append(more);
  }
  const heads = ["line", file.counted ?? "instructions", "source", "policy"].map((t) => h("th", { scope: "col" }, t));
  const table = h("table", { class: "source" }, h("thead", { class: "hidden" }, h("tr", {}, ...heads)), body);
  const missing = file.lines.length ? null : h("p", { class: "note" }, "The file was not found when the report was made: only its line numbers are known.");
  return h("div", { class: "file" }, h("h3", {}, h("code", {}, file.name)), missing, h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": `Source of ${file.name}` }, table));
}

function lineView(line: number, text: string, count: number | undefined, hottest: number, sites?: SitePolicy[]): HTMLElement {
  // The eye reads shares of shares: the root keeps warm lines apart from cold ones.
  const share = count ? Math.sqrt(count / hottest) : 0;
  const advice = sites?.map((s) => h("span", { class: "advice", title: s.at }, s.advice)) ?? [];
  return h(
    "tr",
    { style: `--heat: ${(share * 100).toFixed(1)}%`, class: count ? "hot" : "" },
    h("td", { class: "number line" }, String(line)),
    h("td", { class: "number count" }, count ? number(count) : ""),
    h("td", { class: "text" }, h("code", {}, text || " ")),
    h("td", { class: "margin" }, ...advice),
  );
}
