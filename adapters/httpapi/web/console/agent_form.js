// The form that changes an agent: its instructions in an editor, its other fields below.

import { AgentForm } from "./agent_fields.js";
import { because, data, path } from "./api.js";
import { fieldChanges } from "./compare.js";
import { announce, ask, field, fill, h, name as text, notice } from "./dom.js";
import { Draft } from "./draft.js";
import { time, words } from "./format.js";
import { guard } from "./guard.js";
import { link } from "./router.js";

const hint = "Everybody with a token can read them: no place for secrets. Ctrl-F searches in them, Tab leaves the editor, Ctrl-S shows the difference.";

export class Editing {
  // close shows the agent as it is.
  constructor(found, { departments, boss, signal, close }) {
    const { id, name, version, department } = found.data;
    this.end = new AbortController();
    Object.assign(this, { found, id, name, base: version, close, signal: AbortSignal.any([signal, this.end.signal]) });
    this.form = new AgentForm(found, [...new Set([department, ...departments])], boss);
    this.draft = new Draft(id, () => this.kept(), this.signal);
    guard(() => !this.element.isConnected ? null :
      this.form.touched.length ? `Not saved: ${this.touched()} of ${name}. A draft stays in this browser until you come back.` : "", this.signal);
    this.above = h("div", { class: "above" });
    this.status = h("p", { role: "status" });
    const keys = (event) => {
      if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      this.element.requestSubmit();
    };
    this.element = h("form", {
      class: "writing", onkeydown: keys, oninput: () => this.typed(), onchange: () => this.typed(),
      onsubmit: (event) => { event.preventDefault(); this.review(); },
    },
    this.above,
    h("section", { class: "panel prompt", "aria-label": "Instructions" }, field("Instructions", this.form.controls.instructions.input, hint)),
    Object.entries(this.form.groups).map(([title, fields]) => h("section", { class: "panel" }, h("h2", {}, title), h("div", { class: "grid" }, fields.map(place)))),
    h("div", { class: "actions" }, this.status,
      h("button", { type: "button", class: "secondary", onclick: () => this.discard() }, "Discard"),
      h("button", { type: "submit", class: "primary" }, "Show the difference")));
  }

  // start follows what others change.
  start() {
    this.tell();
    this.form.follow({ agent_id: this.id }, this.signal, (who) => this.read(who));
  }

  focus() {
    const { input } = this.form.controls.instructions;
    input.scrollIntoView({ block: "nearest" });
    input.focus();
  }

  // restore puts in what was typed, on top of the version that it was typed into, and then has
  // what others have changed since beside it.
  async restore({ version, at, held }) {
    const old = version !== this.base && await data(path("agents", this.id, "versions", version), {}, this.signal).catch(() => null);
    if (old) {
      this.form.put({ data: { ...this.found.data, ...old.snapshot }, tag: this.form.tag });
      this.base = version;
    }
    for (const [name, value] of Object.entries(held)) this.form.controls[name]?.type(value);
    this.form.take(this.found, "Somebody else");
    fill(this.above, h("p", { class: "theirs restored" }, h("strong", {}, "Your draft is back: "), `what you had typed on ${time(at)} and not saved. `,
      "“Show the difference” compares it with what is there now; “Discard” drops it."));
  }

  // kept is what a draft has.
  kept() {
    const { touched, controls } = this.form;
    return touched.length ? { version: this.base, at: new Date().toISOString(), held: Object.fromEntries(touched.map((name) => [name, controls[name].held])) } : null;
  }

  touched() { return this.form.touched.map((name) => words(name.replace(".", " "))).join(", "); }

  typed() {
    this.draft.later();
    this.tell();
  }

  tell() {
    const touched = this.touched();
    this.status.textContent = touched ? `Changed, and kept as a draft: ${touched}` : "Nothing is changed yet.";
    if (!touched) this.base = this.form.data.version;
  }

  // read has others' changes shown.
  async read(who) {
    try {
      const names = await this.form.read(who, this.signal);
      if (this.signal.aborted) return;
      if (!names.length) return this.tell();
      this.typed();
      announce(`${who} has changed ${names.map(words).join(", ")}`);
      this.show();
    } catch (error) {
      if (error.status === 404) fill(this.above, h("p", { class: "problem", role: "alert" }, text(this.name), " has been deleted. What you have typed is still here, to be copied."));
    }
  }

  // show shows what would change, if somebody looks at that.
  show() {
    if (this.preview && this.form.touched.length) fill(this.preview, fieldChanges(this.form.differences()));
  }

  async review() {
    if (!this.form.touched.length) return notice("Nothing has been changed.");
    const reason = h("input", { maxlength: 1024 });
    this.preview = h("div", { class: "preview" });
    this.show();
    const done = await ask(`What changes in ${this.name}`, [this.preview, field("Reason", reason, "It is kept with the version.")], "Save", {
      check: () => this.send(reason.value),
    });
    this.preview = null;
    if (!done) return;
    const { data: now } = this.form;
    this.draft.drop();
    this.end.abort();
    notice(`Saved. This is version ${now.version}.`);
    if (now.name === this.name) this.close();
    else location.hash = link("agents", now.name);
  }

  async send(reason) {
    try {
      return await this.form.send(because(reason));
    } finally {
      this.show();
    }
  }

  async discard() {
    if (this.form.touched.length &&
      !(await ask("Drop what you have typed?", h("p", {}, `${this.touched()} of ${this.name}, and the draft of it.`), "Drop it", { danger: true }))) return;
    this.draft.drop();
    this.end.abort();
    this.close();
  }
}

// place puts a field into the grid.
function place([label, { input }, , hint]) {
  if (input.localName === "skill-list") return h("fieldset", { class: "field full" }, h("legend", {}, label), input);
  return h("div", { class: input.localName === "textarea" && input.maxLength > 0 ? "full" : null }, field(label, input, hint));
}
