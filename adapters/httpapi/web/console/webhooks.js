// Webhooks and their deliveries.

import { Pages, change, data, get, path } from "./api.js";
import { actionWords, kindsAndActions } from "./change.js";
import { ask, begin, button, empty, field, fill, h, notice, section, table } from "./dom.js";
import { Control, Form, list } from "./form.js";
import { ago, eventTypes, words } from "./format.js";
import { secret } from "./secret.js";

export const read = (signal) => new Pages("webhooks", { limit: 200 }, signal).upTo();

// webhooks is a section with all of them. Beside it may be a form that somebody fills in, so
// it is read again by itself.
export function webhooks(all, signal) {
  const list = h("div", {});
  const draw = (hooks) => fill(list, hooks.length ? hooks.map((w) => hook(w, again)) : empty("No webhooks."));
  const again = () => read(signal).then(draw, (error) => signal.aborted || notice(error.message, "error"));
  draw(all);
  return section("Webhooks", h("div", { class: "row" }, button("New webhook", () => editHook(null, again), "primary")), list);
}

// again reads all of them again.
function hook(w, again) {
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
    fill(deliveries, list.length ? table(["When", "Status", "Answer", "Attempts", ""], list.map((d) => [
      ago(d.created_at), h("span", { class: `chip delivery ${d.status}` }, d.status), d.response_code ?? words(d.error), d.attempt,
      button("Again", () => act(`deliveries/${encodeURIComponent(d.id)}/redeliver`, show), "secondary", "Deliver this event again"),
    ]), { class: "stacked small" }) : empty("No deliveries."));
  };
  return h("article", { class: "hook" },
    h("h3", {}, h("span", { class: "url" }, w.url), " ", h("span", { class: `chip ${w.enabled ? "on" : "off"}` }, w.enabled ? "on" : `off${w.disabled_reason ? `: ${words(w.disabled_reason)}` : ""}`)),
    h("p", { class: "lead" }, w.event_types.length ? w.event_types.map(typeWords).join(", ") : "every event", " · ", w.departments.length ? w.departments.join(", ") : "every department"),
    h("div", { class: "row" },
      button("Deliveries", () => show().catch((e) => notice(e.message, "error")), "secondary", `Deliveries to ${w.url}`),
      button("Test", () => act("test", async () => { notice("A test message is on its way."); await show(); }), "secondary", `Send a test to ${w.url}`),
      button("Change", () => editHook(w.id, again), "secondary", `Change ${w.url}`),
      button("New secret", () => act("rotate-secret", (r) => secret("The new secret", r.secret, "The old one is valid for 24 hours more.")), "secondary", `New secret for ${w.url}`),
      button("Delete", () => removeHook(w, again), "danger quiet", `Delete ${w.url}`)),
    deliveries);
}

const typeWords = (t) => kindsAndActions.includes(t) ? actionWords(t) : words(t);

async function editHook(id, again) {
  const where = path("webhooks", ...(id ? [id] : []));
  const none = { data: { url: "", event_types: [], departments: [], enabled: true } };
  const form = await begin((end) => id ? get(where, {}, end) : none, (found) => fillIn(id, where, found));
  if (!form) return;
  if (!id) await secret("Secret of the webhook", form.data.secret, "Messages are signed with it.");
  again();
}

// fillIn returns the form when that is saved.
async function fillIn(id, where, found) {
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
  return done && form;
}

async function removeHook(w, again) {
  if (!await ask("Delete the webhook?", h("p", {}, w.url), "Delete", { danger: true })) return;
  try {
    await change("DELETE", path("webhooks", w.id));
    again();
  } catch (error) {
    notice(error.message, "error");
  }
}
