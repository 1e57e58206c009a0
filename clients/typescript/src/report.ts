import { ConnectionFailed, isTokenRefused, OrgdError } from "./errors.js";
import { type Directory, isEdge, isMissing } from "./files.js";
import type { Hook, Warn } from "./hook.js";
import type { Call, Transport } from "./transport.js";
import type { ActivityEntry, IngestResult } from "./types.js";
import { jitter, pause, Signal, within } from "./wait.js";

type Reported<E> = E extends ActivityEntry
  ? Omit<E, "id" | "timestamp"> & {
      /** When it happened, by default now. */
      timestamp?: string | Date | null;
      /** A UUID by which the service knows an event that is sent twice, by default a random one. */
      id?: string | null;
    }
  : never;

/** A runtime event to be reported, of the id or name of an agent. event_type says what data has; other keys may be beside. */
export type ReportedEvent = Reported<ActivityEntry>;

/** An event in the buffer. */
interface Kept {
  event: ReportedEvent & { id: string; timestamp: string };
  /** The client gave the timestamp. */
  stamped: boolean;
}

/** A file of the buffer, or events in memory if it could not be written. */
interface Entry {
  name: string;
  count: number;
  memory: Kept[] | undefined;
  /** Not to be sent before, because the token may not report on its agents. */
  heldUntil: number;
}

/** An event of a batch, with the entry that has it and all that are in there. */
interface Item {
  kept: Kept;
  entry: Entry;
  all: Kept[];
}

/** Bounds of a batch, and of a file. */
const maxBatch = 1000;
const maxSize = 1 << 20;
/** What a browser sends of a page that is left. */
const maxLastCall = 60_000;
/** A batch may take so many times as long as another request. */
const batchTimeout = 6;
/** Seconds between two batches that are not full. */
const linger = 0.2;
/** The longest wait in seconds after failures, unless the service asks for more. */
const longestWait = 30;
/** Clocks that differ by so many seconds are right. */
const goodClock = 60;

/** So many warnings are remembered. */
const maxWarnings = 1000;

/** What a reporter works with. */
export interface ReportConfig {
  transport: Transport;
  directory: Directory | undefined;
  end: AbortSignal | undefined;
  hook: Hook;
  warn: Warn;
  maxAge: number;
  timeout: number;
  maxEvents: number;
}

/** Buffers events, and sends them in the background until they are accepted. */
export class Reporter {
  /** How many events are in the buffer. */
  private count = 0;
  private counter = 0;
  private entries: Entry[] = [];
  private owner = ""; // in the names of the files
  private isLeased = false;
  private ready: Promise<void> | undefined;
  private isClosed = false;

  private readonly added = new Signal(); // events, or an end
  private readonly retryNow = new Signal(); // no wait, or an end
  private readonly removed = new Signal(); // the buffer has less events
  private failures = 0;
  private notBefore = 0; // the service has asked for it
  private flushes = 0; // that are under way
  private held = new Map<string, { until: number; tries: number }>(); // agents on which the token may not report
  private last = { signature: "", key: "" }; // of the last batch
  private readonly warnings = new Set<string>(); // that the hook has got

  constructor(private readonly config: ReportConfig) {}

  /** start has the sender run. It returns when the events that others have left are counted. */
  async start(): Promise<void> {
    this.ready ??= this.scan().then(() => {
      if (!isEdge) void this.run();
      if (this.config.directory) void this.tend();
    });
    await this.ready;
  }

  /** report takes events into the buffer and returns how many. */
  async report(events: ReportedEvent | readonly ReportedEvent[]): Promise<number> {
    const all = (Array.isArray(events) ? (events as readonly ReportedEvent[]) : [events as ReportedEvent]).map(prepare);
    if (this.isClosed) throw new Error("orgd: the client is closed");
    await this.start();
    const taken = all.slice(0, Math.max(0, this.config.maxEvents - this.count));
    this.count += taken.length;
    const left = all.length - taken.length;
    if (left > 0) this.config.hook("dropped", { count: left, reason: "the buffer is full" });
    if (taken.length > 0 && !this.isLeased) await this.lease();
    for (const part of parts(taken)) {
      const entry = { name: this.newName(), count: part.length, memory: undefined, heldUntil: 0 };
      await this.write(entry, part);
      this.entries.push(entry);
    }
    this.added.notify();
    return taken.length;
  }

  /** flush waits until all is sent, and returns how many events are not. */
  async flush(seconds: number): Promise<number> {
    const end = performance.now() + seconds * 1000;
    this.flushes++;
    this.held.clear();
    if (this.ready) await within(seconds, this.ready);
    if (isEdge) {
      await within(seconds, this.sendUntil(end));
    } else {
      for (const entry of this.entries) entry.heldUntil = 0;
      this.retryNow.notify();
      this.added.notify();
      while (this.count > 0 && performance.now() < end) await this.removed.wait((end - performance.now()) / 1000, true);
    }
    this.flushes--;
    return this.count;
  }

  /** close ends the sender. What is in memory only is lost. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    const lost = this.entries.filter((e) => e.memory).reduce((n, e) => n + e.count, 0);
    if (lost > 0) this.config.hook("dropped", { count: lost, reason: "the client is closed" });
    this.added.notify();
    this.retryNow.notify();
    await this.release();
  }

  /** lastCall returns a request with what is in memory, as much as a page may send while it is left. */
  lastCall(): Call | undefined {
    const kept: string[] = [];
    let size = 0;
    for (const event of this.entries.flatMap((e) => e.memory ?? []).map((k) => this.sent(k))) {
      const text = JSON.stringify(event);
      size += 3 * text.length; // bytes, at most
      if (size > maxLastCall) break;
      kept.push(text);
    }
    return kept.length === 0 ? undefined : this.call(`{"events":[${kept.join(",")}]}`, randomHex(16));
  }

  /** run sends batches until the end. */
  private async run(): Promise<void> {
    while (!this.isClosed) {
      if (!(await this.sendNext(Infinity))) await this.idle();
    }
  }

  /** sendUntil sends what there is for a request at the edge. Meanwhile no other one sends it. */
  private async sendUntil(end: number): Promise<void> {
    for (let now = 0, more = true; more && now < end; now = performance.now()) {
      more = performance.now() >= this.notBefore && (await this.sendNext(end));
    }
  }

  /** sendNext sends a batch, whose entries nobody else sends before an end. It returns whether there was something to send. */
  private async sendNext(end: number): Promise<boolean> {
    try {
      const items = await this.batch();
      if (items.length === 0) return false;
      if (isEdge) for (const { entry } of items) entry.heldUntil = end;
      await this.deliver(items);
      if (isEdge) for (const { entry } of items) entry.heldUntil = 0;
    } catch (error) {
      console.error("orgd: report", error); // a mistake of this package, or an answer that is made up
      await this.backOff(0);
    }
    return true;
  }

  /** idle waits for something to send. */
  private async idle(): Promise<void> {
    const next = Math.min(...this.entries.map((e) => e.heldUntil));
    if (next > performance.now()) await this.added.wait((next - performance.now()) / 1000);
  }

  /** tend scans the directory until the end. */
  private async tend(): Promise<void> {
    while (!this.isClosed) {
      await pause(this.config.maxAge, this.config.end);
      await this.scan();
    }
  }

  /** batch returns the next events to be sent. */
  private async batch(): Promise<Item[]> {
    const items: Item[] = [];
    let size = 0;
    for (const entry of [...this.entries]) {
      const now = performance.now();
      if (entry.heldUntil > now) continue;
      const all = await this.read(entry);
      const free = all.filter((k) => (this.held.get(k.event.agent)?.until ?? 0) <= now);
      if (all.length > 0 && free.length === 0) {
        entry.heldUntil = Math.min(...all.map((k) => this.held.get(k.event.agent)?.until ?? 0));
      }
      size += JSON.stringify(free).length;
      if (items.length > 0 && (size > maxSize || items.length + free.length > maxBatch)) break;
      items.push(...free.map((kept) => ({ kept, entry, all })));
    }
    return items;
  }

  /** deliver sends a batch and does what the answer asks for. */
  private async deliver(items: Item[]): Promise<void> {
    try {
      if (this.config.transport.offset === undefined && items.some((i) => i.kept.stamped)) await this.readClock();
      const body = JSON.stringify({ events: items.map((i) => this.sent(i.kept)) });
      const { status, envelope } = await this.config.transport.send(this.call(body, this.keyOf(items)));
      if (status !== 201) throw new ConnectionFailed("POST /activities: this is not how orgd answers", { status });
      const { accepted, duplicates, warnings } = envelope?.data as IngestResult;
      await this.discard(items);
      this.config.hook("reported", { accepted, duplicates });
      if (Array.isArray(warnings)) this.warnOnce(warnings);
      for (const item of items) this.held.delete(item.kept.event.agent);
      this.failures = 0;
      if (items.length < maxBatch && !isEdge) await this.retryNow.wait(linger);
    } catch (error) {
      if (!(error instanceof OrgdError)) throw error;
      await this.failed(items, error);
    }
  }

  /** warnOnce gives the hook each warning that is new. When too many are remembered, the oldest may come again. */
  private warnOnce(texts: readonly string[]): void {
    for (const detail of texts.map((text) => text.replace(/^events\[\d+\]\./, ""))) {
      if (this.warnings.has(detail)) continue;
      const [oldest] = this.warnings;
      if (oldest !== undefined && this.warnings.size === maxWarnings) this.warnings.delete(oldest);
      this.warnings.add(detail);
      this.config.hook("warning", { detail });
    }
  }

  private async failed(items: Item[], error: OrgdError): Promise<void> {
    const { status, code, detail, retryAfter } = error;
    const isInvalid = status === 400 && code !== 0;
    const named = isInvalid ? namedIn(error, items.length) : new Map<number, string>();
    if (isTokenRefused(error)) this.config.hook("refused", { detail });
    if (named.size > 0) {
      await this.reject(items, named);
    } else if (isInvalid || status === 413) {
      const half = Math.ceil(items.length / 2);
      if (items.length > 1) await this.deliverEach([items.slice(0, half), items.slice(half)]);
      else await this.reject(items, new Map([[0, detail]]));
    } else if (status === 403 && code !== 0) {
      await this.separate(items);
    } else {
      if (this.failures === 0 && !isTokenRefused(error)) this.config.warn(`events are pending: ${String(error)}`);
      await this.backOff(retryAfter);
    }
  }

  private async deliverEach(batches: Iterable<Item[]>): Promise<void> {
    for (const items of batches) await this.deliver(items);
  }

  private async backOff(retryAfter: number): Promise<void> {
    const asked = retryAfter * jitter(1, 1.2);
    const wait = Math.min(backOffAfter(this.failures++), this.flushes > 0 ? 1 : Infinity);
    const end = (this.notBefore = performance.now() + asked * 1000);
    while (!this.isClosed && performance.now() < end) await this.retryNow.wait((end - performance.now()) / 1000);
    if (!this.isClosed && wait > asked) await this.retryNow.wait(wait - asked);
  }

  /** separate has the others not wait for agents on which the token may not report. */
  private async separate(items: Item[]): Promise<void> {
    const agents = [...new Set(items.map((i) => i.kept.event.agent))];
    const [agent = "", another] = agents;
    if (another !== undefined) {
      await this.deliverEach(agents.map((a) => items.filter((i) => i.kept.event.agent === a)));
      return;
    }
    const tries = this.held.get(agent)?.tries ?? 0;
    this.held.set(agent, { until: performance.now() + 1000 * backOffAfter(tries), tries: tries + 1 });
  }

  /** reject removes events that are not valid, by their place in the batch. The rest is sent at once. */
  private async reject(items: Item[], named: ReadonlyMap<number, string>): Promise<void> {
    await this.discard(items.filter((_, i) => named.has(i)));
    for (const [i, detail] of named) {
      const item = items[i];
      if (item) this.config.hook("rejected", { event: item.kept.event, detail });
    }
  }

  /** discard removes events from the buffer, which are accepted or not valid. */
  private async discard(items: Item[]): Promise<void> {
    const done = new Set(items.map((i) => i.kept));
    for (const { entry, all } of new Map(items.map((i) => [i.entry, i])).values()) {
      all.splice(0, Infinity, ...all.filter((k) => !done.has(k)));
      if (all.length === 0) {
        await this.remove(entry);
        continue;
      }
      await this.write(entry, all);
      this.count -= entry.count - all.length;
      entry.count = all.length;
    }
    this.removed.notify();
  }

  private async readClock(): Promise<void> {
    try {
      await this.config.transport.send({ operation: "report", method: "GET", path: "/auth/me", timeout: this.config.timeout });
    } catch (error) {
      if (!(error instanceof OrgdError) || error.status === 0) throw error;
    }
  }

  /** sent returns an event as it is sent, by the service's clock if this one is wrong. */
  private sent({ event, stamped }: Kept): Kept["event"] {
    const offset = this.config.transport.offset ?? 0;
    const at = new Date(Date.parse(event.timestamp) + offset * 1000);
    if (!stamped || Math.abs(offset) <= goodClock || Number.isNaN(at.getTime())) return event;
    return { ...event, timestamp: at.toISOString() };
  }

  /** keyOf returns the same key for the same batch, so that it has its effect once. */
  private keyOf(items: Item[]): string {
    const signature = [this.config.transport.offset, ...items.map((i) => i.kept.event.id)].join();
    if (this.last.signature !== signature) this.last = { signature, key: randomHex(16) };
    return this.last.key;
  }

  private call(body: string, key: string): Call {
    return {
      operation: "report",
      method: "POST",
      path: "/activities",
      headers: { "Idempotency-Key": key },
      body,
      timeout: batchTimeout * this.config.timeout,
      signal: this.config.end,
    };
  }

  /** scan renews the lease, and takes over the files of processes that are dead. */
  private async scan(): Promise<void> {
    const { directory } = this.config;
    if (!directory || this.isClosed) return;
    try {
      if (this.isLeased) await this.lease();
      const alive = new Map([["", false]]);
      for (const name of await directory.list()) {
        const owner = /([0-9a-f]{16})\.(?:json|alive)(?:\.tmp)?$/.exec(name)?.[1] ?? "";
        if (!alive.has(owner)) alive.set(owner, owner === this.owner || (await directory.isLeased(`${owner}.alive`)));
        if (alive.get(owner)) continue;
        if (!name.endsWith(".json")) await directory.remove(name);
        else if (!this.entries.some((e) => e.name === name)) await this.adopt(name);
      }
    } catch (error) {
      this.config.hook("file", { file: directory.name, error });
    }
  }

  /** lease has others leave the files of this process. Without it they may send them, too, which changes nothing. */
  private async lease(): Promise<void> {
    this.owner ||= randomHex(8);
    this.isLeased = true;
    await this.config.directory?.lease(`${this.owner}.alive`, 3 * this.config.maxAge).catch(() => undefined);
  }

  private async release(): Promise<void> {
    if (this.owner === "") return;
    this.isLeased = false;
    await this.config.directory?.remove(`${this.owner}.alive`).catch(() => undefined);
  }

  private async adopt(name: string): Promise<void> {
    const entry: Entry = { name, count: 0, memory: undefined, heldUntil: 0 };
    entry.count = (await this.read(entry)).length;
    if (entry.count === 0) return;
    this.count += entry.count;
    this.entries.push(entry);
    this.added.notify();
  }

  /** read returns the events of an entry. One whose file is gone or has none is removed. */
  private async read(entry: Entry): Promise<Kept[]> {
    if (entry.memory) return entry.memory;
    const { directory } = this.config;
    try {
      const { events } = JSON.parse((await directory?.read(entry.name)) ?? "") as { events: Kept[] };
      if (events.length === 0 || !events.every((k) => k.event.id && k.event.agent)) throw new SyntaxError("there are no events");
      return events;
    } catch (error) {
      if (error instanceof Error && "code" in error && !isMissing(error)) {
        entry.heldUntil = performance.now() + this.config.maxAge * 1000; // it may be opened later
        this.config.hook("file", { file: directory?.path(entry.name) ?? "", error });
        return [];
      }
      if (!isMissing(error)) this.config.hook("dropped", { count: entry.count, reason: `${entry.name}: ${String(error)}` });
      await this.remove(entry);
      this.removed.notify();
      return [];
    }
  }

  /** write writes the file of an entry; the events stay in memory if that cannot be done. */
  private async write(entry: Entry, events: Kept[]): Promise<void> {
    const { directory } = this.config;
    try {
      await directory?.replace(entry.name, JSON.stringify({ events }), `.${entry.name}.tmp`);
      entry.memory = directory ? undefined : events;
    } catch (error) {
      entry.memory = events;
      this.config.hook("file", { file: directory?.path(entry.name) ?? "", error });
    }
  }

  private async remove(entry: Entry): Promise<void> {
    const { directory } = this.config;
    try {
      await directory?.remove(entry.name);
    } catch (error) {
      this.config.hook("file", { file: directory?.path(entry.name) ?? "", error });
    }
    if (!this.entries.includes(entry)) return;
    this.entries = this.entries.filter((e) => e !== entry);
    this.count -= entry.count;
    if (this.count === 0) await this.release();
  }

  private newName(): string {
    const counter = String(this.counter++ % 1e6).padStart(6, "0");
    return `${String(Date.now()).padStart(13, "0")}-${counter}-${this.owner}.json`;
  }
}

/** backOffAfter returns a wait in seconds that grows with the failures before. */
function backOffAfter(failures: number): number {
  return Math.min(2 ** failures, longestWait) * jitter(0.8, 1.2);
}

/** prepare checks an event and completes it. */
function prepare(event: ReportedEvent): Kept {
  const wrong = (what: string): never => {
    throw new TypeError(`orgd: no event: ${what}`);
  };
  const given = Object(event) as Partial<Record<keyof ReportedEvent, unknown>>;
  if (typeof given.agent !== "string" || given.agent === "") return wrong("agent must be a text");
  if (typeof given.event_type !== "string" || given.event_type === "") return wrong("event_type must be a text");
  if (typeof given.data !== "object" || given.data === null || Array.isArray(given.data)) return wrong("data must be an object");
  const text = JSON.stringify({ id: randomUUID(), timestamp: new Date(), ...withoutEmpty(event) }, (_, value: unknown) => {
    const isValue = typeof value !== "function" && typeof value !== "symbol";
    return isValue && (typeof value !== "number" || Number.isFinite(value)) ? value : wrong(`${String(value)} is not JSON`);
  });
  return { event: JSON.parse(text) as Kept["event"], stamped: !event.timestamp };
}

function withoutEmpty(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined && v !== null));
}

/** parts returns events as the files have them. */
function parts(events: readonly Kept[]): Kept[][] {
  const all: Kept[][] = [];
  let size = Infinity;
  for (const kept of events) {
    const length = new TextEncoder().encode(JSON.stringify(kept)).length + 1;
    let part = all.at(-1);
    if (!part || part.length === maxBatch || size + length > maxSize - 20) {
      part = [];
      all.push(part);
      size = 0;
    }
    part.push(kept);
    size += length;
  }
  return all;
}

/** namedIn returns the places of the events that are not valid, with what is wrong. */
function namedIn(error: OrgdError, count: number): Map<number, string> {
  const named = new Map<number, string>();
  const add = (place: string | undefined, text: string): void => {
    const i = Number(place);
    if (i < count) named.set(i, named.has(i) ? `${named.get(i) ?? ""}; ${text}` : text);
  };
  for (const { path, text } of error.mistakes) add(/^events\[(\d+)\]/.exec(path)?.[1], `${path}: ${text}`);
  const unsaid = /; also not valid: ((?:events\[\d+\](?:, )?)+)$/.exec(error.detail)?.[1];
  for (const [, place] of unsaid?.matchAll(/\[(\d+)\]/g) ?? []) {
    if (!named.has(Number(place))) add(place, error.detail);
  }
  return named;
}

export function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (b) => b.toString(16).padStart(2, "0")).join("");
}

/** randomUUID is there in pages without TLS, too. */
function randomUUID(): string {
  const hex = randomHex(16);
  const variant = ((parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
