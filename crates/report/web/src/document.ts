// The analysis document, as crates/report/src/document.rs writes it.

/** A whole number; those beyond 2^53 are kept exact. */
export type Num = number | bigint;

export interface Analysis {
  schema: number;
  program: { module: string; entry: string };
  cost_model: string;
  learn_cost?: string;
  sizes: Size[];
  training: Size[];
  fit: Fit;
  policy: Policy | null;
  cost_independent_of_input: boolean | "not_found";
  findings: Finding[];
  cut_by?: string;
  parameters: { command: string[]; version: string; seed: Num };
  source?: SourceFile[];
  tree?: { n: Num; root: TreeNode };
  graphs?: Graph[];
  refuting?: { work: Num; runs: Num };
  /** The page has a check or a comparison alone, and knows no more than that says. */
  bare?: boolean;
  /** What the program was held to. */
  check?: Check;
  /** How it compares with another build. */
  diff?: Diff;
}

export type Verdict = "ok" | "inconclusive" | "worse";

export interface Check {
  verdict: Verdict;
  rules: { rule: string; verdict: Verdict; reason: string }[];
  change?: string | null;
  at?: { file: string; line: number } | null;
  /** The input that shows best that it is worse, in short. */
  witness?: { n: number; input: string } | null;
}

export interface DiffSide {
  class?: string | null;
  bound?: "exact" | "at_least";
  formula?: string | null;
  summary: string;
}

export interface Diff {
  verdict: Verdict;
  summary: string;
  old: DiffSide;
  new: DiffSide;
  sizes: { n: number; old: Num; new: Num | null; exact: boolean; verdict: Verdict }[];
  places: { at: string; old: Num; new: Num }[];
}

export interface Size {
  n: number;
  worst_cost: Num | null;
  random_cost: { mean: number; max: Num; samples: number } | null;
  instructions: { worst: Num; random_mean: number | null } | null;
  exact: boolean;
  /** Null above 2^53, or where they were not counted. */
  paths: Num | null;
  paths_exact: string | null;
  effort: { solver_calls: Num; states: Num; reuses: Num; seconds: number };
  method: string;
  input: Input | null;
  replayed: string | null;
  cut_by?: string;
  /** The input is too long for a page. */
  input_left_out?: boolean;
}

export interface Input {
  values: unknown;
  bytes: string;
  /** Bytes of each value, where the values give the bytes. */
  width?: number;
  /** The values with equal neighbours told once. */
  runs?: [unknown, number][];
  /** Whose the values are, in order, where a call has several arguments. */
  arguments?: { name: string; count: number; text?: boolean }[];
}

export interface Fit {
  class?: string | null;
  formula?: string | null;
  interpolates?: boolean;
  basis?: string;
  bound?: "exact" | "at_least";
  confidence?: string;
  holds_from?: number | null;
  /** Sizes at which inputs of another family cost more than the formula says. */
  missed_at?: number[];
  r2?: number | null;
  summary?: string;
  candidates?: Candidate[];
}

export interface Candidate {
  class: string;
  formula: string;
  error: number;
  r2?: number;
  residuals?: { n: number; value: number }[];
}

export interface Policy {
  kind: string;
  validated: boolean;
  validated_on: number[];
  trained_on: number[];
  sites: SitePolicy[];
  why?: string;
}

export interface SitePolicy {
  at: string;
  file?: string | null;
  line?: number | null;
  function: string;
  text?: string;
  advice: string;
  condition?: string;
  cases?: string[];
}

export interface Finding {
  kind: string;
  message: string;
  at?: string;
  n?: number;
  input?: Input;
  cause?: { operation: string; instruction?: string; at?: string; help: string };
}

export interface SourceFile {
  name: string;
  lines: string[];
  heat: { n: number; lines: [number, Num][] }[];
  /** What the heat counts. */
  counted?: string;
  /** The line on which the largest profiled input spends most, where it is of this file. */
  hottest?: { n: number; line: number; share: number };
}

export interface TreeNode {
  label: string;
  /** What the values of the input meet on the way here. */
  condition?: string;
  /** The values of an input that ends here. */
  input?: string;
  cost?: Num;
  worst?: boolean;
  children?: [string, TreeNode][];
}

export interface Graph {
  function: string;
  n?: number;
  nodes: GraphNode[];
  edges: GraphEdge[];
  omitted?: number;
}

export interface GraphNode {
  id: number;
  label: string;
  text?: string;
  role?: string;
  visits?: Num;
  inner?: string[];
}

export interface GraphEdge {
  from: number;
  to: number;
  label?: string;
  condition?: string;
  policy?: EdgePolicy;
}

export type EdgePolicy = "always" | "either" | "depends" | "if-forced" | "never";

/** Reads the data of the page. Whole numbers that a double cannot hold become bigints. */
export function read(text: string): Analysis | null {
  type Context = { source?: string };
  const exact = (_key: string, value: unknown, context?: Context): unknown => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    const source = context?.source;
    return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
  };
  const page = JSON.parse(text, exact as (key: string, value: unknown) => unknown) as Analysis | null;
  for (const size of [...(page?.sizes ?? []), ...(page?.training ?? [])]) if (size.input) expand(size.input);
  for (const found of page?.findings ?? []) if (found.input) expand(found.input);
  return page;
}

/** Writes out what the page told in short. */
function expand(input: Input): void {
  if (input.runs) input.values = input.runs.flatMap(([value, count]) => Array.from({ length: count }, () => value));
}

/** Every size that was run, in order, each once. */
export function bySize(analysis: Analysis): Size[] {
  const asked = new Set(analysis.sizes.map((s) => s.n));
  const all = [...analysis.sizes, ...analysis.training.filter((t) => !asked.has(t.n))];
  return all.sort((a, b) => a.n - b.n);
}
