// The tool as it lies in the page, and workers that run it.

import type { Known, Order, Report, Wish } from "./messages";

/** The source of the worker; the build puts it here. */
declare const WORKER: string;

let compiled: Promise<WebAssembly.Module> | undefined;

/** Takes the module out of the page. It was packed with gzip and written in base64. */
function unpack(): Promise<WebAssembly.Module> {
  compiled ??= (async () => {
    const packed = document.getElementById("tool")?.textContent?.trim() ?? "";
    if (!("DecompressionStream" in globalThis)) {
      throw new Error("This browser is too old: it has no DecompressionStream.");
    }
    const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  })();
  return compiled;
}

/** A worker for one analysis. */
export class Tool {
  private heard: (report: Report) => void = () => {};

  private constructor(
    private readonly worker: Worker,
    /** The examples that came with it. */
    readonly examples: Known[],
  ) {
    worker.onmessage = (event: MessageEvent<Report>) => this.heard(event.data);
    worker.onerror = (event) => this.heard({ kind: "broken", message: event.message });
  }

  /** Makes one that waits for its order. */
  static async start(): Promise<Tool> {
    const tool = await unpack();
    const address = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    const worker = new Worker(address);
    const examples = await new Promise<Known[]>((ready, fail) => {
      worker.onmessage = (event: MessageEvent<Report>) => {
        if (event.data.kind === "ready") ready(event.data.examples);
        else fail(new Error(event.data.kind === "broken" ? event.data.message : "no list of examples"));
      };
      worker.onerror = (event) => fail(new Error(event.message || "the worker does not start"));
      worker.postMessage({ kind: "begin", tool } satisfies Order);
    }).finally(() => URL.revokeObjectURL(address));
    return new Tool(worker, examples);
  }

  /** Gives it its order. */
  run(wish: Wish, module: ArrayBuffer, heard: (report: Report) => void): void {
    this.heard = heard;
    this.worker.postMessage({ kind: "run", wish, module } satisfies Order);
  }

  /** Ends it, whatever it does. */
  end(): void {
    this.heard = () => {};
    this.worker.terminate();
  }
}
