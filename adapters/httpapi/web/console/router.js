// Which page is shown. Pages are named in the fragment of the URL, which is not
// sent to the service: #/agents/Ada/versions?from=2.

import { mayLeave, mayReplace } from "./dom.js";

const routes = [];
let place = 0; // of the page that is shown among the entries of the history
let hash = ""; // of that page

// route says which module shows the pages of a pattern such as
// "agents/:name/versions". Modules are loaded when they are needed.
export function route(pattern, load) {
  routes.push({ parts: pattern.split("/"), load });
}

// link is the fragment of a page.
export function link(...segments) {
  const query = typeof segments.at(-1) === "object" ? `?${new URLSearchParams(segments.pop())}` : "";
  return `#/${segments.map(encodeURIComponent).join("/")}${query}`;
}

function find(segments) {
  for (const { parts, load } of routes) {
    if (parts.length !== segments.length) continue;
    const parameters = {};
    const fits = parts.every((part, i) => {
      if (!part.startsWith(":")) return part === segments[i];
      parameters[part.slice(1)] = segments[i];
      return true;
    });
    if (fits) return { load, parameters };
  }
  return null;
}

// current takes the fragment apart.
export function current() {
  const [where, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { segments: where.split("/").map(decode), query: new URLSearchParams(query) };
}

// decode leaves what nobody has encoded as it is.
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// setQuery changes the query of the address: what is left out or "" is dropped.
// With replace, going back leads past what was there before.
export function setQuery(query, replace = false) {
  const kept = new URLSearchParams(Object.entries(query).flatMap(([name, value]) => [value].flat().filter(Boolean).map((v) => [name, v])));
  const where = link(...current().segments, ...(kept.size ? [kept] : []));
  if (!replace) place++;
  history[replace ? "replaceState" : "pushState"]({ place }, "", where);
  hash = location.hash;
}

// arrive notes the place of the entry that the address is of now. A new one has none yet.
function arrive() {
  place = history.state?.place ?? place + 1;
  history.replaceState({ place }, "");
  hash = location.hash;
}

// goBack returns to the entry of the page that is shown.
function goBack() {
  history.go(history.state ? place - history.state.place : -1);
}

// start shows the page of the URL now and whenever it changes. show gets what
// loads the module, the parameters and a signal that ends with the page, and asks
// replace before it puts the page on the screen. A page that can shows another query
// itself, by its function update. A page that is read again lives until it is replaced.
export function start(show, missing) {
  let shown = { end: new AbortController() };
  let coming = shown.end; // ends the page that is being read
  let asking = false;
  const leave = () => {
    shown.end.abort();
    shown = { end: shown.end };
  };
  const turn = async (event) => {
    if (asking || location.hash && !location.hash.startsWith("#/")) return; // a place in the page
    const { segments, query } = current();
    const where = link(...segments);
    if (event?.type === "hashchange") {
      if (location.hash === hash) return;
      if (where === shown.where && shown.update) {
        arrive();
        return shown.update(query);
      }
      asking = true;
      const yes = await mayLeave();
      asking = false;
      return yes ? turn() : goBack(); // the address may be another one by now
    }
    if (!event) arrive();
    const again = event?.type === "again" && !shown.end.signal.aborted;
    if (again && !mayReplace()) return;
    if (coming !== shown.end) coming.abort();
    if (!again) leave();
    const found = find(segments);
    if (!found) return missing();
    const end = coming = new AbortController();
    const replace = () => {
      if (end.signal.aborted || again && !mayReplace()) return false;
      leave();
      shown = { where, end };
      return true;
    };
    const update = await show(found.load, { ...found.parameters, query, signal: end.signal, again }, segments, replace);
    if (shown.end === end) shown.update = update;
    else end.abort();
  };
  addEventListener("hashchange", turn);
  addEventListener("again", turn);
  return turn();
}

// ready loads the modules of all pages, so that they are there when the service
// is not.
export const ready = () => Promise.allSettled(routes.map((r) => r.load()));

// again shows the page anew, unless somebody uses a form of it.
export const again = () => dispatchEvent(new Event("again"));
