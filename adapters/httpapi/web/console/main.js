// Where the console begins: sign-in, the frame of every page, and which page is
// where.

import { data } from "./api.js";
import { indicator, watch } from "./connection.js";
import { announce, empty, fill, h, notice } from "./dom.js";
import { zone } from "./format.js";
import { start as startPalette } from "./palette.js";
import { again, current, link, ready, route, start as startRouter } from "./router.js";
import { may, nameOf, session, signOut, start as startSession } from "./session.js";
import { start as startStream } from "./stream.js";

route("", () => import("./page_organization.js"));
route("agents", () => import("./page_agents.js"));
route("agents/:name", () => import("./page_agent.js"));
route("agents/:name/versions", () => import("./page_versions.js"));
route("departments/:name", () => import("./page_department.js"));
route("activity", () => import("./page_activity.js"));
route("changes", () => import("./page_changes.js"));
route("projects", () => import("./page_projects.js"));
route("search", () => import("./page_search.js"));
route("deleted", () => import("./page_deleted.js"));
route("plan", () => import("./page_plan.js"));
route("access", () => import("./page_access.js"));
route("audit", () => import("./page_audit.js"));
route("settings", () => import("./page_settings.js"));

const content = document.getElementById("content");

const places = [
  ["", "Organization", () => true],
  ["agents", "Agents", () => true],
  ["activity", "Activity", () => true],
  ["changes", "Changes", () => true],
  ["projects", "Projects", () => true],
  ["plan", "Plan", may.editAll],
  ["access", "Access", () => true],
  ["settings", "Settings", () => true],
];

// Pages that are reached from others, and by the palette.
const further = [
  ["search", "Search", () => true],
  ["deleted", "Deleted agents", () => true],
  ["audit", "Audit trail", may.administer],
];

const openPalette = startPalette([...places, ...further]);

function frame() {
  fill(document.getElementById("top"),
    h("a", { class: "brand", href: link("") },
      h("img", { src: new URL("console/icon.svg", document.baseURI).href, alt: "", width: "28", height: "28" }),
      h("span", { id: "company" }, "orgd")),
    h("nav", { "aria-label": "Pages" },
      places.filter(([, , allowed]) => allowed()).map(([where, name]) => h("a", { href: link(where), data: { place: where } }, name))),
    h("button", { type: "button", class: "secondary go", "aria-keyshortcuts": "Control+K /", onclick: openPalette }, "Search"),
    indicator(),
    h("details", { class: "drop me" },
      h("summary", { "aria-label": `Signed in as ${nameOf(session.me)}` }, initials(nameOf(session.me))),
      h("div", { class: "menu" },
        h("strong", {}, nameOf(session.me)), h("span", {}, `role ${session.me.role.replace("_", " ")}`),
        session.me.departments.length ? h("span", {}, `for ${session.me.departments.join(", ")}`) : null,
        h("small", {}, `Times are those of ${zone}; days are UTC days.`),
        h("a", { href: link("access") }, "My sessions"),
        h("a", { href: new URL("docs", document.baseURI).href, target: "_blank", rel: "noopener" }, "API reference"),
        h("button", { type: "button", class: "secondary", onclick: signOut }, "Sign out"))));
  data("company").then((c) => {
    document.getElementById("company").textContent = c.company_name;
    if (c.settings.demo) document.querySelector("a.brand").after(badge());
  }, () => {});
}

// badge says of a company that it is made up, and how to remove it.
function badge() {
  const text = "A demo: this company and all its figures are made up. Stop it with Ctrl-C, and remove its directory to remove it.";
  return h("button", { type: "button", class: "chip demo", title: text, onclick: () => notice(text) }, "Demo");
}

const initials = (name) => name.split(/[\s|@.]+/).filter(Boolean).slice(0, 2).map((w) => [...w][0]).join("").toUpperCase();

// The menu is put away by a click elsewhere, and by Escape.
const putAway = () => document.querySelector("details.drop[open]")?.removeAttribute("open");
addEventListener("click", ({ target }) => target.closest?.("details.drop") || putAway());
addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  document.querySelector("details.drop[open] summary")?.focus();
  putAway();
});

let refreshPage = again; // reads again what is shown

// show puts a page on the screen if it may replace what is there. The function page of its
// module makes the title and the body; update, which shows another query; and refresh, for
// pages that can do that with less than being made again.
async function show(load, parameters, segments, replace) {
  for (const a of document.querySelectorAll("nav a")) {
    a.toggleAttribute("aria-current", a.dataset.place === segments[0]);
    if (a.dataset.place !== segments[0]) continue;
    a.setAttribute("aria-current", "page");
    a.scrollIntoView({ block: "nearest", inline: "center" });
  }
  putAway();
  content.setAttribute("aria-busy", "true");
  if (!parameters.again) refreshPage = again; // what is shown was left
  try {
    const { title, body, update, refresh = again } = await (await load()).page(parameters);
    if (!replace()) return;
    put(body);
    refreshPage = refresh;
    document.title = `${title} · orgd`;
    if (!parameters.again) {
      announce(title);
      content.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    return update;
  } catch (error) {
    if (error.name === "AbortError" || parameters.signal.aborted) return;
    if (parameters.again && error.status === 0 || !replace()) return; // it is gone again: what is shown stays
    put([h("h1", {}, error.status === 404 ? "Not found" : "This did not work"), empty(error.message), toOrganization()]);
    if (!error.status && error.status !== 0) console.error(error);
  } finally {
    if (!parameters.signal.aborted) content.removeAttribute("aria-busy");
  }
}

// put shows a page that can only be read again as a whole.
function put(body) {
  refreshPage = again;
  fill(content, body);
}

const toOrganization = () => h("p", {}, h("a", { href: link("") }, "To the organization"));

const missing = () => {
  content.removeAttribute("aria-busy");
  put([h("h1", {}, "Not found"), empty("There is no such page."), toOrganization()]);
};

addEventListener("signed-in", ({ detail }) => {
  if (!detail.other) return;
  frame(); // another role may see other pages, and do other things on this one
  refreshPage = again;
  again();
});

await startSession();
frame();
watch(() => refreshPage());
startStream();
await startRouter(show, missing);
document.body.dataset.ready = current().segments[0];
ready();
