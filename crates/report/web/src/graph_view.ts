// The control-flow graph with the policy on its edges.

import type { Analysis, Graph } from "./document";
import { choice, h, scroller, section } from "./dom";
import { drawing } from "./drawing";

const MEANING: Record<string, string> = {
  always: "taken whenever feasible",
  "if-forced": "taken only where it must be",
  never: "never taken",
};

export function graphView(analysis: Analysis): HTMLElement | null {
  const graphs = (analysis.graphs ?? []).filter((g) => g.nodes.length);
  const [first] = graphs;
  if (!first) return null;
  const box = h("div");
  const show = (graph: Graph): void => box.replaceChildren(picture(graph));
  show(first);
  const options = graphs.map((g, i) => ({ value: String(i), text: g.function }));
  const pick =
    graphs.length > 1
      ? choice("Function", options, "0", (v) => {
          const graph = graphs[Number(v)];
          if (graph) show(graph);
        })
      : h("p", { class: "note" }, "Function ", h("code", {}, first.function));
  const used = new Set(graphs.flatMap((g) => g.edges.map((e) => e.policy ?? "")));
  const legend = h("ul", { class: "legend" });
  for (const [policy, meaning] of Object.entries(MEANING)) {
    if (used.has(policy)) legend.append(h("li", {}, h("span", { class: `key ${policy}` }), meaning));
  }
  return section("graph", "Control flow", h("div", { class: "controls" }, pick, legend), box);
}

function picture(graph: Graph): HTMLElement {
  const names = new Map(graph.nodes.map((n) => [n.id, n.label]));
  const boxes = graph.nodes.map((n) => ({ id: String(n.id), lines: [n.label || `block ${n.id}`], className: "block" }));
  const arrows = graph.edges
    .filter((e) => names.has(e.from) && names.has(e.to))
    .map((e) => ({ from: String(e.from), to: String(e.to), label: e.label ?? "", className: e.policy || "free" }));
  const spoken = graph.edges
    .filter((e) => e.policy)
    .map((e) => `from ${names.get(e.from)} to ${names.get(e.to)}: ${MEANING[e.policy ?? ""] ?? e.policy}`);
  const label = `Control-flow graph of ${graph.function}, ${graph.nodes.length} blocks. ${spoken.join("; ")}`;
  return scroller(`Control-flow graph of ${graph.function}`, drawing(boxes, arrows, label, "graph"));
}
