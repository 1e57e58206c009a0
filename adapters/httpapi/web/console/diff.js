// Differences between two texts, line by line. How a line ends is not part of the line:
// sentences above the lines say how line ends differ.

import { h } from "./dom.js";
import { seen } from "./special.js";

const tooMany = 4000; // lines; beyond that lines are compared place by place

// compare returns how two texts differ: sentences about line ends, and the lines, as
// lines returns them.
export function compare(before, after) {
  const a = split(before);
  const b = split(after);
  const all = lines(a.lines, b.lines);
  const ends = lineEnds(a.ends, b.ends, all);
  const last = lastEnd(a, b);
  const same = all.every(([kind]) => kind === "same");
  const sentences = [ends && same && !last ? `only ${ends}` : ends, last].filter((text) => text);
  return { sentences, lines: same ? [] : all };
}

// split takes a text apart into its lines and how they end.
function split(text) {
  const parts = text.split(/(\r\n|\r|\n)/);
  const lines = parts.filter((_, i) => i % 2 === 0);
  const ends = parts.filter((_, i) => i % 2 === 1);
  if (lines.at(-1) === "") lines.pop(); // what follows the last end is no line
  return { lines, ends };
}

const endNames = { "\n": "LF", "\r\n": "CRLF", "\r": "CR" };

// lineEnds says how line ends differ, "" if they do not.
function lineEnds(was, is, all) {
  if (!was.length || !is.length) return "";
  const kind = (ends) => ends.every((end) => end === ends[0]) ? endNames[ends[0]] : "mixed";
  const text = `line ends: ${kind(was)} → ${kind(is)}`;
  if (kind(was) !== kind(is)) return text;
  let i = 0;
  let j = 0;
  for (const [line] of all) {
    if (line === "same" && was[i] && is[j] && was[i] !== is[j]) return text;
    if (line !== "added") i++;
    if (line !== "removed") j++;
  }
  return "";
}

// lastEnd says whether only one of two texts has an end behind its last line.
function lastEnd(a, b) {
  const open = ({ lines, ends }) => lines.length > ends.length;
  if (!a.lines.length || !b.lines.length || open(a) === open(b)) return "";
  return open(a) ? "the last line has a line end now" : "the last line has no line end any more";
}

// lines returns [kind, old line, new line] for each line: "same", "removed",
// "added". It finds the longest common subsequence.
function lines(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let tail = 0;
  while (tail < a.length - start && tail < b.length - start && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const middle = between(a.slice(start, a.length - tail), b.slice(start, b.length - tail));
  const same = (text) => ["same", text, text];
  return [...a.slice(0, start).map(same), ...middle, ...(tail ? a.slice(-tail).map(same) : [])];
}

function between(a, b) {
  if (a.length * b.length > tooMany * tooMany / 4) {
    return [...a.map((l) => ["removed", l, null]), ...b.map((l) => ["added", null, l])];
  }
  const width = b.length + 1;
  const length = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i * width + j] = a[i] === b[j] ? length[(i + 1) * width + j + 1] + 1 :
        Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  const out = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) out.push(["same", a[i++], b[j++]]);
    else if (j >= b.length || i < a.length && length[(i + 1) * width + j] >= length[i * width + j + 1]) out.push(["removed", a[i++], null]);
    else out.push(["added", null, b[j++]]);
  }
  return out;
}

const around = 3; // lines that are shown around a change

// folded leaves out what is far from every change; null stands for a gap.
function folded(all) {
  const near = all.map((_, i) => all.slice(Math.max(0, i - around), i + around + 1).some(([kind]) => kind !== "same"));
  const out = [];
  all.forEach((line, i) => {
    if (near[i]) out.push(line);
    else if (out.at(-1) !== null) out.push(null);
  });
  return out;
}

const marks = { same: " ", removed: "−", added: "+" };
const spoken = { removed: "removed: ", added: "added: " };

const note = (text) => h("div", { class: "line-ends" }, text);

// unified shows one text with what was removed and added.
export function unified(before, after) {
  const { sentences, lines } = compare(before, after);
  return h("div", { class: "diff unified", tabindex: "0", role: "region", "aria-label": "Differences" }, sentences.map(note), folded(lines).map((line) => {
    if (!line) return h("div", { class: "skip-lines" }, "⋯");
    const [kind, old, now] = line;
    return h("div", { class: kind }, h("span", { class: "mark", "aria-hidden": "true" }, marks[kind]),
      kind === "same" ? null : h("span", { class: "unseen" }, spoken[kind]), seen(old ?? now));
  }));
}

// sideBySide shows the old text on the left and the new one on the right.
export function sideBySide(before, after) {
  const { sentences, lines } = compare(before, after);
  const rows = [];
  const pending = { removed: [], added: [] };
  const flush = () => {
    for (let i = 0; i < Math.max(pending.removed.length, pending.added.length); i++) {
      rows.push([pending.removed[i], pending.added[i], "changed"]);
    }
    pending.removed = [];
    pending.added = [];
  };
  for (const line of folded(lines)) {
    if (!line || line[0] === "same") {
      flush();
      rows.push(line ? [line[1], line[2], "same"] : ["⋯", "⋯", "skip-lines"]);
    } else pending[line[0]].push(line[1] ?? line[2]);
  }
  flush();
  return h("div", { class: "diff sides", tabindex: "0", role: "region", "aria-label": "Differences side by side" }, sentences.map(note), rows.map(([left, right, kind]) => [
    h("div", { class: kind === "changed" ? (left === undefined ? "absent" : "removed") : kind }, seen(left ?? "")),
    h("div", { class: kind === "changed" ? (right === undefined ? "absent" : "added") : kind }, seen(right ?? "")),
  ]));
}
