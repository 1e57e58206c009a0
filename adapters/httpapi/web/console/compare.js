// How two versions of an agent differ, field by field.

import { data, path } from "./api.js";
import { sideBySide, unified } from "./diff.js";
import { h } from "./dom.js";
import { words } from "./format.js";
import { seen } from "./special.js";

const opposite = { added: "removed", removed: "added", modified: "modified" };

// differences reads how a version of an agent differs from another one, which may be the
// later one: the service compares forwards only.
export async function differences(id, from, to, signal) {
  const [first, last] = from < to ? [from, to] : [to, from];
  const diff = await data(path("agents", id, "versions", "diff"), { from_version: first, to_version: last }, signal);
  if (from > to) {
    diff.field_changes = diff.field_changes.map((c) =>
      ({ ...c, change_type: opposite[c.change_type], old_value: c.new_value, new_value: c.old_value }));
  }
  return diff;
}

// fieldChanges shows each field that differs; long texts line by line.
export function fieldChanges(all, form = "unified") {
  return all.map((c) => {
    const before = plain(c.old_value);
    const after = plain(c.new_value);
    const long = /[\r\n]/.test(before + after) || before.length + after.length > 160;
    return h("article", { class: "change" },
      h("h3", {}, h("code", {}, c.field_path), " ", h("span", { class: "chip" }, words(c.change_type))),
      long ? (form === "sides" ? sideBySide : unified)(before, after) :
        h("p", { class: "short" }, h("del", {}, seen(before || "nothing")), h("span", { "aria-hidden": "true" }, " → "), h("ins", {}, seen(after || "nothing"))));
  });
}

// plain is a value of JSON as people read it: an entry of a list in a line.
function plain(json) {
  if (json === null) return "";
  const value = JSON.parse(json);
  return Array.isArray(value) ? value.map(inLine).join("\n") : inLine(value);
}

// inLine is a value as a part of a sentence.
function inLine(value) {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(inLine).join(" ");
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return Object.entries(value).filter(([, v]) => v !== null).map(([name, v]) => `${words(name)} ${inLine(v)}`).join(", ");
}
