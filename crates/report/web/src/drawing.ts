// Boxes and arrows laid out by dagre, drawn as SVG.

import dagre from "@dagrejs/dagre";
import { svg } from "./dom";

export interface Box {
  id: string;
  lines: string[];
  className: string;
  /** What happens on click and on Enter, if anything. */
  open?: () => void;
  expanded?: boolean;
  label?: string;
}

export interface Arrow {
  from: string;
  to: string;
  label: string;
  className: string;
}

const CHAR = 7.3;
const LINE = 17;

export function drawing(boxes: Box[], arrows: Arrow[], label: string, gap = 28): SVGSVGElement {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: gap, ranksep: 36, edgesep: 14, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) {
    const longest = Math.max(...box.lines.map((l) => l.length));
    graph.setNode(box.id, { width: longest * CHAR + 20, height: box.lines.length * LINE + 12 });
  }
  arrows.forEach((arrow, i) => {
    const width = arrow.label ? arrow.label.length * CHAR + 6 : 0;
    graph.setEdge(arrow.from, arrow.to, { width, height: arrow.label ? LINE : 0, labelpos: "c" }, String(i));
  });
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const out = svg("svg", {
    viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`,
    width: Math.ceil(width),
    height: Math.ceil(height),
    class: "drawing",
    role: "group",
    "aria-label": label,
  });
  arrows.forEach((arrow, i) => out.append(arrowView(arrow, graph.edge({ v: arrow.from, w: arrow.to, name: String(i) }))));
  for (const box of boxes) out.append(boxView(box, graph.node(box.id)));
  return out;
}

type Placed = { x: number; y: number; width: number; height: number };

function boxView(box: Box, { x, y, width, height }: Placed): SVGElement {
  const texts = box.lines.map((line, i) => {
    const top = y + (i - (box.lines.length - 1) / 2) * LINE;
    return svg("text", { x, y: top, "text-anchor": "middle", "dominant-baseline": "central" }, line);
  });
  const rect = svg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 6 });
  const out = svg("g", { class: `box ${box.className}` }, svg("title", {}, box.label ?? box.lines.join(" ")), rect, ...texts);
  if (box.open) {
    const open = box.open;
    out.classList.add("can-open");
    out.setAttribute("tabindex", "0");
    out.setAttribute("role", "button");
    out.setAttribute("aria-expanded", String(box.expanded ?? false));
    out.dataset["id"] = box.id;
    out.addEventListener("click", open);
    out.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        open();
      }
    });
  }
  return out;
}

function arrowView(arrow: Arrow, edge: { points: { x: number; y: number }[]; x?: number; y?: number }): SVGElement {
  const [first, ...rest] = edge.points;
  const out = svg("g", { class: `arrow ${arrow.className}` });
  if (!first) return out;
  let path = `M${first.x},${first.y}`;
  // Through the middles of the segments, bent at the corners: round and never off the route.
  rest.forEach((p, i) => {
    const next = rest[i + 1];
    path += next ? ` Q${p.x},${p.y} ${(p.x + next.x) / 2},${(p.y + next.y) / 2}` : ` L${p.x},${p.y}`;
  });
  const end = rest.at(-1) ?? first;
  const before = rest.at(-2) ?? first;
  const angle = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
  out.append(
    svg("path", { d: path, fill: "none" }),
    svg("path", { d: "M0,0 L-9,-4 L-9,4 Z", class: "head", transform: `translate(${end.x},${end.y}) rotate(${angle})` }),
  );
  if (arrow.label && edge.x !== undefined && edge.y !== undefined) {
    out.append(svg("text", { x: edge.x, y: edge.y, "text-anchor": "middle", "dominant-baseline": "central" }, arrow.label));
  }
  return out;
}
