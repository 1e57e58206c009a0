// What everybody does, as it happens.

import { Pages, data, path } from "./api.js";
import { busy, empty, field, fill, h, notice, select } from "./dom.js";
import { entry } from "./event.js";
import { eventTypes, words } from "./format.js";
import { link } from "./router.js";
import { listen } from "./stream.js";

const most = 500; // entries in the page; older ones can be read again

export async function page({ query, signal }) {
  const filters = { type: query.get("type") ?? "", agent_id: query.get("agent_id") ?? "", last_n_hours: query.get("last_n_hours") ?? "" };
  const type = select(["", ...eventTypes], filters.type, {}, (v) => v ? words(v) : "all");
  const agent = h("input", { value: filters.agent_id, maxlength: 128, placeholder: "name or id" });
  const hours = select(["", "24", "48", "168"], filters.last_n_hours, {}, (v) => ({ "": "all that is kept", 24: "24 hours", 48: "48 hours", 168: "7 days" })[v]);
  const apply = () => {
    const chosen = Object.entries({ type: type.value, agent_id: agent.value.trim(), last_n_hours: hours.value }).filter(([, v]) => v);
    location.hash = chosen.length ? link("activity", Object.fromEntries(chosen)) : link("activity");
  };
  const form = h("form", { class: "row filters", onsubmit: (e) => { e.preventDefault(); apply(); }, onchange: apply },
    field("Type", type), field("Agent", agent), field("Time", hours));
  // What is told about a person who is not there would stay empty for no reason.
  const found = filters.agent_id && await data(path("agents", filters.agent_id), {}, signal).catch((error) => error.status === 404 ? null : {});
  const feed = new Feed(filters, found?.id ?? filters.agent_id, signal);
  await feed.start();
  return {
    title: "Activity",
    body: [
      h("div", { class: "bar" }, h("h1", {}, "Activity"), feed.button),
      form,
      found === null ? h("p", { class: "reason" }, `There is no agent ${filters.agent_id}.`) : null,
      h("section", { class: "panel narrow", "aria-label": "Events" }, feed.waiting, feed.list, feed.more),
    ],
    refresh: () => feed.again().catch((error) => notice(error.message, "error")),
  };
}

// Feed begins with what happened last and goes on with what happens now. While
// it is paused nothing is lost: what comes is kept, and shown afterwards.
class Feed {
  constructor(filters, agent, signal) {
    Object.assign(this, { filters, agent, signal, paused: false, kept: [], known: new Set() });
    this.list = h("ol", { class: "feed" });
    this.button = h("button", { type: "button", class: "secondary", "aria-pressed": "false", onclick: () => this.toggle() }, "Pause");
    this.waiting = h("p", { class: "lead", role: "status" });
    this.more = h("button", { type: "button", class: "secondary", onclick: () => busy(this.more, () => this.earlier()) }, "Earlier");
    this.pages = new Pages("activities", { ...filters, limit: 50 }, signal);
  }

  // start follows first and reads then, so that nothing falls in between.
  async start() {
    listen((event) => this.wants(event) && this.take(event), this.signal);
    await this.earlier();
    if (!this.pages.items.length) this.list.append(this.none = empty("Nothing yet."));
  }

  // wants tells whether the filters let an event through.
  wants({ event_type: type, agent_id: id, agent_name: name, timestamp }) {
    const { type: wanted, last_n_hours: hours } = this.filters;
    return (!wanted || type === wanted) && (!this.agent || id === this.agent || name === this.agent) &&
      (!hours || Date.now() - new Date(timestamp) < hours * 3_600_000);
  }

  async earlier() {
    const before = this.pages.items.length;
    await this.pages.more();
    this.list.append(...this.pages.items.slice(before).filter((e) => this.isNew(e)).map((e) => entry(e)));
    this.more.hidden = this.pages.complete;
  }

  // again reads the feed anew: the stream cannot say what was missed.
  async again() {
    const pages = new Pages("activities", { ...this.filters, limit: 200 }, this.signal);
    await pages.more();
    for (const event of pages.items.toReversed()) this.take(event);
  }

  isNew(event) {
    if (this.known.has(event.id)) return false;
    this.known.add(event.id);
    return true;
  }

  take(event) {
    if (!this.isNew(event)) return;
    if (this.paused) {
      this.kept.push(event);
      this.tell();
    } else this.show([event]);
  }

  show(events) {
    this.none?.remove();
    for (const event of events) this.list.prepend(entry(event, { fresh: true }));
    while (this.list.childElementCount > most) this.list.lastElementChild.remove();
  }

  toggle() {
    this.paused = !this.paused;
    this.button.textContent = this.paused ? "Resume" : "Pause";
    this.button.setAttribute("aria-pressed", String(this.paused));
    if (!this.paused) this.show(this.kept.splice(0));
    this.tell();
  }

  tell() {
    const n = this.kept.length;
    fill(this.waiting, this.paused ? (n ? `${n} new ${n === 1 ? "event" : "events"} while this is paused` : "Paused: new events are kept") : "");
  }
}
