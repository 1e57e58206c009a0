// The organization: a table of its departments with what is in them, and of the
// agents that somebody looks for. What is shown is in the address.

import { Pages, change, data, newest } from "./api.js";
import { touch } from "./board.js";
import { agentCells, forget } from "./card.js";
import { costChange } from "./chart.js";
import { addDepartment, hire } from "./create.js";
import { budget, overTime, readDays } from "./days.js";
import { announce, empty, fill, h, name as text, notice, select } from "./dom.js";
import { levels, money, number, statuses, words } from "./format.js";
import { Members } from "./members.js";
import { columns, count, departmentRow, dragging, figures, found, orders, sorted } from "./organization_rows.js";
import { current, link, setQuery } from "./router.js";
import { calm, lifecycle, refresh as readAgents, roster, search, soon, use } from "./roster.js";
import { may } from "./session.js";
import { listen } from "./stream.js";
import { VirtualTable } from "./virtual.js";

const most = 8; // departments that are named when agents are looked for
export async function page({ query, signal }) {
  const view = new Organization(signal);
  await view.read();
  view.update(query);
  view.watch();
  return { title: "Organization", body: view.body(), update: (q) => view.update(q), refresh: () => view.refresh() };
}

class Organization {
  constructor(signal) {
    Object.assign(this, { signal, departments: [], members: new Map(), open: new Set(), rows: [] });
    this.search = h("input", { type: "search", placeholder: "Find an agent by name, role, owner or tag", "aria-label": "Find an agent by name, role, owner or tag",
      onfocus: () => this.readAgents(), oninput: () => { clearTimeout(this.typing); this.typing = setTimeout(() => this.type(), 100); } });
    const choose = (name) => (event) => this.turn({ [name]: event.target.value });
    this.level = select(["", ...levels], "", { "aria-label": "Level", onchange: choose("level") }, (v) => v ? words(v) : "every level");
    this.status = select(["", ...statuses], "", { "aria-label": "Status", onchange: choose("status") }, (v) => v ? words(v) : "every status");
    this.count = h("p", { class: "lead count" });
    this.named = h("p", { class: "row named", hidden: true });
    this.none = empty("");
    this.days = h("div", {});
    this.budget = h("p", { class: "lead budget" });
    this.table = new VirtualTable({ label: "Organization", render: (i) => this.render(i), onRange: (first, last) => this.need(first, last) });
    this.save = newest((names) => change("POST", "company/reorder-departments", { department_names: names }), (error) => {
      notice(`The departments stay as they were: ${error.message}`, "error");
      this.refresh();
    });
  }

  body() {
    const names = () => this.departments.map((d) => d.department_name);
    return [
      h("div", { class: "bar" }, h("h1", {}, text(this.company.company_name)),
        may.editAll() && this.company.company_name === "Company" ? h("a", { class: "button secondary", href: link("settings") }, "Name your company") : null,
        may.editAll() ? h("button", { type: "button", class: this.departments.length ? "secondary" : "primary", onclick: addDepartment }, "New department") : null,
        names().some((d) => may.edit(d)) ? h("button", { type: "button", class: "primary", onclick: () => hire(names()) }, "Hire an agent") : null),
      h("div", { class: "row finder" }, this.search, this.level, this.status, this.count), this.named, this.table.element, this.none, this.budget, this.days,
    ];
  }

  async read() {
    const pages = new Pages("company/departments/figures", {}, this.signal);
    const [company, days] = await Promise.all([data("company", {}, this.signal), readDays("company", this.signal), pages.upTo()]);
    Object.assign(this, { company, departments: pages.items });
    fill(this.days, days.first_date ? overTime(days) : null);
    fill(this.budget, budget(days, company.budget_monthly));
  }

  // refresh reads the figures again, and the open departments that agents are
  // in, were in or came to.
  async refresh(ids = null) {
    if (this.searching) this.readAgents();
    try {
      const before = new Map(this.departments.map((d) => [d.department_name, d.agent_count]));
      await this.read();
      await Promise.all(this.departments.map(({ department_name: name, agent_count: count }) => {
        const m = this.members.get(name);
        return m && (!ids || count !== before.get(name) || ids.some((id) => m.holds(id))) && m.reload(count);
      }));
      if (!this.dragged) this.draw();
    } catch (error) {
      if (error.name !== "AbortError") notice(error.message, "error");
    }
  }

  // watch keeps what is shown true. Many events come together, so what they make
  // necessary is done a little later, once.
  watch() {
    const ids = new Set();
    let timer = 0;
    let last = 0;
    const refresh = () => {
      if (document.hidden) return addEventListener("visibilitychange", refresh, { once: true, signal: this.signal }); // nobody looks
      timer = 0;
      last = Date.now();
      this.refresh([...ids]);
      ids.clear();
    };
    listen((event) => {
      forget(event);
      touch(this.table, event.agent_id);
      if (lifecycle.has(event.event_type)) ids.add(event.agent_id);
      timer ||= setTimeout(refresh, Math.max(soon * (1 + Math.random()), last + calm - Date.now()));
    }, this.signal);
    this.signal.addEventListener("abort", () => { clearTimeout(timer); clearTimeout(this.typing); });
  }

  get searching() { return Boolean(this.query.q || this.query.level || this.query.status); }

  // turn changes what is shown, and the address with it.
  turn(changes, replace = false) {
    clearTimeout(this.typing);
    setQuery({ ...this.query, q: this.search.value.trim(), open: [...this.open], ...changes }, replace);
    this.update(current().query);
  }

  type() {
    const q = this.search.value.trim();
    if (q !== this.query.q) this.turn({ q }, Boolean(this.query.q && q));
  }

  // update shows what a query says.
  update(query) {
    const value = (name) => query.get(name) ?? "";
    const before = JSON.stringify(this.query);
    this.query = { q: value("q"), level: value("level"), status: value("status"), sort: value("sort") };
    this.open = new Set(query.getAll("open"));
    if (this.search.value.trim() !== this.query.q) this.search.value = this.query.q;
    this.level.value = this.query.level;
    this.status.value = this.query.status;
    if (before !== JSON.stringify(this.query)) this.table.element.scrollTop = 0;
    if (this.searching) this.readAgents();
    this.draw();
  }

  async readAgents() {
    const first = !this.used;
    this.used = true;
    try {
      await (first ? use(() => this.searching && this.draw(), this.signal) : readAgents());
      if (this.searching) announce(this.count.textContent);
    } catch (error) {
      notice(`Not all agents could be read: ${error.message}`, "error");
    }
  }

  sort(key) {
    const first = figures.has(key) ? `-${key}` : key;
    const second = figures.has(key) ? key : `-${key}`;
    this.turn({ sort: { [first]: second, [second]: "" }[this.query.sort] ?? first });
  }

  draw() {
    const what = this.searching ? "agents" : "departments";
    this.table.element.className = `scroller table ${this.searching ? "results" : "departments"}`;
    this.table.setColumns(columns[what], this.query.sort, (key) => this.sort(key));
    if (this.searching) this.find();
    else this.list();
    this.none.hidden = this.rows.length > 0;
    this.table.element.hidden = !this.none.hidden;
    this.table.setCount(this.rows.length);
    this.table.refresh();
  }

  find() {
    const { q, level, status: state, sort } = this.query;
    const all = [...roster.all()];
    this.rows = sorted(all.filter(search(q, level, state)), sort, orders.agents);
    const n = number(this.rows.length, 0);
    this.count.hidden = false;
    this.count.textContent = roster.complete ? `${n} of ${number(all.length, 0)} agents` : `${n} found so far`;
    this.none.textContent = roster.complete ? "Nobody is like that." : "Looking.";
    const folded = q.toLowerCase();
    const named = q ? this.departments.filter((d) => d.department_name.toLowerCase().includes(folded)) : [];
    this.named.hidden = !named.length;
    fill(this.named, "Departments: ", named.slice(0, most).map((d) => h("a", { href: link("departments", d.department_name) }, text(d.department_name))),
      named.length > most ? `and ${named.length - most} more` : null);
  }

  list() {
    this.named.hidden = true;
    fill(this.none, "There are no departments yet. ", may.editAll() ? ["Create one, or apply a document on the page ", h("a", { href: link("plan") }, "Plan"), "."] : null);
    const sum = (name) => this.departments.reduce((n, d) => n + d[name], 0);
    const currency = this.company.currency;
    this.count.hidden = !this.departments.length;
    fill(this.count, `${count(sum("agent_count"), "agent")} in ${count(this.departments.length, "department")}, ${money(sum("cost"), currency, 0)} in 30 days `,
      costChange(sum("cost"), sum("cost_before"), Math.max(...this.departments.map((d) => d.cost_before_days))));
    this.rows = sorted(this.departments, this.query.sort, orders.departments).flatMap((d) => {
      const inside = this.open.has(d.department_name) ? this.inside(d) : null;
      return [{ d }, ...Array.from({ length: inside?.total ?? 0 }, (_, i) => ({ inside, i }))];
    });
  }

  // inside are the agents of an open department.
  inside({ department_name: name, agent_count: count }) {
    if (!this.members.has(name)) this.members.set(name, new Members(name, count, this.signal, () => !this.searching && this.draw()));
    return this.members.get(name);
  }

  need(first, last) {
    const wanted = new Map();
    for (const { inside, i } of this.rows.slice(first, last)) if (inside) wanted.set(inside, i + 1);
    for (const [inside, count] of wanted) inside.need(count);
  }

  render(index) {
    const row = this.rows[index];
    if (this.searching) return found(row);
    if (row.d) return this.department(row.d);
    const agent = row.inside.at(row.i);
    return agent && { properties: { class: "agent", data: { id: agent.id } }, cells: [...agentCells(agent), h("span", { role: "cell" })] };
  }

  department(d) {
    const name = d.department_name;
    const movable = may.editAll() && !this.query.sort;
    return departmentRow(d, {
      open: this.open.has(name), fold: () => this.fold(name),
      ...(movable && { move: (by) => this.move(d, by), drag: dragging(this, d) }),
    });
  }

  fold(name) {
    if (!this.open.delete(name)) this.open.add(name);
    this.turn({}, true);
  }

  // move puts a department elsewhere.
  move(d, by) {
    const from = this.departments.indexOf(d);
    const to = from + by;
    if (to < 0 || to >= this.departments.length || !by) return;
    this.departments.splice(to, 0, ...this.departments.splice(from, 1));
    announce(`${d.department_name} is now department ${to + 1} of ${this.departments.length}`);
    this.draw();
    this.save(this.departments.map((x) => x.department_name));
  }
}
