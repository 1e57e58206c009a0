// The agents of a department as a table or as a board of cards, to be put in
// order.

import { agentCells, card } from "./card.js";
import { h, tip } from "./dom.js";
import { VirtualList, VirtualTable } from "./virtual.js";

const cardWidth = 300; // pixels, at least

let dragged = null; // {list, index}: what is being dragged

// Ordered lets the entries of a VirtualList be put in order: by buttons, with the
// keyboard and by dragging.
class Ordered {
  constructor(members, list) {
    Object.assign(this, { members, list });
    list.element.addEventListener("dragover", (event) => {
      if (dragged?.list !== list) return;
      event.preventDefault();
      this.mark(this.gap(event));
    });
    list.element.addEventListener("dragleave", () => this.mark(-1));
    list.element.addEventListener("drop", (event) => {
      if (dragged?.list !== list) return;
      event.preventDefault();
      const gap = this.gap(event);
      this.move(dragged.index, gap > dragged.index ? gap - 1 : gap);
    });
  }

  tools(agent, index) {
    const button = (to, text, way) => h("button", { type: "button", class: "plain", ...tip(`Move ${agent.name} ${way}`), onclick: () => this.move(index, to) }, text);
    return h("span", { class: "moves" }, button(index - 1, "↑", "up"), button(index + 1, "↓", "down"));
  }

  async move(from, to) {
    await this.members.move(from, to);
    this.list.show(to);
  }

  // make lets an element be moved.
  make(element, agent, index) {
    element.draggable = true;
    element.addEventListener("dragstart", (event) => {
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", agent.name);
      dragged = { list: this.list, index };
      element.classList.add("dragged");
    });
    element.addEventListener("dragend", () => {
      dragged = null;
      element.classList.remove("dragged");
      this.mark(-1);
    });
    element.addEventListener("keydown", (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!event.altKey || !by) return;
      event.preventDefault();
      this.move(index, index + by);
    });
    return element;
  }

  // gap is the place between two entries that the pointer is nearest to.
  gap(event) {
    const { rowHeight, columns, list } = this.list;
    const box = list.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * columns;
    const y = (event.clientY - box.top) / rowHeight;
    const gap = columns === 1 ? Math.round(y) : Math.floor(y) * columns + Math.round(x);
    return Math.max(0, Math.min(this.members.total, gap));
  }

  mark(gap) {
    const { rowHeight, columns, list } = this.list;
    this.line ||= list.appendChild(h(list.tagName === "UL" ? "li" : "div", { class: "gap", "aria-hidden": "true" }));
    this.line.hidden = gap < 0;
    this.line.classList.toggle("upright", columns > 1);
    this.line.style.top = `${Math.floor(gap / columns) * rowHeight - (columns > 1 ? 0 : 2)}px`;
    if (columns > 1) this.line.style.left = `calc(${gap % columns / columns * 100}% - 2px)`;
  }
}

// board shows the members as cards.
export function board(members, editable) {
  const list = new VirtualList({
    label: `Agents of ${members.department}`, columnWidth: cardWidth,
    render: (i) => {
      const agent = members.at(i);
      if (!agent) return null;
      const element = card(agent, editable ? ordered.tools(agent, i) : []);
      return editable ? ordered.make(element, agent, i) : element;
    },
    onRange: (_, last) => members.need(last),
  });
  const ordered = new Ordered(members, list);
  list.element.classList.add("board");
  return list;
}

// table shows them as rows.
export function table(members, editable) {
  const list = new VirtualTable({
    label: `Agents of ${members.department}`,
    render: (i) => {
      const agent = members.at(i);
      return agent && { properties: { class: "agent", data: { id: agent.id } }, cells: [...agentCells(agent), h("span", { role: "cell" }, editable ? ordered.tools(agent, i) : null)] };
    },
    onRange: (_, last) => members.need(last),
  });
  const ordered = new Ordered(members, list);
  list.setColumns([["", "Name"], ["", "Level, status"], ["", "Cost, 30 days"], ["", "Tasks done"], ["", "Success"], ["", ""]]);
  return list;
}

// touch shows that an agent has just done something.
export function touch(list, id) {
  for (const element of list.shown.values()) {
    if (element.dataset.id !== id) continue;
    element.classList.remove("touched");
    void element.offsetWidth; // so that the sign is given again
    element.classList.add("touched");
  }
}
