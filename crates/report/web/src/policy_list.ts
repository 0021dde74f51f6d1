// What the worst paths have in common, branch by branch.

import type { Analysis } from "./document";
import { h, section } from "./dom";
import { known, whoseValues, words } from "./words";

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
  return section("policy", "Policy", explained, why, values, none, h("ul", { class: "policy" }, ...items));
}
