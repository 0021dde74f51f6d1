// How the answer was found, for someone who was sent the page.

import { bySize, type Analysis } from "./document";
import { h, number, sizes } from "./dom";
import { mostlyAt } from "./source_view";
import { words } from "./words";

/** Why an input was not run again, in words. */
const NOT_RUN_AGAIN = [
  ["no: too long", "is too long for the independent engine; its cost was counted by us alone"],
  ["no: out of time", "was not run again in the independent engine, as the time was over; its cost was counted by us alone"],
  ["", "was not confirmed by the independent engine"],
] as const;

export function story(analysis: Analysis): HTMLElement {
  const rows = bySize(analysis);
  const at = (method: string): number[] => rows.filter((s) => s.exact && s.method === method).map((s) => s.n);
  const [walked, merged] = [at("exhaustive"), at("merged")];
  const sentences: string[] = [
    `pessimum looked for the inputs on which ${analysis.program.entry} of ${analysis.program.module} costs most, counted in ${analysis.cost_model}.`,
  ];
  if (walked.length && merged.length) {
    sentences.push(`It followed every path that any input can take at n = ${sizes(walked)}, and every state at n = ${sizes(merged)}: there, no input costs more.`);
  } else if (walked.length || merged.length) {
    const what = walked.length ? "path that any input can take" : "state that any input can lead to";
    sentences.push(`It followed every ${what} at n = ${sizes([...walked, ...merged])}: there, no input costs more.`);
  }
  const { policy } = analysis;
  const later = rows.filter((s) => !s.exact && s.worst_cost !== null).map((s) => s.n);
  if (policy && later.length) {
    const tested = policy.validated_on.length ? `; what smaller sizes teach was right at n = ${sizes(policy.validated_on)}` : "";
    sentences.push(`What the slowest paths have in common was learned from n = ${sizes(policy.trained_on)}${tested}. Following that, and by trying, it made inputs up to n = ${number(later.at(-1))}.`);
  } else if (later.length && rows.some((s) => !s.exact && s.worst_cost !== null && s.method !== "search")) {
    sentences.push(`Inputs of larger sizes, up to n = ${number(later.at(-1))}, were made by what the slowest paths of small sizes have in common.`);
  } else if (later.length) {
    sentences.push(`Larger sizes, up to n = ${number(later.at(-1))}, were searched by running inputs: they show what is possible and rule nothing out.`);
  }
  if (analysis.refuting) {
    const found = analysis.fit.bound === "exact" ? ", and found nothing worse" : "";
    sentences.push(`A search of ${number(analysis.refuting.runs)} runs then tried to refute the answer${found}.`);
  }
  let others = false;
  for (const [why, told] of NOT_RUN_AGAIN) {
    const left = rows.filter((s) => s.worst_cost !== null && (s.replayed ?? "") === why).map((s) => s.n);
    // A check alone does not say what was run again.
    if (!left.length || (why === "" && analysis.bare)) continue;
    others = true;
    sentences.push(`The worst input of n = ${sizes(left)} ${told}.`);
  }
  const confirmed = rows.some((s) => s.replayed && !s.replayed.startsWith("no"));
  if (confirmed) {
    sentences.push(`${others ? "Every other" : "Each"} worst input was run again in an independent engine, which counted the same cost.`);
  }
  const spent = mostlyAt(analysis);
  if (spent && !analysis.check?.at) sentences.push(spent);
  const text = h("p", {}, sentences.join(" ").replaceAll("n = ", "n\u00a0=\u00a0"));
  return h("div", { class: "story" }, text, words("What the words mean", "O(…)", "Ω(…)", "proven", "validated", "a lower bound", "policy"));
}
