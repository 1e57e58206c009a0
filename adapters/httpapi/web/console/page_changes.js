// Who changed what of the organization, as it happens.

import { data } from "./api.js";
import { actionWords, entry, kindsAndActions } from "./change.js";
import { h, name as text, notice, select } from "./dom.js";
import { Feed, days, filters, instants } from "./feed.js";
import { key } from "./session.js";
import { follow } from "./stream.js";

const names = ["agent_id", "department", "action", "actor", "since", "until"];

export async function page({ query, signal }) {
  const wanted = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
  const departments = new Departments(await data("company/departments", {}, signal));
  const coming = { ...wanted, since: "", until: "" };
  const feed = new Feed("changes", { ...wanted, ...instants(wanted) }, {
    thing: "change",
    none: names.some((name) => wanted[name]) ? "No change fits the filters." : "Nothing has been changed yet.",
    entry: (change, { fresh } = {}) => entry(change, { fresh, isThere: (name) => departments.has(name) }),
    follow: (take) => wanted.until ? null : follow("changes", coming, (change) => {
      departments.note(change);
      take(change);
    }, signal),
  }, signal);
  await feed.start();
  const list = h("datalist", { id: "departments" }, departments.names.map((name) => h("option", { value: name })));
  return {
    title: "Changes",
    body: [
      h("div", { class: "bar" }, h("h1", {}, "Changes"), feed.button),
      h("div", { class: "columns feed-page" }, filters("changes", {
        agent_id: ["Agent", h("input", { value: wanted.agent_id, maxlength: 128, placeholder: "name or id" })],
        department: ["Department", h("input", { value: wanted.department, maxlength: 128, list: "departments", autocomplete: "off" })],
        action: ["Kind", select([...new Set(["", ...kindsAndActions, wanted.action])], wanted.action, {}, (v) => v ? actionWords(v) : "all")],
        actor: ["Changed by", h("input", { value: wanted.actor, maxlength: 1024, placeholder: "subject" })],
        ...days(wanted),
      }), feed.element),
      list,
    ],
    refresh: () => feed.again().catch((error) => notice(error.message, "error")),
  };
}

// Departments knows which there are, so that no link leads nowhere.
class Departments {
  constructor(all) {
    this.names = all.map((d) => d.name);
    this.keys = new Set(this.names.map(key));
  }

  has(name) { return name !== null && this.keys.has(key(name)); }

  // note takes what a change says of a department.
  note({ action, resource: { name } }) {
    if (action === "department.created") this.keys.add(key(name));
    if (action !== "department.deleted") return;
    this.keys.delete(key(name));
    for (const a of document.querySelectorAll("main a.department")) {
      if (key(a.textContent) === key(name)) a.replaceWith(text(a.textContent));
    }
  }
}
