// The rows of the first page: departments, and agents that somebody looks for.

import { status } from "./card.js";
import { costChange } from "./chart.js";
import { h, name as text, tip } from "./dom.js";
import { levels, money, number, percent, statuses, words } from "./format.js";
import { link } from "./router.js";
import { roleOf } from "./session.js";

const { compare } = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });

// What the rows can be ordered by. Departments without it stand in their order,
// agents as the company has them. Figures begin with the largest.
export const orders = {
  departments: { name: (d) => d.department_name, agents: (d) => d.agent_count, cost: (d) => d.cost, work: (d) => d.tasks_completed, success: (d) => d.success_rate ?? -1 },
  agents: { name: (a) => a.name, role: (a) => a.role, department: (a) => a.department, level: (a) => levels.indexOf(a.level), status: (a) => statuses.indexOf(a.status) },
};
export const columns = {
  departments: [["name", "Department"], ["agents", "Agents"], ["cost", "Cost, 30 days"], ["work", "Tasks done"], ["success", "Success"], ["", ""]],
  agents: [["name", "Name"], ["role", "Role"], ["department", "Department"], ["level", "Level"], ["status", "Status"]],
};
export const figures = new Set(["agents", "cost", "work", "success"]);

export function sorted(rows, sort, order) {
  const by = order[sort.replace("-", "")];
  if (!by) return rows;
  const sign = sort.startsWith("-") ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [x, y] = [by(a), by(b)];
    return sign * (typeof x === "string" ? compare(x, y) : x - y);
  });
}

export const count = (n, what) => `${number(n, 0)} ${what}${n === 1 ? "" : "s"}`;

const cell = (...content) => h("span", { role: "cell" }, content);

// departmentRow is the row of a department. fold opens and closes it; move and drag put it
// elsewhere, where that may be.
export function departmentRow(d, { open, fold, move, drag }) {
  const name = d.department_name;
  const moves = move && h("span", { class: "moves" },
    h("button", { type: "button", class: "plain", ...tip(`Move ${name} up`), onclick: () => move(-1) }, "↑"),
    h("button", { type: "button", class: "plain", ...tip(`Move ${name} down`), onclick: () => move(1) }, "↓"));
  return {
    properties: { class: "department", data: { department: name }, draggable: Boolean(drag), ...drag },
    cells: [
      h("span", { role: "rowheader", title: name },
        h("button", { type: "button", class: "plain fold", "aria-expanded": String(open), "aria-label": `Agents of ${name}`, onclick: fold }, open ? "▾" : "▸"),
        h("a", { href: link("departments", name), class: "name" }, text(name))),
      cell(number(d.agent_count, 0), d.active_agent_count < d.agent_count ? h("small", {}, ` ${number(d.active_agent_count, 0)} active`) : null),
      cell(money(d.cost, d.currency), " ", costChange(d.cost, d.cost_before, d.cost_before_days)),
      cell(number(d.tasks_completed, 0)),
      cell(d.success_rate === null ? "–" : percent(d.success_rate * 100)),
      cell(moves),
    ],
  };
}

// dragging lets a department be dragged, and others be dropped on it.
export const dragging = (view, d) => ({
  ondragstart: (event) => {
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", d.department_name);
    view.dragged = d;
  },
  ondragend: () => { view.dragged = null; },
  ondragover: (event) => view.dragged && event.preventDefault(),
  ondrop: (event) => {
    if (!view.dragged) return;
    event.preventDefault();
    view.move(view.dragged, view.departments.indexOf(d) - view.departments.indexOf(view.dragged));
  },
});

// found is the row of an agent that was looked for.
export function found(a) {
  return {
    properties: { class: "found", data: { id: a.id } },
    cells: [
      h("span", { role: "rowheader", title: a.name }, h("a", { href: link("agents", a.name), class: "name" }, text(a.name))),
      h("span", { role: "cell", title: a.role }, text(roleOf(a) ?? "")),
      h("span", { role: "cell", title: a.department }, h("a", { href: link("departments", a.department) }, text(a.department))),
      cell(h("span", { class: "level" }, words(a.level))), cell(status(a.status)),
    ],
  };
}
