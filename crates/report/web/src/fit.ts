// Where a formula holds: at which of the sizes that were run it is the worst cost found, and at which it is not.

import { bySize, type Analysis, type Candidate } from "./document";
import { number, sizes } from "./dom";
import { parse } from "./formula";

export interface Holds {
  /** The first size it holds for, where smaller ones do not follow it. */
  from: number | null;
  /** Sizes at which the worst cost found is another one. */
  missed: number[];
}

/** Where a formula that is said to be exact holds. */
export function holds(analysis: Analysis, text: string): Holds {
  const { fit } = analysis;
  const own = text === fit.formula;
  const known = bySize(analysis).filter((s) => s.worst_cost !== null);
  const curve = parse(text);
  const differs = (n: number, cost: number): boolean => curve !== null && Math.abs(curve(n) - cost) > Math.max(0.5, cost * 1e-9);
  // Of the formula of the answer it is said; of others it is looked up.
  const missed = own ? (fit.missed_at ?? []) : known.filter((s) => differs(s.n, Number(s.worst_cost))).map((s) => s.n);
  const from = own && fit.holds_from != null ? fit.holds_from : first(known.map((s) => s.n), missed);
  return { from, missed };
}

/** The first size that is met, where those that are not all lie below it. */
function first(all: number[], missed: number[]): number | null {
  const met = all.find((n) => !missed.includes(n));
  return met === undefined || !missed.length || missed.some((n) => n > met) ? null : met;
}

/** What a curve of the plot is worth, in words. */
export function worth(analysis: Analysis, candidate: Candidate): string {
  if (candidate.error !== 0) return `off by ${percent(candidate.error)}`;
  const { from, missed } = holds(analysis, candidate.formula);
  const later = missed.filter((n) => from === null || n > from);
  const start = from === null ? "" : ` from n = ${number(from)} on`;
  const but = later.length ? ` but n = ${sizes(later)}` : "";
  const others = othersCostMore(analysis, candidate.formula);
  return others ? `met by one family of inputs${start}; ${others}` : `meets every size${start}${but}`;
}

/** That a formula is of one family of inputs, and where others cost more; empty where it is not so. */
export function othersCostMore(analysis: Analysis, text: string): string {
  const { fit } = analysis;
  const missed = text === fit.formula && fit.bound === "at_least" ? (fit.missed_at ?? []) : [];
  return missed.length ? `others cost more at n = ${sizes(missed)}` : "";
}

function percent(share: number): string {
  return share < 10 ? `${number(100 * share, share < 0.1 ? 1 : 0)} %` : "over 1,000 %";
}
