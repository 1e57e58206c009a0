// The company, who is signed in, tokens, webhooks.

import { Pages, change, data, decimal, exactly, get, isRaw, path } from "./api.js";
import { actionWords, kindsAndActions } from "./change.js";
import { ask, busy, empty, field, fill, h, notice, select } from "./dom.js";
import { ago, autonomies, eventTypes, time, words } from "./format.js";
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
        h("div", {}, companyForm(company), webhooks ? hooks(webhooks) : null),
        h("div", {}, tokens(sessions))),
    ],
  };
}

const stale = "Somebody else was faster. Nothing was saved, and what you have typed is still here; save again to put yours in place.";

function companyForm({ data: company, tag }) {
  let current = tag;
  let known = company;
  const closed = { disabled: !may.editAll() };
  const inputs = {
    company_name: h("input", { maxlength: 256, required: true, value: company.company_name, ...closed }),
    autonomy_level: select(autonomies, company.autonomy_level, closed, words),
    budget_monthly: h("input", { type: "number", min: 0, step: "any", value: JSON.stringify(company.budget_monthly), ...closed }),
    currency: h("input", { maxlength: 3, minlength: 3, value: company.currency, ...closed }),
    settings: h("textarea", { rows: 8, class: "code", spellcheck: "false", value: JSON.stringify(company.settings, null, 2), ...closed }),
  };
  const problem = h("div", { class: "problem", role: "alert" });
  const save = h("button", { type: "submit", class: "primary" }, "Save");
  const submit = async () => {
    fill(problem);
    const body = {};
    for (const name of ["company_name", "autonomy_level", "currency"]) {
      if (inputs[name].value !== known[name]) body[name] = inputs[name].value;
    }
    if (inputs.budget_monthly.value !== JSON.stringify(known.budget_monthly)) body.budget_monthly = decimal(inputs.budget_monthly.value);
    if (inputs.settings.value !== JSON.stringify(known.settings, null, 2)) {
      try {
        body.settings = merge(known.settings, exactly(inputs.settings.value));
      } catch {
        return fill(problem, "The settings must be a JSON object.");
      }
    }
    try {
      ({ data: known, tag: current } = await change("PATCH", "company", body, { tag: current, exact: true }));
      document.getElementById("company").textContent = known.company_name;
      notice("Saved.");
    } catch (error) {
      let text = error.message;
      if (error.stale) {
        const now = await get("company");
        if (now.data.revision !== known.revision) text = stale;
        current = now.tag;
      }
      fill(problem, text);
    }
  };
  return section("Company", h("form", { class: "grid", onsubmit: (e) => { e.preventDefault(); busy(save, submit); } },
    field("Name", inputs.company_name), field("Autonomy", inputs.autonomy_level),
    field("Budget a month", inputs.budget_monthly), field("Currency", inputs.currency, "fixed once there are costs"),
    h("div", { class: "full" }, field("Settings, JSON", inputs.settings, "ceremony_policy is what departments inherit")),
    h("div", { class: "full" }, problem), may.editAll() ? h("div", { class: "full" }, save) : null));
}

// merge makes the patch that turns one object into another: what differs, and
// null for what is gone.
function merge(before, after) {
  if (!isObject(after)) throw new TypeError("no object");
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

const isObject = (v) => typeof v === "object" && v !== null && !Array.isArray(v) && !isRaw(v);

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
  const yes = await ask("New token", [
    field("Subject", subject, "who it is for; the id of the agent for role agent"), field("Role", role),
    field("Departments", departments, "for department admins, separated by commas"), field("Hours", hours, "until it expires"),
  ], "Make it");
  if (!yes) return;
  try {
    const { data: made } = await change("POST", "auth/tokens", {
      subject: subject.value, role: role.value, ttl_seconds: Number(hours.value) * 3600,
      departments: departments.value.split(",").map((d) => d.trim()).filter(Boolean),
    });
    await secret("The new token", made.token, `It expires ${ago(made.expires_at)}.`);
    again();
  } catch (error) {
    notice(error.message, "error");
  }
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
  const { data: w, tag } = id ? await get(path("webhooks", id)) : { data: { url: "", event_types: [], departments: [], enabled: true } };
  const url = h("input", { type: "url", required: true, value: w.url, placeholder: "https://" });
  const types = h("select", { multiple: true, size: 6 }, [...new Set([...eventTypes, ...kindsAndActions, ...w.event_types])].map((t) => {
    const option = h("option", { value: t }, typeWords(t));
    option.selected = w.event_types.includes(t);
    return option;
  }));
  const departments = h("input", { value: w.departments.join(", ") });
  const enabled = h("input", { type: "checkbox", checked: w.enabled });
  const yes = await ask(id ? "Change the webhook" : "New webhook", [
    field("URL", url), field("Types of events", types, "or of changes; none means all events and no changes; Ctrl or ⌘ chooses several"),
    field("Departments", departments, "separated by commas; none means all"), field("On", enabled),
  ], id ? "Save" : "Create");
  if (!yes) return;
  const body = {
    url: url.value, event_types: [...types.selectedOptions].map((o) => o.value),
    departments: departments.value.split(",").map((d) => d.trim()).filter(Boolean), enabled: enabled.checked,
  };
  try {
    const { data: made } = await change(id ? "PATCH" : "POST", id ? path("webhooks", id) : "webhooks", body, { tag });
    if (!id) await secret("Secret of the webhook", made.secret, "Messages are signed with it.");
    again();
  } catch (error) {
    notice(error.message, "error");
  }
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
