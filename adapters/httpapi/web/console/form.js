// Fields of forms that know what was put into them. Only what was touched is sent. A
// browser may write a value in its own way (a textarea makes LF of CRLF); so what a field
// holds is compared with what it held when the value had been put in.

import { change, decimal, exactly, get, isRaw } from "./api.js";
import { unified } from "./diff.js";
import { h, name as text } from "./dom.js";
import { seen } from "./special.js";
import { follow } from "./stream.js";

// raw is what an input holds; setRaw puts that in.
const raw = (input) => input.type === "checkbox" ? input.checked :
  input.multiple ? [...input.selectedOptions].map((o) => o.value).join("\n") : input.value;

function setRaw(input, held) {
  if (input.type === "checkbox") input.checked = held;
  else if (input.multiple) for (const o of input.options) o.selected = held.split("\n").includes(o.value);
  else {
    if (input.options && ![...input.options].some((o) => o.value === held)) input.add(new Option(held, held)); // one that came later
    input.value = held;
  }
}

// endsCRLF tells whether every line of a text that ends does so with CR and LF.
export const endsCRLF = (text) => text.includes("\r\n") && !/\r(?!\n)|(?<!\r)\n/.test(text);

// Control is a field: write makes of a value what the input is to hold, read makes a
// value of what it holds. read gets the value that could be seen, too.
export class Control {
  constructor(input, { write = (value) => value ?? "", read = (held) => held } = {}) {
    Object.assign(this, { input, write, read });
  }

  get held() { return raw(this.input); }
  get touched() { return this.held !== this.before; }

  // put shows a value.
  put(value) {
    this.given = this.seen = value;
    setRaw(this.input, this.write(value));
    this.before = this.held;
    this.note?.remove();
  }

  // take has a newer value count, which is shown unless somebody has typed. who has it
  // from is said beside the field.
  take(value, who) {
    const { touched, given: was } = this;
    if (touched) {
      const copy = this.input.cloneNode(true);
      setRaw(copy, this.write(value));
      this.given = value;
      this.before = raw(copy);
    } else this.put(value);
    this.note?.remove();
    if (touched && !this.touched) return this.put(value); // both have typed the same
    this.note = h("div", { class: "theirs", role: "status" },
      h("p", {}, h("strong", {}, text(who)), touched ? " has changed this meanwhile. What you have typed is still here." : " has changed this."),
      difference(this.write(touched ? this.seen : was), this.write(value)),
      touched ? h("button", { type: "button", class: "secondary", onclick: () => {
        this.put(value);
        this.input.dispatchEvent(new Event("input", { bubbles: true }));
      } }, "Take theirs") : null);
    this.input.before(this.note);
  }

  // type puts in what somebody has typed before.
  type(held) { setRaw(this.input, held); }

  // value is what the field says now.
  get value() {
    if (!this.touched) return this.given;
    const { held, seen } = this;
    const lines = typeof seen === "string" && endsCRLF(seen) && !held.includes("\r");
    return this.read(lines ? held.replaceAll("\n", "\r\n") : held, seen);
  }
}

const difference = (was, is) => typeof is === "string" && /[\r\n]|.{80}/.test(was + is) ?
  h("details", { open: true }, h("summary", {}, "What they have changed"), unified(was, is)) :
  h("p", { class: "short" }, h("del", {}, shown(was)), h("span", { "aria-hidden": "true" }, " → "), h("ins", {}, shown(is)));
const shown = (held) => held === "" ? "nothing" : seen(String(held));

// Ways to write and read.
export const orNull = { read: (held) => held.trim() || null };
export const exactNumber = {
  write: (value) => value === undefined || value === null ? "" : JSON.stringify(value),
  read: (held) => held.trim() ? decimal(held) : null,
};
export const list = (separator, join = separator) => ({
  write: (all) => (all ?? []).join(join),
  read: (held) => [...new Set(held.split(separator).map((t) => t.trim()).filter(Boolean))],
});

export const isObject = (v) => typeof v === "object" && v !== null && !Array.isArray(v) && !isRaw(v);

// object reads an object of JSON.
export function object(held) {
  let value;
  try {
    value = exactly(held);
  } catch {
    value = null;
  }
  if (!isObject(value)) throw new TypeError("JSON must be an object here, such as {\"days\": 14}.");
  return value;
}

const at = (record, path) => path.split(".").reduce((value, name) => value?.[name], record);

// Form has controls by the path of what they show, such as "model.provider". Where is the
// record in the interface.
export class Form {
  #last = Promise.resolve(); // what is sent and read, one after the other
  #waiting = null; // a reading that has not begun

  constructor(controls, found, where) {
    Object.assign(this, { controls, where });
    for (const [path, { input }] of Object.entries(controls)) input.setAttribute("name", path); // as errors name it
    this.put(found);
  }

  put({ data, tag }) {
    Object.assign(this, { data, tag });
    for (const [path, control] of Object.entries(this.controls)) control.put(at(data, path));
  }

  // take has a newer record count. It returns the paths of what differs in it.
  take({ data, tag }, who) {
    Object.assign(this, { data, tag });
    return Object.entries(this.controls).filter(([path, control]) => {
      const value = at(data, path);
      if (JSON.stringify(value) === JSON.stringify(control.given)) return false;
      control.take(value, who);
      return true;
    }).map(([path]) => path);
  }

  get touched() { return Object.keys(this.controls).filter((path) => this.controls[path].touched); }

  // patch is a merge patch with what was touched.
  patch() {
    const patch = {};
    for (const path of this.touched) {
      const names = path.split(".");
      const last = names.pop();
      names.reduce((part, name) => part[name] ??= {}, patch)[last] = this.controls[path].value;
    }
    return patch;
  }

  #turn(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  // send makes the changes, unless somebody else has changed a field since it was read:
  // then theirs is taken. It returns why nothing was saved, "" if it was.
  send(headers) { return this.#turn(() => this.#send(headers)); }

  async #send(headers) {
    if (!this.touched.length) return "Nothing has been changed.";
    const sent = Object.values(this.controls).map((control) => [control, control.held]);
    try {
      const saved = await this.save(headers);
      const later = sent.filter(([control, held]) => control.held !== held).map(([control]) => [control, control.held]);
      this.put(saved);
      for (const [control, held] of later) control.type(held); // typed while it was sent
      return "";
    } catch (error) {
      if (!error.stale) throw error;
      const now = await this.current();
      if (now.tag === this.tag) throw error; // nobody has
      if (!this.take(now, "Somebody else").length) return this.#send(headers);
      return "Somebody else was faster. Nothing was saved, and what you have typed is still here. Save again to put it in place.";
    }
  }

  // create makes a new record of what was touched.
  async create() {
    this.put(await change("POST", this.where, this.patch()));
    return "";
  }

  save(headers) { return change("PATCH", this.where, this.patch(), { tag: this.tag, headers, exact: true }); }

  current(signal) { return get(this.where, {}, signal, true); }

  // read has what others have changed shown, and returns the paths of that. Who asks while
  // another reading waits gets that one.
  read(who, signal) {
    this.who = this.#waiting && this.who !== who ? "Somebody else" : who;
    return this.#waiting ??= this.#turn(async () => {
      this.#waiting = null;
      const by = this.who;
      const now = await this.current(signal);
      return now.tag === this.tag ? [] : this.take(now, by);
    });
  }

  // follow has others' changes read as they happen, until the signal ends: those in the list
  // of changes that the query names.
  follow(query, signal, read = (who) => this.read(who, signal).catch(() => {})) { // what is missed is found when it is sent
    follow("changes", query, (change) => read(change.actor), signal).then(() => signal.aborted || read("Somebody else"));
  }
}
