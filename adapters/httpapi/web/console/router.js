// Which page is shown. Pages are named in the fragment of the URL, which is not
// sent to the service: #/agents/Ada/versions?from=2.

const routes = [];
let leave = () => {};

// route says which module shows the pages of a pattern such as
// "agents/:name/versions". Modules are loaded when they are needed.
export function route(pattern, load) {
  routes.push({ parts: pattern.split("/"), load });
}

// link is the fragment of a page.
export function link(...segments) {
  const query = typeof segments.at(-1) === "object" ? `?${new URLSearchParams(segments.pop())}` : "";
  return `#/${segments.map(encodeURIComponent).join("/")}${query}`;
}

function find(segments) {
  for (const { parts, load } of routes) {
    if (parts.length !== segments.length) continue;
    const parameters = {};
    const fits = parts.every((part, i) => {
      if (!part.startsWith(":")) return part === segments[i];
      parameters[part.slice(1)] = segments[i];
      return true;
    });
    if (fits) return { load, parameters };
  }
  return null;
}

// current takes the fragment apart.
export function current() {
  const [where, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { segments: where.split("/").map(decode), query: new URLSearchParams(query) };
}

// decode leaves what nobody has encoded as it is.
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// start shows the page of the URL now and whenever it changes. show gets the
// module, the parameters and a signal that ends with the page.
export function start(show, missing) {
  const turn = async () => {
    if (location.hash && !location.hash.startsWith("#/")) return; // a place in the page
    leave();
    const end = new AbortController();
    leave = () => end.abort();
    const { segments, query } = current();
    const found = find(segments);
    if (!found) return missing();
    const module = await found.load();
    if (!end.signal.aborted) await show(module, { ...found.parameters, query, signal: end.signal }, segments);
  };
  addEventListener("hashchange", turn);
  addEventListener("again", turn);
  return turn();
}

// again shows the page anew.
export const again = () => dispatchEvent(new Event("again"));
