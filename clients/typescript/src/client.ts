import { ConnectionFailed, OrgdError } from "./errors.js";
import { Directory, environment, isEdge, isNode, isPage, readTextNow } from "./files.js";
import { hookOf, type OnEvent, warnOf } from "./hook.js";
import { randomHex, type ReportedEvent, Reporter } from "./report.js";
import { AgentResolver, ListResolver, type Resolution, type ResolutionAll, type Source } from "./resolve.js";
import { Task, type TaskOptions, type Work } from "./task.js";
import { type Call, type Envelope, type Token, Transport } from "./transport.js";
import { jitter, Signal, within } from "./wait.js";
import { Changes, Watch } from "./watch.js";

/** How a client is made. Times are in seconds. */
export interface ClientConfig {
  /** Where orgd is, such as https://orgd.example.com, with or without /api/v1; else ORGD_SERVER. */
  server?: string;
  /** A token, or what returns it for each request; else ORGD_TOKEN. */
  token?: Token;
  /** A file with the token, which is read for each request; else ORGD_TOKEN_FILE. Not in browsers. */
  tokenFile?: string;
  /** Where last known answers and events are kept; by default in memory only. Not in browsers. */
  directory?: string;
  /** How old an answer may be before it is asked for again; 30. */
  maxAge?: number;
  /** How old the last answer may be before the state is stale; never. */
  maxStale?: number | undefined;
  /** How long a request may take; 5. */
  timeout?: number;
  /** How many events the buffer has at most; 10 000. */
  maxEvents?: number;
  /** Called for metrics and alarms. */
  onEvent?: OnEvent;
  /** In place of that of the platform. With it there may be no token. */
  fetch?: typeof globalThis.fetch;
}

/** What a request may have. */
export interface RequestOptions {
  params?: Record<string, string | number | boolean | undefined>;
  /** Sent as JSON; a text is sent as it is. */
  body?: unknown;
  headers?: Call["headers"];
  /** Seconds for each attempt; 30. */
  timeout?: number;
  signal?: AbortSignal;
}

const maxAttempts = 3;
/** Seconds that close waits for answers, and for events to be accepted. */
const lastFlush = 5;

/** A client of orgd for a program that runs agents. */
export class Client {
  private readonly source: Source;
  private readonly reporter: Reporter;
  private readonly agents = new Map<string, AgentResolver>();
  private readonly lists = new Map<string, ListResolver>();
  private readonly changes: Changes;
  private readonly watches = new Set<Watch>();
  private readonly end = isEdge ? undefined : new AbortController(); // there is none outside of a request
  private readonly leave: () => void;
  private isUsed = false;

  constructor(config: ClientConfig = {}) {
    const server = (config.server ?? environment("ORGD_SERVER") ?? "").replace(/\/+(api\/v1\/*)?$/, "");
    if (!/^https?:\/\/[^/?#]+/.test(server)) throw new TypeError(`orgd: server, or ORGD_SERVER, must be a URL, not ${JSON.stringify(server)}`);
    const own = config.token === undefined && config.tokenFile === undefined;
    const token = own ? environment("ORGD_TOKEN") : config.token;
    const tokenFile = own ? environment("ORGD_TOKEN_FILE") : config.tokenFile;
    checkToken(token, tokenFile, config.fetch !== undefined);
    const { maxAge = 30, maxStale, timeout = 5 } = config;
    for (const [name, seconds] of Object.entries({ maxAge, maxStale: maxStale ?? Infinity, timeout })) {
      if (!(seconds > 0)) throw new TypeError(`orgd: ${name} is in seconds, and more than 0, not ${seconds}`);
    }
    const warn = warnOf(config.onEvent);
    const hook = hookOf(config.onEvent, warn);
    const fetch = config.fetch ?? (async (...request) => await globalThis.fetch(...request));
    const transport = new Transport(server, token, tokenFile, fetch, hook);
    const shared = { transport, hook, warn, maxAge, timeout, end: this.end?.signal };
    const files = (below: string): Directory | undefined =>
      isNode && config.directory !== undefined ? new Directory(config.directory + below) : undefined;
    this.source = { ...shared, maxStale, directory: files("") };
    this.changes = new Changes(this.source);
    this.reporter = new Reporter({ ...shared, directory: files("/reports"), maxEvents: config.maxEvents ?? 10_000 });
    this.leave = isNode ? () => void this.close() : this.sendLastCall.bind(this);
  }

  /** use has what runs in the background begin: nothing runs for a client that is only made. */
  private use(): void {
    if (this.isUsed) return;
    this.isUsed = true;
    if (isNode) process.once("beforeExit", this.leave);
    if (isPage) globalThis.addEventListener("pagehide", this.leave);
    if (this.source.directory) void this.reporter.start();
  }

  /**
   * resolve returns what is known of an agent's label, and has it asked for in the background if it is old. It waits only
   * if nothing is known. The fallback is for an agent that is not known while the service is down or refuses to say.
   */
  async resolve(agent: string, label = "production", { fallback }: { fallback?: string | undefined } = {}): Promise<Resolution> {
    return await this.resolver(agent, label).resolve(fallback);
  }

  /** resolveAll does it for all agents that have the label. */
  async resolveAll(label = "production"): Promise<ResolutionAll> {
    this.use();
    return await entry(this.lists, label, () => new ListResolver(this.source, label)).resolve();
  }

  /** watch yields what is known of each agent, and then whenever state or answer of one has changed. */
  async *watch(agents: string | readonly string[], label = "production"): AsyncGenerator<Resolution, void, void> {
    const names = typeof agents === "string" ? [agents] : agents;
    const resolvers = names.map((agent) => this.resolver(agent, label));
    const watch = new Watch(this.source.maxAge, this.changes, resolvers);
    this.watches.add(watch);
    try {
      for (let r = await watch.next(); r; r = await watch.next()) yield r;
    } finally {
      watch.close();
      this.watches.delete(watch);
    }
  }

  /** report takes events into the buffer, from which they are sent until they are accepted. It returns how many were taken. */
  async report(events: ReportedEvent | readonly ReportedEvent[]): Promise<number> {
    this.use();
    return await this.reporter.report(events);
  }

  /** task has work done as a task of an agent, reports when it starts and how it ends, and returns what the work returns. */
  async task<T>(agent: string, id: string, work: Work<T>, { label, fallback }: TaskOptions = {}): Promise<T> {
    mustBeTexts({ id });
    return await Task.run(agent, id, await this.resolve(agent, label, { fallback }), work, this.report.bind(this));
  }

  /** flush waits until all events are accepted, and returns how many are not after so many seconds. At the edge only flush sends them. */
  async flush(timeout = lastFlush): Promise<number> {
    this.use();
    const end = performance.now() + timeout * 1000;
    const pending = await this.reporter.flush(timeout);
    while (this.resolvers().some((r) => r.isAsking()) && performance.now() < end) await new Signal().wait(0.05, true);
    return pending;
  }

  /** request sends any other request and returns its data, or a text that the header Accept asks for. path is below /api/v1. */
  async request<T = unknown>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    return (await this.envelope(method, path, options))?.data as T;
  }

  /** pages yields the items of a list, page by page. */
  async *pages<T = Record<string, unknown>>(path: string, params: RequestOptions["params"] = {}): AsyncGenerator<T, void, void> {
    let cursor: string | undefined;
    do {
      const page = await this.envelope("GET", path, { params: cursor === undefined ? params : { ...params, cursor } });
      yield* page?.data as T[];
      cursor = page?.pagination?.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** close ends all that runs, and gives requests and what is in the buffer five seconds before. */
  async close(): Promise<void> {
    if (isNode) process.off("beforeExit", this.leave);
    if (isPage) globalThis.removeEventListener("pagehide", this.leave);
    for (const watch of this.watches) watch.close();
    // A short program gets a new prompt in this way only: the next one has it in the file.
    const running = Promise.all(this.resolvers().map(async (r) => await r.running));
    await Promise.all([this.reporter.flush(lastFlush), within(lastFlush, running)]);
    this.end?.abort(new Error("the client is closed"));
    await Promise.all([running, this.reporter.close()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private resolvers(): (AgentResolver | ListResolver)[] {
    return [...this.agents.values(), ...this.lists.values()];
  }

  private resolver(agent: string, label: string): AgentResolver {
    mustBeTexts({ agent, label });
    this.use();
    return entry(this.agents, `${agent}\n${label}`, () => new AgentResolver(this.source, agent, label));
  }

  /** sendLastCall sends what is in memory, as a page can while it is left. */
  private sendLastCall(): void {
    const call = this.reporter.lastCall();
    if (!call) return;
    const [url, init] = this.source.transport.request(call, this.source.transport.lastToken);
    globalThis.fetch(url, { ...init, keepalive: true }).catch(() => undefined);
  }

  private async envelope(method: string, path: string, options: RequestOptions): Promise<Envelope | undefined> {
    this.use();
    const call = callOf(method, path, options);
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.source.transport.send(call)).envelope;
      } catch (error) {
        if (attempt === maxAttempts || call.signal?.aborted || !(error instanceof OrgdError) || !mayRepeat(error)) throw error;
        const over = new Signal();
        call.signal?.addEventListener("abort", over.notify.bind(over), { once: true });
        await over.wait(error.retryAfter || 2 ** (attempt - 1) * jitter(1, 1.5), true);
      }
    }
  }
}

/** checkToken throws if there is no token, as far as can be said now: a function is not called. */
function checkToken(token: Token | undefined, tokenFile: string | undefined, hasFetch: boolean): void {
  if (typeof token === "string" && token.trim() === "") throw new TypeError("orgd: the token is empty");
  if (token !== undefined || (tokenFile === undefined && hasFetch)) return;
  if (tokenFile === undefined) throw new TypeError("orgd: there is no token: give token or tokenFile, or set ORGD_TOKEN or ORGD_TOKEN_FILE");
  let text: string | undefined;
  try {
    text = readTextNow(tokenFile);
  } catch (error) {
    throw new TypeError(`orgd: the file with the token cannot be read: ${String(error)}`, { cause: error });
  }
  if (text?.trim() === "") throw new TypeError(`orgd: the file with the token is empty: ${tokenFile}`);
}

function mustBeTexts(given: Record<string, unknown>): void {
  for (const [name, text] of Object.entries(given)) {
    if (typeof text !== "string" || text === "") throw new TypeError(`orgd: ${name} must be a text, not ${JSON.stringify(text)}`);
  }
}

/** entry returns the value of a key, which is made if there is none. */
function entry<T>(all: Map<string, T>, key: string, make: () => T): T {
  const value = all.get(key) ?? make();
  all.set(key, value);
  return value;
}

function callOf(method: string, path: string, { params = {}, body, headers, timeout = 30, signal }: RequestOptions): Call {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  const sent = new Headers(headers);
  if (method === "POST" && !sent.has("Idempotency-Key")) sent.set("Idempotency-Key", randomHex(16));
  if (method === "PATCH" && !sent.has("Content-Type")) sent.set("Content-Type", "application/merge-patch+json");
  const call: Call = { operation: "request", method, path: query ? `${path}?${query}` : path, headers: sent, timeout, signal };
  if (body !== undefined) call.body = typeof body === "string" ? body : JSON.stringify(body);
  return call;
}

/** mayRepeat says whether the same request may succeed later. Every POST has a key, so none has its effect twice. */
function mayRepeat(e: OrgdError): boolean {
  return e.retryable || (e instanceof ConnectionFailed && e.status === 0) || (e.code === 0 && [502, 503, 504].includes(e.status));
}
