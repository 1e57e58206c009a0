// Elements. Text only ever becomes text: nothing here reads HTML.

const svgNames = new Set(["svg", "g", "path", "circle", "rect", "line", "polyline", "polygon", "text", "title"]);

// h makes an element. Properties that begin with "on" are listeners; null and
// false leave a property or a child out.
export function h(tag, properties = {}, ...children) {
  const inSVG = svgNames.has(tag) && tag !== "title" || properties.inSVG;
  const element = inSVG ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  if (tag === "input" || tag === "textarea") element.dir = "auto";
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false || name === "inSVG") continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "draggable") element[name] = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

// name is a text that somebody has chosen, among others: whatever its direction
// of writing, theirs stays.
export const name = (text) => h("bdi", {}, text);

// fill puts children in the place of those that an element has.
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

// toClipboard copies a text and has the button say so, or why not, for a moment.
export async function toClipboard(button, value) {
  const before = button.dataset.text ??= button.textContent;
  button.textContent = await Promise.resolve(navigator.clipboard?.writeText(value).then(() => "Copied")).catch(() => null) ?? "Select it, and copy it yourself";
  setTimeout(() => { button.textContent = before; }, 2000);
}
