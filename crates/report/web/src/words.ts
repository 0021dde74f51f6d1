// What the words of the page mean, said where they stand.

import { h } from "./dom";

const WORDS = {
  "O(…)": "The worst case of the program grows so, as far as the sizes tell: every path was explored, or a policy that proved itself was followed.",
  "Ω(…)": "Inputs that grow so were found. Worse ones may exist.",
  proven: "Every size was explored in full. Beyond them the class is extrapolated.",
  validated: "Small sizes were explored in full; larger ones follow a policy that met the worst case of sizes it had not seen.",
  "a lower bound": "An input this slow exists. A slower one is not ruled out.",
  exact: "Every feasible path of that size was explored, or has the future of one that was. No input of that size costs more.",
  exhaustive: "Every path of the size was followed.",
  merged: "Every state of the size was visited once; paths that come to the same state have the same future.",
  wise: "A policy was followed: a side for each branch, learned from the worst paths of small sizes.",
  memoryless: "As wise, with one side for each branch whatever came before.",
  history: "A policy was followed that looks at the last few decisions.",
  synth: "The conditions of a path were written down for a size that was never run, and solved at once.",
  staged: "A policy was followed that learned some branches on the way, at the size that first meets them.",
  search: "Inputs were tried, stretched and varied. It shows what was reached, and rules nothing out.",
  policy: "What the worst paths of small sizes have in common, branch by branch. It tells which side a slow input takes.",
  "whenever feasible": "If some input can go that way, the worst one does.",
  confirmed: "The input was run again in another engine, on a copy of the program that counts its own cost. “no: too long” where no engine would come to its end, “no: out of time” where --time was over.",
} as const;

export type Word = keyof typeof WORDS;

/** A line that opens to what some words mean. */
export function words(title: string, ...named: Word[]): HTMLElement {
  const list = h("dl", { class: "words" });
  for (const word of named) list.append(h("dt", {}, word), h("dd", {}, WORDS[word]));
  return h("details", { class: "explain" }, h("summary", {}, title), list);
}

/** Those of the names that are explained. */
export function known(names: Iterable<string>): Word[] {
  return [...new Set(names)].filter((name): name is Word => name in WORDS);
}

/** Whose values conditions speak of: `a[0] > a[1]` by argument and index, `x0 > x1` where they have no names. */
export function whoseValues(conditions: string[]): string {
  const numbered = conditions.some((text) => /\bx\d+\b(?!\[)/.test(text));
  return numbered ? "x0, x1, … are the values of the input in order." : "The values are those of the input.";
}
