import type { ReportedEvent } from "./report.js";
import type { Outcome } from "./resolve.js";

/** What the callback onEvent is called with, by name. */
export interface Events {
  /** A request has ended; status 0 is no answer. */
  request: { operation: string; status: number; seconds: number };
  /** What is known of an agent's label has another state. before is undefined at the first answer. */
  state: { agent: string; label: string; state: Outcome; before: Outcome | undefined };
  /** A batch of events was accepted. */
  reported: { accepted: number; duplicates: number };
  /** An event is not valid, and was removed from the buffer. */
  rejected: { event: ReportedEvent; detail: string };
  /** The service has accepted an event, but something of it looks like a mistake, or it allows no more streams. Once for each text. */
  warning: { detail: string };
  /** The token may not report, or there is none; the events stay in the buffer. */
  refused: { detail: string };
  /** Events were not taken, or a file of the buffer could not be read. */
  dropped: { count: number; reason: string };
  /** A file could not be written, or its content is not used. */
  file: { file: string; error: unknown };
}

/** A callback for metrics and alarms. TypeScript knows the fields after a look at the name. */
export type OnEvent = (...event: { [N in keyof Events]: [name: N, fields: Events[N]] }[keyof Events]) => void;

/** The callback as the client calls it. */
export type Hook = <N extends keyof Events>(name: N, fields: Events[N]) => void;

/** Says on the console what somebody should know. */
export type Warn = (text: string) => void;

/** warnOf returns what says nothing if there is a hook, and nothing twice within a minute. */
export function warnOf(onEvent: OnEvent | undefined): Warn {
  let last = { text: "", at: 0 };
  return (text) => {
    const at = performance.now();
    if (onEvent || (text === last.text && at < last.at + 60_000)) return;
    last = { text, at };
    console.warn(`orgd: ${text}`);
  };
}

/** hookOf returns a hook that does not throw. */
export function hookOf(onEvent: OnEvent | undefined, warn: Warn): Hook {
  return (name, fields) => {
    if (name !== "request" && name !== "reported" && name !== "state") {
      const texts = Object.entries(fields).filter(([key]) => key !== "event");
      warn(`${name}: ${texts.map(([, value]) => String(value)).join(", ")}`);
    }
    try {
      (onEvent as Hook | undefined)?.(name, fields);
    } catch (error) {
      console.error("orgd: onEvent has thrown", error);
    }
  };
}
