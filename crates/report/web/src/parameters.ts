// What the run was called with, so that it can be repeated.

import type { Analysis } from "./document";
import { copyButton, downloadButton, fileStem, h, section } from "./dom";

export function parameters(analysis: Analysis, source: string): HTMLElement {
  const { command, version, seed } = analysis.parameters;
  const line = command.map(word).join(" ");
  const facts = h("dl", { class: "parameters" });
  const fact = (name: string, value: string): void => {
    facts.append(h("dt", {}, name), h("dd", {}, h("code", {}, value)));
  };
  fact("module", analysis.program.module);
  fact("entry", analysis.program.entry);
  fact("cost model", analysis.cost_model);
  if (analysis.learn_cost) fact("learned from", analysis.learn_cost);
  fact("seed", String(seed));
  fact("pessimum", version || "unknown");
  return section(
    "run",
    "Repeat this run",
    line ? h("pre", { class: "command", tabindex: 0, "aria-label": "Command line" }, line) : null,
    h(
      "div",
      { class: "controls" },
      line ? copyButton("Copy command", () => line) : null,
      downloadButton("Download result", `${fileStem(analysis.program.module)}.json`, () => source),
    ),
    facts,
  );
}

/** A word as a POSIX shell reads it. */
function word(text: string): string {
  return /^[A-Za-z0-9\-_./=:,+@%^]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
