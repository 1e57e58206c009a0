// A department: how it does, its teams, who reports to whom, its ceremonies.

import { change, data, get, path } from "./api.js";
import { board, table, touch } from "./board.js";
import { forget } from "./card.js";
import { meter, tree } from "./chart.js";
import { budget, costOfMonth, overTime, readDays } from "./days.js";
import { ask, empty, field, fill, h, name as text, notice, section, select } from "./dom.js";
import { Control, Form, exactNumber, list, orNull } from "./form.js";
import { autonomies, number, percent, words } from "./format.js";
import { Members } from "./members.js";
import { Policy } from "./policy.js";
import { again, current, link, setQuery } from "./router.js";
import { calm, lifecycle, soon } from "./roster.js";
import { may } from "./session.js";
import { listen } from "./stream.js";

export async function page({ name, query, signal }) {
  const where = path("departments", name);
  const [{ data: department, tag }, health, company, days] = await Promise.all([
    get(where, {}, signal, true), data(`${where}/health`, {}, signal), data("company", {}, signal), readDays(where, signal),
  ]);
  const editable = may.edit(department.name);
  const policy = new Policy(department, tag, editable);
  await policy.read(signal);
  const agents = new Agents(department.name, health.agent_count, editable, signal);
  agents.update(query);
  return {
    title: department.name,
    body: [
      h("nav", { class: "crumbs", "aria-label": "Where this is" }, h("a", { href: link("") }, "Organization")),
      h("div", { class: "bar" },
        h("div", { class: "title" }, h("h1", {}, text(department.name)), h("p", { dir: "auto" }, department.description)),
        h("a", { class: "button secondary", href: link("changes", { department: department.name }), "aria-label": `Changes of ${department.name}` }, "Changes"),
        editable ? h("button", { type: "button", class: "secondary", onclick: () => edit(department, tag) }, "Change") : null,
        editable ? h("button", { type: "button", class: "danger quiet", onclick: () => dissolve(department, tag) }, "Delete") : null),
      agents.element,
      h("div", { class: "columns" },
        h("div", {}, overTime(days), lines(department), teams(department)),
        h("div", {}, condition(department, health, company, days), policy.element)),
    ],
    update: (q) => agents.update(q),
  };
}

// Agents shows who is in the department, as a table or as a board.
class Agents {
  constructor(department, total, editable, signal) {
    this.editable = editable;
    this.members = new Members(department, total, signal, () => this.draw());
    this.place = h("div", {});
    this.none = empty("Nobody yet.");
    this.buttons = ["table", "board"].map((view) => h("button", { type: "button", class: "secondary", onclick: () => {
      setQuery({ view: view === "table" ? "" : view });
      this.update(current().query);
    }, data: { view } }, { table: "Table", board: "Board" }[view]));
    this.element = h("section", { class: "panel members" },
      h("div", { class: "bar" }, h("h2", {}, "Agents"), h("small", {}, "Figures of 30 days"), h("div", { class: "switch" }, this.buttons)), this.place);
    const ids = new Set(); // to whom something has happened
    let timer = 0;
    let last = 0;
    listen((event) => {
      forget(event);
      touch(this.list, event.agent_id);
      if (!lifecycle.has(event.event_type)) return;
      ids.add(event.agent_id);
      timer ||= setTimeout(() => {
        timer = 0;
        last = Date.now();
        this.look([...ids]);
        ids.clear();
      }, Math.max(soon, last + calm - Date.now()));
    }, signal);
  }

  // look reads the agents again if they are others than before.
  async look(ids) {
    const { members } = this;
    try {
      const health = await data(path("departments", members.department, "health"), {}, members.signal);
      if (health.agent_count !== members.total || ids.some((id) => members.holds(id))) await members.reload(health.agent_count);
    } catch (error) {
      if (error.name !== "AbortError") notice(error.message, "error");
    }
  }

  update(query) {
    const view = query.get("view") === "board" ? "board" : "table";
    for (const b of this.buttons) b.setAttribute("aria-pressed", String(b.dataset.view === view));
    this.list = { table, board }[view](this.members, this.editable);
    this.draw();
  }

  draw() {
    const total = this.members.total;
    const content = total ? this.list.element : this.none;
    if (this.place.firstChild !== content) fill(this.place, content);
    this.list.setCount(total);
    this.list.refresh();
  }
}

const agent = (name) => name ? h("a", { href: link("agents", name) }, text(name)) : "–";
const tile = (name, value, below) => h("div", { class: "tile" }, h("span", {}, name), h("strong", {}, value), below);

function condition(department, health, company, days) {
  const share = Number(JSON.stringify(department.budget_percent));
  return section("Health",
    h("div", { class: "tiles" },
      tile("Agents", number(health.agent_count, 0), h("small", {}, `${health.active_agent_count} active`)),
      tile("Utilization", percent(health.utilization_percent), [meter(health.utilization_percent, 100, `utilization ${percent(health.utilization_percent)}`), h("small", {}, "agents that are active")]),
      tile("Quality, 30 days", health.avg_performance_score === null ? "–" : `${number(health.avg_performance_score)} / 10`,
        meter(health.avg_performance_score, 10, `quality ${number(health.avg_performance_score)} of 10`)),
      tile("Collaboration, 30 days", health.collaboration_score === null ? "–" : `${number(health.collaboration_score)} / 10`,
        meter(health.collaboration_score, 10, `collaboration ${number(health.collaboration_score)} of 10`)),
      tile("Cost, 30 days", costOfMonth(days), null),
      tile("Share of the budget", `${number(share)} %`, h("small", {}, budget(days, company.budget_monthly * share / 100))),
      tile("Autonomy", department.autonomy_level ? words(department.autonomy_level) : words(company.autonomy_level),
        h("small", {}, department.autonomy_level ? "set here" : "from the company")),
      tile("Head", agent(department.head), null)));
}

function teams(department) {
  return section("Teams", department.teams.length ? h("div", { class: "tiles" }, department.teams.map((t) =>
    h("div", { class: "tile" }, h("strong", {}, text(t.name)), h("span", {}, "lead ", agent(t.lead)),
      h("span", {}, t.members.map((m, i) => [i ? ", " : "", agent(m)]))))) : empty("No teams."));
}

// lines draws who reports to whom.
function lines(department) {
  const nodes = new Map();
  const node = (name) => nodes.get(name) ?? nodes.set(name, { name, children: [], top: true }).get(name);
  if (department.head) node(department.head);
  for (const { subordinate, supervisor } of department.reporting_lines) {
    const below = node(subordinate);
    below.top = false;
    node(supervisor).children.push(below);
  }
  const roots = [...nodes.values()].filter((n) => n.top);
  return section("Reporting lines", roots.length ?
    tree(roots, (name) => link("agents", name), "Who reports to whom") : empty("No reporting lines."),
  h("ul", { class: "unseen" }, department.reporting_lines.map((l) => h("li", {}, `${l.subordinate} reports to ${l.supervisor}`))));
}

async function edit(department, tag) {
  const form = new Form({
    description: new Control(h("textarea", { rows: 3, maxlength: 2048 })),
    head: new Control(h("input", { maxlength: 128 }), orNull),
    budget_percent: new Control(h("input", { type: "number", min: 0, max: 100, step: "any", disabled: !may.editAll() }), exactNumber),
    autonomy_level: new Control(select(["", ...autonomies], "", {}, (v) => v ? words(v) : "inherited"), orNull),
    "policies.protected_labels": new Control(h("input", { spellcheck: "false" }), list(/[\s,]+/, " ")),
  }, { data: department, tag }, path("departments", department.name));
  const { description, head, budget_percent: budget, autonomy_level: autonomy, "policies.protected_labels": labels } = form.controls;
  const done = await ask(`Change ${department.name}`, [
    field("Description", description.input), field("Head", head.input, "name or id of an agent; empty for nobody"),
    field("Share of the budget, %", budget.input), field("Autonomy", autonomy.input),
    field("Protected labels", labels.input, "such as production. Only a department_admin of the department or an admin sets, moves and removes them; others may take them back to versions that they have named."),
  ], "Save", { check: () => form.send(), opened: (signal) => form.follow({ department: department.name, action: "department" }, signal) });
  if (!done) return;
  notice("Saved.");
  again();
}

async function dissolve(department, tag) {
  const done = await ask(`Delete ${department.name}?`, h("p", {}, "Only a department without agents can be deleted."), "Delete", {
    danger: true, check: () => change("DELETE", path("departments", department.name), undefined, { tag }).then(() => ""),
  });
  if (done) location.hash = link("");
}
