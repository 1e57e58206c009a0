// The card of an agent, as the organization shows it.

import { data, limited, path } from "./api.js";
import { trend } from "./chart.js";
import { costOfMonth, readDays } from "./days.js";
import { fill, h, name } from "./dom.js";
import { number, percent, words } from "./format.js";
import { link } from "./router.js";
import { roleOf } from "./session.js";

const calm = limited(4); // requests for figures at once
const figures = new Map(); // of agents, by id
addEventListener("stream", ({ detail }) => detail === "missed" && figures.clear());

// figuresOf returns what an agent does and costs; null while it has done nothing.
function figuresOf(id) {
  if (!figures.has(id)) {
    figures.set(id, calm(() => read(path("agents", id))).catch((error) => {
      if (error.status !== 404) figures.delete(id); // the next one asks again
      return null;
    }));
  }
  return figures.get(id);
}

async function read(agent) {
  const [performance, days] = await Promise.all([data(`${agent}/performance`), readDays(agent)]);
  return { ...performance, days };
}

// showFigures calls show with the figures of an agent. They are not asked for
// when the element has gone out of sight at once.
export function showFigures(element, id, show) {
  if (figures.has(id)) figures.get(id).then(show);
  else setTimeout(() => element.isConnected && figuresOf(id).then(show), 120);
}

const costOf = (found) => found ? costOfMonth(found.days) : "–";

// successOf has the arrow of the service, if there is something that it judges.
function successOf(found) {
  const rate = found?.success_rate_percent ?? null;
  return [percent(rate), rate === null ? null :
    [" ", trend(found.trends.find((t) => t.metric_name === "success_rate" && t.window_size === "30d")?.direction, "success rate")]];
}

// forget makes the figures of the agent to whom something happened be asked for
// again, unless it is gone.
export const forget = ({ agent_id: id, event_type: type }) => type !== "fired" && figures.delete(id);

const hues = [215, 260, 320, 15, 40, 95, 150, 185];

// avatar is the beginning of a name in a colour of its own.
export function avatar(agent) {
  const letters = agent.name.split(/\s+/).slice(0, 2).map((w) => [...w][0]).join("").toUpperCase();
  let sum = 0;
  for (const c of agent.name) sum = (sum * 31 + c.codePointAt(0)) % 9973;
  return h("span", { class: `avatar hue-${hues[sum % hues.length]}`, "aria-hidden": "true" }, letters,
    agent.status ? h("i", { class: `dot ${agent.status}` }) : null);
}

export const status = (value) => h("span", { class: `status ${value}` }, words(value));

// agentCells are those of a table's row: who it is, and the figures of 30 days.
export function agentCells(agent) {
  const cell = (...content) => h("span", { role: "cell" }, content);
  const [cost, work, success] = [cell(), cell(), cell()];
  showFigures(work, agent.id, (found) => {
    fill(cost, costOf(found));
    fill(work, number(found?.tasks_completed_30d, 0));
    fill(success, successOf(found));
  });
  return [
    h("span", { role: "rowheader", title: roleOf(agent) ? `${agent.name}, ${agent.role}` : agent.name },
      h("a", { href: link("agents", agent.name), class: "name" }, name(agent.name)), " ", roleOf(agent) ? h("span", { class: "role" }, name(agent.role)) : null),
    h("span", { role: "cell" }, h("span", { class: "level" }, words(agent.level)), " ", status(agent.status)),
    cost, work, success,
  ];
}

// card is an entry of a list. tools are elements to move it with.
export function card(agent, tools = []) {
  const cost = h("span", { class: "cost", title: "cost of 30 days" }, "…");
  const success = h("span", { title: "success over 30 days" });
  const element = h("li", { class: "card", data: { id: agent.id, name: agent.name } },
    avatar(agent),
    h("div", { class: "who" },
      h("a", { href: link("agents", agent.name), class: "name" }, name(agent.name)),
      h("span", { class: "role" }, name(roleOf(agent) ?? "")),
      h("span", { class: "facts" },
        status(agent.status), h("span", { class: "level" }, words(agent.level)),
        h("span", { class: "model", title: "model" }, agent.model?.model_id ?? "no model"))),
    h("div", { class: "figures" }, cost, success),
    tools);
  showFigures(element, agent.id, (found) => {
    fill(cost, costOf(found));
    fill(success, successOf(found));
  });
  return element;
}
