// Who is signed in. The token stays in the session storage of the tab: it is
// gone when the tab is closed, and never part of a URL. A sign-in link has a code
// in its fragment, which is traded for a token once.

import { h, mayLeave, notice } from "./dom.js";

const place = "orgd.token";

export const session = {
  token: sessionStorage.getItem(place) ?? "",
  me: null,
};

const me = new URL("api/v1/auth/me", document.baseURI);

// read asks the service whose token this is; null if it accepts it from nobody.
async function read(token) {
  const answer = await fetch(me, { headers: { Authorization: `Bearer ${token}` }, cache: "no-store" });
  if (answer.status === 401) return null;
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(content.error ?? `The service answered with status ${answer.status}.`);
  return content.data;
}

// start returns when somebody is signed in. A link counts more than the session of
// the tab.
export async function start() {
  addEventListener("hashchange", () => { if (location.hash.startsWith(link)) location.reload(); });
  const problem = location.hash.startsWith(link) ? await trade() : "";
  if (session.token && !session.me) {
    session.me = await read(session.token).catch(() => null);
    if (session.me && problem) notice(problem, "error");
  }
  if (!session.me) await signIn(session.token, problem);
}

const link = "#code=";

// trade signs in by the link in the address, from which the code is gone before
// anything is sent. It returns why that failed, or "".
async function trade() {
  const code = location.hash.slice(link.length);
  history.replaceState(null, "", location.pathname + location.search);
  try {
    const answer = await fetch(new URL("api/v1/auth/links/redeem", document.baseURI), {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ code }), cache: "no-store",
    });
    const content = await answer.json().catch(() => ({}));
    if (!answer.ok) return content.error ?? `The service answered with status ${answer.status}.`;
    adopt(content.data.token, await read(content.data.token));
    return "";
  } catch (error) {
    return `The link could not be used: ${error.message}`;
  }
}

let asking = null;

// signIn asks for a token in the place of one that is not accepted. Many may
// ask; there is one dialog.
export function signIn(refused, reason) {
  if (session.token !== refused) return Promise.resolve(); // somebody has signed in since
  asking ||= dialog(reason).finally(() => { asking = null; });
  return asking;
}

function dialog(reason) {
  return new Promise((resolve) => {
    const input = h("input", {
      id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": "token-hint",
    });
    const problem = h("p", { class: "problem", role: "alert" });
    const button = h("button", { type: "submit", class: "primary wide" }, "Sign in");
    const form = h("form", { class: "sign-in", onsubmit: async (event) => {
      event.preventDefault();
      button.disabled = true;
      problem.textContent = "";
      const token = input.value.trim();
      try {
        const found = await read(token);
        if (found) {
          adopt(token, found);
          box.close();
          box.remove();
          resolve();
          return;
        }
        problem.textContent = "The service does not accept this token. It may have expired.";
      } catch (error) {
        problem.textContent = error.message;
      }
      button.disabled = false;
      input.focus();
    } },
    h("img", { src: new URL("console/icon.svg", document.baseURI).href, alt: "", width: "44", height: "44" }),
    h("h1", { id: "sign-in-title" }, "Sign in to orgd"),
    reason ? h("p", { class: "reason" }, reason) : null,
    h("label", { for: "token" }, "Access token"), input,
    h("small", { id: "token-hint" }, "“orgd login --link” prints a link that signs you in; “orgd token create” makes a token. It stays in this tab until you close it or sign out."),
    problem, button);
    const box = h("dialog", {
      class: session.me ? "sign-in-box" : "sign-in-box full", "aria-labelledby": "sign-in-title",
      oncancel: (event) => event.preventDefault(), // there is nothing behind it to go back to
    }, form);
    document.body.append(box);
    box.showModal();
    input.focus();
  });
}

function adopt(token, found) {
  const other = session.me && (session.me.subject !== found.subject || session.me.role !== found.role);
  session.token = token;
  session.me = found;
  sessionStorage.setItem(place, token);
  dispatchEvent(new CustomEvent("signed-in", { detail: { other } }));
}

// signOut ends the session at the service, and forgets the token here.
export async function signOut() {
  if (!(await mayLeave())) return;
  const end = new URL("api/v1/auth/logout", document.baseURI);
  await fetch(end, { method: "POST", headers: { Authorization: `Bearer ${session.token}` } }).catch(() => null);
  sessionStorage.removeItem(place);
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
