// Cost, tasks and success day by day, and what becomes of the budget of the month.

import { data } from "./api.js";
import { costChange, line } from "./chart.js";
import { empty, h, section } from "./dom.js";
import { date, money, number } from "./format.js";

// readDays reads the last 90 days of the company, a department or an agent.
export const readDays = (where, signal) => data(`${where}/days`, {}, signal);

// overTime is a section with them.
export const overTime = ({ days, currency, first_date: first }) => section("The last 90 days (UTC)", first ? h("div", { class: "lines" },
  chart("Cost", days, (d) => d.cost, (v) => money(v, currency)), chart("Tasks done", days, (d) => d.tasks_completed, (v) => number(v, 0)), success(days)) : empty("No data yet."));

// costOfMonth is what the last 30 days cost, and how that compares with the 30 before.
export function costOfMonth({ days, currency, first_date: first }) {
  if (!first) return "–";
  const before = days.slice(-60, -30);
  return [money(sum(days.slice(-30)), currency), " ", costChange(sum(days.slice(-30)), sum(before), before.filter((d) => d.date >= first).length)];
}

function chart(title, days, value, shown) {
  const values = days.map(value);
  const total = shown(values.reduce((sum, v) => sum + v, 0));
  const [top] = days.toSorted((a, b) => value(b) - value(a));
  const highest = value(top) ? `, highest ${shown(value(top))} on ${date(top.date)}` : "";
  return figure(`${title}: ${total}`, highest, days, values, days.map((d) => `${date(d.date)}: ${shown(value(d))}`),
    `${title} by day, ${total} in 90 days, ${shown(values.at(-1))} today${highest}`);
}

// success shows for each day which share of the tasks of the seven days up to it succeeded: a
// single day has too few tasks. Where there were none, the line stays where it was.
function success(days) {
  const share = (some) => {
    const [done, failed] = some.reduce(([d, f], day) => [d + day.tasks_completed, f + day.tasks_failed], [0, 0]);
    return done + failed ? done / (done + failed) : null;
  };
  const shares = days.map((_, i) => share(days.slice(Math.max(0, i - 6), i + 1)));
  const known = shares.filter((v) => v !== null);
  if (!known.length) return null;
  const shown = (v) => v === null ? "no tasks" : `${number(v * 100, 0)} %`;
  const least = Math.min(...known);
  const lowest = `, lowest ${shown(least)} on ${date(days[shares.indexOf(least)].date)}`;
  let last = known[0];
  return figure(`Success: ${shown(share(days))}`, lowest, days, shares.map((v) => last = v ?? last), days.map((d, i) => `7 days up to ${date(d.date)}: ${shown(shares[i])}`),
    `Success in 7 days each, ${shown(share(days))} in 90 days, ${shown(shares.at(-1))} today${lowest}`);
}

const figure = (title, note, days, values, titles, label) => h("figure", {}, h("figcaption", {}, title, h("small", {}, note)),
  line(values, titles, label), h("p", { class: "ends" }, h("small", {}, date(days[0].date)), h("small", {}, "today")));

// budget says how much of the budget of this month is used, and what it will be at its end if
// days cost what the last seven did. It is null without a budget.
export function budget({ days, currency, first_date: first }, whole) {
  if (!whole) return null;
  if (!first) return `Nothing of ${money(whole, currency, 0)} is used this month.`;
  const today = days.at(-1).date;
  const used = sum(days.filter((d) => d.date.slice(0, 7) === today.slice(0, 7)));
  const week = days.slice(-8, -1).filter((d) => d.date >= first);
  const [year, month, day] = today.split("-").map(Number);
  const left = new Date(Date.UTC(year, month, 0)).getUTCDate() - day;
  const end = week.length ? used + left * sum(week) / week.length : null;
  const share = (v) => `${number(v / whole * 100, 0)} %`;
  return h("span", { class: end > whole ? "over" : null }, `${money(used, currency, 0)} of ${money(whole, currency, 0)} used this month (${share(used)})`,
    end === null ? null : `, about ${money(end, currency, 0)} (${share(end)}) at its end`);
}

const sum = (days) => days.reduce((all, d) => all + d.cost, 0);
