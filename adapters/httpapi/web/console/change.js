// A change of the organization, as a sentence in a list.

import { h, name as text } from "./dom.js";
import { ago, moved, time, words } from "./format.js";
import { link } from "./router.js";

const shown = 4; // fields that are named; the difference has them all

const signs = {
  created: "+", updated: "✎", set: "✎", rolled_back: "↶", deleted: "−", removed: "−", agents_reordered: "⇅", departments_reordered: "⇅",
  restored: "↶", purged: "−", label_set: "⚑", label_removed: "−",
};

// What the actor did, by action.
const sentences = {
  "agent.created": (c, to) => ["hired ", to.thing(c), " into ", to.department(c.department)],
  "agent.updated": (c, to) => ["changed ", count(c), " of ", to.thing(c), fields(c)],
  "agent.rolled_back": (c, to) => ["rolled back ", count(c), " of ", to.thing(c), fields(c)],
  "agent.deleted": (c, to) => ["deleted ", to.thing(c), " from ", to.department(c.department)],
  "agent.restored": (c, to) => ["restored ", to.thing(c), " into ", to.department(c.department)],
  "agent.purged": (c) => ["removed all that was left of ", text(c.resource.name)],
  "agent.label_set": (c, to) => c.from_version === c.to_version ? ["made the label ", h("code", {}, c.label), " of ", to.thing(c), " fixed"] :
    [c.from_version ? "moved" : "set", " the label ", h("code", {}, c.label), " of ", to.thing(c)],
  "agent.label_removed": (c, to) => ["removed the label ", h("code", {}, c.label), " of ", to.thing(c)],
  "department.created": (c, to) => ["created the department ", to.thing(c)],
  "department.updated": (c, to) => ["changed ", count(c), " of the department ", to.thing(c), fields(c)],
  "department.deleted": (c) => ["deleted the department ", text(c.resource.name)],
  "department.agents_reordered": (c, to) => ["changed the order of the agents in ", to.thing(c)],
  "ceremony_policy.set": (c, to) => ["set the ceremony policy of ", to.thing(c), fields(c)],
  "ceremony_policy.removed": (c, to) => ["removed the ceremony policy of ", to.thing(c)],
  "company.updated": (c, to) => ["changed ", count(c), " of the company ", to.thing(c), fields(c)],
  "company.departments_reordered": () => ["changed the order of ", h("a", { href: link("") }, "the departments")],
  "project.created": (c, to) => ["created the project ", to.thing(c)],
  "project.updated": (c, to) => ["changed ", count(c), " of the project ", to.thing(c), fields(c)],
  "project.deleted": (c) => ["deleted the project ", text(c.resource.name)],
};

// Kinds and actions of changes, in the order of the interface.
const actions = Object.keys(sentences);
const kinds = [...new Set(actions.map((a) => a.split(".")[0]))];
export const kindsAndActions = kinds.flatMap((kind) => [kind, ...actions.filter((a) => a.startsWith(`${kind}.`))]);

// actionWords are what people call a kind or an action.
export const actionWords = (action) => action.includes(".") ? words(action.replace(".", " ")) : `all about ${words(action)}`;

// entry makes the entry of a change. isThere tells whether a department still is: what
// is gone has no page.
export function entry(change, { isThere, fresh = false }) {
  const department = (name) => isThere(name) ? h("a", { class: "department", href: link("departments", name) }, text(name)) : text(name);
  const thing = ({ resource: { type, id, name } }) => {
    if (type === "department") return department(name);
    const where = { agent: ["agents", id], project: ["projects"], company: ["settings"] }[type]; // an agent that was deleted has a page by its id
    return where ? h("a", { href: link(...where) }, text(name)) : text(name);
  };
  const verb = change.action.split(".")[1];
  // More actions may come.
  const sentence = sentences[change.action] ?? ((c, to) => [`changed (${words(c.action.replace(".", " "))}) `, to.thing(c)]);
  return h("li", { class: `event logged ${verb}${fresh ? " fresh" : ""}`, data: { id: change.id } },
    h("span", { class: "sign", "aria-hidden": "true" }, signs[verb] ?? "·"),
    h("div", {},
      h("div", { class: "sentence" }, h("strong", {}, text(change.actor)), " ", sentence(change, { thing, department })),
      change.reason ? h("p", {}, h("q", { dir: "auto" }, change.reason)) : null,
      versions(change),
      change.way === "direct" ? null : h("span", { class: "chip" }, words(change.way))),
    h("time", { datetime: change.timestamp, title: time(change.timestamp) }, ago(change.timestamp)));
}

// count says how many fields changed; the summary also knows of those that are not listed.
function count({ summary, changed_fields: all }) {
  const n = parseInt(summary, 10) || all.length;
  return n === 1 ? "1 field" : `${n} fields`;
}

function fields({ summary, changed_fields: all }) {
  if (!all.length) return null;
  const rest = Math.max(parseInt(summary, 10) || 0, all.length) - shown;
  return [" (", all.slice(0, shown).map((f, i) => [i ? ", " : "", h("code", {}, f)]), rest > 0 ? ` and ${rest} more` : "", ")"];
}

// versions leads to the difference, or to the versions of an agent that had none before
// or has none after.
function versions({ resource: { id, name }, label: moves, from_version: from, to_version: to }) {
  if (from === to && !moves) return null; // what has no versions, and what no version is about
  const both = from && to && from !== to;
  const label = moves ? `${moves}: ${moved(from, to)}` : both ? `v${from} → v${to}` : `v${from ?? to}`;
  return h("a", {
    class: "difference", href: link("agents", id, "versions", ...(both ? [{ from, to }] : [])),
    "aria-label": both ? `${label}: what changed in ${name}` : `${label}: versions of ${name}`,
  }, label);
}
