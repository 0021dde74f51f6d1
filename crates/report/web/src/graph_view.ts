// The control-flow graph with the policy on its edges.

import type { Analysis, EdgePolicy, Graph, GraphEdge, GraphNode } from "./document";
import { choice, h, number, section, toggle } from "./dom";
import { drawing } from "./drawing";
import { viewport } from "./viewport";
import { whoseValues } from "./words";

const MEANING: Record<EdgePolicy, string> = {
  always: "taken whenever feasible",
  either: "followed like the other side",
  depends: "depends on the decisions before",
  "if-forced": "taken only where it must be",
  never: "never taken",
};

/** More blocks than this open without those the worst path never visits. */
const MANY = 40;

/** Characters of source text in a box, with room and without. */
const [LONG, SHORT] = [36, 22];

export function graphView(analysis: Analysis): HTMLElement | null {
  const graphs = (analysis.graphs ?? []).filter((g) => g.nodes.length);
  const [first] = graphs;
  if (!first) return null;
  const narrow = matchMedia("(max-width: 600px)");
  const port = viewport("Control-flow graph");
  const detail = h("p", { class: "note detail", role: "status" });
  const filter = h("span");
  let shown = first;
  let visitedOnly = false;

  const draw = (): void => {
    const graph = visitedOnly ? visited(shown) : shown;
    const drawn = picture(graph, narrow.matches, (part, text) => {
      detail.textContent = text;
      port.reveal(part);
    });
    port.show(drawn, [...drawn.querySelectorAll(".box")].slice(0, 1));
  };
  const show = (graph: Graph): void => {
    shown = graph;
    const idle = graph.nodes.some((n) => n.visits !== undefined && !Number(n.visits));
    visitedOnly = idle && graph.nodes.length > MANY;
    const label = "only blocks that the worst path visits";
    filter.replaceChildren(
      ...(idle
        ? [toggle(label, visitedOnly, (on) => {
            visitedOnly = on;
            draw();
          })]
        : []),
    );
    detail.textContent = about(graph);
    draw();
  };
  show(first);
  narrow.addEventListener("change", draw);
  const options = graphs.map((g, i) => ({ value: String(i), text: g.function }));
  const pick =
    graphs.length > 1
      ? choice("Function", options, "0", (v) => {
          const graph = graphs[Number(v)];
          if (graph) show(graph);
        })
      : h("span", {}, "Function ", h("code", {}, first.function));
  const used = new Set(graphs.flatMap((g) => g.edges.map((e) => e.policy)));
  const legend = h("ul", { class: "legend" });
  for (const [policy, meaning] of Object.entries(MEANING)) {
    if (used.has(policy as EdgePolicy)) legend.append(h("li", {}, h("span", { class: `key ${policy}` }), meaning));
  }
  return section("graph", "Control flow", h("div", { class: "controls" }, pick, port.controls, filter, legend), detail, port.frame);
}

function about(graph: Graph): string {
  const parts = ["Select a block, or go from block to block with the arrow keys. Drag to move, Ctrl and the wheel to zoom."];
  if (graph.n !== undefined) parts.push(`Numbers are visits on the worst path at n = ${number(graph.n)}.`);
  const met = graph.edges.flatMap((e) => e.condition ?? []);
  if (met.length) parts.push(`Beside an edge is what a small worst input meets there first. ${whoseValues(met)}`);
  if (graph.omitted) parts.push(`${number(graph.omitted)} more blocks are left out.`);
  return parts.join(" ");
}

/** Without the blocks that the worst path never comes to. */
function visited(graph: Graph): Graph {
  const nodes = graph.nodes.filter((n, i) => i === 0 || n.visits === undefined || Number(n.visits) > 0);
  const kept = new Set(nodes.map((n) => n.id));
  return { ...graph, nodes, edges: graph.edges.filter((e) => kept.has(e.from) && kept.has(e.to)) };
}

function picture(graph: Graph, narrow: boolean, selected: (part: Element, text: string) => void): SVGSVGElement {
  const byId = new Map(graph.nodes.map((n) => [n.id, n]));
  const edges = graph.edges.filter((e) => byId.has(e.from) && byId.has(e.to));
  const most = Math.max(1, ...graph.nodes.map((n) => Number(n.visits ?? 0)));
  const room = narrow ? SHORT : LONG;
  const boxes = graph.nodes.map((node) => {
    const out = edges.filter((e) => e.from === node.id);
    const label = spoken(node, out, byId);
    const idle = node.visits !== undefined && !Number(node.visits);
    return {
      id: String(node.id),
      lines: lines(node, room),
      className: `block ${node.role ?? ""} ${idle ? "idle" : ""}`,
      // The eye reads shares of shares: the root keeps warm blocks apart from cold ones.
      heat: Math.sqrt(Number(node.visits ?? 0) / most),
      label,
      select: (part: Element) => selected(part, label),
      up: edges.filter((e) => e.to === node.id && e.from !== node.id).map((e) => String(e.from)),
      down: out.filter((e) => e.to !== node.id).map((e) => String(e.to)),
    };
  });
  const arrows = edges.map((e) => ({
    from: String(e.from),
    to: String(e.to),
    lines: [e.label, e.condition].flatMap((text) => (text ? folded(text, room) : [])),
    className: e.policy ?? "free",
  }));
  return drawing(boxes, arrows, `Control-flow graph of ${graph.function}, ${graph.nodes.length} blocks`, "graph");
}

/** What a box says: where, how often, and the text that stands there. */
function lines(node: GraphNode, room: number): string[] {
  const times = node.visits === undefined ? "" : ` · ${number(node.visits)}×`;
  const role = node.role === "return" || node.role === "trap" ? `${node.role} · ` : "";
  const out = [`${role}${node.label}${times}`];
  if (node.text) out.push(...folded(node.text, room));
  for (const inner of node.inner ?? []) out.push(...folded(inner, room));
  return out;
}

/** At most two lines of so many characters. */
function folded(text: string, room: number): string[] {
  if (text.length <= room) return [text];
  const space = text.lastIndexOf(" ", room);
  const cut = space > room / 2 ? space : room;
  const rest = text.slice(cut).trim();
  return [text.slice(0, cut), rest.length > room ? `${rest.slice(0, room - 1)}…` : rest];
}

/** A block and its ways out in words. */
function spoken(node: GraphNode, out: GraphEdge[], byId: Map<number, GraphNode>): string {
  const parts = [node.label];
  if (node.role) parts[0] += `, ${node.role === "loop" ? "a loop begins" : node.role}`;
  if (node.visits !== undefined) parts[0] += `, ${number(node.visits)} ${Number(node.visits) === 1 ? "visit" : "visits"}`;
  if (node.text) parts.push(node.text);
  parts.push(...(node.inner ?? []));
  for (const edge of out) {
    const side = [edge.label || "then", edge.condition].filter(Boolean).join(", where ");
    const policy = edge.policy ? ` (${MEANING[edge.policy]})` : "";
    const to = edge.to === node.id ? "here again" : (byId.get(edge.to)?.label ?? "");
    parts.push(`${side} to ${to}${policy}`);
  }
  return parts.join("; ");
}
