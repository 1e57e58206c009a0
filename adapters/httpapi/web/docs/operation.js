// One operation: what it does, what it takes and answers, and how it is called.

import { languages } from "./code.js";
import { fill, h, toClipboard } from "./element.js";
import { markdown } from "./markdown.js";
import { example, fields, first, kind, real } from "./schema.js";

const memory = { token: "", language: "curl" }; // of this page alone

export class Operation {
  // item is {method, path, operation, parameters}.
  constructor(item, base) {
    Object.assign(this, { ...item, base });
    const body = real(this.operation.requestBody);
    this.types = body ? Object.keys(body.content) : [];
    this.content = body?.content ?? {};
    this.stream = "text/event-stream" in (real(this.operation.responses["200"])?.content ?? {});
    this.inputs = new Map(this.parameters.map((p) => [p, this.input(p)]));
    this.type = h("select", { "aria-label": "Type of the body", onchange: () => { this.body.value = this.example(); this.draw(); } }, this.types.map((t) => h("option", { value: t }, t)));
    this.body = h("textarea", { id: "body", rows: 10, spellcheck: "false", "aria-label": "Body", value: body ? this.example() : "", oninput: () => this.draw() });
    this.code = h("pre", { class: "code", tabindex: "0", role: "region", "aria-label": "Code" });
    this.answer = h("div", { role: "status" });
    this.element = h("article", {},
      h("h1", {}, this.operation.summary),
      h("p", { class: "route" }, method(this.method), " ", h("code", {}, this.path)),
      h("div", { class: "two" }, this.details(), this.call()));
    this.draw();
  }

  input(parameter) {
    const schema = real(parameter.schema);
    const given = parameter.example ?? real(Object.values(parameter.examples ?? {})[0])?.value ?? schema.example;
    // Examples of headers would make conditions fail.
    const value = parameter.in === "path" || parameter.required && parameter.in !== "header" ? given ?? example(schema) : "";
    return h("input", { id: `in-${parameter.in}-${parameter.name}`, value: String(value ?? ""), placeholder: given === undefined ? "" : String(given), oninput: () => this.draw() });
  }

  example() {
    const value = first(this.content[this.type?.value || this.types[0]]);
    return typeof value === "string" ? value : JSON.stringify(value, null, 2);
  }

  details() {
    const { operation } = this;
    const text = operation.description.split("\n");
    const takes = this.parameters.map((p) => {
      const input = this.inputs.get(p);
      return h("div", { class: "parameter" },
        h("label", { for: input.id }, h("code", {}, p.name), " ", h("span", { class: "kind" }, `${kind(p.schema)}, ${p.in}`), p.required ? h("span", { class: "required" }, " required") : null),
        p.description ? markdown(p.description) : null, input);
    });
    return h("div", {},
      markdown((text[0].replace(/\.$/, "") === operation.summary ? text.slice(1) : text).join("\n")),
      takes.length ? h("section", { "aria-label": "Parameters" }, h("h2", {}, "Parameters"), takes) : null,
      this.types.length ? h("section", { "aria-label": "Body" }, h("h2", {}, "Body"), fields(this.content[this.types[0]].schema)) : null,
      h("section", { "aria-label": "Answers" }, h("h2", {}, "Answers"), Object.entries(operation.responses).map(([code, r]) => response(code, real(r)))));
  }

  call() {
    const tabs = Object.keys(languages).map((name) => h("button", { type: "button", onclick: () => { memory.language = name; this.draw(); } }, name));
    this.tabs = tabs;
    const token = h("input", { id: "token", type: "password", autocomplete: "off", value: memory.token, oninput: () => { memory.token = token.value.trim(); } });
    const send = h("button", { type: "button", class: "primary", onclick: () => this.send(send) }, "Send");
    return h("aside", { "aria-label": "How it is called" },
      h("div", { class: "tabs" }, tabs, h("button", { type: "button", class: "copy", onclick: (e) => toClipboard(e.currentTarget, this.code.textContent) }, "Copy")),
      this.code,
      this.types.length ? [this.types.length > 1 ? this.type : null, this.body] : null,
      this.stream ? h("p", {}, "A stream does not end; read it with the code above.") :
        h("div", { class: "try" }, h("label", { for: "token" }, "Access token, kept until the page is closed"), token, send),
      this.answer);
  }

  // request is what the inputs say.
  request() {
    let { path } = this;
    const query = new URLSearchParams();
    const headers = {};
    for (const [p, { value }] of this.inputs) {
      if (p.in === "path") path = path.replace(`{${p.name}}`, encodeURIComponent(value));
      else if (value && p.in === "query") query.append(p.name, value);
      else if (value) headers[p.name] = value;
    }
    const type = this.type.value || this.types[0];
    return { method: this.method.toUpperCase(), url: `${this.base}${path}${query.size ? `?${query}` : ""}`, headers, type, body: this.types.length ? this.body.value : null, stream: this.stream };
  }

  draw() {
    for (const tab of this.tabs ?? []) tab.setAttribute("aria-pressed", String(tab.textContent === memory.language));
    this.code.textContent = languages[memory.language](this.request());
  }

  async send(button) {
    const { method: verb, url, headers, type, body } = this.request();
    if (verb !== "GET" && !confirm(`Send ${verb} ${url}?`)) return;
    button.disabled = true;
    try {
      const answer = await fetch(url, { method: verb, body, cache: "no-store", headers: {
        ...headers, ...(body !== null && { "Content-Type": type }), ...(memory.token && { Authorization: `Bearer ${memory.token}` }),
      } });
      const text = await answer.text();
      fill(this.answer, h("p", { class: answer.ok ? "good" : "bad" }, `Status ${answer.status}`), h("pre", { class: "code", tabindex: "0", role: "region", "aria-label": "Answer" }, pretty(text)));
    } catch (error) {
      fill(this.answer, h("p", { class: "bad" }, `There was no answer: ${error.message}`));
    }
    button.disabled = false;
  }
}

export const method = (name) => h("span", { class: `method ${name}` }, name.toUpperCase());

function response(code, r) {
  const content = Object.entries(r.content ?? {});
  const inside = h("div", {});
  const show = () => inside.childElementCount || fill(inside, content.map(([type, media]) => [h("p", { class: "kind" }, type), media.schema ? fields(media.schema) : null,
    h("pre", { class: "code", tabindex: "0", role: "region", "aria-label": `Example of ${type}` }, text(first(media)))]));
  const says = [h("strong", { class: code < "300" ? "good" : "bad" }, code), " ", r.description];
  return content.length ? h("details", { ontoggle: show }, h("summary", {}, says), inside) : h("p", { class: "answer" }, says);
}

const text = (value) => typeof value === "string" ? value : JSON.stringify(value, null, 2);

function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
