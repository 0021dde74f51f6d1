// The page: a program is chosen, the sizes arrive, the report is shown. Nothing leaves the browser: the policy in the
// head of the page forbids every connection.

import "../../../report/web/src/style.css";
import "./play.css";
import { button, fileStem, h, section } from "../../../report/web/src/dom";
import { themeButton } from "../../../report/web/src/theme";
import type { Report, Way, Wish } from "./messages";
import { Sizes, words } from "./sizes";
import { Tool } from "./tool";

const OWN = "";
const MODELS = ["conditionals", "decisions", "instructions", "blocks", "heap", "stack", "stack-bytes", "output"];
const GIGABYTE = 2 ** 30;

/** Seconds beyond the limit that a run has to end by itself, as the command gives them. */
const grace = (seconds: number): number => Math.max((seconds * 2) / 5, 1);

/** How many times longer a module takes here than the command: the work is planned for that, so that it ends in time. */
const SLOWER = 3;

/** Half of what the machine has, at most half of what a module can have. */
function memory(): number {
  const machine = (navigator as { deviceMemory?: number }).deviceMemory ?? 4;
  return Math.min(machine / 2, 2) * GIGABYTE;
}

/** `--call` words, or those that mean standard input and the argument. */
function wayOf(text: string): Way | undefined {
  if (text === "") return undefined;
  if (text === "--stdin") return "stdin";
  if (text === "--argv") return "argv";
  const target = text.match(/^--target (.*)$/);
  return target?.[1] ? { target: target[1] } : { call: text };
}

const textOf = (way: Way): string =>
  typeof way === "string" ? `--${way}` : "call" in way ? way.call : `--target ${way.target}`;

class Page {
  private readonly example = h("select", { id: "example", change: () => this.chosen() });
  private readonly file = h("input", { type: "file", id: "file", accept: ".wasm,application/wasm", change: () => void this.picked(this.file.files) });
  private readonly fileName = h("span", { class: "faint" }, "or drop it anywhere on the page");
  private readonly call = h("input", { type: "text", id: "call", size: 40, spellcheck: "false", autocomplete: "off", placeholder: "found out if left empty" });
  private readonly cost = h("select", { id: "cost" }, ...MODELS.map((model) => h("option", { value: model }, model)));
  private readonly seconds = h("input", { type: "number", id: "seconds", min: 1, max: 3600, value: 30, step: 1, required: true });
  private readonly go = h("button", { type: "submit", class: "go", disabled: true }, "Run");
  private readonly halt = button("Stop", () => this.over("Stopped."));
  private readonly status = h("p", { class: "status", role: "status" }, "Unpacking the tool …");
  private readonly clock = h("progress", { max: 1, value: 0, "aria-label": "Time used" });
  private readonly ways = h("div", { class: "ways" });
  private readonly sizes = new Sizes();
  private readonly sizeSection = section("sizes", "Sizes as they arrive", this.clock, this.sizes.element);
  private readonly links = h("p", { class: "links" });
  private readonly frame = h("iframe", { title: "The report", sandbox: "allow-scripts allow-downloads" });
  private readonly reportSection = section("report", "Report", this.links, this.frame);

  private module: { name: string; bytes: ArrayBuffer } | undefined;
  private tool: Promise<Tool> | undefined;
  private running: { timer: number; tick: number } | undefined;

  constructor(header: Element, main: Element) {
    header.append(
      h("div", { class: "title" }, h("h1", {}, "pessimum playground"), themeButton()),
      h("p", { class: "note" }, "Finds the input that makes a WebAssembly program slowest, and how that cost grows. Everything runs in this page; nothing leaves the browser."),
    );
    const field = (label: string, control: HTMLElement): HTMLElement => h("div", { class: "field" }, h("label", { for: control.id }, label), control);
    const form = h(
      "form",
      { submit: (event: Event) => (event.preventDefault(), void this.run()) },
      h("div", { class: "fields" }, field("Example", this.example), h("div", { class: "field drop" }, h("label", { for: "file" }, "A module of your own"), this.file, this.fileName)),
      h("div", { class: "fields" }, field("Call", this.call), field("Count", this.cost), field("Seconds", this.seconds)),
      h("div", { class: "controls" }, this.go, this.halt),
    );
    this.halt.disabled = true;
    this.sizeSection.hidden = this.reportSection.hidden = true;
    main.append(section("program", "Program", form, this.status, this.ways), this.sizeSection, this.reportSection);
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      void this.picked(event.dataTransfer?.files ?? null);
    });
    void this.begin();
  }

  private async begin(): Promise<void> {
    this.tool = Tool.start();
    try {
      const { examples } = await this.tool;
      this.example.append(h("option", { value: OWN }, "none: a module of your own"));
      for (const { name, about, call } of examples) {
        this.example.append(h("option", { value: name, "data-call": call }, `${name}: ${about}`));
      }
      this.example.value = "quicksort";
      this.chosen();
      this.go.disabled = false;
      this.status.textContent = "Ready.";
    } catch (error) {
      this.status.textContent = `The tool does not start: ${error instanceof Error ? error.message : error}`;
    }
  }

  /** An example was chosen, or none. */
  private chosen(): void {
    const own = this.example.value === OWN;
    this.call.readOnly = !own;
    this.call.value = this.example.selectedOptions[0]?.dataset["call"] ?? "";
    this.ways.replaceChildren();
  }

  private async picked(files: FileList | null): Promise<void> {
    const file = files?.[0];
    if (!file) return;
    this.module = { name: file.name, bytes: await file.arrayBuffer() };
    this.fileName.textContent = `${file.name}, ${file.size.toLocaleString("en-US")} bytes`;
    this.example.value = OWN;
    this.chosen();
    if (!this.running) this.status.textContent = `${file.name} is ready to run.`;
  }

  private async run(): Promise<void> {
    if (this.running || !this.seconds.reportValidity()) return;
    const example = this.example.value;
    const seconds = this.seconds.valueAsNumber;
    const wish: Wish = { seconds, grace: grace(seconds), effort: seconds / SLOWER, memory: memory(), cost: this.cost.value };
    if (example !== OWN) wish.example = example;
    else if (!this.module) {
      this.status.textContent = "Choose an example, or a .wasm file of your own.";
      return;
    } else {
      wish.name = this.module.name;
      const way = wayOf(this.call.value.trim());
      if (way !== undefined) wish.way = way;
    }
    this.ways.replaceChildren();
    this.sizes.clear();
    this.sizeSection.hidden = false;
    this.reportSection.hidden = true;
    this.go.disabled = true;
    this.halt.disabled = false;
    this.status.textContent = "Starting …";
    const begun = performance.now();
    const limit = (seconds + wish.grace) * 1000;
    this.running = {
      timer: window.setTimeout(() => this.over(`The ${seconds} s are over, and the run did not end by itself.`), limit),
      tick: window.setInterval(() => (this.clock.value = (performance.now() - begun) / (seconds * 1000)), 100),
    };
    this.clock.value = 0;
    this.clock.hidden = false;
    try {
      const tool = await this.tool;
      // Stopped before it began.
      if (!this.running || !tool) return;
      tool.run(wish, example === OWN && this.module ? this.module.bytes : new ArrayBuffer(0), (report) => this.heard(report, wish, begun));
    } catch (error) {
      this.over(`The tool does not start: ${error instanceof Error ? error.message : error}`);
    }
  }

  private heard(report: Report, wish: Wish, begun: number): void {
    switch (report.kind) {
      case "told":
        if (report.told.stage === "answer") this.sizes.add(report.told);
        else this.status.textContent = `${words(report.told)} …`;
        return;
      case "answer":
        this.show(report.page, report.document, wish.example ?? wish.name ?? "");
        this.ended(`Done after ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
        return;
      case "refused":
        this.ended(report.message);
        this.sizeSection.hidden = this.sizes.count === 0;
        this.offer(report.ways);
        return;
      case "broken":
        this.over(`The run broke off: ${report.message}. The command has more memory and a deeper stack.`);
        return;
      case "ready":
        return;
    }
  }

  /** Ends the run without a report; what arrived stays. */
  private over(why: string): void {
    const known = this.sizes.count > 0 ? "The sizes below are what was known; the independent engine has not confirmed them." : "Nothing was known yet.";
    this.ended(`${why} ${known}`);
  }

  /** Whatever the worker does, it does no longer; the next one is made ready. */
  private ended(status: string): void {
    if (this.running) {
      clearTimeout(this.running.timer);
      clearInterval(this.running.tick);
      this.running = undefined;
    }
    void this.tool?.then((tool) => tool.end()).catch(() => {});
    this.tool = Tool.start();
    // Whoever runs it next is told why it does not start.
    this.tool.catch(() => {});
    this.status.textContent = status;
    this.clock.hidden = true;
    this.go.disabled = false;
    this.halt.disabled = true;
  }

  private show(page: string, result: string, name: string): void {
    for (const old of this.links.querySelectorAll("a")) URL.revokeObjectURL(old.href);
    const link = (text: string, file: string, content: string, type: string): HTMLElement =>
      h("a", { href: URL.createObjectURL(new Blob([content], { type })), download: file }, text);
    const stem = fileStem(name);
    this.links.replaceChildren(
      link("Download the report", `${stem}.html`, page, "text/html"),
      " ",
      link("Download the result as JSON", `${stem}.json`, result, "application/json"),
    );
    this.frame.srcdoc = page;
    this.reportSection.hidden = false;
  }

  /** Ways into a module, each as a button that takes it. */
  private offer(ways: Way[]): void {
    const take = (way: Way): void => {
      this.call.value = textOf(way);
      void this.run();
    };
    this.ways.replaceChildren(...ways.slice(0, 16).map((way) => button(textOf(way), () => take(way), `Run ${textOf(way)}`)));
  }
}

const header = document.querySelector("header");
const main = document.querySelector("main");
if (header && main) new Page(header, main);
