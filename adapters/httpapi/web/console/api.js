// Requests to the interface. It is the public one, described at /docs.

import { mark, session, signIn } from "./session.js";

const base = new URL("api/v1/", document.baseURI);

// APIError is an answer that is not a success.
export class APIError extends Error {
  constructor(status, detail) {
    super(detail.detail || `The service answered with status ${status}.`);
    this.status = status;
    this.code = detail.error_code;
    this.instance = detail.instance;
    this.retryAfter = detail.retry_after;
  }

  // stale: somebody else was faster.
  get stale() { return this.code === 4002; }
}

// path joins segments; names may hold anything.
export const path = (...segments) => segments.map(encodeURIComponent).join("/");

// url is where a path of the interface is, with those parameters that have a
// value.
export function url(where, query = {}) {
  const u = new URL(where, base);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") u.searchParams.set(name, value);
  }
  return u;
}

// send makes a request and returns the answer of the service, whatever it says.
// Who is not signed in any more is asked to sign in, and then the same request
// is made; so nothing that was typed is lost.
export async function send(method, where, { query, body, headers = {}, signal } = {}) {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  for (;;) {
    const { me } = session;
    const all = { Accept: "application/json", ...headers, ...mark };
    if (text !== undefined) all["Content-Type"] ||= "application/json";
    let answer;
    try {
      answer = await fetch(url(where, query), { method, headers: all, body: text, signal, cache: "no-cache" });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new APIError(0, { detail: "The service cannot be reached." });
    }
    if (answer.status !== 401) return answer;
    await signIn(me, "Your session has ended. Sign in again to go on where you were.");
  }
}

// exactly reads JSON in which every number stays what it was: those that
// JavaScript would round are kept as texts that are written as numbers again.
// Where the browser cannot do that, they are rounded.
export const exactly = (text) => JSON.parse(text, (name, value, { source } = {}) =>
  typeof value === "number" && source && JSON.rawJSON && String(value) !== source ? JSON.rawJSON(source) : value);

// isRaw tells such a number from an object.
export const isRaw = (value) => Boolean(JSON.isRawJSON?.(value));

// decimal reads a number that somebody has typed, with all its digits.
export function decimal(text) {
  try {
    return exactly(text.trim());
  } catch {
    return Number(text); // ".5", or what the service will refuse
  }
}

const longestWait = 10; // seconds that a read waits for a limit
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

// request makes a request and returns {data, tag, pagination}, or throws an
// APIError. A read that a limit refuses waits as long as the service says, and one
// whose connection breaks is tried twice.
async function request(method, where, options = {}) {
  const answer = await send(method, where, options).catch(async (error) => {
    if (error.status !== 0 || method !== "GET" || options.signal?.aborted) throw error;
    await pause(300);
    return send(method, where, options);
  });
  const wait = Number(answer.headers.get("Retry-After"));
  if (answer.status === 429 && method === "GET" && wait > 0 && wait <= longestWait) {
    await pause(wait * 1000);
    options.signal?.throwIfAborted();
    return request(method, where, options);
  }
  const text = answer.status === 204 ? "" : await answer.text();
  let content = {};
  try {
    if (text) content = options.exact ? exactly(text) : JSON.parse(text);
  } catch {
    // An answer that is not the service's, such as a proxy's, tells by its status.
  }
  if (!answer.ok) throw new APIError(answer.status, content.error_detail ?? content);
  return { data: content.data ?? null, tag: answer.headers.get("ETag"), pagination: content.pagination };
}

// because are the headers of a change that somebody gives a reason for, if it is not empty.
export const because = (reason) => reason.trim() ? { "Change-Reason": encodeURIComponent(reason.trim()) } : {};

export const get = (where, query, signal, exact = false) => request("GET", where, { query, signal, exact });
export const data = async (where, query, signal) => (await get(where, query, signal)).data;

// change sends a change. tag makes it depend on what was read, which had none (null) if a
// proxy took it away; key makes it happen once, however often it is sent.
export async function change(method, where, body, { tag, query, exact, headers = {} } = {}) {
  if (tag === null) throw new APIError(0, { detail: "Nothing was sent: the answer of the service came without its ETag, which a proxy must have removed." });
  const all = { ...headers };
  if (tag) all["If-Match"] = tag;
  if (method === "POST") all["Idempotency-Key"] = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  return request(method, where, { query, body, exact, headers: all }).finally(() => dispatchEvent(new Event("changed")));
}

const invalidRequest = 2001;

// Pages reads a list page by page.
export class Pages {
  constructor(where, query = {}, signal) {
    Object.assign(this, { where, query: { limit: 200, ...query }, signal, items: [], known: new Set(), complete: false });
  }

  // more reads the next page. Calls that overlap get the same one.
  more() {
    this.reading ||= this.next().finally(() => { this.reading = null; });
    return this.reading;
  }

  // next reads until there is something new. A cursor whose key is gone is refused: the list is
  // read from its beginning then.
  async next() {
    let fresh = [];
    while (!fresh.length && !this.complete) {
      const { data: items, pagination } = await this.page().catch((error) => {
        if (!this.cursor || error.code !== invalidRequest) throw error;
        this.cursor = "";
        return this.page();
      });
      fresh = items.filter((item) => this.isNew(item));
      this.cursor = pagination.next_cursor;
      this.complete = !pagination.has_more;
    }
    this.items.push(...fresh);
  }

  page() {
    return get(this.where, { ...this.query, cursor: this.cursor }, this.signal);
  }

  isNew(item) {
    const key = item.id ?? JSON.stringify(item);
    return !this.known.has(key) && this.known.add(key);
  }

  // upTo reads until there are enough items, or no more.
  async upTo(count = Infinity) {
    while (!this.complete && this.items.length < count) await this.more();
    return this.items;
  }
}

// newest returns a function that does the work with what it was given last, when
// nothing has come for a moment: one piece of work at a time, and later what a
// limit refuses. failed gets other errors.
export function newest(work, failed, quiet = 400) {
  let waiting = null;
  let running = false;
  let timer = 0;
  const later = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
  async function run() {
    if (running || !waiting) return;
    const given = waiting;
    let pause = 0;
    waiting = null;
    running = true;
    try {
      await work(given);
    } catch (error) {
      if (error.status === 429 && error.retryAfter) {
        waiting ??= given;
        pause = error.retryAfter * 1000;
      } else failed(error);
    }
    running = false;
    if (waiting) later(pause);
  }
  return (given) => {
    waiting = given;
    later(quiet);
  };
}

// limited runs work for many things, a few at a time.
export function limited(atOnce) {
  const waiting = [];
  let running = 0;
  const next = () => {
    if (running >= atOnce || !waiting.length) return;
    running++;
    const { work, resolve, reject } = waiting.shift();
    work().then(resolve, reject).finally(() => { running--; next(); });
  };
  return (work) => new Promise((resolve, reject) => {
    waiting.push({ work, resolve, reject });
    next();
  });
}
