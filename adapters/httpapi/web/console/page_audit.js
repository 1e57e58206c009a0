// The audit trail: every change, with who made it and by which request.

import { Pages } from "./api.js";
import { button, busy, copy, empty, h, name as text, select, table, tableRow } from "./dom.js";
import { days, filters, instants } from "./feed.js";
import { words, time } from "./format.js";
import { link } from "./router.js";

const titles = ["When", "Who", "What", "Of", "Revision", "Request"];
const names = ["actor", "resource", "since", "until", "reports"];

export async function page({ query, signal }) {
  const wanted = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
  const pages = new Pages("audit", {
    actor: wanted.actor, resource: wanted.resource, ...instants(wanted), without_reports: wanted.reports ? "" : "true", limit: 50,
  }, signal);
  const list = table(titles, []);
  const more = button("Earlier", () => busy(more, draw));
  const draw = async () => {
    const before = pages.items.length;
    await pages.more();
    list.tBodies[0].append(...pages.items.slice(before).map((entry) => tableRow(titles, cells(entry))));
    more.hidden = pages.complete;
  };
  await draw();
  return {
    title: "Audit trail",
    body: [
      h("nav", { class: "crumbs", "aria-label": "Where this is" }, h("a", { href: link("access") }, "Access")),
      h("div", { class: "bar" }, h("h1", {}, "Audit trail")),
      h("div", { class: "columns feed-page" },
        filters("audit", {
          actor: ["Who", h("input", { value: wanted.actor, maxlength: 1024, placeholder: "subject" })],
          resource: ["Of", h("input", { value: wanted.resource, maxlength: 512, placeholder: "agents/ID, departments/NAME" })],
          ...days(wanted),
          reports: ["Reported events", select(["", "with"], wanted.reports, {}, (v) => v ? "shown" : "left out")],
        }),
        h("section", { class: "panel scroll", "aria-label": "Audit trail", tabindex: "0" }, pages.items.length ? list : empty("No entry fits."), more)),
    ],
  };
}

const cells = (e) => [
  h("time", { datetime: e.timestamp }, time(e.timestamp)), text(e.actor), [h("strong", {}, e.action ? words(e.action.replace(".", " ")) : "–"), h("br"), h("small", {}, e.route)],
  subject(e), e.revision_to || e.revision_from ? `${e.revision_from ?? "–"} → ${e.revision_to ?? "–"}` : "–", copy(e.request_id, `Copy the id of the request, ${e.request_id}`),
];

// subject is what was changed, by its name if the change log knows that.
function subject({ resource, change }) {
  const [, kind, id] = resource.match(/^([^/]*)\/?(.*)$/s);
  const shown = change?.resource.name ?? resource;
  const where = { agents: ["agents", id], departments: ["departments", id], company: ["settings"], projects: ["projects"], webhooks: ["settings"], sessions: ["access"] }[kind];
  return where && (kind !== "departments" || change?.action !== "department.deleted") ? h("a", { href: link(...where) }, text(shown)) : text(shown);
}
