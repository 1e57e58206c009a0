// <text-editor label="…">, an editor for long texts that forms use like a textarea. Unlike
// one it keeps every line end as it is. CodeMirror lives in a shadow root, where its styles
// are sheets that the policy of the page allows.

import {
  EditorState, EditorView, defaultKeymap, highlightSpecialChars, history, historyKeymap, keymap, lineNumbers, search, searchKeymap,
} from "./codemirror.js";
import { endsCRLF } from "./form.js";
import { mark, special } from "./special.js";

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--raised)", fontSize: ".9rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', monospace", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--ground)", color: "var(--soft)", borderRight: "1px solid var(--line)" },
  ".special": { color: "var(--bad)", backgroundColor: "var(--bad-soft)", borderRadius: "4px", fontSize: ".75em", padding: "0 .2em" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-soft)", outline: "1px solid var(--warn)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--accent-soft)", outline: "2px solid var(--accent)" },
  ".cm-panels": { backgroundColor: "var(--ground)", color: "var(--text)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: ".5rem 2rem .5rem .6rem" },
  ".cm-panel.cm-search label, .cm-textfield, .cm-button": { font: "inherit", fontSize: ".85rem" },
  ".cm-textfield": { color: "inherit", backgroundColor: "var(--raised)", border: "1px solid #8b95a5", borderRadius: "7px", padding: ".2rem .5rem" },
  ".cm-button": { color: "inherit", background: "var(--raised)", border: "1px solid var(--line)", borderRadius: "7px", padding: ".2rem .6rem", cursor: "pointer" },
  ".cm-panel.cm-search [name=close]": { color: "var(--soft)", fontSize: "1.2rem", right: ".4rem", cursor: "pointer" },
});

class TextEditor extends HTMLElement {
  static formAssociated = true; // so that a label can be for it

  #view = null;
  #text = ""; // while there is no view
  #end = "\n"; // of every line

  connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    this.#view = new EditorView({ state: this.#state(), parent: root, root });
  }

  disconnectedCallback() {
    this.#text = this.value;
    this.#view.destroy();
    this.#view = null;
  }

  get value() {
    const doc = this.#view?.state.doc;
    return doc ? doc.sliceString(0, doc.length, this.#end) : this.#text;
  }

  // A new value has no past that can be brought back.
  set value(text) {
    this.#text = text;
    this.#view?.setState(this.#state());
  }

  focus() { this.#view.focus(); }

  select() { this.#view.dispatch({ selection: { anchor: 0, head: this.#view.state.doc.length } }); }

  // #state splits the text into lines. Where not every line ends alike, a CR is a character
  // like others, which can be seen.
  #state() {
    const mixed = this.#text.includes("\r") && !endsCRLF(this.#text);
    this.#end = endsCRLF(this.#text) ? "\r\n" : "\n";
    return EditorState.create({ doc: this.#text, extensions: [
      mixed ? EditorState.lineSeparator.of("\n") : [],
      EditorView.clipboardInputFilter.of((pasted) => pasted.replace(/\r\n?/g, "\n")), // lines end as they do here
      lineNumbers(), history(), search({ top: true }), EditorView.lineWrapping, theme,
      highlightSpecialChars({ specialChars: new RegExp(special.source, "gu"), render: (point) => mark(String.fromCodePoint(point)) }),
      keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({ "aria-label": this.getAttribute("label"), dir: "auto" }),
      EditorView.updateListener.of(({ docChanged }) => docChanged && this.dispatchEvent(new Event("input", { bubbles: true }))),
    ] });
  }
}

customElements.define("text-editor", TextEditor);
