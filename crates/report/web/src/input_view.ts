// The worst inputs: as a picture, as values, to copy and to take away.

import { bySize, type Analysis, type Input, type Size } from "./document";
import { choice, copyButton, downloadButton, fileStem, h, number, section, svg } from "./dom";

/** Bars beyond which several values share one: more than pixels show nothing more. */
const MOST_BARS = 2000;

/** Values shown before the rest is asked for. */
const SHOWN = 400;

export function inputView(analysis: Analysis): HTMLElement | null {
  const rows = bySize(analysis).filter((s) => s.input !== null);
  const last = rows.at(-1);
  if (!last) return null;
  const box = h("div");
  const show = (size: Size): void => box.replaceChildren(...view(analysis, size));
  show(last);
  const options = rows.map((s) => ({ value: String(s.n), text: String(s.n) }));
  const pick = choice("Worst input at n =", options, String(last.n), (v) => {
    const size = rows.find((s) => String(s.n) === v);
    if (size) show(size);
  });
  return section("inputs", "Worst inputs", h("div", { class: "controls" }, pick), box);
}

function view(analysis: Analysis, size: Size): Node[] {
  const input = size.input;
  if (!input) return [];
  const values = Array.isArray(input.values) ? (input.values as unknown[]) : [input.values];
  const raw = bytes(input);
  const stem = `${fileStem(analysis.program.module)}-n${size.n}${size.worst_cost === null ? "" : `-cost${size.worst_cost}`}`;
  const list = `[${values.map(String).join(", ")}]`;
  const replayed = size.replayed === "no: too long" ? "too many for the independent engine" : size.replayed ? "run again in an independent engine" : "not confirmed by the independent engine";
  const facts = h("p", { class: "note" }, `Cost ${number(size.worst_cost)}, ${number(size.instructions?.worst)} instructions, ${replayed}.`);
  const actions = h(
    "div",
    { class: "controls", role: "group", "aria-label": "Take the input away" },
    copyButton("Copy values", () => list),
    copyButton("Copy hex", () => [...raw].map((b) => b.toString(16).padStart(2, "0")).join("")),
    downloadButton("Download bytes", `${stem}.bin`, () => raw as BlobPart),
    downloadButton("Download JSON", `${stem}.json`, () => `${list}\n`),
  );
  const text = asText(values, raw);
  const out: Node[] = [facts, actions];
  const picture = bars(values, size.n);
  if (picture && text === null) out.push(picture);
  if (text !== null) out.push(h("pre", { class: "values text", tabindex: 0, "aria-label": "Input as text" }, text));
  out.push(valueList(values));
  return out;
}

function valueList(values: unknown[]): HTMLElement {
  const shown = h("span", {}, values.slice(0, SHOWN).map(String).join(", "));
  const out = h("pre", { class: "values", tabindex: 0, "aria-label": "Values of the input" }, shown);
  const rest = values.length - SHOWN;
  if (rest > 0) {
    const more = h("button", { type: "button" }, `and ${number(rest)} more`);
    more.addEventListener("click", () => {
      shown.textContent = values.map(String).join(", ");
      more.remove();
    });
    out.append(" ", more);
  }
  return out;
}

/** One bar per value. One path for all of them, which stretches with the page. */
function bars(values: unknown[], n: number): HTMLElement | null {
  if (values.length < 2) return null;
  const whole = values.every((v) => typeof v === "bigint" || (typeof v === "number" && Number.isInteger(v)));
  const finite = values.every((v) => typeof v === "bigint" || (typeof v === "number" && Number.isFinite(v)));
  if (!finite) return null;
  const share = Math.ceil(values.length / MOST_BARS);
  const shown = share === 1 ? values : values.filter((_, i) => i % share === 0);
  const { heights, zero, note } = whole ? wholeHeights(shown as (number | bigint)[]) : scaled(shown as number[]);
  let path = "";
  heights.forEach((y, i) => (path += `M${i + 0.08},${zero}H${i + 0.92}V${y}H${i + 0.08}Z`));
  const label = `Bars of the ${values.length} values of the worst input at n = ${n}, from first to last. ${trend(values)}`;
  const picture = svg(
    "svg",
    { class: "bars", viewBox: `0 0 ${heights.length} 100`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    svg("path", { d: path }),
  );
  return h("figure", {}, picture, h("figcaption", { class: "note" }, `${trend(values)} ${note} ${share === 1 ? "" : `One bar for every ${share} values.`}`.trim()));
}

interface Heights {
  heights: number[];
  zero: number;
  note: string;
}

/** Differences first, doubles after: values near 2^63 keep their order. */
function wholeHeights(values: (number | bigint)[]): Heights {
  const all = values.map((v) => BigInt(v));
  const low = all.reduce((a, b) => (b < a ? b : a));
  const high = all.reduce((a, b) => (b > a ? b : a));
  const far = low > 0n && (high - low) * 4n < high;
  if (!far) return scaled(values.map(Number));
  const { heights, zero } = scaled(all.map((v) => Number(v - low) + Math.max(1, Number(high - low) * 0.05)));
  return { heights, zero, note: `Bars begin just below ${low.toLocaleString("en-US")}.` };
}

function scaled(values: number[]): Heights {
  const low = values.reduce((a, b) => Math.min(a, b), 0);
  const high = values.reduce((a, b) => Math.max(a, b), 0);
  const span = high - low || 1;
  const y = (v: number): number => 100 - ((v - low) / span) * 100;
  // A zero is a value too: it keeps a sliver.
  const heights = values.map((v) => (v === 0 ? y(0) - 0.8 : y(v)));
  return { heights: heights.map((x) => Math.round(x * 100) / 100), zero: Math.round(y(0) * 100) / 100, note: "" };
}

function trend(values: unknown[]): string {
  const pairs = values.slice(1).map((v, i) => [values[i] as number, v as number] as const);
  if (pairs.every(([a, b]) => a === b)) return "All values are equal.";
  if (pairs.every(([a, b]) => a > b)) return "Strictly decreasing.";
  if (pairs.every(([a, b]) => a < b)) return "Strictly increasing.";
  if (pairs.every(([a, b]) => a >= b)) return "Decreasing, with equal values.";
  if (pairs.every(([a, b]) => a <= b)) return "Increasing, with equal values.";
  return "";
}

export function bytes(input: Input): Uint8Array {
  try {
    return Uint8Array.from(atob(input.bytes), (c) => c.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Bytes that are mostly printable, as a string with escapes. */
function asText(values: unknown[], raw: Uint8Array): string | null {
  if (raw.length !== values.length || raw.length < 2) return null;
  const printable = raw.filter((b) => b >= 0x20 && b < 0x7f).length;
  if (printable * 4 < raw.length * 3) return null;
  const shown = [...raw].map((b) => {
    if (b === 0x22 || b === 0x5c) return `\\${String.fromCharCode(b)}`;
    return b >= 0x20 && b < 0x7f ? String.fromCharCode(b) : `\\x${b.toString(16).padStart(2, "0")}`;
  });
  return `"${shown.join("")}"`;
}
