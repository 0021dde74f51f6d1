// The computation tree of a small size: every decision, every path, the worst ones marked.

import type { Analysis, TreeNode } from "./document";
import { button, h, number, section } from "./dom";
import { drawing, type Arrow, type Box } from "./drawing";
import { viewport } from "./viewport";
import { whoseValues } from "./words";

/** More boxes than this are not drawn at once. */
const MOST = 400;

/** Boxes the page opens with, if the worst paths need no more, with room and without. */
const [FIRST, FEW] = [50, 12];

interface Placed {
  node: TreeNode;
  id: string;
}

export function treeView(analysis: Analysis): HTMLElement | null {
  const { tree } = analysis;
  if (!tree) return null;
  const open = new Set<string>();
  const port = viewport("Computation tree");
  const status = h("p", { class: "note", role: "status" });

  function show(focus?: string): void {
    const boxes: Box[] = [];
    const arrows: Arrow[] = [];
    const place = ({ node, id }: Placed): void => {
      const children = node.children ?? [];
      const expanded = open.has(id);
      const worst = node.worst ? "worst" : "";
      if (!children.length) {
        const shown = node.cost === undefined ? [node.label] : [number(node.cost)];
        if (node.input) shown.push(short(node.input));
        const by = node.input ? `, by ${node.input}` : "";
        boxes.push({ id, lines: shown, className: `leaf ${worst}`, label: `${node.label}, cost ${number(node.cost)}${by}` });
        return;
      }
      const hidden = expanded ? 0 : leaves(node);
      boxes.push({
        id,
        lines: expanded ? lines(node.label) : [...lines(node.label), `+ ${number(hidden)} ${hidden === 1 ? "path" : "paths"}`],
        className: `decision ${worst}`,
        expanded,
        label: node.label,
        open: () => {
          if (!open.delete(id)) open.add(id);
          show(id);
        },
      });
      if (!expanded) return;
      children.forEach(([name, child], i) => {
        const childId = `${id}.${i}`;
        place({ node: child, id: childId });
        const title = [name, child.condition].filter(Boolean).join(": ");
        arrows.push({ from: id, to: childId, lines: [short(child.condition ?? name)], className: child.worst ? "worst" : "free", title });
      });
    };
    place({ node: tree!.root, id: "0" });
    const drawn = drawing(boxes, arrows, `Computation tree of size ${tree!.n}`, "tree");
    port.show(drawn, drawn.querySelectorAll(".box.worst"));
    const focused = focus ? drawn.querySelector<SVGElement>(`[data-id="${focus}"]`) : null;
    if (focused) {
      focused.focus({ preventScroll: true });
      port.reveal(focused);
    }
  }

  /** Opens level by level, so that what is left out lies deep. */
  function openUpTo(most: number, wanted: (node: TreeNode) => boolean): boolean {
    open.clear();
    let level: Placed[] = [{ node: tree!.root, id: "0" }];
    let drawn = 1;
    while (level.length) {
      const next: Placed[] = [];
      for (const { node, id } of level) {
        const children = node.children ?? [];
        if (!children.length || !wanted(node)) continue;
        if (drawn + children.length > most) return false;
        drawn += children.length;
        open.add(id);
        children.forEach(([, child], i) => next.push({ node: child, id: `${id}.${i}` }));
      }
      level = next;
    }
    return true;
  }

  const all = button("Expand all", () => {
    const whole = openUpTo(MOST, () => true);
    status.textContent = whole ? "" : `Too large to draw whole: the first ${MOST} nodes are open.`;
    show();
  });
  const worst = button("Only worst paths", () => {
    openUpTo(MOST, (node) => node.worst ?? false);
    status.textContent = "";
    show();
  });
  const none = button("Collapse", () => {
    open.clear();
    status.textContent = "";
    show();
  });
  const narrow = matchMedia("(max-width: 600px)").matches;
  if (!openUpTo(narrow ? FEW : FIRST, () => true)) openUpTo(MOST, (node) => node.worst ?? false);
  show();
  const told = [`Every path of n = ${tree.n}, the worst first: one leaf each, with its cost and an input that takes it. Select a decision to open or close it.`];
  const met = conditions(tree.root);
  if (met.length) told.push(`Beside an arrow is what the input meets there. ${whoseValues(met)}`);
  const about = h("p", { class: "note" }, told.join(" "));
  const controls = h("div", { class: "controls", role: "group", "aria-label": "Computation tree" }, all, worst, none, port.controls);
  return section("tree", "Computation tree", about, controls, status, port.frame);
}

function leaves(node: TreeNode): number {
  const children = node.children ?? [];
  return children.length ? children.reduce((sum, [, child]) => sum + leaves(child), 0) : 1;
}

function conditions(node: TreeNode): string[] {
  return [...(node.condition === undefined ? [] : [node.condition]), ...(node.children ?? []).flatMap(([, child]) => conditions(child))];
}

/** At most so much that many can stand beside each other. */
function short(text: string): string {
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}

/** `sort.c:6  a[j] > x` in two lines, short enough for many to stand beside each other. */
function lines(label: string): string[] {
  const parts = label.split(/\s{2,}/).map(short);
  return parts.length ? parts : [""];
}
