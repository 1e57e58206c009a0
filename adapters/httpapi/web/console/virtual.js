// A list of which only what can be seen is in the page, so that thousands of
// entries cost as little as twenty.

import { h } from "./dom.js";

const beyond = 6; // entries above and below what can be seen

export class VirtualList {
  // render returns the element of an entry, or null while it is not known.
  constructor({ rowHeight, render, label, onRange = () => {} }) {
    Object.assign(this, { rowHeight, render, onRange, count: 0, shown: new Map() });
    this.list = h("ul", { class: "rows" });
    this.element = h("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": label }, this.list);
    this.element.addEventListener("scroll", () => this.draw(), { passive: true });
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.element);
  }

  setCount(count) {
    this.count = count;
    this.list.style.height = `${count * this.rowHeight}px`;
    this.draw();
  }

  // refresh makes what is shown anew.
  refresh() {
    for (const element of this.shown.values()) element.remove();
    this.shown.clear();
    this.draw();
  }

  draw() {
    const top = this.element.scrollTop;
    const height = this.element.clientHeight || 600;
    const first = Math.max(0, Math.floor(top / this.rowHeight) - beyond);
    const last = Math.min(this.count, Math.ceil((top + height) / this.rowHeight) + beyond);
    for (const [index, element] of this.shown) {
      if ((index < first || index >= last) && !element.contains(document.activeElement)) {
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
        element.style.top = `${index * this.rowHeight}px`;
        element.setAttribute("aria-setsize", this.count);
        element.setAttribute("aria-posinset", index + 1);
        this.list.insertBefore(element, before);
        this.shown.set(index, element);
      }
      before = element;
    }
    this.onRange(first, last);
  }

  // show scrolls to an entry and moves the focus into it.
  show(index) {
    const top = index * this.rowHeight;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop || top + this.rowHeight > scrollTop + clientHeight) {
      this.element.scrollTop = Math.max(0, top - clientHeight / 2);
      this.draw();
    }
    return this.shown.get(index);
  }
}
