// The company, who is signed in, tokens, webhooks.

import { Pages, change, data, get, path } from "./api.js";
import { actionWords, kindsAndActions } from "./change.js";
import { ask, busy, empty, field, fill, h, notice, select } from "./dom.js";
import { Control, Form, exactNumber, isObject, list, object } from "./form.js";
import { ago, autonomies, eventTypes, time, words } from "./format.js";
import { guard } from "./guard.js";
import { again } from "./router.js";
import { may, session } from "./session.js";

const section = (title, ...content) => h("section", { class: "panel", "aria-label": title }, h("h2", {}, title), content);
const button = (label, onclick, kind = "secondary", name = null) => h("button", { type: "button", class: kind, onclick, "aria-label": name }, label);
const table = (columns, rows) => h("div", { class: "scroll" }, h("table", { class: "small" },
  h("thead", {}, h("tr", {}, columns.map((c) => h("th", { scope: "col" }, c || h("span", { class: "unseen" }, "Actions"))))), h("tbody", {}, rows)));

export async function page({ signal }) {
  const [company, sessions, webhooks] = await Promise.all([
    get("company", {}, signal, true), new Pages("auth/sessions", { limit: 100 }, signal).upTo(100),
    may.administer() ? new Pages("webhooks", { limit: 200 }, signal).upTo() : null,
  ]);
  return {
    title: "Settings",
    body: [
      h("div", { class: "bar" }, h("h1", {}, "Settings")),
      h("div", { class: "columns even" },
        h("div", {}, companyForm(company, signal), webhooks ? hooks(webhooks) : null),
        h("div", {}, tokens(sessions))),
    ],
  };
}

const settings = {
  write: (value) => JSON.stringify(value, null, 2),
  read: (held, seen) => merge(seen, object(held)),
};

function companyForm(company, signal) {
  const closed = { disabled: !may.editAll() };
  const form = new Form({
    company_name: new Control(h("input", { maxlength: 256, required: true, ...closed })),
    autonomy_level: new Control(select(autonomies, "", closed, words)),
    budget_monthly: new Control(h("input", { type: "number", min: 0, step: "any", ...closed }), exactNumber),
    currency: new Control(h("input", { maxlength: 3, minlength: 3, ...closed })),
    settings: new Control(h("textarea", { rows: 8, class: "code", spellcheck: "false", ...closed }), settings),
  }, company, "company");
  guard(() => form.touched.length ? "What you have changed of the company is not saved, and will be lost." : "", signal);
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
    h("div", { class: "full" }, problem), may.editAll() ? h("div", { class: "full" }, save) : null));
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

function tokens(sessions) {
  return section("Tokens and sessions",
    may.administer() ? h("div", { class: "row" }, button("New token", newToken, "primary")) : null,
    sessions.length ? table(["Who", "Role", "Issued", "Expires", ""], sessions.map((s) => h("tr", {},
      h("th", { scope: "row" }, h("bdi", {}, s.subject), s.sid === session.me.sid ? h("span", { class: "chip" }, "this one") : null),
      h("td", {}, words(s.role), s.departments.length ? h("small", {}, ` ${s.departments.join(", ")}`) : null),
      h("td", {}, ago(s.issued_at)),
      h("td", { title: time(s.expires_at) }, s.revoked_at ? "revoked" : ago(s.expires_at)),
      h("td", {}, s.revoked_at ? null : button("Revoke", () => revoke(s), "secondary", `Revoke the session of ${s.subject}`))))) : empty("No sessions."));
}

async function revoke(s) {
  const own = s.sid === session.me.sid;
  const yes = await ask(`Revoke the session of ${s.subject}?`, h("p", {}, own ? "It is your own: you will have to sign in again." : "Every token of it is refused from now on."), "Revoke", { danger: true });
  if (!yes) return;
  try {
    await change("DELETE", path("auth", "sessions", s.sid));
    again();
  } catch (error) {
    notice(error.message, "error");
  }
}

async function newToken() {
  const subject = h("input", { required: true, maxlength: 256 });
  const role = select(["viewer", "agent", "reporter", "department_admin", "editor", "admin"], "editor", {}, words);
  const departments = h("input", {});
  const hours = h("input", { type: "number", min: 1, max: 720, value: "12", required: true });
  let made;
  const make = async () => {
    made = await change("POST", "auth/tokens", {
      subject: subject.value, role: role.value, ttl_seconds: Number(hours.value) * 3600,
      departments: departments.value.split(",").map((d) => d.trim()).filter(Boolean),
    });
    return "";
  };
  const done = await ask("New token", [
    field("Subject", subject, "who it is for; the id of the agent for role agent"), field("Role", role),
    field("Departments", departments, "for department admins, separated by commas"), field("Hours", hours, "until it expires"),
  ], "Make it", { check: make });
  if (!done) return;
  await secret("The new token", made.data.token, `It expires ${ago(made.data.expires_at)}.`);
  again();
}

// secret shows something once.
function secret(title, value, text) {
  const shown = h("textarea", { rows: 5, class: "code", readonly: true, value, "aria-label": title });
  return ask(title, [h("p", {}, "It is shown this once. ", text), shown], "I have it");
}

function hooks(all) {
  return section("Webhooks", h("div", { class: "row" }, button("New webhook", () => editHook(null), "primary")),
    all.length ? all.map(hook) : empty("No webhooks."));
}

function hook(w) {
  const deliveries = h("div", {});
  const where = path("webhooks", w.id);
  const act = async (what, done) => {
    try {
      const result = await change("POST", `${where}/${what}`);
      await done(result.data);
    } catch (error) {
      notice(error.message, "error");
    }
  };
  const show = async () => {
    const list = await data(`${where}/deliveries`, { limit: 20 });
    fill(deliveries, list.length ? table(["When", "Status", "Answer", "Attempts", ""], list.map((d) => h("tr", {},
      h("th", { scope: "row" }, ago(d.created_at)), h("td", {}, h("span", { class: `chip delivery ${d.status}` }, d.status)),
      h("td", {}, d.response_code ?? words(d.error)), h("td", {}, d.attempt),
      h("td", {}, button("Again", () => act(`deliveries/${encodeURIComponent(d.id)}/redeliver`, show), "secondary", "Deliver this event again"))))) : empty("No deliveries."));
  };
  return h("article", { class: "hook" },
    h("h3", {}, h("span", { class: "url" }, w.url), " ", h("span", { class: `chip ${w.enabled ? "on" : "off"}` }, w.enabled ? "on" : `off${w.disabled_reason ? `: ${words(w.disabled_reason)}` : ""}`)),
    h("p", { class: "lead" }, w.event_types.length ? w.event_types.map(typeWords).join(", ") : "every event", " · ", w.departments.length ? w.departments.join(", ") : "every department"),
    h("div", { class: "row" },
      button("Deliveries", () => show().catch((e) => notice(e.message, "error")), "secondary", `Deliveries to ${w.url}`),
      button("Test", () => act("test", async () => { notice("A test message is on its way."); await show(); }), "secondary", `Send a test to ${w.url}`),
      button("Change", () => editHook(w.id), "secondary", `Change ${w.url}`),
      button("New secret", () => act("rotate-secret", (r) => secret("The new secret", r.secret, "The old one is valid for 24 hours more.")), "secondary", `New secret for ${w.url}`),
      button("Delete", () => removeHook(w), "danger quiet", `Delete ${w.url}`)),
    deliveries);
}

const typeWords = (t) => kindsAndActions.includes(t) ? actionWords(t) : words(t);

async function editHook(id) {
  const where = path("webhooks", ...(id ? [id] : []));
  const found = id ? await get(where) : { data: { url: "", event_types: [], departments: [], enabled: true } };
  const types = [...new Set([...eventTypes, ...kindsAndActions, ...found.data.event_types])];
  const form = new Form({
    url: new Control(h("input", { type: "url", required: true, placeholder: "https://" })),
    event_types: new Control(h("select", { multiple: true, size: 6 }, types.map((t) => h("option", { value: t }, typeWords(t)))), list("\n")),
    departments: new Control(h("input", {}), list(",", ", ")),
    enabled: new Control(h("input", { type: "checkbox" })),
  }, found, where);
  const { url, event_types: chosen, departments, enabled } = form.controls;
  const done = await ask(id ? "Change the webhook" : "New webhook", [
    field("URL", url.input), field("Types of events", chosen.input, "or of changes; none means all events and no changes; Ctrl or ⌘ chooses several"),
    field("Departments", departments.input, "separated by commas; none means all"), field("On", enabled.input),
  ], id ? "Save" : "Create", { check: () => id ? form.send() : form.create() });
  if (!done) return;
  if (!id) await secret("Secret of the webhook", form.data.secret, "Messages are signed with it.");
  again();
}

async function removeHook(w) {
  if (!await ask("Delete the webhook?", h("p", {}, w.url), "Delete", { danger: true })) return;
  try {
    await change("DELETE", path("webhooks", w.id));
    again();
  } catch (error) {
    notice(error.message, "error");
  }
}
