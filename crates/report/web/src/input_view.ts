// The worst inputs: as a picture, as values, to copy and to take away.

import { bySize, type Analysis, type Input, type Size } from "./document";
import { choice, copyButton, downloadButton, fileStem, h, number, section, sizes, svg } from "./dom";

/** Bars beyond which several values share one: more than pixels show nothing more. */
const MOST_BARS = 2000;

/** Values shown before the rest is asked for. */
const SHOWN = 400;

export function inputView(analysis: Analysis): HTMLElement | null {
  const rows = bySize(analysis).filter((s) => s.input);
  const left = bySize(analysis).filter((s) => s.input_left_out).map((s) => s.n);
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
  const missing = left.length ? h("p", { class: "note" }, `Those of n = ${sizes(left)} are too long for this page; --inputs DIR writes them.`) : null;
  return section("inputs", "Worst inputs", h("div", { class: "controls" }, pick), box, missing);
}

function view(analysis: Analysis, size: Size): Node[] {
  const input = size.input;
  if (!input) return [];
  const values = Array.isArray(input.values) ? (input.values as unknown[]) : [input.values];
  const raw = bytes(input);
  const stem = `${fileStem(analysis.program.module)}-n${size.n}${size.worst_cost === null ? "" : `-cost${size.worst_cost}`}`;
  const list = `[${values.map(String).join(", ")}]`;
  const replayed = size.replayed === "no: too long" ? "too many for the independent engine" : size.replayed === "no: out of time" ? "not run again in an independent engine, as the time was over" : size.replayed ? "run again in an independent engine" : "not confirmed by the independent engine";
  const known = [
    `Cost ${number(size.worst_cost)}`,
    size.instructions ? `${number(size.instructions.worst)} instructions` : "",
    size.replayed || !analysis.bare ? replayed : "",
  ];
  const facts = h("p", { class: "note" }, `${known.filter(Boolean).join(", ")}.`);
  const actions = h(
    "div",
    { class: "controls", role: "group", "aria-label": "Take the input away" },
    copyButton("Copy values", () => list),
    copyButton("Copy hex", () => [...raw].map((b) => b.toString(16).padStart(2, "0")).join("")),
    downloadButton("Download bytes", `${stem}.bin`, () => raw as BlobPart),
    downloadButton("Download JSON", `${stem}.json`, () => `${list}\n`),
  );
  const out: Node[] = [facts, actions];
  if (input.arguments) return [...out, ...byArgument(input.arguments, values, size.n)];
  const text = asText(values, raw);
  const picture = bars(values, size.n);
  if (picture && text === null) out.push(picture);
  if (text !== null) out.push(runs(text), h("pre", { class: "values text", tabindex: 0, "aria-label": "Input as text" }, `"${text.join("")}"`));
  out.push(valueList(values));
  return out;
}

/** Each argument by its name. */
function byArgument(all: NonNullable<Input["arguments"]>, values: unknown[], n: number): Node[] {
  let at = 0;
  return all.flatMap(({ name, count, text }) => {
    const own = values.slice(at, (at += count));
    const title = h("h3", {}, h("code", {}, name));
    if (!text) return own.length === 1 ? [title, valueList(own)] : [title, ...[bars(own, n)].filter((b) => b !== null), valueList(own)];
    const shown = escaped(own.map((v) => Number(v) & 0xff));
    return [title, runs(shown), h("pre", { class: "values text", tabindex: 0, "aria-label": `${name} as text` }, `"${shown.join("")}"`)];
  });
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
  if (isSkewed(all, low, high)) return ranks(all);
  const far = low > 0n && (high - low) * 4n < high;
  if (!far) return scaled(values.map(Number));
  const { heights, zero } = scaled(all.map((v) => Number(v - low) + Math.max(1, Number(high - low) * 0.05)));
  return { heights, zero, note: `Bars begin just below ${low.toLocaleString("en-US")}.` };
}

/** Whether a few values are so far from the others that these would all look the same. */
function isSkewed(all: bigint[], low: bigint, high: bigint): boolean {
  const ordered = [...all].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [from, to] = [ordered[Math.floor(all.length / 10)] ?? low, ordered[Math.ceil((all.length * 9) / 10) - 1] ?? high];
  return new Set(ordered).size > 3 && (to - from) * 50n < high - low;
}

/** Heights by the order of the values: the smallest is lowest, equal ones are equal. */
function ranks(all: bigint[]): Heights {
  const ordered = [...new Set(all)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const place = new Map(ordered.map((value, i) => [value, i + 1]));
  const { heights, zero } = scaled(all.map((value) => place.get(value) ?? 0));
  return { heights, zero, note: "Heights show the order of the values, not how large they are." };
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
  const width = input.width;
  if (width && Array.isArray(input.values)) {
    const out = new Uint8Array(width * input.values.length);
    (input.values as (number | bigint)[]).forEach((value, i) => {
      let rest = BigInt.asUintN(64, BigInt(value));
      for (let at = 0; at < width; at++, rest >>= 8n) out[i * width + at] = Number(rest & 255n);
    });
    return out;
  }
  try {
    return Uint8Array.from(atob(input.bytes), (c) => c.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Text with what is repeated in it told once: `"(" ×50`. */
function runs(text: string[]): HTMLElement {
  const out = h("p", { class: "runs", role: "img", "aria-label": "The input with its repetitions counted" });
  for (const { part, count } of repeated(text)) {
    out.append(h("span", { class: count > 1 ? "run many" : "run" }, h("code", {}, part.join("")), count > 1 ? h("b", {}, ` ×${number(count)}`) : null), " ");
  }
  return out;
}

/** The characters as parts of at most eight that are repeated, and what lies between. */
function repeated(text: string[]): { part: string[]; count: number }[] {
  const out: { part: string[]; count: number }[] = [];
  let plain: string[] = [];
  for (let at = 0; at < text.length; ) {
    let best = { length: 1, count: 1 };
    for (let length = 1; length <= 8; length++) {
      let count = 1;
      while (same(text, at, at + count * length, length)) count++;
      if (count > 1 && count * length > Math.max(3, best.count * best.length)) best = { length, count };
    }
    if (best.count === 1) {
      plain.push(text[at++] ?? "");
      continue;
    }
    if (plain.length) out.push({ part: plain, count: 1 });
    plain = [];
    out.push({ part: text.slice(at, at + best.length), count: best.count });
    at += best.length * best.count;
  }
  if (plain.length) out.push({ part: plain, count: 1 });
  return out;
}

function same(text: string[], a: number, b: number, length: number): boolean {
  if (b + length > text.length) return false;
  for (let i = 0; i < length; i++) if (text[a + i] !== text[b + i]) return false;
  return true;
}

/** Bytes that are mostly printable, as characters with escapes. */
function asText(values: unknown[], raw: Uint8Array): string[] | null {
  if (raw.length !== values.length || raw.length < 2) return null;
  const printable = raw.filter((b) => b >= 0x20 && b < 0x7f).length;
  if (printable * 4 < raw.length * 3) return null;
  return escaped([...raw]);
}

/** Bytes as characters, with escapes. */
function escaped(raw: number[]): string[] {
  return raw.map((b) => {
    if (b === 0x22 || b === 0x5c) return `\\${String.fromCharCode(b)}`;
    return b >= 0x20 && b < 0x7f ? String.fromCharCode(b) : `\\x${b.toString(16).padStart(2, "0")}`;
  });
}
