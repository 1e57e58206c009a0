// Who is signed in. The session is a cookie of the browser, good in every tab, that no
// script can read: the service sets it, renews it and takes it away. It counts only with
// the header below. A sign-in link has a code in its fragment, which is traded once.

import { h, mayLeave, notice } from "./dom.js";

export const session = { me: null };

// mark is on every request of the console: no page of another site can send it.
export const mark = { "Orgd-Console": "1" };

const at = (where) => new URL(where, document.baseURI);

// tabs tells the other tabs of the console that somebody has signed in or out.
const channel = `orgd ${at("console").pathname}`;
const tabs = new BroadcastChannel(channel);

// tellTabs returns when the browser has passed the message on: a page that is left before
// takes it along.
const tellTabs = (message) => new Promise((passed) => {
  const echo = new BroadcastChannel(channel);
  echo.onmessage = () => { echo.close(); passed(); };
  tabs.postMessage(message);
});

// ask makes a request and returns what it answers, or why that was refused.
async function ask(where, options) {
  const answer = await fetch(at(where), { ...options, headers: { "Content-Type": "application/json", ...mark }, cache: "no-store" });
  const content = await answer.json().catch(() => ({}));
  if (answer.status === 401) return { refused: content.error };
  if (!answer.ok) throw new Error(content.error ?? `The service answered with status ${answer.status}.`);
  return content.data;
}

let provider; // the name of the identity provider that people can sign in with, null without

// read asks the service who is signed in; null if nobody is.
async function read() {
  const found = await ask("console/session");
  provider = found.provider;
  return found.session;
}

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
  tabs.onmessage = () => read().then((me) => me ? adopt(me) : session.me && signedOutElsewhere(), () => {});
  if (!session.me) await signIn(null, problem);
  if (provider === undefined) read().catch(() => null); // for when the session ends
}

const link = "#code=";

// trade signs in by the link in the address, from which the code is gone before
// anything is sent. It returns why that failed, or "".
function trade() {
  const code = location.hash.slice(link.length);
  history.replaceState(null, "", location.pathname + location.search + (pageBefore() ?? ""));
  return enter({ code });
}

// The page that somebody was on who left to sign in with the identity provider.
const page = "orgd page before sign-in";

function pageBefore() {
  const hash = sessionStorage.getItem(page);
  sessionStorage.removeItem(page);
  return hash;
}

let asking = null; // the dialog, while there is one

// signIn asks somebody to sign in, after the service has refused a request of the session
// that was known then. Many may ask; there is one dialog.
export function signIn(refused, reason) {
  if (session.me !== refused) return Promise.resolve(); // somebody has signed in since
  asking ||= dialog(reason);
  return asking.done;
}

// signedOutElsewhere asks somebody to sign in who has signed out in another tab. A request of
// this tab may have asked before, and did not know why.
function signedOutElsewhere() {
  signIn(session.me, "");
  asking.why.textContent = "You have signed out in another tab.";
}

function dialog(reason) {
  const input = h("input", {
    id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": "token-hint",
  });
  const problem = h("p", { class: "problem", role: "alert" });
  const button = h("button", { type: "submit", class: provider ? "secondary wide" : "primary wide" }, "Sign in");
  const token = [
    h("label", { for: "token" }, "Access token"), input,
    h("small", { id: "token-hint" }, "“orgd login --link” prints a link that signs you in; “orgd token create” makes a token. You stay signed in, in all tabs, until you sign out or do not come for a while."),
    problem, button,
  ];
  const why = h("p", { class: "reason" }, reason);
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
  why,
  provider ? h("a", {
    class: "button primary wide", href: at("api/v1/auth/oidc/start").href,
    onclick: () => sessionStorage.setItem(page, location.hash),
  }, `Sign in with ${provider}`) : null,
  provider ? h("details", {}, h("summary", {}, "With an access token"), h("div", { class: "token" }, token)) : token);
  const box = h("dialog", {
    class: session.me ? "sign-in-box" : "sign-in-box full", "aria-labelledby": "sign-in-title",
    oncancel: (event) => event.preventDefault(), // there is nothing behind it to go back to
  }, form);
  document.body.append(box);
  box.showModal();
  (provider ? form.querySelector("a") : input).focus();
  const { promise, resolve } = Promise.withResolvers();
  return { box, why, done: promise, resolve };
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

// signOut ends the session at the service, in every tab, and at the identity provider if that
// signs people out.
export async function signOut() {
  if (!(await mayLeave())) return;
  const { sign_out_url: elsewhere } = await ask("console/session").catch(() => ({}));
  await ask("api/v1/auth/logout", { method: "POST" }).catch(() => null);
  await tellTabs("signed out");
  if (elsewhere) {
    location.assign(elsewhere);
    return;
  }
  location.assign(document.baseURI.split("#")[0]);
  location.reload();
}

// key is what names that differ in letter case only share.
export const key = (name) => name.normalize("NFC").toLowerCase();

// nameOf is what people call somebody: the subject of an identity provider is an address and
// an id.
export const nameOf = ({ subject, label }) => label && subject.includes("|") ? label : subject;

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
