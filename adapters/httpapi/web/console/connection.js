// Whether the service answers: a word at the top of every page, and a bar when it
// does not.

import { h, fill } from "./dom.js";
import { clock } from "./format.js";
import { connection, pollEvery } from "./stream.js";

const together = 2_000; // ms in which all open pages read again after an outage

const words = { live: "live", polling: `updated every ${pollEvery / 1000} s`, gone: "not connected" };

// indicator is the word.
export function indicator() {
  const element = h("span", { class: "live", role: "status" });
  const show = () => {
    element.className = `live is-${connection.state}`;
    element.textContent = words[connection.state] ?? "connecting";
  };
  addEventListener("stream", show);
  show();
  return element;
}

// watch keeps the bar. refresh reads again what the page shows: the service is
// back, or events were missed.
export function watch(refresh) {
  const bar = document.getElementById("outage");
  addEventListener("stream", ({ detail }) => {
    const wasGone = !bar.hidden;
    bar.hidden = connection.state !== "gone";
    if (detail === "gone") {
      fill(bar, `The service has not answered since ${clock(connection.since)}. What is shown is from ${clock(connection.heard)}.`);
    } else if (detail === "missed") refresh();
    else if (wasGone && bar.hidden) setTimeout(() => bar.hidden && refresh(), Math.random() * together);
  });
}
