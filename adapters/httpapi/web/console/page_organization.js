// The organization: departments in order, each with its agents in order.

import { APIError, Pages, change, data, path } from "./api.js";
import { card, forget } from "./card.js";
import { bars } from "./chart.js";
import { announce, ask, empty, field, fill, h, notice, select, tip } from "./dom.js";
import { levels, money, words } from "./format.js";
import { again, link } from "./router.js";
import { may } from "./session.js";
import { listen } from "./stream.js";
import { VirtualList } from "./virtual.js";

const rowHeight = 96;
const lifecycle = new Set(["hired", "onboarded", "fired", "offboarded", "status_changed", "promoted", "demoted"]);

export async function page({ signal }) {
  const [company, departments] = await Promise.all([data("company", {}, signal), data("company/departments", {}, signal)]);
  const board = new Board(company.currency, departments, signal);
  const results = h("div", { class: "results", hidden: true });
  const search = h("input", { type: "search", placeholder: "Find an agent by name", "aria-label": "Find an agent" });
  let asked = 0;
  search.addEventListener("input", async () => {
    const mine = ++asked;
    const q = search.value.trim();
    results.hidden = !q;
    board.element.hidden = Boolean(q);
    if (!q) return;
    const found = await data("agents", { q, view: "summary", limit: 50 }, signal).catch((error) => error);
    if (mine !== asked) return; // something else was typed since
    if (found instanceof Error) return fill(results, empty(found.message));
    fill(results, found.length ? h("ul", { class: "plain-list" }, found.map((a) => card(a, company.currency))) : empty(`Nobody's name begins with “${q}”.`));
    announce(`${found.length} found`);
  });
  return {
    title: "Organization",
    body: [
      h("div", { class: "bar" },
        h("h1", {}, company.company_name),
        search,
        may.editAll() ? h("button", { type: "button", class: "secondary", onclick: addDepartment }, "New department") : null,
        departments.some((d) => may.edit(d.name)) ?
          h("button", { type: "button", class: "primary", onclick: () => hire(departments) }, "Hire an agent") : null),
      departments.length ? board.element : empty("There are no departments yet."),
      results,
    ],
  };
}

// Board has a column for each department.
class Board {
  constructor(currency, departments, signal) {
    Object.assign(this, { currency, signal });
    this.columns = departments.map((d) => new Column(this, d));
    this.element = h("div", { class: "board" }, this.columns.map((c) => c.element));
    const seen = new IntersectionObserver((entries) => {
      for (const e of entries) {
        if (e.isIntersecting) {
          seen.unobserve(e.target);
          this.columns.find((c) => c.element === e.target)?.load();
        }
      }
    }, { rootMargin: "300px" });
    this.columns.forEach((c) => seen.observe(c.element));
    this.watch();
  }

  // watch keeps what is shown true. Many events come together, so what they
  // make necessary is done a little later, once.
  watch() {
    const stale = new Map(); // what happened last, by agent
    let timer = 0;
    listen((event) => {
      forget(event.agent_id);
      for (const c of this.columns) c.touch(event);
      if (!lifecycle.has(event.event_type)) return;
      stale.set(event.agent_id, event.event_type);
      clearTimeout(timer);
      timer = setTimeout(async () => {
        const happened = [...stale];
        stale.clear();
        await this.refresh(happened).catch((error) => error.name !== "AbortError" && notice(error.message, "error"));
      }, 250);
    }, this.signal);
    addEventListener("stream", ({ detail }) => detail === "missed" && again(), { signal: this.signal });
  }

  // refresh reads the columns again that agents are in, were in, or came to.
  async refresh(happened) {
    const touched = new Set(this.columns.filter((c) => happened.some(([id]) => c.holds(id))));
    for (const [id, what] of happened) {
      if (what === "fired") continue;
      const found = await data(path("agents", id), {}, this.signal).catch((error) => {
        if (error instanceof APIError && error.status === 404) return null; // it is gone
        throw error;
      });
      const column = this.columns.find((c) => c.department.name === found?.department);
      if (column) touched.add(column);
      else if (found) return again(); // into a department that is new
    }
    await Promise.all([...touched].map((c) => c.reload()));
  }

  // move puts a department elsewhere.
  async move(column, to) {
    const from = this.columns.indexOf(column);
    if (to < 0 || to >= this.columns.length || to === from) return;
    this.columns.splice(to, 0, ...this.columns.splice(from, 1));
    this.element.append(...this.columns.map((c) => c.element));
    announce(`${column.department.name} is now department ${to + 1} of ${this.columns.length}`);
    try {
      await change("POST", "company/reorder-departments", { department_names: this.columns.map((c) => c.department.name) });
    } catch (error) {
      notice(`The departments stay as they were: ${error.message}`, "error");
      again();
    }
  }
}

// Column is a department with its agents.
class Column {
  constructor(board, department) {
    Object.assign(this, { board, department, pages: null, total: 0 });
    this.editable = may.edit(department.name);
    this.figures = h("div", { class: "sum" }, h("span", {}, "…"));
    this.list = new VirtualList({
      rowHeight, label: `Agents of ${department.name}`,
      render: (i) => this.render(i),
      onRange: (_, last) => this.need(last),
    });
    const move = (by) => this.board.move(this, this.board.columns.indexOf(this) + by);
    this.handle = h("header", { draggable: may.editAll() },
      h("h2", {}, h("a", { href: link("departments", department.name) }, department.name)),
      may.editAll() ? h("span", { class: "moves" },
        h("button", { type: "button", class: "plain", ...tip(`Move ${department.name} to the left`), onclick: () => move(-1) }, "←"),
        h("button", { type: "button", class: "plain", ...tip(`Move ${department.name} to the right`), onclick: () => move(1) }, "→")) : null,
      this.figures);
    this.element = h("section", { class: "column", "aria-label": department.name, data: { department: department.name } }, this.handle, this.list.element);
    this.drag();
  }

  async load() {
    this.pages = new Pages("agents", { department: this.department.name, view: "summary" }, this.board.signal);
    try {
      const [health] = await Promise.all([data(path("departments", this.department.name, "health"), {}, this.board.signal), this.pages.more()]);
      this.showHealth(health);
      this.setTotal(health.agent_count);
    } catch (error) {
      if (error.name !== "AbortError") fill(this.figures, error.message);
    }
  }

  // reload reads as much again as was known.
  async reload() {
    if (!this.pages) return;
    const pages = new Pages("agents", { department: this.department.name, view: "summary" }, this.board.signal);
    const [health] = await Promise.all([
      data(path("departments", this.department.name, "health"), {}, this.board.signal),
      pages.upTo(Math.max(1, this.pages.items.length)),
    ]);
    this.pages = pages;
    this.showHealth(health);
    this.setTotal(health.agent_count);
  }

  showHealth(health) {
    const days = health.cost_trend.map((d) => d.value);
    const cost = money(health.department_cost_7d, health.currency);
    fill(this.figures,
      h("span", { class: "count" }, health.agent_count === 1 ? "1 agent" : `${health.agent_count} agents`),
      h("span", { class: "cost", title: "cost of the last 7 days" }, cost),
      bars(days, `${cost} in 7 days, day by day`, { width: 70, height: 20 }));
  }

  setTotal(total) {
    this.total = this.pages.complete ? this.pages.items.length : total;
    this.list.setCount(this.total);
    this.list.refresh();
    if (this.total === 0 && !this.none) this.list.element.append(this.none = empty("Nobody yet."));
    if (this.total > 0) this.none = this.none?.remove();
  }

  // need reads on when the end of what is known comes near.
  need(last) {
    if (!this.pages || this.pages.complete || last < this.pages.items.length || this.pages.reading) return;
    this.pages.more().then(() => this.setTotal(this.total), (error) => error.name !== "AbortError" && notice(error.message, "error"));
  }

  holds(id) {
    return Boolean(this.pages?.items.some((a) => a.id === id));
  }

  // touch shows that an agent has just done something.
  touch(event) {
    for (const element of this.list.shown.values()) {
      if (element.dataset.id !== event.agent_id) continue;
      element.classList.remove("touched");
      void element.offsetWidth; // so that the sign is given again
      element.classList.add("touched");
    }
  }

  render(index) {
    const agent = this.pages?.items[index];
    if (!agent) return null;
    const element = card(agent, this.board.currency, this.editable ? h("span", { class: "moves" },
      h("button", { type: "button", class: "plain", ...tip(`Move ${agent.name} up`), onclick: () => this.move(index, index - 1, "up") }, "↑"),
      h("button", { type: "button", class: "plain", ...tip(`Move ${agent.name} down`), onclick: () => this.move(index, index + 1, "down") }, "↓")) : []);
    if (this.editable) {
      element.draggable = true;
      element.addEventListener("dragstart", (event) => {
        event.stopPropagation();
        event.dataTransfer.effectAllowed = "move";
        event.dataTransfer.setData("text/plain", agent.name);
        dragged = { column: this, index };
        element.classList.add("dragged");
      });
      element.addEventListener("dragend", () => {
        dragged = null;
        element.classList.remove("dragged");
        this.mark(-1);
      });
      element.addEventListener("keydown", (event) => {
        const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!event.altKey || !by) return;
        event.preventDefault();
        this.move(index, index + by, by < 0 ? "up" : "down");
      });
    }
    return element;
  }

  // move puts an agent elsewhere in its department. The service wants to know
  // the whole new order, so all of it is read first.
  async move(from, to, button) {
    if (to < 0 || to >= this.total || to === from) return;
    try {
      await this.pages.upTo();
      const items = this.pages.items;
      const [agent] = items.splice(from, 1);
      items.splice(to, 0, agent);
      this.list.refresh();
      const shown = this.list.show(to);
      if (button) shown?.querySelectorAll(".moves button")[button === "up" ? 0 : 1]?.focus();
      announce(`${agent.name} is now ${to + 1} of ${this.total} in ${this.department.name}`);
      await change("POST", path("departments", this.department.name, "reorder-agents"), { agent_names: items.map((a) => a.name) });
    } catch (error) {
      notice(`The agents stay as they were: ${error.message}`, "error");
      await this.reload();
    }
  }

  // drag lets departments and agents be dropped here.
  drag() {
    this.handle.addEventListener("dragstart", (event) => {
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", this.department.name);
      dragged = { department: this };
      this.element.classList.add("dragged");
    });
    this.handle.addEventListener("dragend", () => {
      dragged = null;
      this.element.classList.remove("dragged");
    });
    this.element.addEventListener("dragover", (event) => {
      if (dragged?.department && dragged.department !== this) event.preventDefault();
      if (dragged?.column !== this) return;
      event.preventDefault();
      this.mark(this.gap(event));
    });
    this.element.addEventListener("dragleave", () => this.mark(-1));
    this.element.addEventListener("drop", (event) => {
      event.preventDefault();
      const what = dragged;
      dragged = null;
      this.mark(-1);
      if (what?.department) this.board.move(what.department, this.board.columns.indexOf(this));
      if (what?.column === this) {
        const gap = this.gap(event);
        this.move(what.index, gap > what.index ? gap - 1 : gap);
      }
    });
  }

  // gap is the place between two agents that the pointer is nearest to.
  gap(event) {
    const top = this.list.list.getBoundingClientRect().top;
    return Math.max(0, Math.min(this.total, Math.round((event.clientY - top) / rowHeight)));
  }

  mark(gap) {
    this.line ||= this.list.list.appendChild(h("li", { class: "gap", "aria-hidden": "true" }));
    this.line.hidden = gap < 0;
    this.line.style.top = `${gap * rowHeight - 2}px`;
  }
}

let dragged = null; // what is being dragged

async function addDepartment() {
  const name = h("input", { required: true, maxlength: 128 });
  const description = h("textarea", { rows: 3, maxlength: 2048 });
  const budget = h("input", { type: "number", min: 0, max: 100, step: "any", value: "0" });
  const yes = await ask("New department", [field("Name", name), field("Description", description), field("Share of the budget, %", budget)], "Create");
  if (!yes) return;
  try {
    await change("POST", "departments", { name: name.value, description: description.value, budget_percent: Number(budget.value) });
    again();
  } catch (error) {
    notice(error.message, "error");
  }
}

async function hire(departments) {
  const names = departments.map((d) => d.name).filter((d) => may.edit(d));
  const name = h("input", { required: true, maxlength: 128 });
  const role = h("input", { required: true, maxlength: 128 });
  const department = select(names, names[0]);
  const level = select(levels, "mid", {}, words);
  const instructions = h("textarea", { rows: 6 });
  const yes = await ask("Hire an agent", [
    field("Name", name), field("Role", role), field("Department", department), field("Level", level),
    field("Instructions", instructions, "Everybody with a token can read them: no place for secrets."),
  ], "Hire");
  if (!yes) return;
  try {
    const { data: agent } = await change("POST", "agents", {
      name: name.value, role: role.value, department: department.value, level: level.value, instructions: instructions.value,
    });
    notice(`${agent.name} is hired.`);
    location.hash = link("agents", agent.name);
  } catch (error) {
    notice(error.message, "error");
  }
}
