// A window onto a drawing: it fits at first, and can be zoomed and dragged.

import { button, h } from "./dom";

/** Below this the text says nothing: what would have to be drawn smaller opens at its top, as large as can be read. */
const [SMALLEST, READABLE] = [0.5, 0.75];

const [LEAST, MOST] = [0.02, 4];

/** How much a press of a button, or of a key, changes. */
const STEP = 1.25;

interface View {
  x: number;
  y: number;
  scale: number;
}

export interface Viewport {
  /** The buttons. */
  controls: HTMLElement;
  frame: HTMLElement;
  /** Shows another drawing; a view that somebody chose stays. Where reading begins: with as many of these as can be seen. */
  show(drawing: SVGSVGElement, first: Iterable<Element>): void;
  /** Brings a part of the drawing into the window. */
  reveal(part: Element): void;
}

export function viewport(label: string): Viewport {
  const frame = h("div", { class: "viewport", tabindex: 0, role: "region", "aria-label": label });
  let drawing: SVGSVGElement | null = null;
  let whole = { x: 0, y: 0, width: 1, height: 1 };
  let view: View = { x: 0, y: 0, scale: 1 };
  /** As it opens, the whole of it, or what somebody zoomed and dragged to. */
  let mode: "open" | "whole" | "chosen" = "open";
  /** Where reading begins. */
  let start: SVGGraphicsElement[] = [];

  /** What a drawing may take: the width there is, and most of the height. */
  const room = (): { width: number; height: number } => ({
    width: Math.max(1, frame.clientWidth),
    height: Math.max(240, Math.round(window.innerHeight * 0.8)),
  });
  const fitting = (): number => Math.min(1, room().width / whole.width, room().height / whole.height);

  function apply(): void {
    if (!drawing) return;
    const { width, height } = { width: room().width, height: frame.clientHeight || 1 };
    const [w, hgt] = [width / view.scale, height / view.scale];
    // The middle of the window never leaves the drawing.
    const within = (at: number, low: number, size: number, seen: number): number => Math.min(Math.max(at, low - seen / 2), low + size - seen / 2);
    view.x = within(view.x, whole.x, whole.width, w);
    view.y = within(view.y, whole.y, whole.height, hgt);
    drawing.setAttribute("viewBox", `${view.x} ${view.y} ${w} ${hgt}`);
    frame.dataset["scale"] = view.scale.toFixed(3);
  }

  function size(): void {
    frame.style.height = `${Math.ceil(Math.min(room().height, whole.height * Math.max(view.scale, fitting())))}px`;
  }

  function fit(): void {
    mode = "whole";
    view = { x: 0, y: 0, scale: fitting() };
    size();
    view.x = whole.x + (whole.width - room().width / view.scale) / 2;
    view.y = whole.y + (whole.height - frame.clientHeight / view.scale) / 2;
    apply();
  }

  /** The whole drawing, or as much as can be read. */
  function open(): void {
    fit();
    mode = "open";
    if (view.scale >= SMALLEST) return;
    view.scale = READABLE;
    size();
    const seen = room().width / view.scale;
    const boxes = start.map((part) => part.getBBox());
    const [first] = boxes;
    let [left, right] = first ? [first.x, first.x + first.width] : [whole.x, whole.x + seen];
    for (const { x, width } of boxes) {
      const [low, high] = [Math.min(left, x), Math.max(right, x + width)];
      if (high - low > seen) break;
      [left, right] = [low, high];
    }
    view.x = (left + right - seen) / 2;
    view.y = whole.y;
    apply();
  }

  function zoom(by: number, at?: { x: number; y: number }): void {
    mode = "chosen";
    const scale = Math.min(MOST, Math.max(LEAST, view.scale * by));
    const point = at ?? { x: frame.clientWidth / 2, y: frame.clientHeight / 2 };
    // What is under the point stays there.
    view.x += point.x / view.scale - point.x / scale;
    view.y += point.y / view.scale - point.y / scale;
    view.scale = scale;
    apply();
  }

  function move(dx: number, dy: number): void {
    mode = "chosen";
    view.x += dx / view.scale;
    view.y += dy / view.scale;
    apply();
  }

  function reveal(part: Element): void {
    if (!(part instanceof SVGGraphicsElement) || !drawing) return;
    const box = part.getBBox();
    const [w, hgt] = [room().width / view.scale, frame.clientHeight / view.scale];
    const into = (at: number, seen: number, low: number, long: number): number =>
      low < at ? low - 12 : low + long > at + seen ? Math.min(low - 12, low + long + 12 - seen) : at;
    view.x = into(view.x, w, box.x, box.width);
    view.y = into(view.y, hgt, box.y, box.height);
    apply();
  }

  frame.addEventListener(
    "wheel",
    (event) => {
      // The wheel alone scrolls the page.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = frame.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 300), { x: event.clientX - box.left, y: event.clientY - box.top });
    },
    { passive: false },
  );

  let from: { x: number; y: number } | null = null;
  let dragged = false;
  frame.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    from = { x: event.clientX, y: event.clientY };
    dragged = false;
  });
  frame.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [dx, dy] = [from.x - event.clientX, from.y - event.clientY];
    // A hand that clicks trembles.
    if (!dragged && Math.hypot(dx, dy) < 5) return;
    if (!dragged) frame.setPointerCapture(event.pointerId);
    dragged = true;
    from = { x: event.clientX, y: event.clientY };
    move(dx, dy);
  });
  const end = (): void => {
    from = null;
  };
  frame.addEventListener("pointerup", end);
  frame.addEventListener("pointercancel", end);
  // The end of a drag is no click on what lies there.
  frame.addEventListener(
    "click",
    (event) => {
      if (dragged) event.stopPropagation();
      dragged = false;
    },
    true,
  );
  frame.addEventListener("keydown", (event) => {
    const by = 40;
    const anywhere: Record<string, () => void> = { "+": () => zoom(STEP), "=": () => zoom(STEP), "-": () => zoom(1 / STEP), "0": fit };
    const here: Record<string, () => void> = {
      ArrowLeft: () => move(-by, 0),
      ArrowRight: () => move(by, 0),
      ArrowUp: () => move(0, -by),
      ArrowDown: () => move(0, by),
    };
    // Boxes have arrow keys of their own.
    const act = anywhere[event.key] ?? (event.target === frame ? here[event.key] : undefined);
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  const again = (): void => {
    ({ open, whole: fit, chosen: apply })[mode]();
  };
  new ResizeObserver(again).observe(frame);
  window.addEventListener("beforeprint", fit);

  const controls = h(
    "span",
    { class: "zoom", role: "group", "aria-label": `Zoom: ${label}` },
    button("−", () => zoom(1 / STEP), "Zoom out"),
    button("+", () => zoom(STEP), "Zoom in"),
    button("Fit", fit, "Fit the window"),
  );
  return {
    controls,
    frame,
    reveal,
    show(next, first) {
      const { x, y, width, height } = next.viewBox.baseVal;
      whole = { x, y, width, height };
      next.setAttribute("width", "100%");
      next.setAttribute("height", "100%");
      drawing = next;
      start = [...first].filter((part): part is SVGGraphicsElement => part instanceof SVGGraphicsElement);
      frame.replaceChildren(next);
      if (mode === "chosen") size();
      again();
    },
  };
}
