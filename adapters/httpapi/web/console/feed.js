// A list of what happened, the newest first, which goes on with what happens now.

import { Pages } from "./api.js";
import { busy, empty, field, fill, h, notice, select } from "./dom.js";
import { current, link } from "./router.js";

const most = 500; // entries in the page, or kept; older ones can be read again
const rare = 2_000; // ms between entries that are worth an animation

// filters is a form that chooses the query of a page. fields has labels and inputs by
// the names of the query.
export function filters(place, fields) {
  const apply = () => {
    if (current().segments[0] !== place) return; // the browser says what was typed once more when the form goes
    const chosen = Object.entries(fields).map(([name, [, input]]) => [name, input.value.trim()]).filter(([, v]) => v);
    location.hash = chosen.length ? link(place, Object.fromEntries(chosen)) : link(place);
  };
  return h("form", { class: "panel filters", "aria-label": "Filters", onsubmit: (e) => { e.preventDefault(); apply(); }, onchange: apply },
    Object.values(fields).map(([label, input]) => field(label, input)));
}

// hours chooses how far back a feed reaches.
export const hours = (chosen) => select(["", "24", "48", "168"], chosen, {},
  (v) => ({ "": "all that is kept", 24: "24 hours", 48: "48 hours", 168: "7 days" })[v]);

// days are the fields of a filter for whole days, and instants what they ask for.
export const days = ({ since, until }) => ({
  since: ["From (UTC day)", h("input", { type: "date", value: since })], until: ["Before (UTC day)", h("input", { type: "date", value: until })],
});

export const instants = ({ since, until }) => ({ since: since && `${since}T00:00:00.000Z`, until: until && `${until}T00:00:00.000Z` });

const failed = (error) => error.name !== "AbortError" && notice(error.message, "error");

// paged fills a list page by page. entry makes an element of an item; none is said when
// there are none. It returns what reads on: a button and its function.
export function paged(list, pages, entry, none) {
  const more = h("button", { type: "button", class: "secondary", onclick: () => busy(more, draw) }, "Earlier");
  let shown = 0;
  const draw = async () => {
    try {
      await pages.more();
    } catch (error) {
      return failed(error);
    }
    list.append(...pages.items.slice(shown).map(entry));
    shown = pages.items.length;
    more.hidden = pages.complete;
    if (!pages.items.length) list.append(h("li", {}, empty(none)));
  };
  return { more, draw };
}

// Feed begins with what happened last and goes on with what happens now. What comes while it
// is paused is shown afterwards: it is kept, or read again if it is too much.
export class Feed {
  // where and query name the list. entry makes an element of one of its items; follow
  // calls a function with each that comes; thing is what an item is called, and none
  // what is said when there are none.
  constructor(where, query, { entry, follow, thing, none }, signal) {
    Object.assign(this, { where, query, entry, follow, thing, signal, paused: false, kept: [], come: 0, shown: 0, room: most });
    this.known = new Set(); // ids of what is in the page, or has come since it is paused
    this.list = h("ol", { class: "feed" });
    this.none = empty(none);
    this.button = h("button", { type: "button", class: "secondary", "aria-pressed": "false", onclick: () => this.toggle() }, "Pause");
    this.waiting = h("p", { class: "lead", role: "status" });
    this.more = h("button", { type: "button", class: "secondary", onclick: () => busy(this.more, () => this.earlier().catch(failed)) }, "Earlier");
    this.pages = null; // those that were read, unless their end is not in the page any more
    this.element = h("section", { class: "panel", "aria-label": `${thing[0].toUpperCase()}${thing.slice(1)}s` }, this.waiting, this.none, this.list, this.more);
  }

  // start follows first and reads then, so that nothing falls in between.
  async start() {
    await this.follow((item) => this.take(item), this.signal);
    await this.earlier();
  }

  // earlier reads what is behind the last entry.
  async earlier() {
    const pages = this.pages ??= new Pages(this.where, { ...this.query, limit: 50 }, this.signal);
    let older;
    do {
      await pages.more();
      older = pages.items.splice(0).filter((e) => this.isNew(e));
    } while (!older.length && !pages.complete);
    this.list.append(...older.map((e) => this.entry(e)));
    this.room = Math.max(most, this.list.childElementCount); // somebody wants to see them
    this.more.hidden = pages.complete;
    this.none.hidden = this.known.size > 0;
  }

  // again reads the feed anew: the stream cannot say what was missed.
  async again() {
    const pages = new Pages(this.where, { ...this.query, limit: 200 }, this.signal);
    await pages.more();
    for (const item of pages.items.toReversed()) this.take(item);
  }

  isNew(item) {
    if (this.known.has(item.id)) return false;
    this.known.add(item.id);
    return true;
  }

  take(item) {
    if (!this.isNew(item)) return;
    if (this.paused) {
      if (++this.come <= most) this.kept.push(item);
      this.tell();
    } else this.show([item]);
  }

  show(items) {
    const fresh = Date.now() - this.shown > rare; // animations of many take a lot of memory
    this.shown = Date.now();
    this.none.hidden = this.known.size > 0;
    for (const item of items) this.list.prepend(this.entry(item, { fresh }));
    while (this.list.childElementCount > this.room) {
      this.known.delete(this.list.lastElementChild.dataset.id);
      this.list.lastElementChild.remove();
      this.pages = null;
      this.more.hidden = false;
    }
  }

  toggle() {
    this.paused = !this.paused;
    this.button.textContent = this.paused ? "Resume" : "Pause";
    this.button.setAttribute("aria-pressed", String(this.paused));
    const { kept, come } = this;
    Object.assign(this, { kept: [], come: 0 });
    this.tell();
    if (come <= most) return this.show(kept);
    this.pages = null;
    this.known.clear();
    this.list.replaceChildren();
    this.earlier().catch(failed);
  }

  tell() {
    const n = this.come;
    fill(this.waiting, this.paused ? (n ? `${n} new ${n === 1 ? this.thing : `${this.thing}s`} while this is paused` : `Paused: new ${this.thing}s are kept`) : "");
  }
}
