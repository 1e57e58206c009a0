// A department: how it does, its teams, who reports to whom, its ceremonies.

import { change, data, exactly, get, isRaw, path } from "./api.js";
import { board, table, touch } from "./board.js";
import { forget } from "./card.js";
import { bars, meter, tree } from "./chart.js";
import { ask, empty, field, fill, h, name as text, notice, select } from "./dom.js";
import { autonomies, date, money, number, percent, words } from "./format.js";
import { Members } from "./members.js";
import { again, current, link, setQuery } from "./router.js";
import { calm, lifecycle, soon } from "./roster.js";
import { may } from "./session.js";
import { listen } from "./stream.js";

export async function page({ name, query, signal }) {
  const where = path("departments", name);
  const [{ data: department, tag }, health, company] = await Promise.all([
    get(where, {}, signal, true), data(`${where}/health`, {}, signal), data("company", {}, signal),
  ]);
  const editable = may.edit(department.name);
  const policy = new Policy(department, tag, editable);
  await policy.read(signal);
  const agents = new Agents(department.name, health.agent_count, company.currency, editable, signal);
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
        h("div", {}, lines(department), teams(department)),
        h("div", {}, condition(department, health, company), policy.element)),
    ],
    update: (q) => agents.update(q),
  };
}

// Agents shows who is in the department, as a table or as a board.
class Agents {
  constructor(department, total, currency, editable, signal) {
    Object.assign(this, { currency, editable });
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
    this.list = { table, board }[view](this.members, this.currency, this.editable);
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

const section = (title, ...content) => h("section", { class: "panel" }, h("h2", {}, title), content);
const agent = (name) => name ? h("a", { href: link("agents", name) }, text(name)) : "–";
const tile = (name, value, below) => h("div", { class: "tile" }, h("span", {}, name), h("strong", {}, value), below);

function condition(department, health, company) {
  const cost = money(health.department_cost_7d, health.currency);
  const share = company.budget_monthly ? ` of ${money(company.budget_monthly, company.currency, 0)} a month` : "";
  return section("Health",
    h("div", { class: "tiles" },
      tile("Agents", number(health.agent_count, 0), h("small", {}, `${health.active_agent_count} active`)),
      tile("Utilization", percent(health.utilization_percent), [meter(health.utilization_percent, 100, `utilization ${percent(health.utilization_percent)}`), h("small", {}, "agents that are active")]),
      tile("Quality, 30 days", health.avg_performance_score === null ? "–" : `${number(health.avg_performance_score)} / 10`,
        meter(health.avg_performance_score, 10, `quality ${number(health.avg_performance_score)} of 10`)),
      tile("Collaboration, 30 days", health.collaboration_score === null ? "–" : `${number(health.collaboration_score)} / 10`,
        meter(health.collaboration_score, 10, `collaboration ${number(health.collaboration_score)} of 10`)),
      tile("Cost, 7 days", cost, bars(health.cost_trend.map((d) => d.value),
        `cost by day: ${health.cost_trend.map((d) => `${date(d.timestamp)} ${money(d.value, health.currency)}`).join(", ")}`)),
      tile("Budget", `${number(Number(JSON.stringify(department.budget_percent)))} %`, h("small", {}, share)),
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

const choices = {
  strategy: ["task_driven", "calendar", "hybrid", "event_driven", "budget_driven", "throughput_adaptive", "external_trigger", "milestone_driven"],
  velocity_calculator: ["task_driven", "calendar", "multi_dimensional", "budget", "points_per_sprint"],
};
const known = ["strategy", "strategy_config", "velocity_calculator", "auto_transition", "transition_threshold"];
const origins = { department: "set here", company: "from the company", default: "default" };

// Policy shows the ceremonies with where each setting comes from, and lets the
// department have its own.
class Policy {
  constructor(department, tag, editable) {
    Object.assign(this, { department, tag, editable, where: path("departments", department.name, "ceremony-policy") });
    this.table = h("div", {});
    this.element = section("Ceremony policy", this.table,
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
    const inputs = {
      strategy: select(["", ...choices.strategy], own.strategy ?? "", {}, (v) => v ? words(v) : inherited("strategy")),
      velocity_calculator: select(["", ...choices.velocity_calculator], own.velocity_calculator ?? "", {}, (v) => v ? words(v) : inherited("velocity_calculator")),
      auto_transition: select(["", "true", "false"], "auto_transition" in own ? String(own.auto_transition) : "", {},
        (v) => ({ "": inherited("auto_transition"), true: "yes", false: "no" })[v]),
      transition_threshold: h("input", { inputmode: "decimal", value: "transition_threshold" in own ? JSON.stringify(own.transition_threshold) : "", placeholder: inherited("transition_threshold") }),
      strategy_config: h("textarea", { rows: 3, class: "code", value: own.strategy_config ? JSON.stringify(own.strategy_config, null, 2) : "", placeholder: "inherit" }),
    };
    const rest = Object.fromEntries(Object.entries(own).filter(([name]) => !known.includes(name)));
    const other = h("textarea", { rows: 4, class: "code", value: Object.keys(rest).length ? JSON.stringify(rest, null, 2) : "" });
    let policy = {};
    const check = () => {
      try {
        policy = parse(other.value);
        if (inputs.strategy.value) policy.strategy = inputs.strategy.value;
        if (inputs.velocity_calculator.value) policy.velocity_calculator = inputs.velocity_calculator.value;
        if (inputs.auto_transition.value) policy.auto_transition = inputs.auto_transition.value === "true";
        const threshold = inputs.transition_threshold.value.trim();
        if (threshold) policy.transition_threshold = exactly(threshold);
        if (inputs.strategy_config.value.trim()) policy.strategy_config = parse(inputs.strategy_config.value);
        return threshold && !(Number(threshold) > 0 && Number(threshold) <= 1) ? "The threshold must be above 0 and at most 1." : "";
      } catch {
        return "The threshold must be a number, and the fields with JSON must hold an object such as {\"days\": 14}.";
      }
    };
    const yes = await ask(`Ceremony policy of ${this.department.name}`, [
      field("Strategy", inputs.strategy), field("Velocity calculator", inputs.velocity_calculator), field("Auto transition", inputs.auto_transition),
      field("Threshold", inputs.transition_threshold, "of the transition: above 0, at most 1"), field("Strategy config", inputs.strategy_config, "JSON"),
      field("Anything else", other, "JSON; kept as it is"),
    ], "Save", { check });
    if (yes) await this.send("PUT", policy);
  }

  async inherit() {
    const yes = await ask("Inherit everything?", h("p", {}, `What ${this.department.name} has set for itself is dropped. The company's policy and the defaults count.`), "Inherit", { danger: true });
    if (yes) await this.send("DELETE");
  }

  async send(method, body) {
    try {
      await change(method, this.where, body, { tag: this.tag });
      notice("The policy is saved.");
      again();
    } catch (error) {
      notice(error.stale ? "Somebody else has changed the department meanwhile. Nothing was saved; look at it again." : error.message, "error");
    }
  }
}

function parse(text) {
  const value = text.trim() ? exactly(text) : {};
  if (typeof value !== "object" || value === null || Array.isArray(value) || isRaw(value)) throw new TypeError("no object");
  return value;
}

function shown(value) {
  if (value === undefined) return "nothing";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return words(value);
  return typeof value === "object" && !isRaw(value) && !Object.keys(value ?? {}).length ? "nothing" : JSON.stringify(value);
}

async function edit(department, tag) {
  const description = h("textarea", { rows: 3, maxlength: 2048, value: department.description });
  const head = h("input", { maxlength: 128, value: department.head ?? "" });
  const budget = h("input", { type: "number", min: 0, max: 100, step: "any", value: JSON.stringify(department.budget_percent), disabled: !may.editAll() });
  const autonomy = select(["", ...autonomies], department.autonomy_level ?? "", {}, (v) => v ? words(v) : "inherited");
  const labels = h("input", { value: department.policies.protected_labels.join(" "), spellcheck: "false" });
  const send = async () => {
    const body = {
      description: description.value, head: head.value.trim() || null, autonomy_level: autonomy.value || null,
      policies: { protected_labels: labels.value.split(/[\s,]+/).filter(Boolean) },
    };
    if (may.editAll()) body.budget_percent = Number(budget.value);
    try {
      await change("PATCH", path("departments", department.name), body, { tag });
      return "";
    } catch (error) {
      if (!error.stale) throw error;
      return "Somebody else has changed the department meanwhile. Nothing was saved; look at it again.";
    }
  };
  const done = await ask(`Change ${department.name}`, [
    field("Description", description), field("Head", head, "name or id of an agent; empty for nobody"),
    field("Share of the budget, %", budget), field("Autonomy", autonomy),
    field("Protected labels", labels, "such as production. Only a department_admin of the department or an admin sets, moves and removes them; others may take them back to versions that they have named."),
  ], "Save", { check: send });
  if (!done) return;
  notice("Saved.");
  again();
}

async function dissolve(department, tag) {
  const yes = await ask(`Delete ${department.name}?`, h("p", {}, "Only a department without agents can be deleted."), "Delete", { danger: true });
  if (!yes) return;
  try {
    await change("DELETE", path("departments", department.name), undefined, { tag });
    location.hash = link("");
  } catch (error) {
    notice(error.message, "error");
  }
}
