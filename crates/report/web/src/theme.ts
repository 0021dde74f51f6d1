// Light, dark, or as the system says.

import { h } from "./dom";

const NAMES = ["auto", "light", "dark"] as const;
type Theme = (typeof NAMES)[number];

const listeners: (() => void)[] = [];

/** Calls back whenever colours change. */
export function onThemeChange(listener: () => void): void {
  listeners.push(listener);
}

/** The present value of a colour of the style sheet. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** A button that goes through the themes. */
export function themeButton(): HTMLButtonElement {
  const made = h("button", { type: "button", class: "theme" });
  const show = (theme: Theme): void => {
    if (theme === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    made.textContent = `Theme: ${theme}`;
    made.setAttribute("aria-label", `Theme: ${theme}. Switch to the next`);
    for (const listener of listeners) listener();
  };
  let theme = stored();
  made.addEventListener("click", () => {
    theme = NAMES[(NAMES.indexOf(theme) + 1) % NAMES.length] ?? "auto";
    try {
      localStorage.setItem("pessimum-theme", theme);
    } catch {
      // A page opened from a file may have no storage; the choice then lasts as long as the page.
    }
    show(theme);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(theme));
  show(theme);
  return made;
}

function stored(): Theme {
  try {
    const found = localStorage.getItem("pessimum-theme");
    return NAMES.find((name) => name === found) ?? "auto";
  } catch {
    return "auto";
  }
}
