// The first screen: the class, how sure, what it means for the clock.

import { bySize, type Analysis } from "./document";
import { formula, h, number, sizes } from "./dom";
import { holds, othersCostMore } from "./fit";

export function summary(analysis: Analysis): HTMLElement {
  const { fit } = analysis;
  const rows = bySize(analysis);
  const facts = h("dl", { class: "facts" });
  const fact = (label: string, value: Node | string, note: string, tone = ""): void => {
    facts.append(
      h("div", { class: `fact ${tone}` }, h("dt", {}, label), h("dd", {}, value), h("dd", { class: "why" }, note)),
    );
  };

  if (fit.class) {
    const shown = notation(fit.class, fit.bound);
    const note = fit.bound === "at_least" ? `at least ${written(fit.class)}: inputs found; worse ones are not ruled out` : confidence(analysis);
    fact("Growth", h("strong", { class: "class" }, formula(shown)), note);
  } else if (analysis.check && fit.summary) {
    // A check tells its growth in words alone.
    fact("Growth", formula(fit.summary), "as the check found it");
  } else {
    fact("Growth", h("strong", { class: "class" }, "no class"), fit.summary ?? "", "warn");
  }
  if (fit.formula && !analysis.bare) {
    const exact = fit.interpolates || fit.confidence === "exact";
    const start = exact || fit.holds_from != null ? holds(analysis, fit.formula).from : null;
    const from = start === null ? "" : ` for n ≥ ${number(start)}`;
    const others = othersCostMore(analysis, fit.formula);
    const note = others ? `of one family of inputs; ${others}. ${basis(analysis)}` : basis(analysis);
    fact("Formula", h("span", {}, exact ? "" : "≈ ", formula(fit.formula), from), note, tone(fit.basis));
  }
  const top = [...rows].reverse().find((s) => s.instructions !== null);
  if (top?.instructions) {
    const { worst, random_mean: random } = top.instructions;
    if (random) {
      const times = Number(worst) / random;
      fact(
        "Against a random input",
        `${number(times, times < 10 ? 1 : 0)}×`,
        `as many instructions at n = ${top.n}: ${number(worst)} against ${number(random)}`,
      );
    } else fact("Instructions", number(worst), `at n = ${top.n}`);
  }
  const { policy } = analysis;
  if (policy) {
    const on = sizes(policy.validated_on);
    fact(
      "Policy",
      policy.kind,
      policy.validated
        ? `validated on n = ${on}, learned on n = ${sizes(policy.trained_on)}`
        : `not validated${on ? ` (what smaller sizes teach held on n = ${on} only)` : ""}, learned on n = ${sizes(policy.trained_on)}`,
      policy.validated ? "good" : "warn",
    );
  } else if (analysis.cost_independent_of_input === true) {
    fact("Policy", "none needed", "inputs of one size all cost the same", "good");
  } else if (analysis.cost_independent_of_input === "not_found") {
    fact("Policy", "none learned", "no dependence on the input was found", "warn");
  }
  if (analysis.cut_by) fact("Cut", `by ${analysis.cut_by}`, "a longer run may find slower inputs", "warn");
  return facts;
}

/** O(n log n) as it is usually written; Ω(n log n) for the growth of inputs that were found. */
export function notation(name: string, bound?: string): string {
  return `${bound === "at_least" ? "Ω" : "O"}(${written(name)})`;
}

/** A class as it is usually written: `n log n`. */
export function written(name: string): string {
  return name.replace(/\*log\(n\)/, " log n").replace(/^log\(n\)$/, "log n").replace(/^sqrt\(n\)$/, "√n");
}

function confidence(analysis: Analysis): string {
  switch (analysis.fit.confidence) {
    case "exact":
      return "the worst case, by a formula that also met sizes it was not made from";
    case "clear":
      return "the worst case: no other class describes the costs nearly as briefly";
    default:
      return analysis.fit.summary ?? "";
  }
}

function basis(analysis: Analysis): string {
  const rows = bySize(analysis).filter((s) => s.exact);
  const exact = sizes(rows.map((s) => s.n));
  const merged = rows.some((s) => s.method === "merged");
  switch (analysis.fit.basis) {
    case "proven":
      return `proven: every feasible path of every size was explored${merged ? ", or has the future of one that was" : ""}`;
    case "validated":
      return `validated: every path was explored${merged ? ", or has the future of one that was," : ""} at n = ${exact}, and the policy holds there`;
    default:
      return exact
        ? `a lower bound: slower inputs are ruled out only at n = ${exact}`
        : "a lower bound: slower inputs are not ruled out";
  }
}

function tone(basis: string | undefined): string {
  return basis === "proven" || basis === "validated" ? "good" : "warn";
}
