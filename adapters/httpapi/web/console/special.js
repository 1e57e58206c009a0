// Characters that cannot be seen, or that turn others around: a prompt may hide
// instructions in them.

import { h } from "./dom.js";

// special are those that people do not see: controls but tab and line feed, formats but the
// joiners of letters and of pictures, and tags.
export const special = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\u{e0000}-\u{e007f}]/u;

const each = new RegExp(`(${special.source})`, "u");

// code names a character.
export const code = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

// mark shows one of them.
export const mark = (character) => h("span", { class: "special", title: code(character) }, character === "\r" ? "␍" : code(character));

// seen is a text with those characters shown. An end of a line may be CR and LF.
export const seen = (text) => text.replaceAll("\r\n", "\n").split(each).map((part, i) => i % 2 ? mark(part) : part);
