// What everybody does, as it happens.

import { data, path } from "./api.js";
import { h, notice, select } from "./dom.js";
import { entry } from "./event.js";
import { Feed, filters, hours } from "./feed.js";
import { eventTypes, words } from "./format.js";
import { listen } from "./stream.js";

export async function page({ query, signal }) {
  const wanted = { type: query.get("type") ?? "", agent_id: query.get("agent_id") ?? "", last_n_hours: query.get("last_n_hours") ?? "" };
  const form = filters("activity", {
    type: ["Type", select(["", ...eventTypes], wanted.type, {}, (v) => v ? words(v) : "all")],
    agent_id: ["Agent", h("input", { value: wanted.agent_id, maxlength: 128, placeholder: "name or id" })],
    last_n_hours: ["Time", hours(wanted.last_n_hours)],
  });
  // What is told about a person who is not there would stay empty for no reason.
  const found = wanted.agent_id && await data(path("agents", wanted.agent_id), {}, signal).catch((error) => error.status === 404 ? null : {});
  const agent = found?.id ?? wanted.agent_id;
  const feed = new Feed("activities", wanted, {
    entry, thing: "event", none: "Nothing yet.",
    follow: (take) => listen((event) => fits(event, { ...wanted, agent }) && take(event), signal),
  }, signal);
  await feed.start();
  return {
    title: "Activity",
    body: [
      h("div", { class: "bar" }, h("h1", {}, "Activity"), feed.button),
      found === null ? h("p", { class: "reason" }, `There is no agent ${wanted.agent_id}.`) : null,
      h("div", { class: "columns feed-page" }, form, feed.element),
    ],
    refresh: () => feed.again().catch((error) => notice(error.message, "error")),
  };
}

// fits tells whether the filters let an event through.
const fits = ({ event_type: type, agent_id: id, agent_name: name, timestamp }, { type: wanted, agent, last_n_hours: hours }) =>
  (!wanted || type === wanted) && (!agent || id === agent || name === agent) &&
    (!hours || Date.now() - new Date(timestamp) < hours * 3_600_000);
