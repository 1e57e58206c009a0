// The reference: the description that this service serves, operations first.

import { fill, h } from "./element.js";
import { markdown } from "./markdown.js";
import { Operation, method } from "./operation.js";
import { real, use } from "./schema.js";

const base = new URL(".", document.baseURI).href.replace(/\/$/, "");
const main = document.getElementById("reference");
const methods = ["get", "post", "put", "patch", "delete"];

const spec = await fetch(`${base}/api/v1/openapi.json`).then((answer) => answer.json()).catch((error) => {
  fill(main, h("p", { class: "bad", role: "alert" }, `The description could not be read: ${error.message}`));
  throw error;
});
use(spec);

// items are the operations in the order of the description.
const items = Object.entries(spec.paths).flatMap(([path, all]) => methods.filter((m) => all[m]).map((m) => ({
  method: m, path, operation: all[m], parameters: [...(all.parameters ?? []), ...(all[m].parameters ?? [])].map(real),
})));
const groups = spec.tags.map((tag) => [tag, items.filter((i) => i.operation.tags[0] === tag.name)]).filter(([, all]) => all.length);

const search = h("input", { type: "search", "aria-label": "Find an operation", placeholder: "Find an operation", oninput: () => find() });
const list = h("div", { class: "groups" });
const menu = h("details", { class: "menu", open: innerWidth > 900 }, h("summary", {}, "Operations"), search, list);
const about = `#/about`;
const entry = (i, more) => h("a", { href: `#/${i.operation.operationId}`, data: { id: i.operation.operationId } }, method(i.method), " ", i.operation.summary, more ? h("code", {}, i.path) : null);

// find lists what has all words in its name, path or summary.
function find() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (i) => words.every((w) => `${i.operation.operationId} ${i.path} ${i.method} ${i.operation.summary}`.toLowerCase().includes(w));
  const found = groups.map(([tag, all]) => [tag, all.filter(fits)]).filter(([, all]) => all.length);
  fill(list, found.length ? found.map(([tag, all]) => h("section", { "aria-label": tag.name }, h("h2", {}, tag.name), all.map((i) => entry(i)))) : h("p", {}, "Nothing is called that."),
    h("section", { "aria-label": "More" }, h("h2", {}, "more"), h("a", { href: about }, "About the interface"),
      h("a", { href: `${base}/api/v1/openapi.yaml` }, "The description as YAML")));
  mark();
}

const id = () => decodeURIComponent(location.hash.slice(2));

function mark() {
  for (const a of list.querySelectorAll("a[data-id]")) {
    if (a.dataset.id === id()) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
}

// show shows what the address names: an operation, the text about all, or the list.
function show() {
  const item = items.find((i) => i.operation.operationId === id());
  const title = item?.operation.summary ?? (location.hash === about ? "About the interface" : "API reference");
  document.title = `${title} · orgd`;
  fill(main, item ? new Operation(item, base).element : location.hash === about ? [h("h1", {}, title), markdown(spec.info.description)] : overview());
  mark();
  if (innerWidth <= 900) menu.open = false;
  scrollTo(0, 0);
}

const overview = () => [
  h("h1", {}, "orgd: API reference"), h("p", {}, `Version ${spec.info.version}. `, h("a", { href: about }, "About the interface"), " says what holds for all of it."),
  groups.map(([tag, all]) => h("section", { class: "overview", "aria-label": tag.name }, h("h2", {}, tag.name), h("p", {}, tag.description), all.map((i) => entry(i, true)))),
];

fill(document.getElementById("side"), menu);
find();
show();
addEventListener("hashchange", () => {
  show();
  main.focus({ preventScroll: true });
});
