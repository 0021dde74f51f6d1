// What the worst paths have in common, branch by branch.

import { bySize, type Analysis } from "./document";
import { h, number, section } from "./dom";
import { known, whoseValues, words } from "./words";

/** How inputs are found that no policy chose. */
const OTHERWISE: Record<string, string> = {
  search: "a search: inputs were tried, stretched and varied",
  synth: "synth: the conditions of a path were written down for that size and solved",
};

/** How the largest input was found, if not by the policy as it was learned; empty where it was. */
function otherwise(analysis: Analysis): string {
  const largest = bySize(analysis).filter((s) => s.worst_cost !== null).at(-1);
  if (!largest || largest.exact || analysis.policy?.kind.startsWith(largest.method)) return "";
  const input = `The input of n = ${number(largest.n)}`;
  if (largest.method === "staged") {
    return `${input} (staged) was found by this policy and branches that it learned on the way, at the sizes that first meet them.`;
  }
  const how = OTHERWISE[largest.method] ?? `a ${largest.method} policy`;
  return `${input} was found by ${how}. The policy here is what was learned at small sizes; it does not say what that input does.`;
}

export function policyList(analysis: Analysis): HTMLElement | null {
  const { policy } = analysis;
  if (!policy) return null;
  const items = policy.sites.map((site) =>
    h(
      "li",
      {},
      h("div", { class: "place" }, h("code", {}, site.at), h("span", { class: "faint" }, ` in ${site.function}`)),
      site.text ? h("code", { class: "code" }, site.text.trim()) : null,
      h("div", { class: "advice" }, site.advice, site.condition && !site.advice.includes(site.condition) ? h("span", { class: "faint" }, `, first where ${site.condition}`) : null),
      site.cases?.length ? h("ul", { class: "cases" }, ...site.cases.map((text) => h("li", {}, text))) : null,
    ),
  );
  const met = policy.sites.filter((s) => s.condition || /way (of|than) /.test(s.advice)).map((s) => `${s.advice} ${s.condition ?? ""}`);
  const values = met.length ? h("p", { class: "note" }, whoseValues(met)) : null;
  const why = policy.why ? h("p", { class: "note" }, policy.why) : null;
  const none = items.length ? null : h("p", { class: "note" }, "No branch is constrained.");
  const explained = words("What a policy is", "policy", "whenever feasible", "validated", ...known([policy.kind]));
  const other = otherwise(analysis);
  const remark = other ? h("p", { class: "remark" }, other) : null;
  return section("policy", "Policy", remark, explained, why, values, none, h("ul", { class: "policy" }, ...items));
}
