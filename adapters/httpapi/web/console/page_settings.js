// The company and webhooks.

import { get } from "./api.js";
import { busy, facts, field, fill, h, notice, section, select } from "./dom.js";
import { Control, Form, exactNumber, isObject, object } from "./form.js";
import { autonomies, money, words } from "./format.js";
import { guard } from "./guard.js";
import { may } from "./session.js";
import { read as readHooks, webhooks } from "./webhooks.js";

export async function page({ signal }) {
  const [company, hooks] = await Promise.all([
    get("company", {}, signal, true), may.administer() ? readHooks(signal) : null,
  ]);
  return {
    title: "Settings",
    body: [
      h("div", { class: "bar" }, h("h1", {}, "Settings")),
      h("div", { class: "columns even" }, may.editAll() ? companyForm(company, signal) : companyFacts(company.data), hooks ? webhooks(hooks, signal) : null),
    ],
  };
}

// companyFacts are for those who may not change them.
const companyFacts = (c) => section("Company", facts([
  ["Name", c.company_name], ["Autonomy", words(c.autonomy_level)], ["Budget a month", money(Number(JSON.stringify(c.budget_monthly)), c.currency)],
  ["Settings", h("pre", { class: "code" }, settings.write(c.settings))],
]));

const settings = {
  write: (value) => JSON.stringify(value, null, 2),
  read: (held, seen) => merge(seen, object(held)),
};

function companyForm(company, signal) {
  const form = new Form({
    company_name: new Control(h("input", { maxlength: 256, required: true })),
    autonomy_level: new Control(select(autonomies, "", {}, words)),
    budget_monthly: new Control(h("input", { type: "number", min: 0, step: "any" }), exactNumber),
    currency: new Control(h("input", { maxlength: 3, minlength: 3 })),
    settings: new Control(h("textarea", { rows: 8, class: "code", spellcheck: "false" }), settings),
  }, company, "company");
  guard(() => form.touched.length ? "What you have changed of the company is not saved, and will be lost." : null, signal);
  const problem = h("div", { class: "problem", role: "alert" });
  const save = h("button", { type: "submit", class: "primary" }, "Save");
  const submit = async () => {
    fill(problem);
    problem.textContent = await form.send().catch((error) => error.message);
    if (problem.textContent) return;
    document.getElementById("company").textContent = form.data.company_name;
    notice("Saved.");
  };
  const { company_name: name, autonomy_level: autonomy, budget_monthly: budget, currency, settings: free } = form.controls;
  return section("Company", h("form", { class: "grid", onsubmit: (e) => { e.preventDefault(); busy(save, submit); } },
    field("Name", name.input), field("Autonomy", autonomy.input),
    field("Budget a month", budget.input), field("Currency", currency.input, "fixed once there are costs"),
    h("div", { class: "full" }, field("Settings, JSON", free.input, "ceremony_policy is what departments inherit")),
    h("div", { class: "full" }, problem), h("div", { class: "full" }, save)));
}

// merge makes the patch that turns one object into another: what differs, and
// null for what is gone.
function merge(before, after) {
  const patch = {};
  for (const name of Object.keys(before)) {
    if (!(name in after)) patch[name] = null;
  }
  for (const [name, value] of Object.entries(after)) {
    if (isObject(before[name]) && isObject(value)) patch[name] = merge(before[name], value);
    else if (JSON.stringify(before[name]) !== JSON.stringify(value)) patch[name] = value;
  }
  return patch;
}
