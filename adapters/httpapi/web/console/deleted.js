// The ways back of a deleted agent, and the one that has none.

import { because, change, data, path } from "./api.js";
import { ask, begin, field, h, name as text, notice, select } from "./dom.js";
import { again, link } from "./router.js";
import { key, may } from "./session.js";

// restore brings an agent back: {id, name, department}, as it was last.
export async function restore(agent) {
  const back = await begin((end) => data("company/departments", {}, end), (all) => askPlace(agent, all.map((d) => d.name).filter((d) => may.edit(d))));
  if (!back) return;
  notice(`${back.name} is back.`);
  location.hash = link("agents", back.name);
}

// askPlace returns the agent when it is back in one of the places.
async function askPlace(agent, places) {
  const there = places.find((d) => key(d) === key(agent.department));
  const name = h("input", { name: "name", required: true, maxlength: 128, value: agent.name });
  const department = select(there ? places : ["", ...places], there ?? "", { name: "department", required: true }, (d) => d || "choose one");
  const reason = h("input", { maxlength: 1024 });
  let back;
  const send = async () => {
    const wanted = {
      ...(name.value !== agent.name && { name: name.value }),
      ...(department.value !== agent.department && { department: department.value }),
    };
    back = (await change("POST", path("agents", agent.id, "restore"), wanted, { headers: because(reason.value) })).data;
    return "";
  };
  const done = await ask(`Restore ${agent.name}`, [
    h("p", {}, "It comes back with its id, versions, events and figures, and with the prompt that it had last. Labels do not come back."),
    field("Name", name),
    field("Department", department, there ? null : `${agent.department}, where it was, is not there any more, or not yours.`),
    field("Reason", reason, "It is kept with the version."),
  ], "Restore", { check: send });
  return done && back;
}

// purge removes what is left of an agent, for good.
export async function purge(agent) {
  const typed = h("input", { required: true, autocomplete: "off" });
  const reason = h("input", { maxlength: 1024 });
  const send = async () => {
    if (typed.value !== agent.name) return `Type ${agent.name} as it is written here.`;
    await change("DELETE", path("agents", agent.id), undefined, { query: { purge: "true" }, headers: because(reason.value) });
    return "";
  };
  const done = await ask(`Remove ${agent.name} for good?`, [
    h("p", {}, "Its versions, prompts, events and figures are gone then; nothing brings them back. The figures of departments and the list of changes stay."),
    field("Name of the agent", typed, "to confirm"), field("Reason", reason, "It is kept in the list of changes."),
  ], "Remove for good", { danger: true, check: send });
  if (!done) return;
  notice(`All that was left of ${agent.name} is removed.`);
  if (location.hash === link("deleted")) again();
  else location.hash = link("deleted");
}

// ways are the buttons for it.
export const ways = (agent) => [
  may.editAny() ? h("button", { type: "button", class: "secondary", "aria-label": `Restore ${agent.name}`, onclick: () => restore(agent) }, "Restore") : null,
  may.administer() ? h("button", { type: "button", class: "danger quiet", "aria-label": `Remove ${agent.name} for good`, onclick: () => purge(agent) }, "Remove for good") : null,
];

// whereToFind says where a deleted agent is found.
export const whereToFind = () => ["It can be restored on the page ", h("a", { href: link("deleted") }, text("Deleted agents")), "."];
