// An event of the feed, as an entry of a list.

import { h, name as text } from "./dom.js";
import { ago, time, words } from "./format.js";
import { link } from "./router.js";

const signs = {
  hired: "+", onboarded: "✓", fired: "−", offboarded: "−", status_changed: "◐", promoted: "▲", demoted: "▼",
  task_started: "▷", task_completed: "✓", cost_incurred: "$", tool_used: "⚒", delegation_sent: "→", delegation_received: "←",
};

export function entry(event, { name = true, fresh = false } = {}) {
  const failed = event.event_type === "task_completed" && event.data?.success === false;
  return h("li", { class: `event ${event.event_type}${failed ? " failed" : ""}${fresh ? " fresh" : ""}`, data: { id: event.id } },
    h("span", { class: "sign", "aria-hidden": "true" }, failed ? "✕" : signs[event.event_type] ?? "·"),
    h("div", {},
      name ? h("a", { href: link("agents", event.agent_id) }, text(event.agent_name)) : null,
      h("span", { class: "kind" }, words(event.event_type), failed ? ", failed" : null),
      h("p", {}, text(event.description), detail(event))),
    h("time", { datetime: event.timestamp, title: time(event.timestamp) }, ago(event.timestamp)));
}

function detail({ event_type: type, description, data }) {
  if (!data) return "";
  if (type === "cost_incurred" && !description.includes(data.amount)) return `: ${data.amount}`;
  if (type === "task_completed" && data.quality_score !== undefined && data.quality_score !== null) return ` (quality ${data.quality_score})`;
  return "";
}
