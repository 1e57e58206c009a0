// Agents by what is written in them: in names, roles, descriptions, tags and prompts.

import { Pages } from "./api.js";
import { announce, busy, empty, fill, h, name as text, notice, select } from "./dom.js";
import { number, statuses, words } from "./format.js";
import { fewest, searchable } from "./roster.js";
import { current, link, setQuery } from "./router.js";
import { roleOf } from "./session.js";
import { seen } from "./special.js";

const enough = 20; // agents that are found before somebody asks for more
const pause = 250; // ms from a key to the search

export async function page({ query, signal }) {
  const view = new Search(signal);
  view.update(query);
  return { title: "Search", body: view.body(), update: (q) => view.update(q), refresh: () => view.start() };
}

class Search {
  constructor(signal) {
    Object.assign(this, { signal, end: new AbortController() });
    const type = () => { clearTimeout(this.typing); this.typing = setTimeout(() => this.turn(true), pause); };
    this.input = h("input", { type: "search", maxlength: 128, "aria-label": "Words to look for", placeholder: "Words of a prompt, a name or a role", oninput: type });
    this.status = select(["", ...statuses], "", { "aria-label": "Status", onchange: () => this.turn() }, (v) => v ? words(v) : "every status");
    this.count = h("p", { class: "lead count", role: "status" });
    this.list = h("ol", { class: "hits" });
    this.none = empty("No agent has that in it.");
    this.more = h("button", { type: "button", class: "secondary", hidden: true, onclick: () => busy(this.more, () => this.read()) }, "More");
    this.none.hidden = true;
    this.found = h("section", { class: "panel", hidden: true, "aria-label": "Agents found" }, this.list, this.more);
    signal.addEventListener("abort", () => { clearTimeout(this.typing); this.end.abort(); });
  }

  body() {
    return [
      h("div", { class: "bar" }, h("h1", {}, "Search")),
      h("form", { class: "row finder", role: "search", onsubmit: (e) => { e.preventDefault(); this.turn(); } }, this.input, this.status, this.count),
      this.none, this.found,
    ];
  }

  // turn has the address say what is looked for.
  turn(replace = false) {
    clearTimeout(this.typing);
    setQuery({ text: this.input.value.trim(), status: this.status.value }, replace);
    this.update(current().query);
  }

  update(query) {
    this.text = query.get("text") ?? "";
    if (this.input.value.trim() !== this.text) this.input.value = this.text;
    this.status.value = query.get("status") ?? "";
    this.start();
  }

  // start looks anew. What was found before stays until there is something else.
  start() {
    this.end.abort();
    this.end = new AbortController();
    this.pages = new Pages("agents", { search: this.text, status: this.status.value, view: "summary", limit: 50 }, AbortSignal.any([this.signal, this.end.signal]));
    if (searchable(this.text)) return this.read();
    this.none.hidden = this.found.hidden = true;
    this.count.textContent = `Type ${fewest} characters or more.`;
  }

  // read shows some more of what is found. Pages may be empty.
  async read() {
    const { pages } = this;
    const before = pages.items.length;
    this.count.textContent = "Looking.";
    try {
      await pages.upTo(before + enough);
    } catch (error) {
      if (error.name === "AbortError" || pages !== this.pages) return;
      this.count.textContent = "";
      return notice(error.message, "error");
    }
    if (pages !== this.pages) return;
    const hits = pages.items.slice(before).map((a) => hit(a, this.text));
    const n = pages.items.length;
    if (before) this.list.append(...hits);
    else fill(this.list, hits);
    this.none.hidden = n > 0;
    this.found.hidden = n === 0;
    this.more.hidden = pages.complete;
    this.count.textContent = `${number(n, 0)}${pages.complete ? "" : " or more"} agent${n === 1 ? "" : "s"}`;
    announce(this.count.textContent);
  }
}

const hit = (a, wanted) => h("li", { class: "hit" },
  h("p", {}, h("a", { href: link("agents", a.name), class: "name" }, text(a.name)), " ",
    h("span", { class: "lead" }, roleOf(a) ? [text(a.role), " "] : null, "in ", h("a", { href: link("departments", a.department) }, text(a.department)))),
  h("dl", {}, a.matches.map((m) => [h("dt", {}, m.field === "instructions" ? `line ${number(m.line, 0)}` : words(m.field)), h("dd", { dir: "auto" }, marked(m.text, wanted))])));

// marked is a text with what was looked for marked, whatever its letter case.
function marked(line, wanted) {
  const { length } = wanted;
  const small = line.toLowerCase();
  const at = small.length === line.length ? small.indexOf(wanted.toLowerCase()) : line.indexOf(wanted);
  return at < 0 ? seen(line) : [seen(line.slice(0, at)), h("mark", {}, seen(line.slice(at, at + length))), seen(line.slice(at + length))];
}
