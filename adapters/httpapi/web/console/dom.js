// What pages are made of.

import { h, toClipboard } from "./element.js";
import { giveUp, guard, inUse, unsaved } from "./guard.js";

export { fill, h, name } from "./element.js";

// announce tells something to those who cannot see it happen.
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

// notice shows a message for a while; an error stays until it is put away.
export function notice(text, kind = "done") {
  const close = h("button", { type: "button", class: "plain", "aria-label": "Put the message away", onclick: () => box.remove() }, "×");
  const box = h("div", { class: `notice ${kind}`, role: kind === "error" ? "alert" : null }, h("span", {}, text), close);
  const all = document.getElementById("notices");
  for (const other of [...all.children]) if (other.firstChild.textContent === text) other.remove();
  all.append(box);
  if (kind !== "error") setTimeout(() => box.remove(), 6000);
}

let fieldCount = 0;

// field is an input with its label, and a hint if there is one.
export function field(label, input, hint) {
  input.id ||= `field-${++fieldCount}`;
  const parts = [h("label", { for: input.id }, label), input];
  if (hint) {
    const id = `${input.id}-hint`;
    input.setAttribute("aria-describedby", id);
    parts.push(h("small", { id }, hint));
  }
  return h("div", { class: input.type === "checkbox" ? "field check" : "field" }, parts);
}

// select is a choice among values; labels maps them to words.
export function select(values, chosen, properties = {}, labels = (v) => v) {
  return h("select", properties, values.map((v) => {
    const option = h("option", { value: v }, labels(v));
    option.selected = v === (chosen ?? "");
    return option;
  }));
}

// tell shows what is wrong with the fields of a form beside those that are named in it
// ("name: is required; role: …"), and everything else at its end.
function tell(form, end, message) {
  for (const old of form.querySelectorAll(".mistake")) old.remove();
  for (const input of form.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
  const parts = message.split("; ").map((part) => {
    const [, path, words] = part.match(/^([a-z_.]+)(?:\[\d+\])?: (.+)$/s) ?? [];
    return { words, input: path && form.querySelector(`[name="${path}"]`) };
  });
  const known = parts.every(({ input }) => input);
  end.textContent = known ? "" : message;
  if (!known) return;
  for (const { words, input } of parts) {
    input.setAttribute("aria-invalid", "true");
    input.after(h("p", { class: "problem mistake", role: "alert" }, words));
  }
  parts[0].input.focus();
}

// ask shows a dialog and returns what was done: true for the button that
// confirms. content may hold fields; check returns or throws what is wrong with them. It
// may send them: the dialog stays until nothing is wrong. opened gets a signal that ends
// with the dialog.
export function ask(title, content, confirm, { danger = false, check = () => "", opened = () => {} } = {}) {
  forget();
  return new Promise((resolve) => {
    const problem = h("p", { class: "problem", role: "alert" });
    const end = new AbortController();
    let typed = "";
    guard(() => typed && `What you have typed under “${title}” is not saved, and will be lost.`, end.signal);
    const yes = h("button", { type: "submit", class: danger ? "danger" : "primary" }, confirm);
    const form = h("form", {
      oninput: () => {
        problem.textContent = "";
        typed = "typed";
      },
      onsubmit: async (event) => {
        event.preventDefault();
        const wrong = await busy(yes, check).catch((error) => error.message);
        if (wrong) tell(form, problem, wrong);
        else dialog.close("yes");
      },
    },
    h("h2", { id: "dialog-title" }, title), content, problem,
    h("div", { class: "buttons" },
      h("button", { type: "button", class: "secondary", onclick: () => dialog.close("") }, "Cancel"), yes));
    const dialog = h("dialog", { "aria-labelledby": "dialog-title", oncancel: (event) => {
      if (typed !== "typed") return;
      event.preventDefault();
      typed = "warned";
      problem.textContent = "Press Escape again to drop what you have typed.";
    }, onclose: () => {
      end.abort();
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    } }, form);
    document.body.append(dialog);
    dialog.showModal();
    opened(end.signal);
  });
}

let asked = new AbortController(); // for what was asked for last

// forget ends the waiting for it.
const forget = () => asked.abort();

// begin opens what somebody asks for by a click: open gets what read returns. Until then the
// page stays. Nothing is opened for somebody who has asked for something else meanwhile, or
// gone elsewhere.
export async function begin(read, open) {
  forget();
  const mine = asked = new AbortController();
  guard(() => "", mine.signal);
  try {
    const found = await read(mine.signal);
    if (!mine.signal.aborted) return open(found); // which is in use by itself from now on
  } catch (error) {
    if (!mine.signal.aborted) notice(error.message, "error");
  } finally {
    mine.abort();
  }
}

// mayReplace tells whether the page may be put in the place of itself, and says so if not.
export function mayReplace() {
  const free = !inUse();
  if (!free) notice("This page may be out of date. What you have begun is still here.");
  return free;
}

// mayLeave asks whoever leaves what is unsaved.
export async function mayLeave() {
  forget();
  const all = unsaved();
  if (all.length && !(await ask("Leave this page?", all.map((text) => h("p", {}, text)), "Leave", { danger: true }))) return false;
  giveUp();
  for (const dialog of document.querySelectorAll("dialog[open]:not(.sign-in-box)")) dialog.close();
  return true;
}

export const section = (title, ...content) => h("section", { class: "panel", "aria-label": title }, h("h2", {}, title), content);
export const button = (label, onclick, kind = "secondary", name = null) => h("button", { type: "button", class: kind, onclick, "aria-label": name }, label);

// facts are names with their values.
export const facts = (rows) => h("dl", { class: "facts-list" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));

// table has a row of cells for each thing. On a narrow screen the cells of a row stand below
// each other, each with the title of its column.
export const table = (titles, rows, properties = {}) => h("table", { class: "stacked", ...properties },
  h("thead", {}, h("tr", {}, titles.map((t) => h("th", { scope: "col" }, t || h("span", { class: "unseen" }, "Actions"))))),
  h("tbody", {}, rows.map((cells) => tableRow(titles, cells))));

export const tableRow = (titles, [head, ...cells]) => h("tr", {},
  h("th", { scope: "row" }, head), cells.map((c, i) => h("td", { data: { title: titles[i + 1] } }, c)));

// copy is a button that copies a text.
export const copy = (value, label) => button("Copy", ({ currentTarget }) => toClipboard(currentTarget, value), "secondary", label);

// tip is a button's help for those who point at it, and its name.
export const tip = (text) => ({ title: text, "aria-label": text });

// busy disables a button while work is being done, so that nothing is sent
// twice.
export async function busy(button, work) {
  button.disabled = true;
  try {
    return await work();
  } finally {
    button.disabled = false;
  }
}

// empty is what a list shows that has nothing.
export const empty = (text) => h("p", { class: "empty" }, text);
