// The columns of the table of all agents: what each shows, how it orders and exports.

import { status } from "./card.js";
import { costChange } from "./chart.js";
import { h, name as text } from "./dom.js";
import { ago, levels, money, number, percent, statuses, time, words } from "./format.js";
import { link } from "./router.js";
import { roleOf } from "./session.js";

const { compare } = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });

const chips = (all) => all.map((t) => h("span", { class: "chip" }, t));
const label = ({ label: name, version }) => `${name} v${version}`;
const share = (value) => value === null ? "–" : percent(value * 100);

// all are the columns by their keys: title, width in the grid, what a cell shows, the value that
// orders (null comes last), and what an export has if that is something else. first is the end
// that is asked for first. The service orders by those that are served.
export const all = {
  name: { title: "Agent", width: "minmax(12rem, 2.6fr)", served: true, value: (a) => a.name, show: (a) => h("a", { href: link("agents", a.name), class: "name" }, text(a.name)) },
  role: { title: "Role", width: "minmax(6rem, 1.1fr)", value: (a) => a.role, show: (a) => text(roleOf(a) ?? "") },
  department: { title: "Department", width: "minmax(8rem, 1.3fr)", value: (a) => a.department, show: (a) => h("a", { href: link("departments", a.department) }, text(a.department)) },
  level: { title: "Level", width: "5.5rem", value: (a) => levels.indexOf(a.level), export: (a) => a.level, show: (a) => h("span", { class: "level" }, words(a.level)) },
  status: { title: "Status", width: "6.5rem", value: (a) => statuses.indexOf(a.status), export: (a) => a.status, show: (a) => status(a.status) },
  owner: { title: "Owner", width: "minmax(6rem, 1fr)", value: (a) => a.owner },
  tags: { title: "Tags", width: "minmax(7rem, 1fr)", value: (a) => a.tags.join(" ") || null, show: (a) => chips(a.tags) },
  labels: { title: "Labels", width: "minmax(7rem, 1fr)", value: (a) => a.labels.map(label).join(" ") || null, show: (a) => chips(a.labels.map(label)) },
  tasks: { title: "Tasks done", width: "6.5rem", served: true, first: "most", value: (a) => a.tasks_completed, show: (a) => number(a.tasks_completed, 0) },
  failed: { title: "Failed", width: "5rem", first: "most", value: (a) => a.tasks_failed, show: (a) => number(a.tasks_failed, 0) },
  success: { title: "Success", width: "6rem", served: true, value: (a) => a.success_rate, show: (a) => share(a.success_rate) },
  quality: { title: "Quality", width: "5.5rem", served: true, value: (a) => a.quality_score, show: (a) => number(a.quality_score) },
  cost: {
    title: "Cost", width: "8rem", served: true, first: "most", value: (a) => a.cost,
    show: (a, { currency, days }) => [money(a.cost, currency), " ", costChange(a.cost, a.cost_before, a.cost_before_days, days)],
  },
  active: {
    title: "Last event", width: "7rem", first: "most", value: (a) => a.last_active_at && Date.parse(a.last_active_at), export: (a) => a.last_active_at,
    show: (a) => a.last_active_at ? h("time", { datetime: a.last_active_at, title: time(a.last_active_at) }, ago(a.last_active_at)) : "no data yet",
  },
};

// usual are those that are shown when nobody has chosen.
export const usual = ["name", "role", "department", "level", "status", "tasks", "success", "quality", "cost", "active"];

// cell is what a cell of a column shows.
export function cell(key, agent, company) {
  const { show, value } = all[key];
  return show ? show(agent, company) : text(value(agent) ?? "–");
}

// sorted orders agents by a column, those without a value last; a "-" before its key turns it
// around.
export function sorted(agents, sort) {
  const column = all[sort.replace("-", "")];
  const sign = sort.startsWith("-") === (column.first === "most") ? 1 : -1;
  return agents.toSorted((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    if (x === null || y === null) return (x === null) - (y === null) || compare(a.name, b.name);
    return sign * (typeof x === "string" ? compare(x, y) : x - y) || compare(a.name, b.name);
  });
}

// csv is a table of agents as RFC 4180 has it, with the ids. What a spreadsheet would take for
// a formula begins with an apostrophe.
export function csv(agents, keys) {
  const quoted = (value) => {
    if (value === null || value === undefined) return "";
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const line = (values) => `${values.map(quoted).join(",")}\r\n`;
  return line(["id", ...keys]) + agents.map((a) => line([a.agent_id, ...keys.map((key) => (all[key].export ?? all[key].value)(a))])).join("");
}
