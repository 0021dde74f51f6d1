// The sizes as they arrive.

import { formula, h, number, scroller } from "../../../report/web/src/dom";
import type { Told } from "./messages";

/** What is done now, in words. */
export function words(told: Told): string {
  switch (told.stage) {
    case "training":
      return `Exploring every path of n = ${told.n}`;
    case "proving":
      return `Exploring every state of n = ${told.n}`;
    case "learning":
      return "Learning what the worst paths have in common";
    case "learned":
      return `Learned a ${told.kind} policy, ${told.validated ? "validated" : "not validated"}`;
    case "generating":
      return `Generating the worst input of n = ${told.n}`;
    case "confirming":
      return "Confirming in the independent engine";
    case "drawing":
      return "Drawing the report";
    case "answer":
      return "";
  }
}

const counted = (text: string | null): string => (text === null ? "–" : number(BigInt(text)));

/** A table that fills. */
export class Sizes {
  private readonly body = h("tbody");
  private readonly growth = h("p", { class: "note growth" });
  private readonly rows = new Map<number, HTMLTableRowElement>();
  readonly element = h(
    "div",
    {},
    this.growth,
    scroller(
      "Sizes",
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ...["n", "worst cost", "paths", ""].map((t, i) => h("th", { scope: "col", class: i < 3 ? "number" : "" }, t)))),
        this.body,
      ),
    ),
  );

  clear(): void {
    this.rows.clear();
    this.body.replaceChildren();
    this.growth.textContent = "";
  }

  get count(): number {
    return this.rows.size;
  }

  /** Puts an answer in its place; a later one for the same size replaces it. */
  add(told: Extract<Told, { stage: "answer" }>): void {
    const row = h(
      "tr",
      {},
      h("th", { scope: "row", class: "number" }, number(told.n)),
      h("td", { class: "number worst" }, told.worst === null ? "no path ends normally" : counted(told.worst)),
      h("td", { class: "number" }, counted(told.paths)),
      h("td", { class: told.exact ? "good" : "" }, told.exact ? "exact" : "reached"),
    );
    const old = this.rows.get(told.n);
    this.rows.set(told.n, row);
    if (old) old.replaceWith(row);
    else {
      const next = [...this.rows.keys()].filter((n) => n > told.n).sort((a, b) => a - b)[0];
      this.body.insertBefore(row, (next !== undefined && this.rows.get(next)) || null);
    }
    this.growth.replaceChildren(...(told.class === null ? [] : ["So far it grows as ", formula(told.class), "."]));
  }
}
