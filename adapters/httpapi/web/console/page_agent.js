// An agent: who it is, how it does, what it did, and a form to change it.

import { Pages, change, data, get, path } from "./api.js";
import { avatar, status } from "./card.js";
import { meter, trend } from "./chart.js";
import { announce, ask, busy, empty, field, fill, h, name as text, notice, select } from "./dom.js";
import { entry } from "./event.js";
import { paged } from "./feed.js";
import { ago, autonomies, costOf, date, duration, levels, money, number, percent, statuses, time, words } from "./format.js";
import { Labels, read as readLabels } from "./labels.js";
import { again, link } from "./router.js";
import { may } from "./session.js";
import { listen } from "./stream.js";

export async function page({ name, signal }) {
  const found = await get(path("agents", name), {}, signal).catch((error) => {
    if (error.status === 404) return null;
    throw error;
  });
  if (!found) return departed(name, signal);
  const { data: agent, tag } = found;
  const read = (what) => data(path("agents", agent.id, what), {}, signal);
  const [health, performance, career, departments, labels] = await Promise.all([
    read("health"), read("performance"), read("history"), data("company/departments", {}, signal), readLabels(agent, signal),
  ]);
  const reporting = agent.authority.reports_to &&
    await data(path("agents", agent.authority.reports_to), {}, signal).catch(() => null); // it may be gone
  const editable = may.edit(agent.department);
  return {
    title: agent.name,
    body: [
      h("nav", { class: "crumbs", "aria-label": "Where this is" },
        h("a", { href: link("") }, "Organization"), h("a", { href: link("departments", agent.department) }, text(agent.department))),
      h("div", { class: "bar" },
        avatar(agent),
        h("div", { class: "title" }, h("h1", {}, text(agent.name)), h("p", {}, text(agent.role), ` · ${words(agent.level)} · `, status(agent.status))),
        h("a", { class: "button secondary", href: link("agents", agent.name, "versions") }, `Versions (${agent.version})`),
        changesOf(agent.name, agent.name),
        editable ? h("button", { type: "button", class: "danger quiet", onclick: () => dismiss(agent) }, "Delete") : null),
      h("div", { class: "columns" },
        h("div", { class: "wide" }, identity(agent, reporting), editable ? new Editor(agent, tag, departments).element : instructions(agent)),
        h("div", {}, new Labels(agent, labels, signal).element, condition(health, performance), careerOf(career), activity(agent, signal))),
    ],
  };
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
      h("nav", { class: "crumbs", "aria-label": "Where this is" }, h("a", { href: link("") }, "Organization")),
      h("div", { class: "bar" }, avatar({ name }),
        h("div", { class: "title" }, h("h1", {}, text(name)), h("p", {}, "was ", text(role), " in ", text(department), ", and has been deleted")),
        h("a", { class: "button secondary", href: link("agents", id, "versions") }, `Versions (${last.version})`),
        changesOf(id, name)),
      h("div", { class: "columns" }, h("div", {}, instructions(last.snapshot)), h("div", {}, careerOf(career), activity({ id }, signal))),
    ],
  };
}

const changesOf = (agent, name) => h("a", { class: "button secondary", href: link("changes", { agent_id: agent }), "aria-label": `Changes of ${name}` }, "Changes");
const facts = (rows) => h("dl", { class: "facts-list" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
const section = (title, ...content) => h("section", { class: "panel" }, h("h2", {}, title), content);
const chips = (all) => all.length ? h("span", { class: "chips" }, all.map((t) => h("span", { class: "chip" }, t))) : "–";

function identity(agent, boss) {
  const m = agent.model;
  return section("Identity",
    agent.description ? h("p", { dir: "auto" }, agent.description) : null,
    facts([
      ["Department", h("a", { href: link("departments", agent.department) }, text(agent.department))],
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

const instructions = (agent) => section("Instructions", agent.instructions ? h("pre", { class: "prose", dir: "auto" }, agent.instructions) : empty("None."));

function condition(health, p) {
  const week = p.windows[0];
  const quality = p.quality_score;
  const trendOf = (metric) => p.trends.find((t) => t.metric_name === metric && t.window_size === "30d")?.direction;
  const judged = (trendOf("success_rate") ?? "insufficient_data") === "insufficient_data" ? "quality" : "success"; // as the service does
  return section("Health and performance",
    h("p", { class: "lead" }, trend(p.trend_direction, judged), ` ${judged}: ${words(p.trend_direction)}; last active ${ago(health.last_active_at)}`),
    h("div", { class: "tiles" },
      tile("Quality, 30 days", quality === null ? "–" : `${number(quality)} / 10`, meter(quality, 10, `quality ${number(quality)} of 10`)),
      tile("Success, 30 days", percent(p.success_rate_percent), meter(p.success_rate_percent, 100, `success ${percent(p.success_rate_percent)}`)),
      tile("Collaboration, 30 days", p.collaboration_score === null ? "–" : `${number(p.collaboration_score)} / 10`,
        meter(p.collaboration_score, 10, `collaboration ${number(p.collaboration_score)} of 10`)),
      tile("Cost, 7 days", money(costOf(p, "7d"), week.currency), h("small", {}, `${money(week.avg_cost_per_task, week.currency, 3)} a task`)),
      tile("Tasks done, 30 days", number(p.tasks_completed_30d, 0), h("small", {}, `${p.tasks_completed_7d} in 7 days, ${p.tasks_completed_total} ever`)),
      tile("Time for a task", duration(p.avg_completion_time_seconds), h("small", {}, "in 30 days"))),
    h("table", { class: "small" },
      h("caption", { class: "unseen" }, "Performance by window"),
      h("thead", {}, h("tr", {}, ["Days", "Done", "Failed", "Quality", "Success", "Cost a task"].map((t) => h("th", { scope: "col" }, t)))),
      h("tbody", {}, p.windows.map((w) => h("tr", {}, h("th", { scope: "row" }, w.window_size.replace("d", "")),
        [number(w.tasks_completed, 0), number(w.tasks_failed, 0), number(w.avg_quality_score),
          w.success_rate === null ? "–" : percent(w.success_rate * 100), money(w.avg_cost_per_task, w.currency, 3)].map((v) => h("td", {}, v)))))),
    h("div", { class: "row" }, ["quality_score", "success_rate", "cost"].map((metric) =>
      h("span", { class: "chip" }, `${words(metric)}, 30 days `, trend(trendOf(metric), words(metric))))));
}

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
  try {
    const { data: now, tag } = await get(path("agents", agent.id));
    if (now.version !== agent.version) return notice(meanwhile, "error");
    const yes = await ask(`Delete ${agent.name}?`, h("p", {}, "The name becomes free. Versions, history and activity stay readable by the id ", h("code", {}, agent.id), "."), "Delete", { danger: true });
    if (!yes) return;
    await change("DELETE", path("agents", agent.id), undefined, { tag });
    notice(`${agent.name} is deleted.`);
    location.hash = link("");
  } catch (error) {
    notice(error.stale ? meanwhile : error.message, "error");
  }
}

const meanwhile = "Somebody has changed the agent meanwhile. Look at it again first.";

// Editor is the form. It sends what was changed, and only if nobody else was
// faster.
class Editor {
  constructor(agent, tag, departments) {
    this.agent = agent;
    this.tag = tag;
    const text = (value, properties = {}) => h("input", { value: value ?? "", ...properties });
    const places = departments.map((d) => d.name).filter((d) => may.edit(d));
    this.fields = {
      name: text(agent.name, { required: true, maxlength: 128 }),
      role: text(agent.role, { required: true, maxlength: 128 }),
      department: select(places, agent.department),
      level: select(levels, agent.level, {}, words),
      status: select(statuses, agent.status, {}, words),
      autonomy_level: select(["", ...autonomies], agent.autonomy_level ?? "", {}, (v) => v ? words(v) : "inherited"),
      description: h("textarea", { rows: 2, maxlength: 8192, value: agent.description }),
      instructions: h("textarea", { rows: 14, value: agent.instructions, class: "code", spellcheck: "false" }),
    };
    this.provider = text(agent.model?.provider, { maxlength: 256 });
    this.model = text(agent.model?.model_id, { maxlength: 256 });
    this.reason = text("", { maxlength: 1024, placeholder: "why (optional)" });
    this.problem = h("div", { class: "problem", role: "alert" });
    this.save = h("button", { type: "submit", class: "primary" }, "Save");
    const f = this.fields;
    this.element = h("section", { class: "panel" }, h("h2", {}, "Change it"),
      h("form", { class: "grid", onsubmit: (event) => { event.preventDefault(); busy(this.save, () => this.submit()); } },
        field("Name", f.name), field("Role", f.role), field("Department", f.department), field("Level", f.level),
        field("Status", f.status), field("Autonomy", f.autonomy_level), field("Model provider", this.provider), field("Model", this.model),
        h("div", { class: "full" }, field("Description", f.description)),
        h("div", { class: "full" }, field("Instructions", f.instructions, "Everybody with a token can read them: no place for secrets.")),
        h("div", { class: "full" }, this.problem),
        h("div", { class: "full row" }, field("Reason", this.reason), this.save)));
  }

  // changes are the fields that are not as they were read.
  changes() {
    const all = {};
    for (const [name, input] of Object.entries(this.fields)) {
      const value = name === "autonomy_level" ? input.value || null : input.value;
      if (value !== this.agent[name]) all[name] = value;
    }
    const provider = this.provider.value.trim();
    const model = this.model.value.trim();
    if (provider !== (this.agent.model?.provider ?? "") || model !== (this.agent.model?.model_id ?? "")) {
      if (!provider && !model) all.model = null;
      else Object.assign(all, { model_provider: provider, model_id: model });
    }
    return all;
  }

  async submit() {
    const changes = this.changes();
    fill(this.problem);
    if (!Object.keys(changes).length) return fill(this.problem, "Nothing has been changed.");
    const reason = this.reason.value.trim();
    try {
      const { data: agent } = await change("PATCH", path("agents", this.agent.id), changes, {
        tag: this.tag, headers: reason ? { "Change-Reason": encodeURIComponent(reason) } : {},
      });
      notice(`Saved. This is version ${agent.version}.`);
      if (agent.name === this.agent.name) again();
      else location.hash = link("agents", agent.name);
    } catch (error) {
      if (error.stale) await this.overtaken(error);
      else fill(this.problem, error.message);
    }
  }

  // overtaken says what somebody else has changed, and keeps what was typed.
  async overtaken(error) {
    const { data: now, tag } = await get(path("agents", this.agent.id));
    if (now.revision === this.agent.revision) return fill(this.problem, error.message); // nobody has
    if (now.version === this.agent.version) { // its labels only
      Object.assign(this, { agent: now, tag });
      return this.submit();
    }
    const theirs = Object.keys(this.fields).filter((name) => now[name] !== this.agent[name]);
    const mine = this.changes();
    for (const name of theirs) {
      if (!(name in mine)) this.fields[name].value = now[name] ?? "";
    }
    const both = theirs.filter((name) => name in mine);
    this.agent = now;
    this.tag = tag;
    fill(this.problem,
      h("p", {}, h("strong", {}, "Somebody else was faster. "), "Nothing was saved, and what you have typed is still here."),
      h("ul", {}, theirs.map((name) => h("li", {}, `${words(name)} is now `, h("q", {}, brief(now[name])), both.includes(name) ? ", where you have something else" : ", taken over"))),
      h("p", {}, both.length ? "Save again to put yours in their place." : "Save again to add your changes to theirs."));
    announce("Somebody else was faster. Nothing was saved.");
  }
}

const brief = (value) => value === null ? "inherited" : value.length > 80 ? `${value.slice(0, 80)}…` : value;
