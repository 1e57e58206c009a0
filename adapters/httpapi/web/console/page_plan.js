// The organization as a document: what it would change, and making it so.

import { because, change, get } from "./api.js";
import { unified } from "./diff.js";
import { announce, ask, begin, busy, empty, field, fill, h, notice } from "./dom.js";
import { guard } from "./guard.js";

export async function page({ signal }) {
  const view = new Plan(signal);
  return { title: "Plan", body: view.element };
}

class Plan {
  constructor(signal) {
    this.asked = 0; // documents, also those that are not seen any more
    this.saved = ""; // the document that is no loss
    guard(() => this.text.value.trim() && this.text.value !== this.saved ? "The document is not applied, and will be lost." :
      this.text.value || this.reason.value || this.prune.checked ? "" : null, signal);
    this.text = h("textarea", {
      rows: 18, class: "code", spellcheck: "false", required: true, oninput: () => this.forget(),
      placeholder: JSON.stringify({ format: 1, agents: [{ name: "Ada", role: "Reviewer", department: "Engineering" }] }, null, 2),
    });
    this.prune = h("input", { type: "checkbox", onchange: () => this.forget() });
    this.reason = h("input", { maxlength: 1024 });
    this.result = h("div", { "aria-live": "polite" }, empty("The plan shows what the document would change. Nothing happens before you apply it."));
    this.apply = h("button", { type: "button", class: "primary", disabled: true, onclick: () => busy(this.apply, () => this.run()).finally(() => this.forget(false)) }, "Apply");
    const plan = h("button", { type: "submit", class: "secondary" }, "Show the plan");
    const current = h("button", { type: "button", class: "secondary", onclick: () => busy(current, () => this.export()) }, "Load current");
    const file = h("input", { type: "file", accept: ".json", onchange: () => file.files.length && this.load(() => file.files[0].text()) });
    this.element = [
      h("div", { class: "bar" }, h("h1", {}, "Plan"), current),
      h("div", { class: "columns even" },
        h("section", { class: "panel", "aria-label": "Document" },
          h("form", { class: "grid", onsubmit: (event) => { event.preventDefault(); busy(plan, () => this.plan()); } },
            h("div", { class: "full" }, field("Document, JSON", this.text, "“Load current” puts here what there is now. “orgd plan” and “orgd apply” take YAML, too.")),
            h("div", { class: "full" }, field("Or a file", file)),
            h("div", { class: "full" }, field("Delete what the document does not name", this.prune)),
            h("div", { class: "full" }, field("Reason", this.reason, "It is kept with every version that is written.")),
            h("div", { class: "full row" }, plan, this.apply))),
        h("section", { class: "panel", "aria-label": "Changes" }, h("h2", {}, "Changes"), this.result)),
    ];
  }

  // forget makes a plan necessary again: what was planned is another document.
  forget(clear = true) {
    this.apply.disabled = !this.hash || clear;
    if (!clear) return;
    this.hash = "";
    this.asked++;
  }

  // load puts in what read returns, unless somebody types meanwhile.
  load(read) {
    const before = this.text.value;
    return begin(read, (text) => {
      if (this.text.value !== before) return notice("Nothing was loaded. What you have typed is still here.");
      this.text.value = text;
      this.saved = this.text.value;
      this.forget();
    });
  }

  export() {
    return this.load(async (signal) => JSON.stringify((await get("organization", {}, signal, true)).data, null, 2));
  }

  query(more = {}) {
    return { prune: this.prune.checked || "", ...more };
  }

  async plan() {
    this.forget();
    const mine = this.asked;
    try {
      const { data } = await change("POST", "organization/plan", this.text.value, { query: this.query() });
      if (mine !== this.asked) return; // it is the plan of what was there before
      this.hash = data.plan_hash;
      this.apply.disabled = data.changes.length === 0;
      this.changes = data.changes;
      fill(this.result, summary(data.changes), data.changes.map(row));
      announce(`${data.changes.length} changes`);
    } catch (error) {
      if (mine !== this.asked) return;
      fill(this.result, h("div", { class: "problem", role: "alert" }, h("strong", {}, "The document is refused."),
        h("ul", {}, error.message.split(/; |\n/).map((line) => h("li", {}, line)))));
    }
  }

  async run() {
    const deletions = this.changes.filter((c) => c.action === "delete").length;
    const yes = await ask("Apply the document?", h("p", {}, count(this.changes), deletions ? h("strong", {}, ` ${deletions} of them ${deletions === 1 ? "deletes" : "delete"} something.`) : null),
      "Apply", { danger: deletions > 0 });
    if (!yes) return;
    const document = this.text.value;
    try {
      const { data } = await change("POST", "organization/apply", document, {
        query: this.query({ plan_hash: this.hash }),
        headers: because(this.reason.value),
      });
      this.hash = "";
      this.saved = document;
      fill(this.result, h("p", { class: "lead" }, `Done: ${data.created} created, ${data.updated} updated, ${data.deleted} deleted, ${data.reordered} reordered.`));
    } catch (error) {
      this.hash = "";
      notice(error.stale ? "The organization has changed since it was planned. Plan again." : error.message, "error");
    }
  }
}

const count = (changes) => changes.length === 1 ? "1 change." : `${changes.length} changes.`;

function summary(changes) {
  if (!changes.length) return empty("The organization is as the document says.");
  const counts = Object.groupBy(changes, (c) => c.action);
  return h("p", { class: "row" }, Object.entries(counts).map(([action, all]) => h("span", { class: `chip action ${action}` }, `${all.length} to ${action}`)));
}

function row(c) {
  const whole = c.action === "create" || c.action === "delete";
  return h("article", { class: "change" },
    h("h3", {}, h("span", { class: `chip action ${c.action}` }, c.action), " ", h("code", {}, c.path)),
    whole ? h("details", {}, h("summary", {}, "What it is"), unified(text(c.old), text(c.new))) : body(c));
}

function body(c) {
  const before = text(c.old);
  const after = text(c.new);
  if (/[\r\n]/.test(before + after)) return unified(before, after);
  return h("p", { class: "short" }, h("del", {}, before || "nothing"), h("span", { "aria-hidden": "true" }, " → "), h("ins", {}, after || "nothing"));
}

function text(value) {
  if (value === null) return "";
  if (Array.isArray(value) && value.every((v) => typeof v === "string")) return value.join("\n");
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
