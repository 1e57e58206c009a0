// Lists and tables of which only what can be seen is in the page, so that
// thousands of entries cost as little as twenty.

import { fill, h } from "./dom.js";

const beyond = 6; // rows above and below what can be seen
const few = 24; // rows that need no scroll bar of their own

export class VirtualList {
  // render returns the element of an entry, or null while it is not known. Entries
  // are as high as the property --row of the style sheet says and, with
  // columnWidth, side by side where there is room.
  constructor({ render, label, onRange = () => {}, columnWidth = 0, list = h("ul", { class: "rows" }), element }) {
    Object.assign(this, { render, onRange, columnWidth, list, count: 0, shown: new Map(), columns: 1, rowHeight: 1 });
    this.element = element ?? h("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": label }, list);
    this.element.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.measure()).observe(this.element);
  }

  measure() {
    const rowHeight = parseFloat(getComputedStyle(this.element).getPropertyValue("--row")) || 1;
    const columns = this.columnWidth ? Math.max(1, Math.floor(this.element.clientWidth / this.columnWidth)) : 1;
    if (rowHeight === this.rowHeight && columns === this.columns) return this.draw();
    Object.assign(this, { rowHeight, columns });
    this.setCount(this.count);
    this.refresh();
  }

  setCount(count) {
    this.count = count;
    this.element.classList.toggle("whole", Math.ceil(count / this.columns) <= few);
    this.list.style.height = `${Math.ceil(count / this.columns) * this.rowHeight}px`;
    this.draw();
  }

  // refresh makes what is shown anew. The focus stays on what has the same name.
  refresh() {
    const name = (e) => e.getAttribute("aria-label") ?? e.textContent;
    const focused = this.list.contains(document.activeElement) ? name(document.activeElement) : null;
    for (const element of this.shown.values()) element.remove();
    this.shown.clear();
    this.draw();
    if (focused !== null) [...this.list.querySelectorAll("a, button")].find((e) => name(e) === focused)?.focus({ preventScroll: true });
  }

  draw() {
    if (this.rowHeight === 1) return; // not in the page yet
    const top = this.element.scrollTop;
    const height = this.element.clientHeight;
    const first = Math.max(0, Math.floor(top / this.rowHeight) - beyond) * this.columns;
    const last = Math.min(this.count, (Math.ceil((top + height) / this.rowHeight) + beyond) * this.columns);
    for (const [index, element] of this.shown) {
      if (index >= this.count || (index < first || index >= last) && !element.contains(document.activeElement)) {
        element.remove();
        this.shown.delete(index);
      }
    }
    let before = null; // the order in the page is that of the list, for the keyboard
    for (let index = last - 1; index >= first; index--) {
      let element = this.shown.get(index);
      if (!element) {
        element = this.render(index);
        if (!element) continue;
        this.place(element, index);
        this.list.insertBefore(element, before);
        this.shown.set(index, element);
      }
      before = element;
    }
    this.onRange(first, last);
  }

  place(element, index) {
    const column = index % this.columns;
    element.style.top = `${Math.floor(index / this.columns) * this.rowHeight}px`;
    element.style.left = `${column / this.columns * 100}%`;
    element.style.width = `${100 / this.columns}%`;
    element.setAttribute("aria-setsize", this.count);
    element.setAttribute("aria-posinset", index + 1);
  }

  // show scrolls to an entry and moves the focus into it.
  show(index) {
    const top = Math.floor(index / this.columns) * this.rowHeight;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop || top + this.rowHeight > scrollTop + clientHeight) {
      this.element.scrollTop = Math.max(0, top - clientHeight / 2);
      this.draw();
    }
    return this.shown.get(index);
  }
}

// VirtualTable is a table whose rows are those of a VirtualList. render returns
// {cells, ...properties of the row}, or null.
export class VirtualTable extends VirtualList {
  constructor({ label, render, onRange }) {
    const head = h("div", { class: "table-head", role: "rowgroup" });
    const list = h("div", { class: "rows", role: "rowgroup" });
    const table = h("div", { role: "table", "aria-label": label }, head, list);
    super({
      render: (index) => {
        const row = render(index);
        return row && h("div", { role: "row", ...row.properties }, row.cells);
      },
      onRange, list, element: h("div", { class: "scroller table", tabindex: "0", role: "region", "aria-label": label }, table),
    });
    Object.assign(this, { head, table });
  }

  // setColumns names the columns: [key, title]. sort is the key of the one that
  // orders the rows, with "-" before it when the largest is first. A column
  // without a key orders nothing.
  setColumns(columns, sort, onSort) {
    const header = ([key, title]) => {
      const way = sort === key ? "ascending" : sort === `-${key}` ? "descending" : null;
      if (!key) return h("span", { role: "columnheader" }, title || h("span", { class: "unseen" }, "Actions"));
      return h("span", { role: "columnheader", class: `of-${key}`, "aria-sort": way },
        h("button", { type: "button", class: "plain", onclick: () => onSort(key) }, title,
          h("span", { "aria-hidden": "true" }, { ascending: " ↑", descending: " ↓" }[way] ?? "")));
    };
    fill(this.head, h("div", { role: "row", "aria-rowindex": "1" }, columns.map(header)));
  }

  setCount(count) {
    super.setCount(count);
    this.table.setAttribute("aria-rowcount", count + 1);
  }

  place(element, index) {
    super.place(element, index);
    element.removeAttribute("aria-setsize");
    element.removeAttribute("aria-posinset");
    element.setAttribute("aria-rowindex", index + 2);
  }
}
