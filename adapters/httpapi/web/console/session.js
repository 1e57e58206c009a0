// Who is signed in. The session is a cookie of the browser, good in every tab, that no
// script can read: the service sets it, renews it and takes it away. It counts only with
// the header below. A sign-in link has a code in its fragment, which is traded once.

import { h, mayLeave, notice } from "./dom.js";

export const session = { me: null };

// mark is on every request of the console: no page of another site can send it.
export const mark = { "Orgd-Console": "1" };

const at = (where) => new URL(where, document.baseURI);

// tabs tells the other tabs of the console that somebody has signed in or out.
const tabs = new BroadcastChannel(`orgd ${at("console").pathname}`);

// ask makes a request and returns what it answers, or why that was refused.
async function ask(where, options) {
  const answer = await fetch(at(where), { ...options, headers: { "Content-Type": "application/json", ...mark }, cache: "no-store" });
  const content = await answer.json().catch(() => ({}));
  if (answer.status === 401) return { refused: content.error };
  if (!answer.ok) throw new Error(content.error ?? `The service answered with status ${answer.status}.`);
  return content.data;
}

// read asks the service who is signed in; null if nobody is.
const read = async () => (await ask("console/session")).session;

// enter signs in by a code or a token. It returns why that failed, or "".
async function enter(how) {
  try {
    const me = await ask("console/session", { method: "POST", body: JSON.stringify(how) });
    if (me.refused) return how.code ? me.refused : `The service does not accept this token: ${me.refused}.`;
    adopt(me);
    tabs.postMessage("signed in");
    return "";
  } catch (error) {
    return error.message;
  }
}

// start returns when somebody is signed in. A link counts more than the session of
// the browser.
export async function start() {
  addEventListener("hashchange", () => { if (location.hash.startsWith(link)) location.reload(); });
  const problem = location.hash.startsWith(link) ? await trade() : "";
  if (!session.me) {
    session.me = await read().catch(() => null);
    if (session.me && problem) notice(problem, "error");
  }
  tabs.onmessage = () => read().then((me) => me ? adopt(me) : session.me && signIn(session.me, "You have signed out in another tab."), () => {});
  if (!session.me) await signIn(null, problem);
}

const link = "#code=";

// trade signs in by the link in the address, from which the code is gone before
// anything is sent. It returns why that failed, or "".
function trade() {
  const code = location.hash.slice(link.length);
  history.replaceState(null, "", location.pathname + location.search);
  return enter({ code });
}

let asking = null; // the dialog, while there is one

// signIn asks somebody to sign in, after the service has refused a request of the session
// that was known then. Many may ask; there is one dialog.
export function signIn(refused, reason) {
  if (session.me !== refused) return Promise.resolve(); // somebody has signed in since
  asking ||= dialog(reason);
  return asking.done;
}

function dialog(reason) {
  const input = h("input", {
    id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": "token-hint",
  });
  const problem = h("p", { class: "problem", role: "alert" });
  const button = h("button", { type: "submit", class: "primary wide" }, "Sign in");
  const form = h("form", { class: "sign-in", onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = "";
    problem.textContent = await enter({ token: input.value.trim() });
    button.disabled = false;
    input.focus();
  } },
  h("img", { src: at("console/icon.svg").href, alt: "", width: "44", height: "44" }),
  h("h1", { id: "sign-in-title" }, "Sign in to orgd"),
  reason ? h("p", { class: "reason" }, reason) : null,
  h("label", { for: "token" }, "Access token"), input,
  h("small", { id: "token-hint" }, "“orgd login --link” prints a link that signs you in; “orgd token create” makes a token. You stay signed in, in all tabs, until you sign out or do not come for a while."),
  problem, button);
  const box = h("dialog", {
    class: session.me ? "sign-in-box" : "sign-in-box full", "aria-labelledby": "sign-in-title",
    oncancel: (event) => event.preventDefault(), // there is nothing behind it to go back to
  }, form);
  document.body.append(box);
  box.showModal();
  input.focus();
  const { promise, resolve } = Promise.withResolvers();
  return { box, done: promise, resolve };
}

// adopt goes on as who has signed in, here or in another tab.
function adopt(found) {
  const other = session.me && (session.me.subject !== found.subject || session.me.role !== found.role);
  session.me = found;
  if (asking) {
    asking.box.remove();
    asking.resolve();
    asking = null;
  }
  dispatchEvent(new CustomEvent("signed-in", { detail: { other } }));
}

// signOut ends the session at the service, in every tab.
export async function signOut() {
  if (!(await mayLeave())) return;
  await ask("api/v1/auth/logout", { method: "POST" }).catch(() => null);
  tabs.postMessage("signed out");
  location.assign(document.baseURI.split("#")[0]);
  location.reload();
}

// key is what names that differ in letter case only share.
export const key = (name) => name.normalize("NFC").toLowerCase();

// roleOf is the role of an agent, null if it only repeats the name.
export const roleOf = ({ name, role }) => key(role) === key(name) ? null : role;

// may tells whether the caller's role allows something, so that nobody is
// offered what would be refused. What counts is what the service says.
export const may = {
  editAll: () => ["editor", "admin"].includes(session.me.role),
  editAny: () => may.editAll() || session.me.role === "department_admin",
  administer: () => session.me.role === "admin",
  moveLabels: (department) => may.edit(department),
  moveProtected: (department) => may.moveLabels(department) && session.me.role !== "editor",
  edit: (department) => may.editAll() || session.me.role === "department_admin" &&
    session.me.departments.some((d) => key(d) === key(department)),
};
