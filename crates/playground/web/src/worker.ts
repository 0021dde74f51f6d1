// The worker: one instance of the tool, one analysis. ../../src/exports.rs has the other side.

import type { Order, Report } from "./messages";

interface Tool {
  memory: WebAssembly.Memory;
  begin(): void;
  room(which: number, bytes: number): number;
  run(): number;
  result(which: number): number;
  result_bytes(which: number): number;
}

const MODULE = 0;
const WISH = 1;
const PAGE = 0;
const TEXT = 1;

// The types at hand are those of a page.
const scope = globalThis as unknown as {
  postMessage(report: Report): void;
  onmessage: ((event: MessageEvent<Order>) => void) | null;
};
const say = (report: Report): void => scope.postMessage(report);

let tool: Tool | undefined;
let reason: string | undefined;

// The memory moves when it grows: a view is good for one use.
function text(at: number, bytes: number): string {
  return tool ? new TextDecoder().decode(new Uint8Array(tool.memory.buffer, at >>> 0, bytes >>> 0)) : "";
}

function write(tool: Tool, which: number, bytes: Uint8Array): void {
  const at = tool.room(which, bytes.length) >>> 0;
  new Uint8Array(tool.memory.buffer, at, bytes.length).set(bytes);
}

const result = (tool: Tool, which: number): string => text(tool.result(which), tool.result_bytes(which));

const page = {
  now_ms: (): number => performance.now(),
  told: (at: number, bytes: number): void => say({ kind: "told", told: JSON.parse(text(at, bytes)) }),
  failed: (at: number, bytes: number): void => {
    reason = text(at, bytes);
  },
};

function obey(order: Order): void {
  if (order.kind === "begin") {
    tool = new WebAssembly.Instance(order.tool, { page }).exports as unknown as Tool;
    tool.begin();
    say({ kind: "ready", examples: JSON.parse(result(tool, TEXT)) });
    return;
  }
  if (!tool) return;
  write(tool, MODULE, new Uint8Array(order.module));
  write(tool, WISH, new TextEncoder().encode(JSON.stringify(order.wish)));
  if (tool.run()) say({ kind: "answer", page: result(tool, PAGE), document: result(tool, TEXT) });
  else say({ kind: "refused", ...JSON.parse(result(tool, TEXT)) });
}

scope.onmessage = (event): void => {
  try {
    obey(event.data);
  } catch (error) {
    // A trap or a full stack: nothing of the instance can be trusted any more.
    say({ kind: "broken", message: reason ?? String(error) });
  }
};
