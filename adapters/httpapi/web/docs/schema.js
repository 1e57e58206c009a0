// Schemas of the description, and examples of what they describe.

import { fill, h } from "./element.js";
import { markdown } from "./markdown.js";

let spec;
export function use(description) { spec = description; }

// real follows references.
export const real = (thing) => thing?.$ref ? real(thing.$ref.slice(2).split("/").reduce((at, name) => at[name.replaceAll("~1", "/").replaceAll("~0", "~")], spec)) : thing;

const named = (thing) => thing.$ref?.split("/").at(-1);
const parts = (schema) => [schema.allOf, schema.oneOf, schema.anyOf].find(Boolean) ?? [];

// kind says in words what a value is.
export function kind(schema) {
  const s = real(schema);
  if (s.const !== undefined) return JSON.stringify(s.const);
  if (parts(s).length) return parts(s).map(kind).join(s.allOf ? " and " : " or ");
  const types = [s.type ?? "anything"].flat();
  return types.map((t) => t === "array" ? `list of ${s.items ? kind(s.items) : "anything"}` : t === "object" && named(schema) ? named(schema) : s.format && t !== "null" ? `${t} (${s.format})` : t).join(" or ");
}

// bounds are what limits a value.
function bounds(schema) {
  const s = real(schema);
  const range = (least, most, unit) => least === undefined && most === undefined ? null :
    most === undefined ? `at least ${least}${unit}` : least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`;
  return [
    s.enum && `one of ${s.enum.map((v) => JSON.stringify(v)).join(", ")}`,
    range(s.minLength, s.maxLength, " characters"), range(s.minimum, s.maximum, ""), range(s.minItems, s.maxItems, " entries"),
    s.uniqueItems && "no entry twice", s.pattern && `fits ${s.pattern}`, s.default !== undefined && `${JSON.stringify(s.default)} if left out`,
  ].filter(Boolean);
}

// inner are the schemas with fields inside a schema.
function inner(schema) {
  const s = real(schema);
  if (s.properties) return [s];
  return [...parts(s), s.items, typeof s.additionalProperties === "object" ? s.additionalProperties : null].filter(Boolean).flatMap(inner);
}

// fields is a list of the fields of a schema. Those inside of others are made when somebody
// looks: a schema may have itself inside.
export function fields(schema) {
  const all = inner(schema);
  if (!all.length) return h("p", { class: "kind" }, kind(schema), bounds(schema).map((b) => [", ", b]));
  return all.map((s) => h("dl", { class: "fields" }, Object.entries(s.properties).map(([name, field]) => [
    h("dt", {}, h("code", {}, name), " ", h("span", { class: "kind" }, kind(field)), s.required?.includes(name) ? h("span", { class: "required" }, " required") : null),
    h("dd", {}, field.description || real(field).description ? markdown(field.description ?? real(field).description) : null,
      bounds(field).map((b) => h("p", { class: "bound" }, b)), inner(field).length ? more(field) : null),
  ])));
}

function more(field) {
  const inside = h("div", {});
  return h("details", { ontoggle: () => inside.childElementCount || fill(inside, fields(field)) }, h("summary", {}, "Fields"), inside);
}

// example is a value that a schema describes: the first that its writer gave, or one made of it.
export function example(schema, depth = 0) {
  const s = real(schema);
  if (s.example !== undefined) return s.example;
  if (s.examples?.length) return s.examples[0];
  if (s.const !== undefined) return s.const;
  if (s.default !== undefined) return s.default;
  if (s.enum) return s.enum[0];
  if (s.allOf) return Object.assign({}, ...s.allOf.map((p) => example(p, depth + 1)));
  if (parts(s).length) return example(parts(s)[0], depth + 1);
  const type = [s.type].flat()[0];
  if (type === "object" || s.properties) {
    return depth > 6 ? {} : Object.fromEntries(Object.entries(s.properties ?? {}).filter(([name]) => s.required?.includes(name)).map(([name, p]) => [name, example(p, depth + 1)]));
  }
  return { array: [], integer: s.minimum ?? 1, number: s.minimum ?? 1, boolean: true, null: null }[type] ?? "text";
}

// first is the first example of a media type, whatever form it has.
export function first(media) {
  const given = media.example ?? real(Object.values(media.examples ?? {})[0])?.value;
  return given === undefined ? example(media.schema) : given;
}
