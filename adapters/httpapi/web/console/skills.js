// <skill-list>, the skills of an agent as rows that can be filled in, added and removed. Its
// value is their JSON.

import { field, fill, h } from "./dom.js";

class SkillList extends HTMLElement {
  #skills = [];

  connectedCallback() { this.#draw(); }

  get value() { return JSON.stringify(this.#skills); }

  set value(json) {
    this.#skills = JSON.parse(json);
    if (this.isConnected) this.#draw();
  }

  #draw() {
    const add = h("button", { type: "button", class: "secondary", onclick: () => {
      this.#change([...this.#skills, { id: "", name: "" }]);
      this.querySelector(".skill:last-of-type input").focus();
    } }, "Add a skill");
    fill(this, this.#skills.map((skill, i) => this.#row(skill, i)), add);
  }

  #change(skills) {
    this.#skills = skills;
    this.#draw();
    this.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #row(skill, i) {
    const input = (name, properties = {}) => h("input", { maxlength: 256, ...properties, value: skill[name] ?? "", oninput: ({ target }) => {
      const value = properties.type !== "number" ? target.value : target.value ? Number(target.value) : undefined;
      this.#skills = this.#skills.with(i, { ...this.#skills[i], [name]: value });
    } });
    return h("div", { class: "row skill", role: "group", "aria-label": skill.name || "New skill" },
      field("Name", input("name", { required: true })), field("Id", input("id", { required: true })),
      field("Description", input("description")), field("Proficiency", input("proficiency", { type: "number", min: 0, max: 1, step: "any", placeholder: "1" })),
      h("button", { type: "button", class: "secondary", "aria-label": `Remove ${skill.name || "the skill"}`, onclick: () => this.#change(this.#skills.toSpliced(i, 1)) }, "Remove"));
  }
}

customElements.define("skill-list", SkillList);
