// The ceremony policy of a department: what counts, where it comes from, and a form for what
// the department sets itself.

import { change, exactly, get, isRaw, path } from "./api.js";
import { ask, field, fill, h, notice, select } from "./dom.js";
import { Control, Form, object } from "./form.js";
import { words } from "./format.js";
import { again } from "./router.js";

const choices = {
  strategy: ["task_driven", "calendar", "hybrid", "event_driven", "budget_driven", "throughput_adaptive", "external_trigger", "milestone_driven"],
  velocity_calculator: ["task_driven", "calendar", "multi_dimensional", "budget", "points_per_sprint"],
};
const known = ["strategy", "strategy_config", "velocity_calculator", "auto_transition", "transition_threshold"];
const origins = { department: "set here", company: "from the company", default: "default" };

// Policy shows the ceremonies with where each setting comes from, and lets the
// department have its own.
export class Policy {
  constructor(department, tag, editable) {
    Object.assign(this, { department, tag, editable, where: path("departments", department.name, "ceremony-policy") });
    this.table = h("div", {});
    this.element = h("section", { class: "panel" }, h("h2", {}, "Ceremony policy"), this.table,
      editable ? h("div", { class: "row" },
        h("button", { type: "button", class: "secondary", onclick: () => this.edit() }, "Change the policy"),
        department.ceremony_policy ? h("button", { type: "button", class: "secondary", onclick: () => this.inherit() }, "Inherit everything") : null) : null);
  }

  async read(signal) {
    this.resolved = (await get(`${this.where}/resolved`, {}, signal, true)).data;
    fill(this.table, h("table", { class: "even" },
      h("caption", { class: "unseen" }, "Settings of the ceremonies, and where they come from"),
      h("thead", {}, h("tr", {}, ["Setting", "Value", "Origin"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, Object.entries(this.resolved).map(([name, { value, origin }]) =>
        h("tr", {}, h("th", { scope: "row" }, words(name)), h("td", {}, shown(value)),
          h("td", {}, h("span", { class: `chip origin ${origin}` }, origins[origin])))))));
  }

  async edit() {
    const own = this.department.ceremony_policy ?? {};
    const inherited = (name) => name in own ? "inherit" : `inherit (${shown(this.resolved[name]?.value)})`;
    const choice = (name) => new Control(select(["", ...choices[name]], "", {}, (v) => v ? words(v) : inherited(name)), orInherit);
    const form = new PolicyForm({
      strategy: choice("strategy"),
      velocity_calculator: choice("velocity_calculator"),
      auto_transition: new Control(select(["", "true", "false"], "", {}, (v) => ({ "": inherited("auto_transition"), true: "yes", false: "no" })[v]), yesOrNo),
      transition_threshold: new Control(h("input", { inputmode: "decimal", placeholder: inherited("transition_threshold") }), share),
      strategy_config: new Control(h("textarea", { rows: 3, class: "code", placeholder: "inherit" }), json),
      rest: new Control(h("textarea", { rows: 4, class: "code" }), json),
    }, parts({ data: this.department, tag: this.tag }), path("departments", this.department.name));
    const input = (name) => form.controls[name].input;
    const done = await ask(`Ceremony policy of ${this.department.name}`, [
      field("Strategy", input("strategy")), field("Velocity calculator", input("velocity_calculator")), field("Auto transition", input("auto_transition")),
      field("Threshold", input("transition_threshold"), "of the transition: above 0, at most 1"), field("Strategy config", input("strategy_config"), "JSON"),
      field("Anything else", input("rest"), "JSON; kept as it is"),
    ], "Save", { check: () => form.send() });
    if (done) this.saved();
  }

  async inherit() {
    const yes = await ask("Inherit everything?", h("p", {}, `What ${this.department.name} has set for itself is dropped. The company's policy and the defaults count.`), "Inherit", { danger: true });
    if (!yes) return;
    try {
      await change("DELETE", this.where, undefined, { tag: this.tag });
      this.saved();
    } catch (error) {
      notice(error.stale ? "Somebody else has changed the department meanwhile. Nothing was saved; look at it again." : error.message, "error");
    }
  }

  saved() {
    notice("The policy is saved.");
    again();
  }
}

// PolicyForm is the form of what a department sets itself, which is saved as a whole.
class PolicyForm extends Form {
  async save() {
    const values = known.map((name) => [name, this.controls[name].value]).filter(([, value]) => value !== undefined);
    await change("PUT", `${this.where}/ceremony-policy`, { ...this.controls.rest.value, ...Object.fromEntries(values) }, { tag: this.tag });
    return this.current();
  }

  async current(signal) { return parts(await super.current(signal)); }
}

// parts are what a department sets itself, as the form has it.
function parts({ data: { ceremony_policy: own }, tag }) {
  return { data: { ...own, rest: Object.fromEntries(Object.entries(own ?? {}).filter(([name]) => !known.includes(name))) }, tag };
}

// Ways to write and read; undefined is inherited.
const orInherit = { read: (held) => held || undefined };
const yesOrNo = { write: (value) => value === undefined ? "" : String(value), read: (held) => held ? held === "true" : undefined };
const share = { write: (value) => value === undefined ? "" : JSON.stringify(value), read: (held) => {
  if (!held.trim()) return undefined;
  if (!(Number(held) > 0 && Number(held) <= 1)) throw new RangeError("The threshold must be above 0 and at most 1.");
  return exactly(held.trim());
} };
const json = { write: (value) => Object.keys(value ?? {}).length ? JSON.stringify(value, null, 2) : "", read: (held) => held.trim() ? object(held) : undefined };

function shown(value) {
  if (value === undefined) return "nothing";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return words(value);
  return typeof value === "object" && !isRaw(value) && !Object.keys(value ?? {}).length ? "nothing" : JSON.stringify(value);
}
