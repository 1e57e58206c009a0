// Secrets that are shown once.

import { ask, copy, h } from "./dom.js";

export function secret(title, value, text) {
  const shown = h("textarea", { rows: 5, class: "code", readonly: true, value, "aria-label": title });
  return ask(title, [h("p", {}, "It is shown this once. ", text), shown, h("div", { class: "row" }, copy(value, title))], "Done");
}
