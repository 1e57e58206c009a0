// Agents that were deleted, the last one first.

import { Pages } from "./api.js";
import { ways } from "./deleted.js";
import { h, name as text } from "./dom.js";
import { paged } from "./feed.js";
import { ago, time } from "./format.js";
import { again, link } from "./router.js";

export async function page({ signal }) {
  const list = h("ol", { class: "versions" });
  const { more, draw } = paged(list, new Pages("agents", { deleted: "true", limit: 50 }, signal), entry, "No agent has been deleted.");
  await draw();
  return {
    title: "Deleted agents",
    refresh: again,
    body: [
      h("nav", { class: "crumbs", "aria-label": "Where this is" }, h("a", { href: link("") }, "Organization")),
      h("div", { class: "bar" }, h("h1", {}, "Deleted agents")),
      h("section", { class: "panel narrow", "aria-label": "Deleted agents" }, list, more),
    ],
  };
}

const entry = (agent) => h("li", {},
  h("a", { href: link("agents", agent.id) }, text(agent.name)), " was in ", text(agent.department),
  h("p", { class: "lead" }, "deleted ", h("time", { datetime: agent.deleted_at, title: time(agent.deleted_at) }, ago(agent.deleted_at)),
    agent.deleted_by ? [" by ", text(agent.deleted_by)] : null),
  h("div", { class: "row" }, ways(agent)));
