// Descriptions: paragraphs, lists, tables and headings of Markdown, with code in lines.

import { h } from "./element.js";

// markdown makes elements of a text. Its headings begin at a level.
export function markdown(text, level = 2) {
  return text.trim().split(/\n\s*\n/).flatMap((block) => {
    const lines = block.split("\n");
    const [, marks] = lines[0].match(/^(#+) /) ?? [];
    if (marks) return [h(`h${Math.min(6, marks.length - 2 + level)}`, {}, inline(lines[0].slice(marks.length + 1))), ...(lines.length > 1 ? markdown(lines.slice(1).join("\n"), level) : [])];
    if (lines.every((l) => l.startsWith("|"))) return table(lines);
    const first = lines.findIndex((l) => l.startsWith("* "));
    if (first < 0) return h("p", {}, inline(lines.join(" ")));
    return [first > 0 ? h("p", {}, inline(lines.slice(0, first).join(" "))) : null, list(lines.slice(first))];
  });
}

// inline has code as such, and bold text.
const inline = (text) => text.split(/(`[^`]*`|\*\*[^*]*\*\*)/).map((part) =>
  part.startsWith("`") ? h("code", {}, part.slice(1, -1)) : part.startsWith("**") ? h("strong", {}, part.slice(2, -2)) : part);

// list has entries of one or more lines.
function list(lines) {
  const entries = [];
  for (const l of lines) {
    if (l.startsWith("* ")) entries.push(l.slice(2));
    else entries[entries.length - 1] += ` ${l.trim()}`;
  }
  return h("ul", {}, entries.map((e) => h("li", {}, inline(e))));
}

function table(lines) {
  const cells = (l) => l.replace(/^\||\|\s*$/g, "").split("|").map((c) => inline(c.trim()));
  const [head, , ...rows] = lines;
  return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Table" }, h("table", {},
    h("thead", {}, h("tr", {}, cells(head).map((c) => h("th", { scope: "col" }, c)))),
    h("tbody", {}, rows.map((r) => h("tr", {}, cells(r).map((c) => h("td", {}, c)))))));
}
