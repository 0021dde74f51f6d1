// What was noticed on the way.

import type { Analysis } from "./document";
import { downloadButton, fileStem, h, section } from "./dom";
import { bytes } from "./input_view";

export function findings(analysis: Analysis): HTMLElement | null {
  if (!analysis.findings.length) return null;
  const items = analysis.findings.map((found) => {
    const place = [found.at, found.n === undefined ? null : `n = ${found.n}`].filter(Boolean).join(", ");
    const input = found.input;
    const name = `${fileStem(analysis.program.module)}-${found.kind}${found.n === undefined ? "" : `-n${found.n}`}.bin`;
    return h(
      "li",
      {},
      h("strong", {}, found.kind.replaceAll("_", " ")),
      place ? h("code", { class: "faint" }, ` ${place}`) : null,
      h("div", {}, found.message),
      input ? downloadButton("Download input", name, () => bytes(input) as BlobPart) : null,
    );
  });
  return section("findings", "Findings", h("ul", { class: "findings" }, ...items));
}
