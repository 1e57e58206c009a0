// An agent: who it is, how it does, what it did, and a form to change it.

import { Pages, change, data, get, path } from "./api.js";
import { avatar, status } from "./card.js";
import { meter, trend } from "./chart.js";
import { costOfMonth, overTime, readDays } from "./days.js";
import { ways, whereToFind } from "./deleted.js";
import { ask, begin, busy, copy, empty, facts, fill, h, name as text, notice, section } from "./dom.js";
import { readDraft } from "./draft.js";
import { entry } from "./event.js";
import { paged } from "./feed.js";
import { ago, date, duration, money, number, percent, time, words } from "./format.js";
import { Labels, read as readLabels } from "./labels.js";
import { again, link, setQuery } from "./router.js";
import { may, roleOf } from "./session.js";
import { seen } from "./special.js";
import { listen } from "./stream.js";

export async function page({ name, query, signal }) {
  const agent = await data(path("agents", name), {}, signal).catch((error) => {
    if (error.status === 404) return null;
    throw error;
  });
  if (!agent) return departed(name, signal);
  const read = (what) => data(path("agents", agent.id, what), {}, signal);
  const [health, performance, career, departments, labels, days] = await Promise.all([
    read("health"), read("performance"), read("history"), data("company/departments", {}, signal), readLabels(agent, signal), readDays(path("agents", agent.id), signal),
  ]);
  const reporting = agent.authority.reports_to &&
    await data(path("agents", agent.authority.reports_to), {}, signal).catch(() => null); // it may be gone
  const editable = may.edit(agent.department);
  const left = new Left(agent, reporting, departments, signal);
  if (editable && (query.get("edit") || readDraft(agent.id))) {
    await left.read(signal).then((editing) => left.show(editing)).catch((error) => error.name !== "AbortError" && notice(error.message, "error"));
  }
  return {
    title: agent.name,
    refresh: () => left.editing ? left.editing.read("Somebody else") : again(),
    body: [
      h("nav", { class: "crumbs", "aria-label": "Where this is" },
        h("a", { href: link("") }, "Organization"), h("a", { href: link("departments", agent.department) }, text(agent.department))),
      h("div", { class: "bar" },
        avatar(agent),
        h("div", { class: "title" }, h("h1", {}, text(agent.name)), h("p", {}, roleOf(agent) ? [text(agent.role), " · "] : null, `${words(agent.level)} · `, status(agent.status))),
        editable ? left.button : null,
        h("a", { class: "button secondary", href: link("agents", agent.name, "versions") }, `Versions (${agent.version})`),
        changesOf(agent.name, agent.name),
        editable ? h("button", { type: "button", class: "danger quiet", onclick: () => dismiss(agent) }, "Delete") : null),
      h("div", { class: "columns" },
        left.element,
        h("div", {}, new Labels(agent, labels, signal).element, condition(health, performance, days, career), overTime(days), careerOf(career), activity(agent, signal))),
    ],
  };
}

// Left is what the agent is, or the form that changes it.
class Left {
  constructor(agent, boss, departments, signal) {
    Object.assign(this, { agent, boss, departments, signal, editing: null });
    this.button = h("button", { type: "button", class: "primary", onclick: () => busy(this.button, () => begin((end) => this.read(end), (editing) => {
      if (signal.aborted) return; // the page was left
      setQuery({ edit: "1" }, true);
      this.show(editing);
      editing.focus();
    })) }, "Edit");
    this.element = h("div", { class: "wide" });
    this.put(agent);
  }

  put(agent) { fill(this.element, instructions(agent), identity(agent, this.boss)); }

  // read makes the form, with the agent as it is now, and with the draft, if there is one.
  async read(end) {
    const { agent, boss, signal } = this;
    const [{ Editing }, found] = await Promise.all([import("./agent_form.js"), get(path("agents", agent.id), {}, end, true)]);
    const departments = this.departments.map((d) => d.name).filter((d) => may.edit(d));
    const editing = new Editing(found, { departments, boss, signal, close: () => this.close() });
    const draft = readDraft(agent.id);
    if (draft) await editing.restore(draft);
    return editing;
  }

  show(editing) {
    this.editing = editing;
    this.button.hidden = true;
    fill(this.element, editing.element);
    editing.start();
  }

  // close shows the agent as the form has it, and then as it is now.
  close() {
    const agent = JSON.parse(JSON.stringify(this.editing.form.data)); // with numbers that can be shown
    const { reports_to: id } = agent.authority;
    if (id !== this.boss?.id) this.boss = id && { name: id };
    this.put(agent);
    this.editing = null;
    this.button.hidden = false;
    setQuery({}, true);
    again();
  }
}

// departed is what is left of an agent that was deleted: by its id, what it was
// and did can still be read.
async function departed(id, signal) {
  const [last] = await data(path("agents", id, "versions"), { limit: 1 }, signal);
  const career = await data(path("agents", id, "history"), {}, signal);
  const { name, role, department } = last.snapshot;
  return {
    title: name,
    body: [
      h("nav", { class: "crumbs", "aria-label": "Where this is" }, h("a", { href: link("deleted") }, "Deleted agents")),
      h("div", { class: "bar" }, avatar({ name }),
        h("div", { class: "title" }, h("h1", {}, text(name)), h("p", {}, "was ", roleOf(last.snapshot) ? [text(role), " "] : null, "in ", text(department), ", and has been deleted")),
        h("a", { class: "button secondary", href: link("agents", id, "versions") }, `Versions (${last.version})`),
        changesOf(id, name), ways({ id, name, department })),
      h("div", { class: "columns" }, h("div", {}, instructions(last.snapshot)), h("div", {}, careerOf(career), activity({ id }, signal))),
    ],
  };
}

const changesOf = (agent, name) => h("a", { class: "button secondary", href: link("changes", { agent_id: agent }), "aria-label": `Changes of ${name}` }, "Changes");
const chips = (all) => all.length ? h("span", { class: "chips" }, all.map((t) => h("span", { class: "chip" }, t))) : "–";

function identity(agent, boss) {
  const m = agent.model;
  return section("Identity",
    agent.description ? h("p", { dir: "auto" }, agent.description) : null,
    facts([
      ["Id", h("span", { class: "row" }, h("code", {}, agent.id), copy(agent.id, `Copy the id of ${agent.name}`))],
      ["Department", h("a", { href: link("departments", agent.department) }, text(agent.department))],
      ["Owner", agent.owner ? h("a", { href: link("agents", { owner: agent.owner }) }, text(agent.owner)) : "–"],
      ["Tags", agent.tags.length ? h("span", { class: "chips" }, agent.tags.map((t) => h("a", { class: "chip", href: link("agents", { tag: t }) }, t))) : "–"],
      ["Reports to", boss ? h("a", { href: link("agents", boss.name) }, text(boss.name)) : "–"],
      ["Model", m ? `${m.provider} / ${m.model_id}, temperature ${number(m.temperature, 2)}` : "none"],
      ["Autonomy", agent.autonomy_level ? words(agent.autonomy_level) : "inherited"],
      ["Tools", h("span", {}, `${words(agent.tools.access_level)} `, agent.tools.allowed.length ? chips(agent.tools.allowed) : null)],
      ["Skills", chips([...agent.skills.primary, ...agent.skills.secondary].map((s) => s.name))],
      ["Memory", words(agent.memory.type)],
      ["Hired", date(agent.hiring_date)],
      ["Changed", time(agent.updated_at)],
    ]));
}

const instructions = (agent) => section("Instructions", agent.instructions ?
  h("pre", { class: "prose", dir: "auto", tabindex: "0", role: "region", "aria-label": "Instructions" }, seen(agent.instructions)) : empty("None."));

// lately says when something was with the agent last, and what, if that is of its career.
function lately(at, career) {
  const newest = career.at(-1);
  return `${newest?.timestamp === at ? words(newest.event_type) : "last active"} ${ago(at)}`;
}

function condition(health, p, days, career) {
  const latest = p.windows.find((w) => w.window_size === "30d");
  const none = p.tasks_completed_total === 0 && latest.tasks_failed === 0;
  const quality = p.quality_score;
  const trendOf = (metric) => p.trends.find((t) => t.metric_name === metric && t.window_size === "30d")?.direction;
  const judged = (trendOf("success_rate") ?? "insufficient_data") === "insufficient_data" ? "quality" : "success"; // as the service does
  return section("Health and performance",
    h("p", { class: "lead" }, none ? "No data yet." : [trend(p.trend_direction, judged), ` ${judged}: ${words(p.trend_direction)}; ${lately(health.last_active_at, career)}`]),
    h("div", { class: "tiles" },
      tile("Quality, 30 days", quality === null ? "–" : `${number(quality)} / 10`, meter(quality, 10, `quality ${number(quality)} of 10`)),
      tile("Success, 30 days", percent(p.success_rate_percent), meter(p.success_rate_percent, 100, `success ${percent(p.success_rate_percent)}`)),
      tile("Collaboration, 30 days", p.collaboration_score === null ? "–" : `${number(p.collaboration_score)} / 10`,
        meter(p.collaboration_score, 10, `collaboration ${number(p.collaboration_score)} of 10`)),
      tile("Cost, 30 days", costOfMonth(days), h("small", {}, `${money(latest.avg_cost_per_task, latest.currency, 3)} a task`)),
      tile("Tasks done, 30 days", number(p.tasks_completed_30d, 0), h("small", {}, `${p.tasks_completed_7d} in 7 days, ${p.tasks_completed_total} ever`)),
      tile("Time for a task", duration(p.avg_completion_time_seconds), h("small", {}, "in 30 days"))),
    h("table", { class: "small" },
      h("caption", { class: "unseen" }, "Performance by window"),
      h("thead", {}, h("tr", {}, ["Days", "Done", "Failed", "Quality", "Success", "Cost a task"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, p.windows.map((w) => h("tr", {}, h("th", { scope: "row" }, w.window_size.replace("d", "")),
        [number(w.tasks_completed, 0), number(w.tasks_failed, 0), number(w.avg_quality_score),
          w.success_rate === null ? "–" : percent(w.success_rate * 100), money(w.avg_cost_per_task, w.currency, 3)].map((v) => h("td", {}, v)))))),
    h("div", { class: "row" }, Object.keys(metrics).map((metric) =>
      h("span", { class: "chip" }, `${metrics[metric]}, 30 days `, trend(trendOf(metric), metric === "cost" ? metric : metrics[metric])))));
}

// metrics are those with a trend.
const metrics = { quality_score: "quality", success_rate: "success rate", cost: "cost a task" };

const tile = (name, value, below) => h("div", { class: "tile" }, h("span", {}, name), h("strong", {}, value), below);

function careerOf(events) {
  return section("Career", h("ol", { class: "timeline" }, events.toReversed().slice(0, 12).map((e) =>
    h("li", { class: e.event_type }, h("strong", {}, words(e.event_type)), h("time", { datetime: e.timestamp, title: time(e.timestamp) }, ago(e.timestamp)),
      h("span", { dir: "auto" }, e.description)))));
}

const most = 500; // events in the page

function activity(agent, signal) {
  const list = h("ol", { class: "feed" });
  const pages = new Pages(path("agents", agent.id, "activity"), { limit: 15 }, signal);
  const { more, draw } = paged(list, pages, (e) => entry(e, { name: false }), "Nothing yet.");
  draw();
  listen((event) => {
    if (event.agent_id !== agent.id) return;
    list.prepend(entry(event, { name: false, fresh: true }));
    if (list.childElementCount > most) list.lastElementChild.remove();
  }, signal);
  return section("Activity", list, more);
}

async function dismiss(agent) {
  const where = path("agents", agent.id);
  const done = await begin((end) => get(where, {}, end), ({ data: now, tag }) => {
    if (now.version !== agent.version) return notice(meanwhile, "error");
    return ask(`Delete ${agent.name}?`, h("p", {}, "The name becomes free. ", whereToFind()), "Delete", {
      danger: true, check: () => change("DELETE", where, undefined, { tag }).then(() => "", (error) => error.stale ? meanwhile : error.message),
    });
  });
  if (!done) return;
  notice(`${agent.name} is deleted. The page “Deleted agents” brings it back.`);
  location.hash = link("");
}

const meanwhile = "Somebody has changed the agent meanwhile. Look at it again first.";
