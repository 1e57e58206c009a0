// Small charts. What they show is said in words as well.

import { h } from "./dom.js";
import { number } from "./format.js";

// meter shows a share of a whole.
export function meter(value, of, label, { width = 120, height = 8 } = {}) {
  const filled = value === null ? 0 : Math.max(0, Math.min(1, value / of)) * width;
  return h("svg", { class: "chart meter", viewBox: `0 0 ${width} ${height}`, width: "100%", height, preserveAspectRatio: "none", role: "img", "aria-label": label },
    h("rect", { class: "track", width, height, rx: 4 }), h("rect", { width: filled.toFixed(1), height, rx: 4 }));
}

// line shows a value of each of many days. Each day says its value to those who point at it.
export function line(values, titles, label, { width = 360, height = 64 } = {}) {
  const largest = Math.max(...values, 0) || 1;
  const step = width / Math.max(1, values.length - 1);
  const at = (v, i) => `${(i * step).toFixed(1)},${(height - 2 - (v / largest) * (height - 6)).toFixed(1)}`;
  const points = values.map(at).join(" ");
  return h("svg", { class: "chart line", viewBox: `0 0 ${width} ${height}`, width: "100%", height, preserveAspectRatio: "none", role: "img", "aria-label": label },
    h("polygon", { points: `0,${height} ${points} ${width},${height}` }), h("polyline", { points }),
    values.map((v, i) => h("rect", { class: "day", x: ((i - 0.5) * step).toFixed(1), width: step.toFixed(1), height }, h("title", { inSVG: true }, titles[i]))));
}

const signs = { rises: "↗", falls: "↘", "is stable": "→" };

// arrow shows where a figure goes: up when it rises, in the colour of good or bad.
function arrow(way, quality, sentence, text = "") {
  return h("span", { class: `trend ${quality}`, title: sentence },
    h("span", { "aria-hidden": "true" }, signs[way] ?? "", text), h("span", { class: "unseen" }, sentence));
}

// trend shows where a metric goes that the service judges. Of "cost" falling is
// improving; of everything else rising is.
export function trend(direction, metric) {
  const cost = metric === "cost";
  const way = { improving: cost ? "falls" : "rises", declining: cost ? "rises" : "falls", stable: "is stable" }[direction];
  return arrow(way, way ? direction : "insufficient_data", way ? `${metric} ${way}` : `too little data for a trend of ${metric}`, way ? "" : "·");
}

const enough = 7; // days that a comparison needs

// costChange compares a cost with that of as many days before, of which so many are known: with
// few of them by the day, with hardly any not at all.
export function costChange(now, before, known, days = 30) {
  if (!now && !before || known < enough) return null;
  if (!before) return arrow("", "", `there was no cost in the ${days} days before`, "new");
  const share = ((now / days) / (before / known) - 1) * 100;
  const than = known < days ? `a day than in the ${known} days before that are known` : `than the ${days} days before`;
  if (Math.abs(share) < 1) return arrow("is stable", "stable", `cost is stable: less than 1 % more or less ${than}`);
  const amount = `${number(Math.abs(share), 0)} %`;
  return share > 0 ? arrow("rises", "declining", `cost rises: ${amount} more ${than}`, ` ${amount}`) :
    arrow("falls", "improving", `cost falls: ${amount} less ${than}`, ` ${amount}`);
}

// tree draws who reports to whom. roots are {name, children}; href makes a link
// of a name. Those who lead nobody stand below each other, so that it stays
// narrow.
export function tree(roots, href, label) {
  const box = { w: 150, h: 34, gapX: 16, gapY: 30, indent: 18 };
  const edges = [];
  const nodes = [];
  let right = 0; // where the next column begins
  let bottom = 0;
  const draw = (node, x, y) => {
    bottom = Math.max(bottom, y + box.h);
    nodes.push(h("a", { inSVG: true, href: href(node.name) },
      h("rect", { x, y, width: box.w, height: box.h, rx: 8, class: "node" }),
      h("text", { x: x + box.w / 2, y: y + box.h / 2 + 4, "text-anchor": "middle" }, short(node.name)),
      h("title", { inSVG: true }, node.name)));
  };
  const edge = (d) => edges.push(h("path", { d, class: "edge" }));
  const place = (node, y) => {
    const below = y + box.h + box.gapY;
    const left = right;
    if (node.children.every((c) => !c.children.length)) {
      node.children.forEach((c, i) => {
        const top = below - box.gapY + 10 + i * (box.h + 10);
        edge(`M${left + box.indent / 2} ${y + box.h}V${top + box.h / 2}H${left + box.indent}`);
        draw(c, left + box.indent, top);
      });
      right += box.w + (node.children.length ? box.indent : 0) + box.gapX;
      draw(node, left, y);
      return left;
    }
    const places = node.children.map((c) => place(c, below));
    const x = (places[0] + places.at(-1)) / 2;
    const middle = below - box.gapY / 2;
    for (const cx of places) edge(`M${x + box.w / 2} ${y + box.h}V${middle}H${cx + box.w / 2}V${below}`);
    draw(node, x, y);
    return x;
  };
  for (const root of roots) place(root, 0);
  const width = right - box.gapX;
  return h("div", { class: "tree", tabindex: "0", role: "region", "aria-label": label },
    h("svg", { viewBox: `-2 -2 ${width + 4} ${bottom + 4}`, width: width + 4, height: bottom + 4 }, edges, nodes));
}

const short = (name) => [...name].length > 18 ? [...name].slice(0, 17).join("") + "…" : name;
