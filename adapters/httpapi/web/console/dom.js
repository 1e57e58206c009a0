// What pages are made of.

import { fill, h } from "./element.js";
import { giveUp, guard, unsaved } from "./guard.js";

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

// ask shows a dialog and returns what was done: true for the button that
// confirms. content may hold fields; check returns or throws what is wrong with them. It
// may send them: the dialog stays until nothing is wrong. opened gets a signal that ends
// with the dialog.
export function ask(title, content, confirm, { danger = false, check = () => "", opened = () => {} } = {}) {
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
        problem.textContent = await busy(yes, check).catch((error) => error.message);
        if (!problem.textContent) dialog.close("yes");
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

// mayLeave asks whoever leaves what is unsaved.
export async function mayLeave() {
  const all = unsaved();
  if (all.length && !(await ask("Leave this page?", all.map((text) => h("p", {}, text)), "Leave", { danger: true }))) return false;
  giveUp();
  for (const dialog of document.querySelectorAll("dialog[open]:not(.sign-in-box)")) dialog.close();
  return true;
}

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
