// Cost against size: what was found, what random inputs cost, and every curve that was fitted.

import uPlot from "uplot";
import { bySize, type Analysis, type Candidate } from "./document";
import { button, formula, h, number, section, toggle } from "./dom";
import { worth } from "./fit";
import { parse } from "./formula";
import { written } from "./summary";
import { color, onThemeChange } from "./theme";

interface Series {
  name: string;
  note: string;
  color: string;
  dash?: number[];
  points: boolean;
  shown: boolean;
  at: (n: number) => number | null;
  /** Whether it is known between the sizes that were run. */
  dense: boolean;
  /** Whether its points are joined. */
  joined: boolean;
}

/** Between sizes nothing was run: a smooth line guides the eye without corners that mean nothing. */
const smooth = uPlot.paths.spline?.();

/** Steps between sizes at which a formula is drawn. */
const STEPS = 240;

/** Distances between ticks: sizes are whole numbers. */
const WHOLE = Array.from({ length: 10 }, (_, i) => [1, 2, 5].map((d) => d * 10 ** i)).flat();

/** How far a printed formula, whose numbers are rounded, may miss the fitted curve. */
const ROUNDING = 0.03;

export function costPlot(analysis: Analysis): HTMLElement {
  const rows = bySize(analysis).filter((s) => s.worst_cost !== null || s.random_cost !== null);
  const sizes = rows.map((s) => s.n);
  const series = allSeries(analysis, sizes);
  // What matters most is listed first and drawn last, on top.
  const drawn = [...series].reverse();
  const box = h("div", { class: "plot", role: "img", "aria-label": describe(analysis) });
  const readout = h("p", { class: "readout" });
  const rest = "Drag to zoom, double-click to see all. The table below has every number.";
  let log = logarithmic(analysis, sizes);
  let plot: uPlot | null = null;

  function draw(keepZoom = false): void {
    const { min, max } = (keepZoom ? plot?.scales["x"] : undefined) ?? {};
    plot?.destroy();
    box.textContent = "";
    const xs = grid(sizes, log.n);
    const keep = (v: number | null): number | null =>
      v === null || !Number.isFinite(v) || (log.cost && v <= 0) ? null : v;
    const known = new Set(sizes);
    const data: uPlot.AlignedData = [
      xs,
      ...drawn.map((s) => xs.map((n) => (s.dense || known.has(n) ? keep(s.at(n)) : null))),
    ];
    const axis = {
      stroke: () => color("faint"),
      grid: { stroke: () => color("line"), width: 1 },
      ticks: { stroke: () => color("line"), width: 1 },
      font: "12px system-ui, sans-serif",
    };
    plot = new uPlot(
      {
        width: box.clientWidth || 600,
        height: height(),
        legend: { show: false },
        cursor: { drag: { x: true, y: true, uni: 24 }, points: { size: 7 } },
        scales: {
          x: { time: false, distr: log.n ? 3 : 1 },
          y: { distr: log.cost ? 3 : 1, range: log.cost ? undefined : (_u, min, max) => [Math.min(0, min), max * 1.05 || 1] },
        },
        axes: [
          { ...axis, label: "n, the size of the input", labelSize: 20, labelFont: axis.font, size: 36, incrs: log.n ? undefined : WHOLE },
          { ...axis, label: `cost (${analysis.cost_model})`, labelSize: 20, labelFont: axis.font, size: axisWidth, values: (_u, ticks) => ticks.map((v) => (v === null ? "" : short(v))) },
        ],
        series: [
          {},
          ...drawn.map(
            (s): uPlot.Series => ({
              label: s.name,
              show: s.shown,
              stroke: () => color(s.color),
              width: s.points ? 2 : 1.5,
              dash: s.dash,
              spanGaps: true,
              paths: !s.joined ? () => null : s.dense ? undefined : smooth,
              points: s.points ? { show: true, size: 7, fill: () => color(s.color), filter: pointsOf(sizes, xs) } : { show: false },
            }),
          ),
        ],
        hooks: { setCursor: [(u) => read(u, xs)] },
      },
      data,
      box,
    );
    if (min != null && max != null) plot.setScale("x", { min, max });
  }

  function read(u: uPlot, xs: number[]): void {
    const index = u.cursor.idx;
    const n = index == null ? undefined : xs[index];
    const near = n === undefined ? undefined : nearest(sizes, n);
    if (near === undefined) {
      readout.textContent = rest;
      return;
    }
    const parts = series
      .filter((s) => s.shown)
      .map((s) => ({ s, v: s.at(near) }))
      .filter(({ v }) => v !== null)
      .map(({ s, v }) => `${s.name} ${number(v, v !== null && v < 1000 ? 1 : 0)}`);
    readout.textContent = `n = ${near}: ${parts.join(", ")}`;
  }

  function zoom(factor: number): void {
    const x = plot?.scales["x"];
    if (!plot || x?.min == null || x.max == null) return;
    // A logarithmic axis is rounded up beyond the last size.
    const end = Math.min(sizes.at(-1) ?? x.max, x.max);
    const wanted = log.n ? x.min * (end / x.min) ** factor : x.min + (end - x.min) * factor;
    const max = Math.min(sizes.at(-1) ?? wanted, wanted);
    if (max - x.min >= 0.5) plot.setScale("x", { min: x.min, max });
  }

  const toggles = h("fieldset", { class: "series" }, h("legend", {}, "Curves"), h("p", { class: "note" }, "Off by: the mean miss at a size, as a part of its cost."));
  series.forEach((s, i) => {
    const swatch = h("span", { class: !s.joined ? "swatch dot" : s.dash ? "swatch dashed" : "swatch", style: `--c: var(--${s.color})` });
    const text = h("span", {}, formula(s.name), s.note ? h("small", {}, s.note) : null);
    const made = toggle(h("span", { class: "curve" }, swatch, text), s.shown, (on) => {
      s.shown = on;
      plot?.setSeries(series.length - i, { show: on });
    });
    toggles.append(made);
  });

  const axes = h(
    "div",
    { class: "controls", role: "group", "aria-label": "Axes and zoom" },
    toggle("log n", log.n, (on) => {
      log = { ...log, n: on };
      draw();
    }),
    toggle("log cost", log.cost, (on) => {
      log = { ...log, cost: on };
      draw(true);
    }),
    button("Zoom in", () => zoom(0.5), "Zoom in to smaller sizes"),
    button("Zoom out", () => zoom(2)),
    button("All", () => plot?.setData(plot.data), "Show all sizes"),
  );
  readout.textContent = rest;
  const slope = h("p", { class: "note" }, "On logarithmic axes a cost of n^k is a straight line of slope k: n² climbs two powers of ten for each power of ten of n.");
  onThemeChange(() => plot?.redraw());
  const resize = new ResizeObserver(() => {
    if (plot && box.clientWidth && (box.clientWidth !== plot.width || height() !== plot.height)) {
      plot.setSize({ width: box.clientWidth, height: height() });
    }
  });
  requestAnimationFrame(() => {
    draw();
    resize.observe(box);
  });
  return section("cost", "Cost against size", h("div", { class: "plot-row" }, h("div", { class: "plot-main" }, axes, box, readout, log.n && log.cost ? slope : null), toggles));
}

function allSeries(analysis: Analysis, sizes: number[]): Series[] {
  const rows = new Map(bySize(analysis).map((s) => [s.n, s]));
  const worst = (n: number): number | null => {
    const cost = rows.get(n)?.worst_cost;
    return cost === null || cost === undefined ? null : Number(cost);
  };
  const out: Series[] = [
    // An exact formula joins the points better than any line drawn by eye.
    { name: "worst", note: analysis.cost_model, color: "worst", points: true, shown: true, at: worst, dense: false, joined: analysis.fit.confidence !== "exact" },
  ];
  if ([...rows.values()].some((s) => s.random_cost)) {
    const mean = (n: number): number | null => rows.get(n)?.random_cost?.mean ?? null;
    const max = (n: number): number | null => {
      const found = rows.get(n)?.random_cost?.max;
      return found === undefined ? null : Number(found);
    };
    out.push({ name: "random, mean", note: "", color: "random", points: true, shown: true, at: mean, dense: false, joined: true });
    out.push({ name: "random, greatest", note: "", color: "random", dash: [3, 4], points: false, shown: false, at: max, dense: false, joined: true });
  }
  const before = new Map((analysis.diff?.sizes ?? []).map((s) => [s.n, Number(s.old)]));
  if (before.size) {
    const at = (n: number): number | null => before.get(n) ?? null;
    out.push({ name: "before", note: "the other build", color: "curve-1", points: true, shown: true, at, dense: false, joined: true });
  }
  // An exact rule may come back as the regression's best formula: one curve is enough.
  const all = analysis.fit.candidates ?? [];
  const once = all.filter((c, i) => all.findIndex((other) => other.formula === c.formula) === i);
  // Another rule that is met as well says the same of these sizes in more numbers, and one that is off by tens says nothing.
  const told = once.filter((c, i) => i === 0 || (c.error < FAR && (c.error !== 0 || once[0]?.error !== 0)));
  told.forEach((candidate, i) => {
    const best = i === 0 && Boolean(analysis.fit.class);
    const { at, dense } = curve(candidate, worst, sizes);
    out.push({
      name: candidate.formula,
      note: `${written(candidate.class)}: ${worth(analysis, candidate)}`,
      color: `curve-${i % 6}`,
      dash: best ? [8, 4] : [4, 4],
      points: false,
      shown: best,
      at,
      dense,
      joined: true,
    });
  });
  return out;
}

/** A curve that is off by so many times the costs is not drawn. */
const FAR = 10;

/** A cost that doubles with every step is a line on a logarithmic axis; one that grows as a power, on two. */
function logarithmic(analysis: Analysis, sizes: number[]): { n: boolean; cost: boolean } {
  const name = analysis.fit.class ?? "";
  const power = /^(sqrt\(n\)|n(\^[\d.]+)?(\*log\(n\))?)$/.test(name) && (sizes.at(-1) ?? 0) >= 8;
  return { n: power, cost: power || /\^n$|!$/.test(name) };
}

/** A candidate's curve: its formula where that can be evaluated, else its values at the sizes. */
function curve(
  candidate: Candidate,
  worst: (n: number) => number | null,
  sizes: number[],
): { at: (n: number) => number | null; dense: boolean } {
  const residuals = new Map((candidate.residuals ?? []).map((r) => [r.n, r.value]));
  const sampled = (n: number): number | null => {
    const cost = worst(n);
    const residual = residuals.get(n);
    return cost === null || residual === undefined ? null : cost + residual;
  };
  const parsed = parse(candidate.formula);
  const agrees =
    parsed !== null &&
    sizes.every((n) => {
      const expected = sampled(n);
      return expected === null || Math.abs(parsed(n) - expected) <= ROUNDING * Math.max(1, Math.abs(expected));
    });
  return parsed && agrees ? { at: parsed, dense: true } : { at: sampled, dense: false };
}

/** The sizes, and steps between them for curves that are known there. */
function grid(sizes: number[], log: boolean): number[] {
  const usable = log ? sizes.filter((n) => n > 0) : sizes;
  const [low, high] = [usable[0], usable.at(-1)];
  if (low === undefined || high === undefined) return [];
  const all = new Set(usable);
  for (let i = 1; i < STEPS && high > low; i++) {
    const t = i / STEPS;
    all.add(log ? low * (high / low) ** t : low + (high - low) * t);
  }
  return [...all].sort((a, b) => a - b);
}

/** Points are drawn only where something was run. */
function pointsOf(sizes: number[], xs: number[]): uPlot.Series.Points.Filter {
  const known = new Set(sizes);
  const indices = xs.flatMap((n, i) => (known.has(n) ? [i] : []));
  return () => indices;
}

function nearest(sizes: number[], n: number): number | undefined {
  let best: number | undefined;
  for (const size of sizes) if (best === undefined || Math.abs(size - n) < Math.abs(best - n)) best = size;
  return best;
}

function height(): number {
  return window.innerWidth < 600 ? 260 : 380;
}

function axisWidth(_u: uPlot, values: string[] | null): number {
  return 18 + 7 * Math.max(2, ...(values ?? []).map((v) => (v ?? "").length));
}

function short(value: number): string {
  return value.toLocaleString("en-US", { notation: "compact", maximumFractionDigits: 2 });
}

function describe(analysis: Analysis): string {
  const rows = bySize(analysis);
  const last = [...rows].reverse().find((s) => s.worst_cost !== null);
  const growth = analysis.fit.summary ?? "no class";
  return `Plot of cost against size. ${growth}. ${last ? `At n = ${last.n} the worst cost is ${number(last.worst_cost)}.` : ""}`;
}
