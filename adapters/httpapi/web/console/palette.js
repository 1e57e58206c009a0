// The palette: a way to every agent, department, project and page, and to what can be
// done, by typing. It opens by / and Ctrl-K.

import { data } from "./api.js";
import { announce, begin, fill, h, name as text, notice } from "./dom.js";
import { link } from "./router.js";
import { roster, search, use } from "./roster.js";
import { key, may, roleOf, signOut } from "./session.js";

const most = 8; // entries of a kind, but pages

const read = (where, query, signal) => data(where, query, signal).catch((error) => {
  if (error.name !== "AbortError") notice(error.message, "error");
  return [];
});

const actions = [
  ["Hire an agent", may.editAny, () => begin((end) => Promise.all([import("./create.js"), data("company/departments", {}, end)]), ([{ hire }, all]) => hire(all.map((d) => d.name)))],
  ["New department", may.editAll, () => begin(() => import("./create.js"), ({ addDepartment }) => addDepartment())],
  ["Sign out", () => true, signOut],
];

class Palette {
  // places are the pages: [address, name, whether the caller may go there].
  constructor(places) {
    Object.assign(this, { entries: [], chosen: 0, moved: false, departments: [], projects: [], end: new AbortController() });
    this.pages = places.filter(([, , allowed]) => allowed()).map(([where, title]) => ({ kind: "Page", title, where: link(where) }));
    this.actions = actions.filter(([, allowed]) => allowed()).map(([title, , run]) => ({ kind: "Action", title, run }));
    this.list = h("ul", { id: "palette-list", role: "listbox", "aria-label": "What was found" });
    this.input = h("input", {
      type: "text", role: "combobox", autocomplete: "off", spellcheck: "false", maxlength: 128, placeholder: "Agent, department, project, page, or words of a prompt",
      "aria-label": "Go to", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list",
      oninput: () => this.find(), onkeydown: (event) => this.press(event),
    });
    this.dialog = h("dialog", { class: "palette", "aria-label": "Go to", onclick: ({ target }) => target === this.dialog && this.dialog.close(), onclose: () => {
      this.end.abort();
      this.dialog.remove();
    } }, this.input, this.list);
  }

  open() {
    document.body.append(this.dialog);
    this.dialog.showModal();
    const { signal } = this.end;
    const fillIn = (name) => (found) => { this[name] = found; this.find(true); };
    read("company/departments", {}, signal).then(fillIn("departments"));
    read("projects", { limit: 200 }, signal).then(fillIn("projects"));
    use(() => this.find(true), signal)?.catch((error) => notice(`Not all agents could be read: ${error.message}`, "error"));
    this.find();
  }

  // find shows what fits, and keeps what somebody has moved to. Behind what is named by the words come agents in whose prompt they are.
  find(keep = false) {
    if (!this.dialog.open) return;
    const words = this.input.value.trim();
    const parts = key(words).split(/\s+/).filter(Boolean);
    const fits = (title) => parts.every((p) => key(title).includes(p));
    const named = (all, make) => parts.length ? all.filter((x) => fits(x.name)).map(make) : [];
    const chosen = keep && this.moved && this.entries[this.chosen];
    this.moved = Boolean(chosen);
    const found = [
      ...this.agents(words, parts),
      ...named(this.departments, (d) => ({ kind: "Department", title: d.name, where: link("departments", d.name) })),
      ...named(this.projects, (p) => ({ kind: "Project", title: p.name, where: link("projects") })),
      ...[...this.pages, ...this.actions].filter((e) => fits(e.title)),
    ];
    this.entries = [
      ...best(found, parts[0] ?? ""),
      ...([...words].length >= 3 ? [{ kind: "Search", title: `Agents that have “${words}” in them`, where: link("search", { text: words }) }] : []),
    ];
    this.chosen = Math.max(0, chosen ? this.entries.findIndex((e) => e.kind === chosen.kind && e.title === chosen.title) : 0);
    this.draw();
  }

  agents(words, parts) {
    if (!parts.length) return [];
    return [...roster.all()].filter(search(words))
      .map((a) => ({ kind: "Agent", title: a.name, more: [roleOf(a), a.department].filter(Boolean).join(", "), where: link("agents", a.name) }));
  }

  draw() {
    const none = h("li", { class: "empty" }, roster.complete ? "Nothing is called that." : "Looking.");
    fill(this.list, this.entries.map((e, i) => h("li", {
      id: `palette-${i}`, role: "option", "aria-selected": String(i === this.chosen), onclick: () => this.go(e),
    }, h("span", {}, text(e.title), e.more ? h("small", {}, " ", text(e.more)) : null), h("span", { class: "chip" }, e.kind))),
    this.entries.length ? null : none);
    this.mark();
  }

  mark() {
    for (const [i, element] of [...this.list.children].entries()) element.setAttribute("aria-selected", String(i === this.chosen));
    if (!this.entries.length) return this.input.removeAttribute("aria-activedescendant");
    this.input.setAttribute("aria-activedescendant", `palette-${this.chosen}`);
    this.list.children[this.chosen].scrollIntoView({ block: "nearest" });
  }

  press(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const n = this.entries.length;
    if (by && n) {
      event.preventDefault();
      this.moved = true;
      this.chosen = (this.chosen + by + n) % n;
      this.mark();
    } else if (event.key === "Enter" && n) {
      event.preventDefault();
      this.go(this.entries[this.chosen]);
    }
  }

  go({ where, run, title }) {
    this.dialog.close();
    announce(title);
    if (where) location.hash = where;
    else Promise.resolve(run()).catch((error) => notice(error.message, "error"));
  }
}

// best has those first whose title begins with a text, and a few of each kind but pages.
function best(entries, part) {
  const begins = (e) => key(e.title).startsWith(part);
  const found = {};
  return [...entries.filter(begins), ...entries.filter((e) => !begins(e))]
    .filter(({ kind }) => kind === "Page" || (found[kind] = (found[kind] ?? 0) + 1) <= most);
}

// start has the palette open by its keys, and returns what opens it.
export function start(places) {
  const open = () => document.querySelector("dialog[open]") || new Palette(places).open();
  addEventListener("keydown", (event) => {
    const { key: pressed, target } = event;
    const typing = target.closest?.("input, textarea, select, text-editor, [contenteditable=true]");
    const wanted = pressed.toLowerCase() === "k" ? (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey :
      pressed === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!wanted || event.defaultPrevented) return;
    event.preventDefault();
    open();
  });
  return open;
}
