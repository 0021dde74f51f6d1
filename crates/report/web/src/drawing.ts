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
  /** How warm it is, from 0 to 1. */
  heat?: number;
  /** What happens when it is chosen, by mouse or keyboard. */
  select?: (part: Element) => void;
  /** Where the arrow keys lead, if it can be chosen. */
  up?: string[];
  down?: string[];
}

export interface Arrow {
  from: string;
  to: string;
  /** Lines of text beside it. */
  lines: string[];
  className: string;
  /** What it says in full, if its lines are short for it. */
  title?: string;
}

const CHAR = 7.3;
const LINE = 17;

/**
 * The picture. A tree keeps the order of its children, so that the same choice is always on the same
 * side; a graph is ordered for the fewest crossings.
 */
export function drawing(boxes: Box[], arrows: Arrow[], label: string, kind: "graph" | "tree"): SVGSVGElement {
  const tree = kind === "tree";
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: tree ? 16 : 28, ranksep: 36, edgesep: 14, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) {
    const longest = Math.max(...box.lines.map((l) => l.length));
    graph.setNode(box.id, { width: longest * CHAR + 20, height: box.lines.length * LINE + 12 });
  }
  arrows.forEach((arrow, i) => {
    const width = arrow.lines.length ? Math.max(...arrow.lines.map((l) => l.length)) * CHAR + 6 : 0;
    graph.setEdge(arrow.from, arrow.to, { width, height: arrow.lines.length * LINE, labelpos: "c" }, String(i));
  });
  dagre.layout(graph, { disableOptimalOrderHeuristic: tree });
  const placed = arrows.map((arrow, i) => {
    const edge = graph.edge({ v: arrow.from, w: arrow.to, name: String(i) }) as Route;
    return arrow.from === arrow.to ? loop(graph.node(arrow.from), edge) : edge;
  });
  const { left, top, right, bottom } = bounds(boxes.map((b) => graph.node(b.id)), placed);
  const [width, height] = [Math.ceil(right - left), Math.ceil(bottom - top)];
  const out = svg("svg", {
    viewBox: `${Math.floor(left)} ${Math.floor(top)} ${width} ${height}`,
    width,
    height,
    class: "drawing",
    role: "group",
    "aria-label": label,
  });
  arrows.forEach((arrow, i) => {
    const route = placed[i];
    if (route) out.append(arrowView(arrow, route));
  });
  for (const box of boxes) out.append(boxView(box, graph.node(box.id)));
  const places = new Map(boxes.map((b) => [b.id, graph.node(b.id) as Placed]));
  selectable(out, boxes.filter((b) => b.select), places);
  return out;
}

/**
 * One stop of the Tab key for all boxes; from there the arrow keys follow the arrows, up and down,
 * and go to the neighbours, left and right.
 */
function selectable(picture: SVGSVGElement, boxes: Box[], places: Map<string, Placed>): void {
  const view = (id: string): SVGElement | null => picture.querySelector(`[data-id="${id}"]`);
  const middle = (id: string): Placed => places.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };
  boxes.forEach((box, i) => {
    const own = view(box.id);
    if (!own) return;
    own.setAttribute("tabindex", i === 0 ? "0" : "-1");
    own.addEventListener("focus", () => {
      for (const other of boxes) view(other.id)?.setAttribute("tabindex", other === box ? "0" : "-1");
      box.select?.(own);
    });
    own.addEventListener("click", () => own.focus());
    own.addEventListener("keydown", (event) => {
      const here = middle(box.id);
      const beside = (sign: number): string[] =>
        boxes
          .map((b) => b.id)
          .filter((id) => id !== box.id && sign * (middle(id).x - here.x) > 0)
          .sort((a, b) => far(middle(a), here) - far(middle(b), here));
      const ways: Record<string, () => string[]> = {
        ArrowUp: () => box.up ?? [],
        ArrowDown: () => box.down ?? [],
        ArrowLeft: () => beside(-1),
        ArrowRight: () => beside(1),
        Home: () => boxes.slice(0, 1).map((b) => b.id),
        End: () => boxes.slice(-1).map((b) => b.id),
      };
      const to = ways[event.key]?.()[0];
      if (to === undefined) return;
      event.preventDefault();
      view(to)?.focus();
    });
  });
}

/** How far apart two boxes are; what lies at the same height is nearer. */
function far(a: Placed, b: Placed): number {
  return Math.abs(a.x - b.x) + 3 * Math.abs(a.y - b.y);
}

interface Route {
  points: { x: number; y: number }[];
  x?: number;
  y?: number;
  width?: number;
}

/** An arrow back to its own box: out on the right and in again, in the room dagre left there. */
function loop(box: Placed, edge: Route): Route {
  const side = box.x + box.width / 2;
  const out = side + 26;
  const [up, down] = [box.y - box.height / 4, box.y + box.height / 4];
  const points = [
    { x: side, y: up },
    { x: out, y: up - 12 },
    { x: out, y: down + 12 },
    { x: side, y: down },
  ];
  return { points, x: out + (edge.width ?? 0) / 2, y: box.y, width: edge.width };
}

/** What the drawing needs: dagre counts boxes only, and arrows may pass outside them. */
function bounds(boxes: Placed[], routes: Route[]): { left: number; top: number; right: number; bottom: number } {
  const xs = boxes.flatMap((b) => [b.x - b.width / 2, b.x + b.width / 2]);
  const ys = boxes.flatMap((b) => [b.y - b.height / 2, b.y + b.height / 2]);
  for (const route of routes) {
    for (const p of route.points) {
      xs.push(p.x);
      ys.push(p.y);
    }
    if (route.x !== undefined) xs.push(route.x - (route.width ?? 0) / 2, route.x + (route.width ?? 0) / 2);
  }
  const pad = 10;
  return { left: Math.min(...xs) - pad, top: Math.min(...ys) - pad, right: Math.max(...xs) + pad, bottom: Math.max(...ys) + pad };
}

type Placed = { x: number; y: number; width: number; height: number };

function boxView(box: Box, { x, y, width, height }: Placed): SVGElement {
  const texts = box.lines.map((line, i) => {
    const top = y + (i - (box.lines.length - 1) / 2) * LINE;
    return svg("text", { x, y: top, "text-anchor": "middle", "dominant-baseline": "central" }, line);
  });
  const rect = svg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 6 });
  const heat = box.heat === undefined ? undefined : `--heat: ${(box.heat * 100).toFixed(1)}%`;
  const title = svg("title", {}, box.label ?? box.lines.join(" "));
  const out = svg("g", { class: `box ${box.className}`, style: heat }, title, rect, ...texts);
  if (box.select) {
    out.classList.add("can-select");
    out.setAttribute("role", "button");
    out.setAttribute("aria-label", box.label ?? box.lines.join(" "));
    out.dataset["id"] = box.id;
  }
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

function arrowView(arrow: Arrow, edge: Route): SVGElement {
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
  if (arrow.title) out.prepend(svg("title", {}, arrow.title));
  if (edge.x !== undefined && edge.y !== undefined) {
    const { x, y } = { x: edge.x, y: edge.y };
    arrow.lines.forEach((line, i) => {
      const top = y + (i - (arrow.lines.length - 1) / 2) * LINE;
      out.append(svg("text", { x, y: top, "text-anchor": "middle", "dominant-baseline": "central" }, line));
    });
  }
  return out;
}
