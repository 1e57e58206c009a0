// The labels of an agent: which versions they name, and the dialogs that set, move and
// remove them.

import { Pages, because, change, data, get, newest, path } from "./api.js";
import { differences, fieldChanges } from "./compare.js";
import { ask, begin, empty, field, fill, h, name as text, notice, select } from "./dom.js";
import { paged } from "./feed.js";
import { ago, moved, time, words } from "./format.js";
import { link } from "./router.js";
import { may } from "./session.js";

const latest = "latest"; // is computed
const most = 200; // moves in which versions to go back to are looked for

const where = (agent, ...more) => path("agents", agent.id, "labels", ...more);

// read returns the labels of an agent in the order of their names.
export const read = (agent, signal) => data(where(agent), {}, signal);

const chip = (value) => h("span", { class: "chip" }, value);
const marks = (l) => [l.protected ? "protected" : null, l.fixed ? "fixed" : null].filter(Boolean);

// chips are the labels that name a version.
export const chips = (labels, version) => labels.filter((l) => l.version === version && l.label !== latest)
  .map((l) => h("span", { class: "chip label" }, [l.label, ...marks(l)].join(" · ")));

const who = (department) => `Protected: a department_admin of ${department} or an admin sets, moves and removes it.`;
const goingBack = "You may take it back to a version that it has named before, with a reason.";

// Labels is the part of an agent's page that shows them.
export class Labels {
  constructor(agent, labels, signal) {
    Object.assign(this, { agent, signal, list: h("ul", { class: "labels" }) });
    this.element = h("section", { class: "panel", "aria-label": "Labels", tabindex: "-1" }, h("h2", {}, "Labels"), this.list,
      may.moveLabels(agent.department) ? this.button("Set a label", null, () => place(agent, {})) : null);
    this.draw(labels);
  }

  draw(labels) { fill(this.list, labels.map((l) => this.row(l))); }

  // button opens a dialog; when that has changed something the labels are read again.
  button(label, name, dialog, kind = "secondary") {
    const run = async () => {
      if (!(await dialog())) return;
      this.draw(await read(this.agent, this.signal));
      this.element.focus(); // the button is gone
    };
    return h("button", { type: "button", class: kind, "aria-label": name, onclick: () => run().catch((error) => notice(error.message, "error")) }, label);
  }

  row(l) {
    const { agent } = this;
    const version = h("a", { href: link("agents", agent.name, "versions", ...(l.version < agent.version ? [{ from: l.version, to: agent.version }] : [])),
      "aria-label": `v${l.version}: the version that ${l.label} names` }, `v${l.version}`);
    const head = h("div", {}, h("code", {}, l.label), " ", version, " ", marks(l).map(chip));
    if (l.label === latest) return h("li", {}, head, h("small", {}, "always the newest version"));
    const movable = may.moveLabels(agent.department);
    const direct = !l.protected || may.moveProtected(agent.department);
    return h("li", {}, head,
      l.reason ? h("p", {}, h("q", { dir: "auto" }, l.reason)) : null,
      h("small", {}, text(l.set_by), " · ", h("time", { datetime: l.set_at, title: time(l.set_at) }, ago(l.set_at))),
      l.fixed ? h("p", { class: "lead" }, `Fixed: it names version ${l.version} for ever, so it cannot be moved or removed.`) : null,
      movable && !direct && !l.fixed ? h("p", { class: "lead" }, who(agent.department), " ", goingBack) : null,
      movable && !l.fixed ? h("div", { class: "row" }, direct ? [
        this.button("Move", `Move ${l.label}`, () => place(agent, { label: l.label })),
        this.button("Remove", `Remove ${l.label}`, () => remove(agent, l.label), "danger quiet"),
      ] : this.button("Go back", `Go back with ${l.label}`, () => goBack(agent, l))) : null,
      this.history(l.label));
  }

  history(label) {
    const moves = new Pages(where(this.agent, label, "history"), { limit: 20 }, this.signal);
    const list = h("ol", { class: "timeline" });
    const { more, draw } = paged(list, moves, move, "Nothing yet.");
    return h("details", { ontoggle: () => moves.items.length || draw() }, h("summary", { "aria-label": `History of ${label}` }, "History"), list, more);
  }
}

// move is an entry of the history of a label.
function move(m) {
  return h("li", {}, h("strong", {}, moved(m.from_version, m.version)), h("time", { datetime: m.at, title: time(m.at) }, ago(m.at)),
    h("span", {}, text(m.by), m.way === "direct" ? null : [" ", chip(words(m.way))], m.reason ? [" ", h("q", { dir: "auto" }, m.reason)] : null));
}

// place asks which label is to name which version, does it, and returns whether it is done.
// chosen has the label or the version if that is not asked for, and the versions to which a
// protected label may be taken back.
export async function place(agent, chosen) {
  const form = new Placing(agent, chosen);
  const title = chosen.returns ? `Take ${chosen.label} of ${agent.name} back` : chosen.label ? `Move ${chosen.label} of ${agent.name}` :
    chosen.version ? `Label version ${chosen.version} of ${agent.name}` : `Set a label of ${agent.name}`;
  const done = await begin(() => form.read().then(form.draw), () => ask(title, form.content, chosen.returns ? "Go back" : chosen.label ? "Move" : "Set", { check: () => form.send() }));
  if (done) notice(`${form.label} names version ${form.version} of ${agent.name}.`);
  return done;
}

// Placing is the form of place. It shows what the label names now, and how that differs
// from what it will.
class Placing {
  constructor(agent, chosen) {
    Object.assign(this, { agent, chosen, draw: this.draw.bind(this) });
    const later = newest(this.draw, (error) => notice(error.message, "error"));
    const oninput = () => later(true);
    this.labels = h("datalist", { id: "labels-of-agent" });
    this.name = h("input", { required: true, maxlength: 63, pattern: "[a-z][a-z0-9._\\-]*", autocomplete: "off", spellcheck: "false", list: "labels-of-agent",
      title: "a small letter, and small letters, digits and . _ - behind it", oninput });
    this.number = chosen.returns ? select(chosen.returns.map(String), "", { oninput }) :
      h("input", { type: "number", required: true, min: 1, max: agent.version, value: agent.version, oninput });
    this.note = h("p", { class: "reason" });
    this.preview = h("div", { class: "preview", role: "region", "aria-label": "What changes", "aria-live": "polite", tabindex: "0" });
    this.reason = h("input", { maxlength: 1024 });
    this.fixed = h("input", { type: "checkbox" });
    this.content = [
      chosen.label ? null : [field("Label", this.name, "such as production; one that the agent has is moved"), this.labels],
      chosen.version ? null : field("Version", this.number), this.note, this.preview,
      field("Reason", this.reason, "It is kept in the history of the label."),
      chosen.returns ? null : field("Fixed: it names this version for ever, which cannot be taken back", this.fixed),
    ];
  }

  get label() { return this.chosen.label ?? this.name.value; }

  get version() { return this.chosen.version ?? Number(this.number.value); }

  // read reads what the change depends on. The agent comes first: if something changes
  // behind it, its tag is no longer the current one.
  async read() {
    const { data: agent, tag } = await get(path("agents", this.agent.id));
    const [labels, department] = await Promise.all([read(agent), data(path("departments", agent.department))]);
    Object.assign(this, { agent, tag, current: labels, protected: department.policies.protected_labels });
    const known = labels.filter((l) => !l.fixed && l.label !== latest).map((l) => l.label);
    fill(this.labels, [...new Set([...known, ...this.protected])].map((value) => h("option", { value })));
  }

  // was is the label as it is, undefined if the agent does not have it.
  get was() { return this.current.find((l) => l.label === this.label); }

  async draw() {
    const { was, label, version, agent } = this;
    const barred = this.protected.includes(label) && !may.moveProtected(agent.department);
    this.reason.required = barred;
    this.fixed.disabled = barred || was?.fixed;
    this.note.hidden = !barred;
    fill(this.note, who(agent.department), " ", goingBack);
    if (!label || !version) return fill(this.preview, empty("Choose a label and a version: then this shows what changes."));
    if (was?.version === version) return fill(this.preview, h("p", {}, names(was)));
    const diff = was && await differences(agent.id, was.version, version);
    fill(this.preview, h("p", {}, h("strong", {}, `${label}: ${moved(was?.version, version)}`), " ", was ? marks(was).map(chip) : null),
      was ? [h("p", { class: "lead" }, diff.summary), fieldChanges(diff.field_changes)] : h("p", { class: "lead" }, "The agent does not have this label yet."));
  }

  // send does it, or returns why it is not done.
  async send() {
    const { was, label, version, fixed } = this;
    if (was?.version === version && !fixed.checked) return names(was);
    const reason = this.reason.value.trim();
    try {
      await change("PUT", where(this.agent, label), { version, reason: reason || null, ...(fixed.checked && { fixed: true }) }, { tag: this.tag });
      return "";
    } catch (error) {
      if (!error.stale) throw error;
      await this.read();
      await this.draw();
      return "Somebody else was faster. Nothing was done, and what you have typed is still here. Look at what changes now, and say so again.";
    }
  }
}

const names = (l) => `${l.label} names version ${l.version} already${l.fixed ? ", for ever" : ""}.`;

// goBack lets a protected label be taken back by those who may not move it elsewhere.
const goBack = (agent, { label, version }) => begin((end) => new Pages(where(agent, label, "history"), {}, end).upTo(most), (moves) => {
  const returns = [...new Set(moves.map((m) => m.version))].filter((v) => v && v !== version).sort((a, b) => b - a);
  if (returns.length) return place(agent, { label, returns });
  notice(`${label} has named no other version yet, so there is none to go back to.`);
  return false;
});

// remove asks before it removes a label, and returns whether it is done.
const remove = (agent, label) => begin(async (end) => {
  const { tag } = await get(path("agents", agent.id), {}, end);
  return { tag, found: (await read(agent, end)).find((l) => l.label === label) };
}, ({ tag, found }) => found ? askRemoval(agent, found, tag) : true);

async function askRemoval(agent, { label, version }, tag) {
  const reason = h("input", { maxlength: 1024 });
  const send = async () => {
    try {
      await change("DELETE", where(agent, label), undefined, { tag, headers: because(reason.value) });
      return "";
    } catch (error) {
      if (!error.stale) throw error;
      return "Somebody has changed the agent meanwhile. Nothing was removed; look at it again.";
    }
  };
  const done = await ask(`Remove ${label} of ${agent.name}?`, [
    h("p", {}, `It names version ${version}. Whoever asks for ${label} is then told that there is none. Its history stays.`),
    field("Reason", reason, "It is kept in the history of the label."),
  ], "Remove", { danger: true, check: send });
  if (done) notice(`${label} is removed.`);
  return done;
}
