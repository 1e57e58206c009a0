// What the console uses of CodeMirror.
export { EditorState } from "@codemirror/state";
export { EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export { search, searchKeymap } from "@codemirror/search";
