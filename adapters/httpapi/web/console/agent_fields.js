// The fields of the form of an agent.

import { path } from "./api.js";
import { h, select } from "./dom.js";
import "./editor.js";
import { Control, Form, exactNumber, list, orNull } from "./form.js";
import { autonomies, levels, statuses, words } from "./format.js";
import "./skills.js";

const line = (maxlength, more = {}) => new Control(h("input", { maxlength, ...more }));
const lineOrNull = (maxlength) => new Control(h("input", { maxlength }), orNull);
const lines = () => new Control(h("textarea", { rows: 3, spellcheck: "false" }), list("\n"));
const choice = (values) => new Control(select(values, "", {}, words));
const choiceOr = (none, values) => new Control(select(["", ...values], "", {}, (v) => v ? words(v) : none), orNull);
const count = (min, max) => new Control(h("input", { type: "number", min, max, step: "any" }), exactNumber);
const skills = () => new Control(h("skill-list"), { write: (all) => JSON.stringify(all ?? []), read: JSON.parse });

const degrees = ["low", "medium", "high"];

// groups are the fields below the instructions: under each heading label, control, path and
// a hint. An agent that the fields refer to is shown by its name, if that is known.
function groups(departments, boss) {
  const reference = new Control(h("input", { maxlength: 128 }), { ...orNull, write: (id) => id === boss?.id ? boss.name : id ?? "" });
  return {
    Identity: [
      ["Name", line(128, { required: true }), "name"], ["Role", line(128, { required: true }), "role"],
      ["Department", choice(departments), "department"], ["Reports to", reference, "authority.reports_to", "name or id of an agent; empty for nobody"],
      ["Level", choice(levels), "level"], ["Status", choice(statuses), "status"],
      ["Owner", lineOrNull(128), "owner", "a subject, such as a person or a team"], ["Tags", new Control(h("input", { maxlength: 1024 }), list(",", ", ")), "tags", "separated by commas"],
      ["Description", new Control(h("textarea", { rows: 3, maxlength: 8192 })), "description"],
    ],
    Model: [
      ["Model provider", line(256), "model.provider"], ["Model", line(256), "model.model_id", "both empty for none"],
      ["Temperature", count(0, 2), "model.temperature"], ["Most tokens", count(1), "model.max_tokens"],
      ["Fallback model", lineOrNull(256), "model.fallback_model"],
    ],
    "Autonomy and tools": [
      ["Autonomy", choiceOr("inherited", autonomies), "autonomy_level"],
      ["Access to tools", choice(["sandboxed", "restricted", "standard", "elevated", "custom"]), "tools.access_level"],
      ["Tools allowed", lines(), "tools.allowed", "one a line, besides those of the access"], ["Tools denied", lines(), "tools.denied", "one a line"],
      ["May approve", lines(), "authority.can_approve", "one a line"], ["May delegate to", lines(), "authority.can_delegate_to", "names or ids of agents, one a line"],
    ],
    Skills: [["Primary skills", skills(), "skills.primary"], ["Secondary skills", skills(), "skills.secondary"]],
    Memory: [
      ["Memory", choice(["persistent", "project", "session", "none"]), "memory.type"],
      ["Days kept", count(1), "memory.retention_days", "empty for no limit"],
    ],
    Personality: [
      ["Traits", lines(), "personality.traits", "one a line"],
      ["What it is like", new Control(h("textarea", { rows: 3, maxlength: 500 })), "personality.description"],
      ["Style", line(100), "personality.communication_style"],
      ["Words", choice(["terse", "balanced", "verbose"]), "personality.verbosity"],
      ["Risk", choice(degrees), "personality.risk_tolerance"], ["Creativity", choice(degrees), "personality.creativity"],
      ["Decisions", choice(["analytical", "intuitive", "consultative", "directive"]), "personality.decision_making"],
      ["Conflicts", choice(["avoid", "accommodate", "compete", "compromise", "collaborate"]), "personality.conflict_approach"],
    ],
  };
}

// AgentForm is the form of an agent, which has its groups of fields beside the controls.
export class AgentForm extends Form {
  constructor(found, departments, boss) {
    const instructions = new Control(h("text-editor", { label: "Instructions" }));
    const all = groups(departments, boss);
    super({ instructions, ...Object.fromEntries(Object.values(all).flat().map(([, control, name]) => [name, control])) }, found, path("agents", found.data.id));
    this.groups = all;
  }

  // patch takes the model away if nothing is left that names one.
  patch() {
    const patch = super.patch();
    const { "model.provider": provider, "model.model_id": model } = this.controls;
    if (patch.model && provider.given && !provider.held.trim() && !model.held.trim()) patch.model = null;
    return patch;
  }

  // differences are what was touched, in the form of the interface.
  differences() {
    const json = (value) => value === null || value === undefined ? null : JSON.stringify(value);
    return this.touched.map((name) => {
      const { given, value } = this.controls[name];
      return { field_path: name, change_type: "modified", old_value: json(given), new_value: json(value) };
    });
  }
}
