// The versions of an agent: compare any two, and go back to one.

import { Pages, change, data, get, path } from "./api.js";
import { differences, fieldChanges } from "./compare.js";
import { ask, begin, busy, empty, field, fill, h, name as text, notice, select } from "./dom.js";
import { ago, time } from "./format.js";
import { chips, place, read as readLabels } from "./labels.js";
import { link, setQuery } from "./router.js";
import { may } from "./session.js";

export async function page({ name, query, signal }) {
  // By its id, the versions of an agent can be read even after it is deleted.
  const agent = await data(path("agents", name), {}, signal).catch((error) => {
    if (error.status === 404) return { id: name, name, department: null };
    throw error;
  });
  const pages = new Pages(path("agents", agent.id, "versions"), { limit: 50 }, signal);
  await pages.more();
  const newest = pages.items[0].version;
  agent.title = agent.department ? agent.name : pages.items[0].snapshot.name;
  const view = new Comparison(agent, Number(query.get("from")) || Math.max(1, newest - 1), Number(query.get("to")) || newest, signal);
  const list = h("ol", { class: "versions" });
  let labels = agent.department ? await readLabels(agent, signal) : [];
  const mark = () => { // the versions with their labels
    for (const e of list.querySelectorAll("[data-version]")) fill(e, chips(labels, Number(e.dataset.version)));
  };
  const label = async (version) => {
    if (!(await place(agent, { version }))) return;
    labels = await readLabels(agent, signal);
    mark();
  };
  const more = h("button", { type: "button", class: "secondary", onclick: () => busy(more, async () => { await pages.more(); draw(); }) }, "Earlier");
  const draw = () => {
    fill(list, pages.items.map((v) => row(v, agent, newest, view, label)));
    mark();
    more.hidden = pages.complete;
  };
  draw();
  view.newest = newest;
  await view.draw();
  return {
    title: `Versions of ${agent.title}`,
    body: [
      h("nav", { class: "crumbs", "aria-label": "Where this is" }, h("a", { href: link("") }, "Organization"),
        agent.department ? h("a", { href: link("agents", agent.name) }, text(agent.name)) : null),
      h("div", { class: "bar" }, h("h1", {}, "Versions of ", text(agent.title))),
      h("div", { class: "columns versions-page" }, h("section", { class: "panel", "aria-label": "All versions" }, h("h2", {}, newest === 1 ? "1 version" : `${newest} versions`), list, more), view.element),
    ],
  };
}

// label is called to label a version.
function row(v, agent, newest, view, label) {
  return h("li", {},
    h("div", {},
      h("strong", {}, `Version ${v.version}`), v.version === newest ? h("span", { class: "chip" }, "current") : null,
      v.restored_from ? h("span", { class: "chip" }, `restored from ${v.restored_from}`) : null,
      v.imported ? h("span", { class: "chip", title: "Its time and author are from where it was imported from." }, "imported") : null,
      h("span", { data: { version: v.version } })),
    h("p", { dir: "auto" }, v.reason ?? h("span", { class: "empty" }, "no reason given")),
    h("small", {}, v.saved_by, " · ", h("time", { datetime: v.saved_at, title: time(v.saved_at) }, ago(v.saved_at))),
    h("div", { class: "row" },
      v.version > 1 ? h("button", { type: "button", class: "secondary", "aria-label": `What changed with version ${v.version}`, onclick: () => view.choose(v.version - 1, v.version) }, "What changed") : null,
      v.version < newest ? h("button", { type: "button", class: "secondary", "aria-label": `Compare with now: version ${v.version}`, onclick: () => view.choose(v.version, newest) }, "Compare with now") : null,
      v.version < newest && agent.department && may.edit(agent.department) ?
        h("button", { type: "button", class: "secondary", "aria-label": `Roll back to version ${v.version}`, onclick: () => rollback(agent, v) }, "Roll back") : null,
      agent.department && may.moveLabels(agent.department) ?
        h("button", { type: "button", class: "secondary", "aria-label": `Label version ${v.version}`, onclick: () => label(v.version).catch((error) => notice(error.message, "error")) }, "Label") : null));
}

// Comparison shows the differences between two versions.
class Comparison {
  constructor(agent, from, to, signal) {
    Object.assign(this, { agent, from, to, signal, form: "unified", asked: 0 });
    this.result = h("div", { "aria-live": "polite" });
    this.controls = h("div", { class: "row" });
    this.element = h("section", { class: "panel wide", "aria-label": "Comparison" }, this.controls, this.result);
  }

  choose(from, to) {
    this.from = from;
    this.to = to;
    setQuery({ from, to }, true);
    if (this.element.getBoundingClientRect().top > innerHeight / 2) this.element.scrollIntoView();
    this.draw();
  }

  // drawControls lets any two be chosen.
  drawControls() {
    const numbers = Array.from({ length: this.newest }, (_, i) => String(this.newest - i));
    const from = select(numbers, String(this.from), { onchange: () => this.choose(Number(from.value), this.to) });
    const to = select(numbers, String(this.to), { onchange: () => this.choose(this.from, Number(to.value)) });
    const form = (name, label) => h("button", {
      type: "button", class: "secondary", "aria-pressed": String(this.form === name),
      onclick: () => { this.form = name; this.draw(); },
    }, label);
    fill(this.controls, field("From version", from), field("to version", to),
      h("div", { class: "switch", role: "group", "aria-label": "Form" }, form("unified", "Unified"), form("sides", "Side by side")));
  }

  async draw() {
    const mine = ++this.asked;
    this.drawControls();
    if (this.newest === 1) return fill(this.result, empty("There is one version only."));
    if (this.from === this.to) return fill(this.result, empty("Choose two versions."));
    const diff = await differences(this.agent.id, this.from, this.to, this.signal).catch((error) => error);
    if (mine !== this.asked) return; // others were chosen since
    if (diff instanceof Error) return fill(this.result, h("p", { class: "problem" }, diff.message));
    fill(this.result, h("p", { class: "lead" }, diff.summary), fieldChanges(diff.field_changes, this.form));
  }
}

// rollback shows what the agent would become, and does it when that is wanted.
async function rollback(agent, v) {
  const where = path("agents", agent.id, "versions", "rollback");
  const reason = h("input", { maxlength: 1024 });
  const preview = h("div", { class: "preview" });
  let tag;
  const show = async () => {
    const { data: now, ...found } = await get(path("agents", agent.id));
    const { data: then } = await change("POST", where, { target_version: v.version }, { query: { dry_run: true }, tag: found.tag });
    const all = compare(now, then);
    tag = found.tag;
    fill(preview, h("p", {}, all.length ? "This is what would change:" : "This is what the agent is already: no version would be written."), fieldChanges(all));
  };
  const send = async () => {
    try {
      await change("POST", where, { target_version: v.version, reason: reason.value.trim() || null }, { tag });
      return "";
    } catch (error) {
      if (!error.stale) throw error;
      await show();
      return "Somebody else was faster. Nothing was rolled back. Look at what would change now, and say so again.";
    }
  };
  const found = () => show().catch((error) => { throw new Error(`Version ${v.version} cannot be restored: ${error.message}`); });
  const done = await begin(found, () => ask(`Roll ${agent.name} back to version ${v.version}?`, [preview, field("Reason", reason, "It is kept with the new version.")], "Roll back", { check: send }));
  if (!done) return;
  notice(`${agent.name} is what version ${v.version} was.`);
  location.hash = link("agents", agent.name, "versions", { at: Date.now() });
}

// compare lists the fields of an identity in which two agents differ, in the
// form of the interface.
function compare(before, after) {
  return Object.keys(after).filter((name) => name in before && JSON.stringify(before[name]) !== JSON.stringify(after[name])).map((name) => ({
    field_path: name, change_type: "modified", old_value: JSON.stringify(before[name]), new_value: JSON.stringify(after[name]),
  }));
}
