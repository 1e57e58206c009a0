// All agents with their figures, the worst first. What is shown is in the address.

import { Pages, data } from "./api.js";
import { all, cell, csv, sorted, usual } from "./columns.js";
import { announce, busy, empty, h, notice, select } from "./dom.js";
import { levels, number, statuses, words } from "./format.js";
import { current, link, setQuery } from "./router.js";
import { listen } from "./stream.js";
import { VirtualTable } from "./virtual.js";

const windows = ["7d", "30d", "90d"];
const usualSort = "success";
const filters = ["department", "level", "status", "owner", "tag"];

export async function page({ query, signal }) {
  const [company, departments] = await Promise.all([data("company", {}, signal), data("company/departments", {}, signal)]);
  const view = new Agents(company, departments.map((d) => d.name), signal);
  view.update(query);
  await view.reading;
  return { title: "Agents", body: view.body(), update: (q) => view.update(q), refresh: () => view.read() };
}

class Agents {
  constructor(company, departments, signal) {
    Object.assign(this, { company, signal, rows: [] });
    const turn = (name) => ({ target }) => this.turn({ [name]: target.value.trim() });
    const choice = (name, values, none) => select(["", ...values], "", { "aria-label": words(name), onchange: turn(name) }, (v) => v ? words(v) : none);
    const typed = (name, placeholder) => h("input", { type: "search", class: "short", maxlength: 128, placeholder, "aria-label": placeholder, onchange: turn(name) });
    this.inputs = {
      department: select(["", ...departments], "", { "aria-label": "department", onchange: turn("department") }, (v) => v || "every department"),
      level: choice("level", levels, "every level"), status: choice("status", statuses, "every status"),
      owner: typed("owner", "Owner"), tag: typed("tag", "Tag"),
      window: select(windows, "30d", { "aria-label": "Window of the figures", onchange: turn("window") }, (v) => `${parseInt(v, 10)} days`),
    };
    this.count = h("p", { class: "lead count", role: "status" });
    this.none = empty("");
    this.newer = h("button", { type: "button", class: "secondary", hidden: true, onclick: () => this.read() }, "Show newer figures");
    this.export = h("button", { type: "button", class: "secondary", onclick: () => busy(this.export, () => this.save()) }, "Export CSV");
    this.table = new VirtualTable({ label: "Agents", render: (i) => this.render(this.rows[i]), onRange: (first, last) => this.need(last) });
    this.table.element.classList.add("agents");
    listen(() => { this.newer.hidden = false; }, signal);
  }

  body() {
    return [
      h("div", { class: "bar" }, h("h1", {}, "Agents"), this.newer, h("a", { class: "button secondary", href: link("deleted") }, "Deleted agents"), this.chooser(), this.export),
      h("div", { class: "row finder" }, Object.values(this.inputs), this.count), this.none, this.table.element,
    ];
  }

  // chooser says which columns are shown.
  chooser() {
    const box = (key) => h("label", {}, h("input", { type: "checkbox", value: key, checked: this.columns.includes(key), disabled: key === "name", onchange: () => {
      this.turn({ columns: [...menu.querySelectorAll(":checked")].map((e) => e.value) });
    } }), all[key].title);
    const menu = h("div", { class: "menu" }, Object.keys(all).map(box));
    return h("details", { class: "drop" }, h("summary", { class: "button secondary" }, "Columns"), menu);
  }

  // turn changes what is shown, and the address with it.
  turn(changes) {
    setQuery({ ...this.query, columns: this.columns, ...changes });
    this.update(current().query);
  }

  // update shows what a query says.
  update(query) {
    const before = JSON.stringify(this.query);
    this.query = Object.fromEntries([...filters, "window", "sort"].map((name) => [name, query.get(name) ?? ""]));
    const chosen = query.getAll("columns").filter((key) => key in all);
    this.columns = chosen.length ? Object.keys(all).filter((key) => key === "name" || chosen.includes(key)) : usual;
    for (const [name, input] of Object.entries(this.inputs)) input.value = this.query[name] || (name === "window" ? "30d" : "");
    this.sort = this.query.sort.replace("-", "") in all ? this.query.sort : usualSort;
    const widths = this.columns.map((key) => all[key].width);
    const least = widths.reduce((sum, width) => sum + parseFloat(width.replace("minmax(", "")), 0);
    this.table.element.style.setProperty("--columns", widths.join(" "));
    this.table.element.style.setProperty("--least", `calc(${least}rem + ${widths.length - 1} * .75rem + 2rem)`);
    if (before !== JSON.stringify(this.query)) this.reading = this.read();
    else this.draw();
  }

  // read reads what the order needs: a page if it is the service's, or all.
  async read() {
    const served = all[this.sort]?.served;
    const pages = new Pages("company/agents/figures", { ...this.query, window: this.query.window || "30d", sort: served ? this.sort : "" }, this.signal);
    this.pages = pages;
    this.newer.hidden = true;
    this.table.element.scrollTop = 0;
    try {
      await (served ? pages.more() : pages.upTo());
    } catch (error) {
      if (error.name !== "AbortError" && pages === this.pages) notice(error.message, "error");
      return;
    }
    if (pages !== this.pages) return;
    this.draw();
    announce(this.count.textContent);
  }

  // need reads on when the end of what is known comes near.
  async need(last) {
    const { pages } = this;
    if (!pages || pages.complete || pages.reading || last < this.rows.length) return;
    await pages.more().catch((error) => error.name !== "AbortError" && notice(error.message, "error"));
    if (pages === this.pages) this.draw();
  }

  draw() {
    const { items, complete } = this.pages;
    this.rows = all[this.sort]?.served ? items : sorted(items, this.sort);
    const falls = all[this.sort.replace("-", "")].first === "most";
    const shown = falls === this.sort.startsWith("-") ? this.sort.replace("-", "") : `-${this.sort.replace("-", "")}`;
    this.table.setColumns(this.columns.map((key) => [key, all[key].title]), shown, (key) => this.turn({ sort: this.sort === key ? `-${key}` : key }));
    this.none.hidden = items.length > 0 || !complete;
    this.none.textContent = filters.some((name) => this.query[name]) ? "No agent is like that." : "There are no agents yet.";
    this.table.element.hidden = !items.length;
    this.count.textContent = `${number(items.length, 0)}${complete ? "" : " and more"} agent${items.length === 1 ? "" : "s"}`;
    this.table.setCount(this.rows.length);
    this.table.refresh();
  }

  render(agent) {
    const company = { currency: this.company.currency, days: parseInt(this.query.window || "30", 10) };
    return { properties: { data: { id: agent.agent_id } }, cells: this.columns.map((key) => {
      const value = all[key].value(agent);
      return h("span", { role: key === "name" ? "rowheader" : "cell", class: `of-${key}`, title: typeof value === "string" ? value : null }, cell(key, agent, company));
    }) };
  }

  // save makes a file of all rows, as they are ordered and shown.
  async save() {
    const { pages } = this;
    try {
      await pages.upTo();
    } catch (error) {
      return notice(error.message, "error");
    }
    if (pages === this.pages) this.draw();
    const address = URL.createObjectURL(new Blob([csv(this.rows, this.columns)], { type: "text/csv" }));
    h("a", { href: address, download: "agents.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }
}
