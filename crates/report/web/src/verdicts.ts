// What a check and a comparison say, above everything else.

import type { Analysis, Diff, Num, Verdict } from "./document";
import { h, number, scroller, section } from "./dom";

const VERDICTS: Record<"check" | "diff", Record<Verdict, string>> = {
  check: { ok: "ok: nothing worse was found", worse: "worse than allowed", inconclusive: "inconclusive: the search cannot tell" },
  diff: { ok: "no worse than before", worse: "worse than before", inconclusive: "inconclusive: the evidence is weaker than before" },
};

function badge(verdict: Verdict, text: string = verdict): HTMLElement {
  return h("span", { class: `verdict ${verdict}` }, text);
}

export function checkView(analysis: Analysis): HTMLElement | null {
  const { check } = analysis;
  if (!check) return null;
  const head = h("tr", {}, ...["rule", "verdict", "why"].map((name) => h("th", { scope: "col" }, name)));
  const rows = check.rules.map((rule) =>
    h("tr", {}, h("th", { scope: "row" }, rule.rule), h("td", {}, badge(rule.verdict)), h("td", { class: "wrap" }, rule.reason)),
  );
  return section(
    "check",
    "Check",
    h("p", { class: "answer" }, badge(check.verdict, VERDICTS.check[check.verdict])),
    check.change ? h("p", {}, `The class changed: ${check.change}.`) : null,
    scroller("Rules", h("table", { class: "list" }, h("thead", {}, head), h("tbody", {}, ...rows))),
    check.witness ? h("p", {}, `Witness, n = ${number(check.witness.n)}: `, h("code", {}, check.witness.input)) : null,
    check.at ? h("p", { class: "note" }, `Most of the cost is spent at ${check.at.file}:${check.at.line}.`) : null,
  );
}

export function diffView(analysis: Analysis): HTMLElement | null {
  const { diff } = analysis;
  if (!diff) return null;
  const places = diff.places.map((place) =>
    h("tr", {}, h("th", { scope: "row" }, h("code", {}, place.at)), ...numbers(place.old, place.new)),
  );
  return section(
    "diff",
    "What changed",
    h("p", { class: "answer" }, badge(diff.verdict, VERDICTS.diff[diff.verdict])),
    h("p", {}, diff.summary),
    h("dl", { class: "parameters" }, h("dt", {}, "before"), h("dd", {}, diff.old.summary), h("dt", {}, "now"), h("dd", {}, diff.new.summary)),
    scroller("Cost by size", h("table", { class: "list" }, h("thead", {}, heads("n")), h("tbody", {}, ...bySizes(diff)))),
    places.length ? h("h3", {}, "Where, at the largest size that both have") : null,
    places.length ? scroller("Places", h("table", { class: "list" }, h("thead", {}, heads("line or function")), h("tbody", {}, ...places))) : null,
  );
}

function heads(first: string): HTMLElement {
  const names = ["before", "now", "change"].map((name) => h("th", { scope: "col", class: "number" }, name));
  return h("tr", {}, h("th", { scope: "col" }, first), ...names, first === "n" ? h("th", { scope: "col" }, "verdict") : null);
}

function bySizes(diff: Diff): HTMLElement[] {
  return diff.sizes.map((size) =>
    h("tr", {}, h("th", { scope: "row" }, number(size.n)), ...numbers(size.old, size.new), h("td", {}, badge(size.verdict))),
  );
}

function numbers(before: Num, now: Num | null): HTMLElement[] {
  const cell = (text: string): HTMLElement => h("td", { class: "number" }, text);
  return [cell(number(before)), cell(number(now)), cell(change(before, now))];
}

function change(before: Num, now: Num | null): string {
  if (now === null) return "–";
  const [a, b] = [Number(before), Number(now)];
  if (a === b) return "=";
  if (a === 0) return "new";
  return b / a >= 10 ? `${number(b / a)}×` : `${b > a ? "+" : "−"}${((100 * Math.abs(b - a)) / a).toFixed(1)} %`;
}
