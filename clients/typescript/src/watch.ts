import { OrgdError } from "./errors.js";
import { type AgentResolver, fold, type Resolution, type Source } from "./resolve.js";
import type { ChangeEvent } from "./types.js";
import { jitter, Signal } from "./wait.js";

/** After so many seconds without a sign of life a stream is dead. The service sends one every 15. */
const longestSilence = 45;
/** Seconds before a stream that has ended is opened again, if the service does not say. */
const reconnect = 2;
/** The longest wait in seconds before a stream is opened again. */
const longestReconnect = 60;

/** An agent that is watched. */
interface Watched {
  resolver: AgentResolver;
  /** A change says that it should be asked at once. */
  touched: boolean;
  signal: Signal;
  /** What it is and was called, and its ids. */
  known: Set<string>;
  latest: Resolution | undefined;
  yielded: Resolution | undefined;
}

function isNews({ latest, yielded }: Watched): boolean {
  return latest?.state !== yielded?.state || latest?.agent !== yielded?.agent;
}

/** Follows agents, by asking as resolve does and at once after a change. */
export class Watch {
  private readonly watched: Watched[];
  private readonly news = new Signal();
  private readonly end = new AbortController();
  private lastId = "";
  private filter: string | undefined;
  private drop = (): void => undefined; // ends the stream
  private reconnect = reconnect;

  constructor(
    private readonly source: Source,
    resolvers: readonly AgentResolver[],
  ) {
    this.watched = resolvers.map((resolver) => ({
      resolver,
      touched: false,
      signal: new Signal(),
      known: new Set([fold(resolver.agent)]),
      latest: undefined,
      yielded: undefined,
    }));
    for (const w of this.watched) void this.poll(w);
    void this.follow();
  }

  /** next returns the next change, undefined at the end. */
  async next(): Promise<Resolution | undefined> {
    for (;;) {
      if (this.ended) return undefined;
      const w = this.watched.find((w) => !w.yielded) ?? this.watched.find(isNews);
      if (w?.latest) return (w.yielded = w.latest);
      await this.news.wait(1e6, true);
    }
  }

  /** close ends it. */
  close(): void {
    this.end.abort();
    this.news.notify();
    for (const w of this.watched) w.signal.notify();
  }

  private get ended(): boolean {
    return this.end.signal.aborted;
  }

  private async poll(w: Watched): Promise<void> {
    while (!this.ended) {
      const force = w.touched;
      w.touched = false;
      if (force) await this.pause(this.source.maxAge * jitter(0, 1 / 30));
      w.latest = await w.resolver.get(force);
      if (w.latest.agent) w.known.add(w.latest.agent.agent_id).add(fold(w.latest.agent.name));
      this.news.notify();
      if (this.filter !== this.only()) this.drop();
      if (!this.end.signal.aborted && !this.isTouched(w)) await w.signal.wait(Math.max(w.resolver.due(), 0.01), true);
    }
  }

  // A function, because a request may change it.
  private isTouched(w: Watched): boolean {
    return w.touched;
  }

  private touch(isMeant: (w: Watched) => boolean): void {
    for (const w of this.watched.filter(isMeant)) {
      w.touched = true;
      w.signal.notify();
    }
  }

  /** follow keeps a stream open. Its failures matter to nobody: without it agents are asked all the same. */
  private async follow(): Promise<void> {
    let failures = 0;
    while (!this.ended) {
      let retryAfter = 0;
      try {
        await this.connect(() => (failures = 0));
      } catch (error) {
        if (error instanceof OrgdError) {
          retryAfter = error.retryAfter;
          if (error.code >= 2000 && error.code < 3000) this.lastId = ""; // it is not of this stream
        }
      }
      const wait = Math.min(this.reconnect * 2 ** failures, longestReconnect) * jitter(0.8, 1.2);
      failures++;
      await this.pause(Math.max(wait, retryAfter * jitter(1, 1.2)));
    }
  }

  /** pause waits, unless it ends. */
  private async pause(seconds: number): Promise<void> {
    if (this.ended) return;
    const over = new Signal();
    const wake = (): void => {
      over.notify();
    };
    this.end.signal.addEventListener("abort", wake);
    await over.wait(seconds, true);
    this.end.signal.removeEventListener("abort", wake);
  }

  /** only returns the agent to which the stream is limited. An agent that is made anew has another id, so there is no limit then. */
  private only(): string | undefined {
    const [w, another] = this.watched;
    return another || w?.latest?.state === "no_agent" ? undefined : w?.resolver.agent;
  }

  /** connect opens a stream and reads it to its end. */
  private async connect(opened: () => void): Promise<void> {
    const query = new URLSearchParams({ action: "agent" });
    const filter = this.only();
    if (filter !== undefined) query.set("agent_id", filter);
    if (filter !== this.filter) this.lastId = ""; // it is of another stream
    this.filter = filter;
    const body = await this.source.transport.stream({
      operation: "watch",
      method: "GET",
      path: `/changes/stream?${query}`,
      headers: { Accept: "text/event-stream, application/json;q=0.1", ...(this.lastId && { "Last-Event-ID": this.lastId }) },
      timeout: this.source.timeout,
      signal: this.end.signal,
    });
    opened();
    this.touch(() => true);
    const reader = body.getReader();
    const cancel = (): void => {
      reader.cancel().catch(() => undefined);
    };
    this.end.signal.addEventListener("abort", cancel);
    this.drop = cancel;
    try {
      for await (const block of blocks(reader, cancel)) this.take(block);
    } finally {
      this.end.signal.removeEventListener("abort", cancel);
      cancel();
    }
  }

  private take(block: Block): void {
    if (block.id) this.lastId = block.id;
    if (block.retry) this.reconnect = Math.min(block.retry, longestReconnect);
    if (block.event === "resync") {
      this.touch(() => true);
    } else if (!block.event && block.data) {
      const { resource } = JSON.parse(block.data) as ChangeEvent;
      const names = [resource.id, fold(resource.name)];
      for (const w of this.watched) {
        if (names.some((n) => w.known.has(n))) this.touch((other) => other === w);
      }
    }
  }
}

/** One event of Server-Sent Events. What it does not have is empty; retry is in seconds. */
export interface Block {
  id: string;
  event: string;
  data: string;
  retry: number;
}

/** blocks reads a stream. A block without an empty line behind it is not complete and does not count. */
export async function* blocks(reader: ReadableStreamDefaultReader<Uint8Array>, cancel: () => void): AsyncGenerator<Block> {
  const decoder = new TextDecoder();
  let rest = "";
  let block: Block = { id: "", event: "", data: "", retry: 0 };
  for (;;) {
    const silence = setTimeout(cancel, longestSilence * 1000);
    const { done, value } = await reader.read().finally(() => {
      clearTimeout(silence);
    });
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") {
        read(block, line);
        continue;
      }
      yield block;
      block = { id: "", event: "", data: "", retry: 0 };
    }
  }
}

function read(block: Block, line: string): void {
  const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
  if (name === "id") block.id = value;
  if (name === "event") block.event = value;
  if (name === "data") block.data += block.data ? `\n${value}` : value;
  if (name === "retry") block.retry = Number(value) / 1000 || 0;
}
