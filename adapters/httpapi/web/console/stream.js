// Events as they happen. EventSource cannot carry a token, so the stream is read
// by fetch. A caller may have only a few streams: pages beyond those ask for the
// newest events every few seconds.

import { get, send } from "./api.js";

const answerWithin = 5_000; // ms; then the next attempt begins
const silence = 17_000; // ms without a sign of life; the service gives one every 15 s
export const pollEvery = 10_000; // ms
const pollFor = 2 * pollEvery; // ms; then a stream may be free
const longestWait = 5_000; // ms between two attempts

// connection says how things stand: "live", "polling" or "gone", since when the
// service has not answered, and when it was heard of last (ms).
export const connection = { state: "", since: 0, heard: Date.now() };

// Everybody who wants to know what happens shares one stream.
const listeners = new Set();

// listen calls onEvent with every event until the signal ends.
export function listen(onEvent, signal) {
  if (signal.aborted) return;
  listeners.add(onEvent);
  signal.addEventListener("abort", () => listeners.delete(onEvent));
}

// pass calls every listener: one that fails costs the others nothing, nor the stream.
const pass = (event) => listeners.forEach((tell) => {
  try {
    tell(event);
  } catch (error) {
    console.error(error);
  }
});
const say = (detail) => dispatchEvent(new CustomEvent("stream", { detail }));
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

function become(state) {
  if (state === "gone") connection.since ||= Date.now();
  else Object.assign(connection, { since: 0, heard: Date.now() });
  if (state === connection.state) return;
  connection.state = state;
  say(state);
}

// start follows what happens for as long as the page is there. It tells the
// window by events "stream": the state, or "missed" when events may be missing
// before this point.
export async function start() {
  let last = ""; // where the stream goes on
  let failures = 0; // since a stream was there
  for (;;) {
    const begun = Date.now();
    try {
      const { answer, control } = await connect(last);
      if (answer.status === 429) {
        if (last) say("missed");
        last = "";
        await poll();
        continue;
      }
      if (answer.status === 400 && last) {
        last = ""; // the place belongs to another log
        say("missed");
        continue;
      }
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      if (known) await ask(); // what happened since the last answer
      known = null;
      become("live");
      failures = 0;
      for await (const block of blocks(answer.body, control)) {
        if (block.event === "resync") say("missed");
        else if (block.data) pass(JSON.parse(block.data));
        if (block.id) last = block.id; // only now has it been dealt with
      }
    } catch (error) {
      console.info("the stream broke:", error.message);
      if (failures++ > 0 || error.name === "TimeoutError") become("gone");
    }
    // A stream that was there is made again at once. Pages that lost theirs together
    // do not come back together.
    if (Date.now() - begun < longestWait) await pause(Math.min(250 * 2 ** failures, longestWait) * (0.5 + Math.random()));
  }
}

async function connect(last) {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(), answerWithin);
  try {
    const headers = { Accept: "text/event-stream", ...(last && { "Last-Event-ID": last }) };
    return { control, answer: await send("GET", "activities/stream", { headers, signal: control.signal }) };
  } finally {
    clearTimeout(timer);
  }
}

let known = null; // ids of the newest events, while there is no stream

// poll asks for a while.
async function poll() {
  for (const end = Date.now() + pollFor; Date.now() < end;) {
    await ask();
    become("polling");
    await pause(pollEvery);
    while (document.hidden) await pause(1000); // nobody looks
  }
}

// ask passes on what has happened since it was called last.
async function ask() {
  const { data: newest } = await get("activities", { limit: 200 }, AbortSignal.timeout(answerWithin));
  const fresh = known ? newest.filter((e) => !known.has(e.id)) : [];
  if (known && newest.length && fresh.length === newest.length) say("missed");
  fresh.reverse().forEach(pass);
  known = new Set(newest.map((e) => e.id));
  connection.heard = Date.now();
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
