// The projects, with who works on them.

import { Pages, data, get, limited, path } from "./api.js";
import { ask, begin, busy, empty, field, fill, h, name as text, select, table, tableRow } from "./dom.js";
import { Control, Form, exactNumber, orNull } from "./form.js";
import { date, money, words } from "./format.js";
import { again, link } from "./router.js";
import { may } from "./session.js";

const statuses = ["planning", "active", "on_hold", "completed", "cancelled"];

export async function page({ query, signal }) {
  const chosen = query.get("status") ?? "";
  const company = await data("company", {}, signal);
  const pages = new Pages("projects", { status: chosen, limit: 50 }, signal);
  const names = new Names(signal);
  const list = table(titles, []);
  const more = h("button", { type: "button", class: "secondary", onclick: () => busy(more, draw) }, "More");
  const draw = async () => {
    const before = pages.items.length;
    await pages.more();
    list.tBodies[0].append(...pages.items.slice(before).map((p) => row(p, company.currency, names)));
    more.hidden = pages.complete;
  };
  await draw();
  const status = select(["", ...statuses], chosen, {
    onchange: () => { location.hash = status.value ? link("projects", { status: status.value }) : link("projects"); },
  }, (v) => v ? words(v) : "all");
  return {
    title: "Projects",
    body: [
      h("div", { class: "bar" }, h("h1", {}, "Projects"), h("div", { class: "inline" }, field("Status", status)),
        may.editAll() ? h("button", { type: "button", class: "primary", onclick: () => edit(null, company.currency) }, "New project") : null),
      h("section", { class: "panel scroll", "aria-label": "Projects", tabindex: "0" },
        pages.items.length ? list : empty("There are no projects."), more),
    ],
  };
}

// Names finds the names of agents, which projects know by id.
class Names {
  constructor(signal) {
    Object.assign(this, { signal, found: new Map(), calm: limited(4) });
  }

  of(id) {
    if (!this.found.has(id)) {
      this.found.set(id, this.calm(() => data(path("agents", id), {}, this.signal)).then((a) => a.name, () => null));
    }
    return this.found.get(id);
  }

  link(id) {
    const a = h("a", { href: link("agents", id) }, "…");
    this.of(id).then((name) => fill(a, text(name ?? "somebody who has left")));
    return a;
  }
}

const titles = ["Project", "Status", "Lead", "Team", "Budget", "Deadline (UTC)", ""];

function row(p, currency, names) {
  const more = p.team.length > 3 ? ` and ${p.team.length - 3} more` : "";
  return tableRow(titles, [
    [text(p.name), p.description ? h("p", { class: "lead", dir: "auto" }, p.description) : null],
    h("span", { class: `chip ${p.status}` }, words(p.status)),
    p.lead ? names.link(p.lead) : "–",
    p.team.length ? [p.team.slice(0, 3).map((id, i) => [i ? ", " : "", names.link(id)]), more] : "–",
    p.budget ? money(p.budget, currency, 0) : "–",
    date(p.deadline),
    may.editAll() ? h("button", { type: "button", class: "secondary", "aria-label": `Change ${p.name}`, onclick: () => edit(p.id, currency) }, "Change") : null,
  ]);
}

async function edit(id, currency) {
  const where = path("projects", ...(id ? [id] : []));
  const none = { data: { name: "", description: "", lead: null, budget: 0, status: "planning", deadline: null } };
  if (await begin((end) => id ? get(where, {}, end, true) : none, (found) => fillIn(id, where, found, currency))) again();
}

function fillIn(id, where, found, currency) {
  const form = new Form({
    name: new Control(h("input", { required: true, maxlength: 256 })),
    description: new Control(h("textarea", { rows: 3, maxlength: 4096 })),
    lead: new Control(h("input", { maxlength: 128 }), orNull),
    budget: new Control(h("input", { type: "number", min: 0, step: "any" }), exactNumber),
    deadline: new Control(h("input", { type: "date" }), day),
    status: new Control(select(statuses, "", {}, words)),
  }, found, where);
  const { name, description, lead, budget, deadline, status } = form.controls;
  return ask(id ? `Change ${found.data.name}` : "New project", [
    field("Name", name.input), field("Description", description.input), field("Lead", lead.input, "name or id of an agent"),
    field(`Budget, ${currency}`, budget.input), field("Deadline", deadline.input), id ? field("Status", status.input) : null,
  ], id ? "Save" : "Create", {
    check: () => id ? form.send() : form.create(),
    opened: (signal) => id && form.follow({ action: "project" }, signal),
  });
}

const day = { write: (time) => time?.slice(0, 10) ?? "", read: (held) => held ? `${held}T00:00:00.000Z` : null };
