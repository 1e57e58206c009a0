// The card of an agent, as the organization shows it.

import { data, limited, path } from "./api.js";
import { trend } from "./chart.js";
import { fill, h } from "./dom.js";
import { money, weekCost, words } from "./format.js";
import { link } from "./router.js";

const calm = limited(4); // requests for figures at once
const figures = new Map(); // of agents, by id

// figuresOf returns what an agent does and costs; null while it has done nothing.
function figuresOf(id) {
  if (!figures.has(id)) {
    figures.set(id, calm(() => data(path("agents", id, "performance"))).catch(() => null));
  }
  return figures.get(id);
}

// forget makes the figures of an agent be asked for again.
export const forget = (id) => figures.delete(id);

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

// card is an entry of a list. tools are elements to move it with.
export function card(agent, currency, tools = []) {
  const cost = h("span", { class: "cost" }, "…");
  const way = h("span", { class: "way" });
  const element = h("li", { class: "card", data: { id: agent.id, name: agent.name } },
    avatar(agent),
    h("div", { class: "who" },
      h("a", { href: link("agents", agent.name), class: "name" }, agent.name),
      h("span", { class: "role" }, agent.role),
      h("span", { class: "facts" },
        status(agent.status), h("span", { class: "level" }, words(agent.level)),
        h("span", { class: "model", title: "model" }, agent.model?.model_id ?? "no model"))),
    h("div", { class: "figures", title: "cost of the last 7 days, and the trend" }, cost, way),
    tools);
  figuresOf(agent.id).then((found) => {
    cost.textContent = money(weekCost(found), currency);
    fill(way, trend(found?.trend_direction));
  });
  return element;
}
