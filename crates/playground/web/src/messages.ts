// What page and worker say to each other. `Wish`, `Told`, `Way` and `Known` mirror ../../src/job.rs.

export type Way = { call: string } | { target: string } | "stdin" | "argv";

export interface Wish {
  example?: string;
  name?: string;
  way?: Way;
  cost?: string;
  sizes?: number[];
  seconds: number;
  grace: number;
  effort?: number;
  memory?: number;
}

export interface Known {
  name: string;
  about: string;
  call: string;
}

export type Told =
  | { stage: "training" | "proving" | "generating"; n: number }
  | { stage: "answer"; n: number; paths: string | null; worst: string | null; exact: boolean; class: string | null }
  | { stage: "learned"; kind: string; validated: boolean }
  | { stage: "learning" | "confirming" | "drawing" };

/** To the worker: first the module it is to run, then what it is to do. */
export type Order = { kind: "begin"; tool: WebAssembly.Module } | { kind: "run"; wish: Wish; module: ArrayBuffer };

/** From the worker. After an answer, a refusal or a break it is done. */
export type Report =
  | { kind: "ready"; examples: Known[] }
  | { kind: "told"; told: Told }
  | { kind: "answer"; page: string; document: string }
  | { kind: "refused"; message: string; ways: Way[] }
  | { kind: "broken"; message: string };
