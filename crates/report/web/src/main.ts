// Puts the page together from the data inside it.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { costPlot } from "./cost_plot";
import { read } from "./document";
import { h } from "./dom";
import { findings } from "./findings";
import { graphView } from "./graph_view";
import { inputView } from "./input_view";
import { parameters } from "./parameters";
import { policyList } from "./policy_list";
import { sizeTable } from "./size_table";
import { sourceView } from "./source_view";
import { story } from "./story";
import { summary } from "./summary";
import { themeButton } from "./theme";
import { treeView } from "./tree_view";
import { checkView, diffView } from "./verdicts";

function start(): void {
  const main = document.querySelector("main");
  const header = document.querySelector("header");
  if (!main || !header) return;
  const source = document.getElementById("data")?.textContent ?? "null";
  const analysis = read(source);
  if (!analysis) {
    main.append(h("p", {}, "This page has no data. Make one with: pessimum report result.json -o report.html"));
    return;
  }
  const sections = [
    checkView(analysis),
    diffView(analysis),
    costPlot(analysis),
    policyList(analysis),
    sourceView(analysis),
    inputView(analysis),
    graphView(analysis),
    treeView(analysis),
    findings(analysis),
    sizeTable(analysis),
    parameters(analysis, source),
  ].filter((s) => s !== null);
  const links = sections.map((s) => h("a", { href: `#${s.id}` }, s.querySelector("h2")?.textContent ?? s.id));
  header.append(
    h(
      "div",
      { class: "title" },
      h("h1", {}, h("code", {}, analysis.program.module)),
      h("code", { class: "entry" }, analysis.program.entry),
      themeButton(),
    ),
    h("nav", { "aria-label": "Sections" }, ...links),
  );
  const verdicts = sections.filter((s) => s.id === "check" || s.id === "diff");
  main.append(...verdicts, summary(analysis), story(analysis), ...sections.filter((s) => !verdicts.includes(s)));
}

/** Inside another page (the playground) a link within this one leads to that page's address: it is followed by hand. */
function followLinks(): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href^="#"]') : null;
    const to = link && document.getElementById(link.hash.slice(1));
    if (!to) return;
    event.preventDefault();
    to.tabIndex = -1;
    to.focus({ preventScroll: true });
    to.scrollIntoView();
  });
}

start();
if (location.protocol === "about:") followLinks();
