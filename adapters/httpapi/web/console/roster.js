// All agents in short, for searching. They are read when somebody searches, and
// kept while the console is open.

import { Pages, data, limited, path } from "./api.js";
import { listen } from "./stream.js";

const keptFor = 60_000; // ms; then they are read again, behind what is there
const few = 20; // changes that are looked at one by one

const agents = new Map(); // by id
const watchers = new Set();
const atOnce = limited(4);
const forever = new AbortController().signal;
let begun = 0; // when they were read last, ms
let reading = null;

export const roster = {
  complete: false,
  // all returns what is known by now.
  all: () => agents.values(),
};

// What happens makes pages read something again: a little later, and not too
// often.
export const soon = 300; // ms from an event to the reading
export const calm = 5_000; // ms between two readings, however much happens

// lifecycle are the events after which an agent may be another, or elsewhere.
export const lifecycle = new Set(["hired", "onboarded", "fired", "offboarded", "status_changed", "promoted", "demoted"]);

// fold is about what the service compares names by: there is no case folding in browsers.
const fold = (text) => text.normalize("NFC").toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFC");

// searchable reports whether a text is long enough for the service to search for it: words of
// scripts without spaces between words are short.
const dense = /[\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Yiii}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}\p{sc=Java}\p{sc=Bali}\p{sc=Tale}\p{sc=Talu}\p{sc=Lana}\p{sc=Tavt}]/u;
export const fewest = 3;
export const searchable = (text) => [...text.normalize("NFC")].length >= (dense.test(text) ? 2 : fewest);

const short = ({ id, name, role, department, level, status, model, owner, tags }) =>
  ({ id, name, role, department, level, status, model, text: fold([name, role, owner ?? "", ...tags].join("\n")) });

// search returns a function that tells whether an agent is looked for: every
// word is a part of its name, role, owner or tags.
export function search(q, level, status) {
  const parts = fold(q).split(/\s+/).filter(Boolean);
  return (a) => (!level || a.level === level) && (!status || a.status === status) && parts.every((p) => a.text.includes(p));
}

// use reads the agents unless that was done a moment ago. onChange is called when
// more of them are known, or others, until the signal ends.
export function use(onChange, signal) {
  watchers.add(onChange);
  signal.addEventListener("abort", () => watchers.delete(onChange));
  return refresh();
}

// refresh returns when all are known.
export function refresh() {
  if (Date.now() - begun > keptFor) reading ||= read().finally(() => { reading = null; });
  return reading;
}

async function read() {
  const pages = new Pages("agents", { view: "summary" });
  const found = new Set();
  const from = Date.now();
  while (!pages.complete) {
    await pages.more();
    for (const a of pages.items.splice(0)) {
      found.add(a.id);
      agents.set(a.id, short(a));
    }
    tell();
  }
  for (const id of agents.keys()) if (!found.has(id)) agents.delete(id);
  begun = from;
  roster.complete = true;
  tell();
}

const tell = () => watchers.forEach((w) => w());

// forget makes the next search read the agents again.
const forget = () => { begun = 0; };
addEventListener("changed", forget);
addEventListener("stream", ({ detail }) => detail !== "gone" && forget());

const stale = new Map(); // what happened last, by agent
let timer = 0;
listen(({ agent_id: id, event_type: type }) => {
  if (!roster.complete || !lifecycle.has(type)) return;
  stale.set(id, type);
  timer ||= setTimeout(look, soon);
}, forever);

// look reads again those to whom something has happened.
async function look() {
  for (const [id, type] of stale) if (type === "fired") agents.delete(id);
  const ids = [...stale].filter(([, type]) => type !== "fired").map(([id]) => id);
  timer = 0;
  stale.clear();
  if (ids.length > few) forget();
  else await Promise.all(ids.map((id) => atOnce(() => data(path("agents", id))).then((a) => agents.set(id, short(a)), (error) => {
    if (error.status === 404) agents.delete(id);
    else forget();
  })));
  if (begun === 0 && watchers.size) refresh()?.catch(forget);
  tell();
}
