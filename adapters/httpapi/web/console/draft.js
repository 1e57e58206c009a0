// Drafts: what somebody has typed and not saved, kept in this browser until it is saved or
// dropped. They outlast the session, and have nothing of it but whose they are.

import { notice } from "./dom.js";
import { session } from "./session.js";

const pause = 300; // ms between two writings

const place = (id) => `orgd.draft ${JSON.stringify([session.me.subject, id])}`;

// readDraft returns what was kept of a thing, null for nothing.
export function readDraft(id) {
  try {
    return JSON.parse(localStorage.getItem(place(id)));
  } catch {
    return null; // nobody can read it
  }
}

export class Draft {
  // make returns what is to be kept, null for nothing. It is asked when somebody has typed,
  // and at the latest when the page goes or the signal ends.
  constructor(id, make, signal) {
    Object.assign(this, { place: place(id), make, timer: 0 });
    this.last = localStorage.getItem(this.place); // as this form knows it; another tab may write, too
    const now = () => this.timer && this.write();
    addEventListener("pagehide", now, { signal });
    signal.addEventListener("abort", now);
  }

  later() { this.timer ||= setTimeout(() => this.write(), pause); }

  write() {
    clearTimeout(this.timer);
    this.timer = 0;
    const content = this.make();
    if (!content) return this.drop();
    const text = JSON.stringify(content);
    try {
      localStorage.setItem(this.place, text);
      this.last = text;
      this.full = false;
    } catch (error) {
      if (!this.full) notice(`This browser keeps no draft of what you type: ${error.message}`, "error");
      this.full = true;
    }
  }

  drop() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (localStorage.getItem(this.place) === this.last) localStorage.removeItem(this.place);
  }
}
