// Every size that was run.

import { bySize, type Analysis } from "./document";
import { h, number, scroller, seconds, section } from "./dom";
import { known, words } from "./words";

/** A number too long for its column by its first digits; all of them are in its title. */
function inShort(digits: string | null): string {
  if (!digits) return "–";
  return digits.length > 15 ? `${digits.slice(0, 1)}.${digits.slice(1, 3)}e${digits.length - 1}` : digits;
}

/** Columns of words, which align on the left. */
const WORDS = new Set(["method", "exact", "confirmed"]);

export function sizeTable(analysis: Analysis): HTMLElement | null {
  // A comparison has its own table.
  if (analysis.bare && analysis.diff) return null;
  const bare = analysis.bare === true;
  const counted = bare ? [] : ["random cost", "instructions", "paths", "solver calls"];
  const names = ["n", "worst cost", ...counted, "seconds", "method", "exact", "confirmed"];
  const head = h("tr", {}, ...names.map((name) => h("th", { scope: "col", class: WORDS.has(name) ? undefined : "number" }, name)));
  const body = h("tbody");
  for (const size of bySize(analysis)) {
    const cell = (text: string, className = "number"): HTMLElement => h("td", { class: className }, text);
    const exact = size.exact ? "yes" : size.cut_by ? `no, cut by ${size.cut_by}` : "no";
    body.append(
      h(
        "tr",
        {},
        h("th", { scope: "row", class: "number" }, number(size.n)),
        cell(number(size.worst_cost), "number worst"),
        ...(bare
          ? []
          : [
              cell(size.random_cost ? number(size.random_cost.mean, 1) : "–", "number random"),
              cell(number(size.instructions?.worst)),
              h("td", { class: "number", title: size.paths_exact ?? "not counted" }, size.paths === null ? inShort(size.paths_exact) : number(size.paths)),
              cell(number(size.effort.solver_calls)),
            ]),
        cell(seconds(size.effort.seconds)),
        cell(size.method, ""),
        cell(exact, size.exact ? "good" : ""),
        cell(size.replayed ? (size.replayed.startsWith("no") ? size.replayed : `by ${size.replayed}`) : "–", ""),
      ),
    );
  }
  const table = h("table", {}, h("thead", {}, head), body);
  const methods = known(bySize(analysis).map((s) => s.method));
  const explained = words("What method, exact and confirmed mean", "exact", "confirmed", ...methods);
  return section("sizes", "Sizes", scroller("Table of sizes", table), explained);
}
