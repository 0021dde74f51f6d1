// Small tools to make elements, show numbers and hand out text.

import type { Num } from "./document";

type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | EventListener | undefined>;

function fill<E extends Element>(element: E, props: Props, children: Child[]): E {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** An HTML element; a function among the properties is a listener. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), props, children);
}

/** An SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

/** A section of the page. */
export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  const heading = h("h2", { id: `${id}-title` }, title);
  return h("section", { id, "aria-labelledby": `${id}-title` }, heading, ...children);
}

/** A part that scrolls sideways by itself, also by keyboard. */
export function scroller(label: string, ...children: Child[]): HTMLElement {
  return h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": label }, ...children);
}


/** A labelled choice among numbers or names. */
export function choice(
  label: string,
  options: { value: string; text: string }[],
  selected: string,
  change: (value: string) => void,
): HTMLElement {
  const select = h("select", { change: () => change(select.value) });
  for (const { value, text } of options) {
    select.append(h("option", { value, selected: value === selected }, text));
  }
  return h("label", { class: "choice" }, h("span", {}, label), select);
}

/** A checkbox with its label. */
export function toggle(label: Child, checked: boolean, change: (on: boolean) => void): HTMLElement {
  const box = h("input", { type: "checkbox", checked, change: () => change(box.checked) });
  return h("label", { class: "toggle" }, box, label);
}

export function button(text: string, click: () => void, label?: string): HTMLButtonElement {
  return h("button", { type: "button", click, "aria-label": label }, text);
}

/** A button that copies text and says so. */
export function copyButton(text: string, content: () => string): HTMLButtonElement {
  const made = button(text, () => {
    void copy(content()).then((done) => {
      made.textContent = done ? "Copied" : "Not copied";
      setTimeout(() => (made.textContent = text), 1500);
    });
  });
  made.setAttribute("aria-live", "polite");
  return made;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page opened from a file may have no clipboard; the old way still works there.
    const area = h("textarea", { class: "hidden", "aria-hidden": "true" }, text);
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

export function downloadButton(text: string, name: string, content: () => BlobPart): HTMLButtonElement {
  return button(text, () => {
    const address = URL.createObjectURL(new Blob([content()], { type: "application/octet-stream" }));
    h("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }, `${text} as ${name}`);
}

/** `1,234,567`, or at most so many decimals. */
export function number(value: Num | null | undefined, decimals: 0 | 1 = 0): string {
  if (value === null || value === undefined) return "–";
  return value.toLocaleString("en-US", { maximumFractionDigits: decimals });
}

export function seconds(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}

/** Sizes as ranges where they follow each other: `1–6, 10, 30`. */
export function sizes(all: number[]): string {
  const out: string[] = [];
  for (let i = 0; i < all.length; ) {
    let end = i;
    while (end + 1 < all.length && all[end + 1] === (all[end] ?? 0) + 1) end++;
    if (end - i >= 2) out.push(`${all[i]}–${all[end]}`);
    else for (let j = i; j <= end; j++) out.push(String(all[j]));
    i = end + 1;
  }
  return out.join(", ");
}

/** A class or formula with its exponents raised: `n^2` as n². */
export function formula(text: string): HTMLElement {
  const out = h("span", { class: "formula" });
  const parts = text.replaceAll("*", "·").split(/\^(\w+\((?:[^()]|\([^()]*\))*\)|\w+(?:\.\d+)?|\([^)]*\))/);
  parts.forEach((part, i) => out.append(i % 2 === 1 ? h("sup", {}, part) : part));
  return out;
}

/** A name that is safe as part of a file's name. */
export function fileStem(text: string): string {
  const name = (text.split(/[/\\]/).pop() ?? "").replace(/\.wasm$/, "").replace(/[^A-Za-z0-9_-]/g, "_");
  return name || "program";
}
