// Who may do what: who is signed in, tokens for programs, and sign-ins of people.

import { Pages, change, data, path } from "./api.js";
import { ask, begin, button, copy, empty, facts, field, fill, h, name as text, notice, section, select, table } from "./dom.js";
import { ago, time, words } from "./format.js";
import { again, link } from "./router.js";
import { secret } from "./secret.js";
import { may, nameOf, session } from "./session.js";

const most = 200; // sessions in the page, the newest

export async function page({ signal }) {
  const pages = new Pages("auth/sessions", {}, signal);
  const sessions = await pages.upTo(most);
  const tokens = sessions.filter((s) => s.kind === "token");
  const people = sessions.filter((s) => s.kind !== "token");
  const { me } = session;
  return {
    title: "Access",
    body: [
      h("div", { class: "bar" }, h("h1", {}, "Access"),
        may.administer() ? [h("a", { class: "button secondary", href: link("audit") }, "Audit trail"), button("Sign-in link", newLink, "secondary"), button("New token", newToken, "primary")] : null),
      section("You", facts([
        me.subject === nameOf(me) ? null : ["Name", text(nameOf(me))], ["Subject", text(me.subject)], ["Role", words(me.role)], me.departments.length ? ["Departments", me.departments.join(", ")] : null,
        ["Signed in until", time(me.expires_at)],
      ].filter(Boolean))),
      section("Tokens", h("p", { class: "lead" }, may.administer() ? "For programs. Whoever has one may do what its role may." : "Your own, for programs. Somebody of role admin makes them."),
        tokens.length ? table(["What it is for", "Subject", "Role", "Last used", "Expires", ""], tokens.map((s) => [
          [s.label ? text(s.label) : "–", mark(s)], text(s.subject), rights(s), used(s), ending(s), end(s, "Revoke", `the token of ${s.label ?? s.subject}`),
        ])) : empty("No tokens.")),
      section("Sign-ins", people.length ? table(["Who", "Role", "Began", "Last used", "Ends", ""], people.map((s) => [
        [h("span", { title: s.subject }, text(nameOf(s))), mark(s)], rights(s), ago(s.issued_at), used(s), ending(s), end(s, "Sign out", `the sign-in of ${nameOf(s)}`),
      ])) : empty("Nobody is signed in by a link or another issuer.")),
      pages.complete ? null : h("p", { class: "lead" }, `These are the ${most} newest. orgd token list has all.`),
    ],
  };
}

const mark = (s) => s.sid === session.me.sid ? h("span", { class: "chip" }, "this one") : null;
const rights = (s) => [words(s.role), s.departments.length ? h("small", {}, ` ${s.departments.join(", ")}`) : null];
const moment = (at) => h("time", { datetime: at, title: time(at) }, ago(at));
const used = (s) => s.sid === session.me.sid ? "now" : s.last_used_at ? moment(s.last_used_at) : "not yet";
const ending = (s) => s.revoked_at ? "revoked" : moment(s.expires_at);
const end = (s, word, what) => s.revoked_at ? null : button(word, () => revoke(s, word, what), "secondary", `${word}: ${what}`);

async function revoke(s, word, what) {
  const own = s.sid === session.me.sid;
  const yes = await ask(`${word}?`, h("p", {}, own ? "It is the one that you use here: you will have to sign in again." : `From now on ${what} is refused.`), word, { danger: true });
  if (!yes) return;
  try {
    await change("DELETE", path("auth", "sessions", s.sid));
    again();
  } catch (error) {
    notice(error.message, "error");
  }
}

const roles = {
  viewer: "reads everything", agent: "reads, and reports what one agent does", reporter: "reports for many agents",
  department_admin: "changes its departments", editor: "changes the organization", admin: "everything, tokens too",
};

async function newToken() {
  const made = await grant("New token", "auth/tokens", { 1: "1 hour", 12: "12 hours", 168: "7 days", 720: "30 days" }, "12");
  if (!made) return;
  await secret("The new token", made.token, `It expires ${ago(made.expires_at)}.`);
  again();
}

async function newLink() {
  const made = await grant("Sign-in link for somebody", "auth/links", { 1: "1 hour", 24: "24 hours", 168: "7 days" }, "24");
  if (!made) return;
  const here = `${document.baseURI.split("#")[0]}#code=${made.code}`;
  await secret("The sign-in link", made.url ?? here, `It signs its first user in, once, and expires ${ago(made.expires_at)}.${made.url ? "" : " It works on the machine of the service only: see --public-url."}`);
}

// grant asks what a new session is to be, and returns what the service makes for it.
const grant = (...how) => begin((end) => data("company/departments", {}, end).catch(() => []), (all) => describe(all.map((d) => d.name), ...how));

async function describe(departments, title, place, lives, usual) {
  const label = h("input", { name: "label", maxlength: 128, placeholder: "such as: runtime of the support team" });
  const role = select(Object.keys(roles), "viewer", { name: "role", onchange: () => shape() }, (r) => `${words(r)} (${roles[r]})`);
  const subject = h("input", { name: "subject", required: true, maxlength: 256 });
  const agent = h("input", { required: true, maxlength: 128, autocomplete: "off", onchange: () => look().catch((error) => fill(id, error.message)) });
  const own = h("select", { name: "departments", multiple: true, size: Math.min(6, Math.max(2, departments.length)) }, departments.map((d) => h("option", { value: d }, d)));
  const life = select(Object.keys(lives), usual, { name: "ttl_seconds" }, (hours) => lives[hours]);
  const id = h("p", { class: "row" });
  const parts = {
    subject: field("Subject", subject, "whose it is, as it is shown in changes and the audit trail"),
    agent: h("div", {}, field("Agent", agent, "its name or id"), id),
    departments: field("Departments", own, "Ctrl or ⌘ chooses several"),
  };
  const shape = () => {
    const one = role.value === "agent";
    parts.agent.hidden = !one;
    parts.subject.hidden = one;
    agent.disabled = !one;
    subject.disabled = one;
    parts.departments.hidden = !["department_admin", "reporter"].includes(role.value);
    own.required = role.value === "department_admin";
  };
  const look = async () => {
    const found = agent.value.trim() && await data(path("agents", agent.value.trim()));
    fill(id, found ? [h("code", {}, found.id), copy(found.id, `Copy the id of ${found.name}`)] : null);
    return found?.id;
  };
  shape();
  let made;
  const make = async () => {
    made = await change("POST", place, {
      subject: role.value === "agent" ? await look() : subject.value, role: role.value, ttl_seconds: Number(life.value) * 3600,
      ...(label.value.trim() && { label: label.value.trim() }),
      departments: parts.departments.hidden ? [] : [...own.selectedOptions].map((o) => o.value),
    });
    return "";
  };
  const done = await ask(title, [
    field("What it is for", label), field("Role", role), parts.agent, parts.subject, parts.departments, field("Expires after", life),
  ], "Create", { check: make });
  return done ? made.data : null;
}
