// The agents of one department in their order, read as far as somebody looks.

import { Pages, change, newest, path } from "./api.js";
import { announce, notice } from "./dom.js";

export class Members {
  // total is how many there are; onChange is called when that or the agents
  // have changed.
  constructor(department, total, signal, onChange) {
    Object.assign(this, { department, total, signal, onChange, pages: this.#pages(department, signal) });
    this.save = newest(
      (names) => change("POST", path("departments", department, "reorder-agents"), { agent_names: names }),
      (error) => {
        notice(`The agents stay as they were: ${error.message}`, "error");
        this.reload();
      });
  }

  #pages(department, signal) {
    return new Pages("agents", { department, view: "summary" }, signal);
  }

  at(index) { return this.pages.items[index]; }

  holds(id) { return this.pages.items.some((a) => a.id === id); }

  // need reads on when the end of what is known comes near.
  need(last) {
    if (this.pages.complete || last < this.pages.items.length || this.pages.reading) return;
    this.#failing(this.pages.more().then(() => this.#changed()));
  }

  // reload reads as much again as was known.
  reload(total = this.total) {
    const pages = this.#pages(this.department, this.signal);
    return this.#failing(pages.upTo(Math.max(1, this.pages.items.length)).then(() => {
      Object.assign(this, { pages, total });
      this.#changed();
    }));
  }

  // move puts an agent elsewhere. The service wants to know the whole new order,
  // so all of it is read first.
  move(from, to) {
    if (to < 0 || to >= this.total || to === from) return;
    return this.#failing(this.pages.upTo().then((items) => {
      const [agent] = items.splice(from, 1);
      items.splice(to, 0, agent);
      announce(`${agent.name} is now ${to + 1} of ${items.length} in ${this.department}`);
      this.#changed();
      this.save(items.map((a) => a.name));
    }));
  }

  #changed() {
    const known = this.pages.items.length;
    this.total = this.pages.complete ? known : Math.max(this.total, known);
    this.onChange();
  }

  #failing(work) {
    return work.catch((error) => error.name !== "AbortError" && notice(error.message, "error"));
  }
}
