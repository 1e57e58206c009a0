// What happens, as it happens. EventSource cannot carry a token, so streams are read
// by fetch. A caller may have only a few streams: pages beyond those ask for what is
// newest every few seconds.

import { get, send } from "./api.js";

const answerWithin = 5_000; // ms; then the next attempt begins
const silence = 17_000; // ms without a sign of life; the service gives one every 15 s
export const pollEvery = 10_000; // ms
const pollFor = 2 * pollEvery; // ms; then a stream may be free
const longestWait = 5_000; // ms between two attempts
const unseenFor = 5_000; // ms that nobody sees the page; then its streams end
const rest = new DOMException("nobody sees the page", "AbortError");

// connection says how things stand: "live", "polling" or "gone", since when the
// service has not answered, and when it was heard of last (ms).
export const connection = { state: "", since: 0, heard: Date.now() };

// Everybody who wants to know of events shares one stream.
const listeners = new Set();

// listen calls onEvent with every event until the signal ends.
export function listen(onEvent, signal) {
  if (signal.aborted) return;
  listeners.add(onEvent);
  signal.addEventListener("abort", () => listeners.delete(onEvent));
}

const say = (detail) => dispatchEvent(new CustomEvent("stream", { detail }));
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

// events is the shared stream; pages are those of the page that is shown.
let events;
const pages = new Set();

// start follows the events for as long as the console is there. It tells the
// window by events "stream": the state, or "missed" when something may be missing
// before this point.
export function start() {
  events = new Stream("activities", {}, (event) => listeners.forEach((tell) => attempt(tell, event)));
  return events.run();
}

// follow calls tell with what comes to a list of the interface until the signal
// ends. What is read after it has returned and what comes leave no gap.
export async function follow(where, query, tell, signal) {
  const stream = new Stream(where, query, (item) => attempt(tell, item), signal);
  pages.add(stream);
  stream.run().finally(() => {
    pages.delete(stream);
    judge();
  });
  await stream.begun;
}

// attempt keeps one listener that fails from costing the others anything, or the stream.
function attempt(tell, item) {
  try {
    tell(item);
  } catch (error) {
    console.error(error);
  }
}

// judge says how things stand: as they do with the events, but live only if all is.
function judge() {
  let { state } = events;
  if (state === "live" && [...pages].some((s) => s.state === "polling")) state = "polling";
  if (state === "gone") connection.since ||= Date.now();
  else connection.since = 0;
  if (state === connection.state) return;
  connection.state = state;
  say(state);
}

class Stream {
  constructor(where, query, pass, signal = new AbortController().signal) {
    Object.assign(this, { where, query, signal, pass: (item) => signal.aborted || pass(item) });
    this.state = "";
    this.last = ""; // where the stream goes on
    this.failures = 0; // since the stream was there
    this.gap = false; // something may be missing before the stream is there
    this.known = null; // ids of what is newest, while there is no stream
    this.begun = new Promise((resolve) => { this.settle = resolve; });
  }

  become(state) {
    this.state = state;
    if (state !== "gone") connection.heard = Date.now();
    judge();
    this.settle();
  }

  async run() {
    while (!this.signal.aborted && !this.refused) {
      const begun = Date.now();
      try {
        await this.read();
      } catch (error) {
        if (this.signal.aborted) break;
        this.gap ||= !this.last;
        if (error === rest) {
          await pause(0); // as long as a page that was left does nothing
          await seen();
          continue;
        }
        console.info("the stream broke:", error.message);
        if (this.failures++ > 0 || error.name === "TimeoutError") this.become("gone");
      }
      this.settle();
      // A stream that was there is made again at once. Pages that lost theirs together
      // do not come back together.
      if (Date.now() - begun < longestWait) await pause(Math.min(250 * 2 ** this.failures, longestWait) * (0.5 + Math.random()));
    }
    this.settle();
  }

  // read makes the stream and reads it to its end.
  async read() {
    const control = new AbortController();
    this.signal.addEventListener("abort", () => control.abort(), { signal: control.signal });
    try {
      const answer = await this.connect(control);
      if (!answer.ok) return this.without(answer.status); // and without this connection
      await this.receive(answer, control);
    } finally {
      control.abort();
    }
  }

  async connect(control) {
    const timer = setTimeout(() => control.abort(), answerWithin);
    try {
      const headers = { Accept: "text/event-stream", ...(this.last && { "Last-Event-ID": this.last }) };
      return await send("GET", `${this.where}/stream`, { query: this.query, headers, signal: control.signal });
    } finally {
      clearTimeout(timer);
    }
  }

  // receive reads a stream that is there.
  async receive(answer, control) {
    if (this.known) await this.ask(); // what happened since the last answer
    else if (this.gap) say("missed");
    this.known = null;
    this.gap = false;
    this.failures = 0;
    this.become("live");
    whenUnseen(() => control.abort(rest), control.signal);
    for await (const block of blocks(answer.body, control)) {
      if (block.event === "resync") say("missed");
      else if (block.data) this.pass(JSON.parse(block.data));
      if (block.id) this.last = block.id; // only now has it been dealt with
    }
  }

  // without goes on without a stream, because of a status.
  without(status) {
    if (status === 429) {
      if (this.last) say("missed");
      this.last = "";
      return this.poll();
    }
    if (status !== 400) throw new Error(`status ${status}`);
    this.gap = true; // the place belongs to another log
    this.refused = !this.last; // or the service will never take the query
    this.last = "";
  }

  // poll asks for a while.
  async poll() {
    for (const end = Date.now() + pollFor; Date.now() < end && !this.signal.aborted;) {
      await this.ask();
      this.become("polling");
      await pause(pollEvery);
      await seen();
    }
  }

  // ask passes on what has happened since it was called last.
  async ask() {
    const { data: newest } = await get(this.where, { ...this.query, limit: 200 }, AbortSignal.timeout(answerWithin));
    const fresh = this.known ? newest.filter((e) => !this.known.has(e.id)) : [];
    if (this.known && newest.length && fresh.length === newest.length) say("missed");
    fresh.reverse().forEach(this.pass);
    this.known = new Set(newest.map((e) => e.id));
    connection.heard = Date.now();
  }
}

// A browser has six connections to a service over HTTP/1.1, for all of its pages. Those that
// nobody sees hold none of them: pages behind others, and those that Back returns to.

// whenUnseen calls stop when nobody has seen the page for a while, or when it is left.
function whenUnseen(stop, signal) {
  let timer = 0;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(stop, unseenFor);
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  document.addEventListener("visibilitychange", look, { signal });
  addEventListener("pagehide", stop, { signal });
  look();
}

// seen returns when somebody may see the page.
async function seen() {
  while (document.hidden) await new Promise((resolve) => { document.addEventListener("visibilitychange", resolve, { once: true }); });
}

// blocks takes the stream apart into its blocks. It ends with a TimeoutError if
// the service falls silent.
async function* blocks(body, control) {
  const watch = () => setTimeout(() => control.abort(new DOMException("the service is silent", "TimeoutError")), silence);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let timer = watch();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = watch();
      connection.heard = Date.now();
      const parts = (rest + value).split("\n\n");
      rest = parts.pop();
      for (const part of parts) yield parse(part);
    }
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => {});
  }
}

function parse(text) {
  const block = { id: "", event: "", data: "" };
  for (const line of text.split("\n")) {
    const at = line.indexOf(":");
    if (at > 0) {
      const name = line.slice(0, at);
      if (name in block) block[name] += line.slice(at + 1).replace(/^ /, "");
    }
  }
  return block;
}
