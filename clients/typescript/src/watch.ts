import { OrgdError } from "./errors.js";
import { type AgentResolver, fold, type Resolution, type Source } from "./resolve.js";
import type { ChangeEvent } from "./types.js";
import { jitter, pause, Signal } from "./wait.js";

/** After so many seconds without a sign of life a stream is dead. The service sends one every 15. */
const longestSilence = 45;
/** Seconds before a stream that has ended is opened again, if the service does not say. */
const reconnect = 2;
/** The longest wait in seconds before a stream is opened again. */
const longestReconnect = 60;

/** What the hook gets once. */
const noMoreStreams = "the service allows no more streams: changes arrive with the next question";

/** The stream of changes. It is open while there are watches, which share it. */
export class Changes {
  private readonly watches = new Set<Watch>();
  private end: AbortController | undefined;
  private isOpen = false;
  private hasWarned = false;
  private notBefore = 0;
  private reconnect = reconnect;

  constructor(private readonly source: Source) {}

  /** add has a watch hear of changes. */
  add(watch: Watch): void {
    this.watches.add(watch);
    if (this.isOpen) watch.touch(); // its agents may have changed before
    if (this.watches.size > 1) return;
    this.end = new AbortController();
    void this.follow(this.end.signal);
  }

  /** remove ends the stream after the last watch. */
  remove(watch: Watch): void {
    if (this.watches.delete(watch) && this.watches.size === 0) this.end?.abort();
  }

  /** follow keeps a stream open. Its failures matter to nobody: without it agents are asked all the same. */
  private async follow(end: AbortSignal): Promise<void> {
    let failures = 0;
    while (!end.aborted) {
      let asked = 0;
      await pause((this.notBefore - performance.now()) / 1000, end, true);
      try {
        await this.connect(end, () => (failures = 0));
      } catch (error) {
        if (error instanceof OrgdError) asked = error.retryAfter;
        if (error instanceof OrgdError && error.status === 429) {
          asked = Math.max(asked, longestReconnect);
          if (!this.hasWarned) this.source.hook("warning", { detail: noMoreStreams });
          this.hasWarned = true;
        }
      }
      const wait = Math.min(this.reconnect * 2 ** failures++, longestReconnect) * jitter(0.8, 1.2);
      this.notBefore = performance.now() + 1000 * Math.max(wait, asked * jitter(1, 1.2));
    }
  }

  /** connect opens a stream and reads it to its end. */
  private async connect(end: AbortSignal, opened: () => void): Promise<void> {
    if (end.aborted) return;
    const body = await this.source.transport.stream({
      operation: "watch",
      method: "GET",
      path: "/changes/stream?action=agent",
      headers: { Accept: "text/event-stream, application/json;q=0.1" },
      timeout: this.source.timeout,
      signal: end,
    });
    opened();
    this.isOpen = true;
    this.touch();
    const reader = body.getReader();
    const cancel = (): void => {
      reader.cancel().catch(() => undefined);
    };
    end.addEventListener("abort", cancel);
    try {
      for await (const block of blocks(reader, cancel)) this.take(block);
    } finally {
      this.isOpen = false;
      end.removeEventListener("abort", cancel);
      cancel();
    }
  }

  private take(block: Block): void {
    if (block.retry) this.reconnect = Math.min(block.retry, longestReconnect);
    if (block.event === "resync") {
      this.touch();
    } else if (!block.event && block.data) {
      const { resource } = JSON.parse(block.data) as ChangeEvent;
      this.touch([resource.id, fold(resource.name)]);
    }
  }

  private touch(names?: readonly string[]): void {
    for (const watch of this.watches) watch.touch(names);
  }
}

/** An agent that is watched. */
interface Watched {
  resolver: AgentResolver;
  /** When a change said that it should be asked at once, 0 if it was asked since then. */
  touched: number;
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

  constructor(
    private readonly maxAge: number,
    private readonly changes: Changes,
    resolvers: readonly AgentResolver[],
  ) {
    this.watched = resolvers.map((resolver) => ({
      resolver,
      touched: 0,
      signal: new Signal(),
      known: new Set([fold(resolver.agent)]),
      latest: undefined,
      yielded: undefined,
    }));
    for (const w of this.watched) void this.poll(w);
    changes.add(this);
  }

  /** next returns the next change, undefined at the end. */
  async next(): Promise<Resolution | undefined> {
    for (;;) {
      if (this.end.signal.aborted) return undefined;
      const w = this.watched.find((w) => !w.yielded) ?? this.watched.find(isNews);
      if (w?.latest) return (w.yielded = w.latest);
      await this.news.wait(1e6, true);
    }
  }

  /** close ends it. */
  close(): void {
    this.end.abort();
    this.changes.remove(this);
    this.news.notify();
    for (const w of this.watched) w.signal.notify();
  }

  /** touch has those agents asked at once that have one of these names, or all. */
  touch(names?: readonly string[]): void {
    for (const w of this.watched) {
      if (names && !names.some((n) => w.known.has(n))) continue;
      w.touched = performance.now();
      w.signal.notify();
    }
  }

  private async poll(w: Watched): Promise<void> {
    while (!this.end.signal.aborted) {
      const since = w.touched;
      w.touched = 0;
      if (since) await pause(this.maxAge * jitter(0, 1 / 30), this.end.signal, true);
      w.latest = await w.resolver.get(since);
      if (w.latest.agent) w.known.add(w.latest.agent.agent_id).add(fold(w.latest.agent.name));
      this.news.notify();
      if (!this.isOver(w)) await w.signal.wait(Math.max(w.resolver.due(), 0.01), true);
    }
  }

  // A function, because a request may change it.
  private isOver(w: Watched): boolean {
    return this.end.signal.aborted || w.touched > 0;
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
