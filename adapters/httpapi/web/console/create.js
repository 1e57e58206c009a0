// What makes a department or an agent.

import { change } from "./api.js";
import { ask, field, h, notice, select } from "./dom.js";
import { levels, words } from "./format.js";
import { again, link } from "./router.js";
import { may } from "./session.js";

export async function addDepartment() {
  const name = h("input", { name: "name", required: true, maxlength: 128 });
  const description = h("textarea", { name: "description", rows: 3, maxlength: 2048 });
  const budget = h("input", { name: "budget_percent", type: "number", min: 0, max: 100, step: "any", value: "0" });
  const send = async () => {
    await change("POST", "departments", { name: name.value, description: description.value, budget_percent: Number(budget.value) });
    return "";
  };
  if (await ask("New department", [field("Name", name), field("Description", description), field("Share of the budget, %", budget)], "Create", { check: send })) again();
}

export async function hire(departments) {
  const names = departments.filter((d) => may.edit(d));
  const name = h("input", { name: "name", required: true, maxlength: 128 });
  const role = h("input", { name: "role", required: true, maxlength: 128 });
  const department = select(names, names[0], { name: "department" });
  const level = select(levels, "mid", {}, words);
  const owner = h("input", { name: "owner", maxlength: 128 });
  const tags = h("input", { name: "tags", maxlength: 1024 });
  const instructions = h("textarea", { name: "instructions", rows: 6 });
  let agent;
  const send = async () => {
    agent = (await change("POST", "agents", {
      name: name.value, role: role.value, department: department.value, level: level.value, instructions: instructions.value,
      owner: owner.value.trim() || null, tags: tags.value.split(",").map((t) => t.trim()).filter(Boolean),
    })).data;
    return "";
  };
  const done = await ask("Hire an agent", [
    field("Name", name), field("Role", role), field("Department", department), field("Level", level),
    field("Owner", owner, "a subject, such as a person or a team"), field("Tags", tags, "separated by commas"),
    field("Instructions", instructions, "Everybody with a token can read them: no place for secrets."),
  ], "Hire", { check: send });
  if (!done) return;
  notice(`${agent.name} is hired.`);
  location.hash = link("agents", agent.name);
}
