// Events as they happen. EventSource cannot carry a token, so the stream is read
// by fetch.

import { send } from "./api.js";

const pause = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); });
});

// follow calls onEvent for every event that the filters let through, in order,
// until the signal ends. A connection that breaks is made again at the place
// where it broke. onState gets "live", "waiting" and "missed": events may be
// missing before this point.
export async function follow(query, { onEvent, onState = () => {}, signal }) {
  let last = "";
  let wait = 1000;
  while (!signal.aborted) {
    try {
      const headers = { Accept: "text/event-stream", ...(last && { "Last-Event-ID": last }) };
      const answer = await send("GET", "activities/stream", { query, headers, signal });
      if (answer.status === 400 && last) {
        last = ""; // the place belongs to another log
        onState("missed");
      }
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      onState("live");
      wait = 1000;
      for await (const block of blocks(answer.body)) {
        if (signal.aborted) return;
        if (block.event === "resync") onState("missed");
        else if (block.data) onEvent(JSON.parse(block.data));
        if (block.id) last = block.id; // only now has it been dealt with
      }
    } catch (error) {
      if (signal.aborted) return;
      console.info("the stream broke:", error.message);
    }
    onState("waiting");
    await pause(wait, signal);
    wait = Math.min(wait * 2, 30000);
  }
}

// blocks takes the stream apart into its blocks.
async function* blocks(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop();
      for (const part of parts) yield parse(part);
    }
  } finally {
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

// Everybody who wants to know what happens shares one stream: a caller may have
// only a few.
const listeners = new Set();

// listen calls onEvent with every event until the signal ends.
export function listen(onEvent, signal) {
  listeners.add(onEvent);
  signal.addEventListener("abort", () => listeners.delete(onEvent));
}

// start begins to follow, for as long as the page is there.
export function start() {
  follow({}, {
    signal: new AbortController().signal,
    onEvent: (event) => listeners.forEach((tell) => tell(event)),
    onState: (state) => dispatchEvent(new CustomEvent("stream", { detail: state })),
  });
}
