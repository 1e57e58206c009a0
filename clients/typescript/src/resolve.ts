import { ConnectionFailed, isTokenRefused, OrgdError } from "./errors.js";
import { type Directory, isEdge, isMissing, sha256 } from "./files.js";
import type { Hook, Warn } from "./hook.js";
import type { Answer, Transport } from "./transport.js";
import type { ResolvedAgent } from "./types.js";
import { jitter, within } from "./wait.js";

/** What came of a request about an agent and its label. docs/runtime.md says what to do. */
export type Outcome = "active" | "inactive" | "no_label" | "no_agent" | "refused" | "down";

/**
 * An outcome, or one of three more. kept: it is from the file, and the service was not asked yet. stale: the last
 * answer is older than maxStale. fallback: there are only the instructions that the caller has given.
 */
export type State = Outcome | "kept" | "stale" | "fallback";

/** What is known of an agent's label. If it is usable, it has instructions: those of an agent, or of the caller. */
export type Resolution = Known &
  (
    | { readonly usable: true; readonly agent: ResolvedAgent; readonly version: number; readonly instructions: string }
    | { readonly usable: true; readonly state: "fallback"; readonly agent: undefined; readonly version: undefined; readonly instructions: string }
    | { readonly usable: false }
  );

class Known {
  constructor(
    /** The agent's id or name, as it was asked for. */
    readonly asked: string,
    readonly state: State,
    /** The last known answer, in every state but no_agent and fallback. */
    readonly agent: ResolvedAgent | undefined,
    /** Why the agent is not from the service now. */
    readonly error: OrgdError | undefined,
    /** Why the file does not have the agent. It is tried again in the next round. */
    readonly fileError: unknown,
    private readonly fallback?: string,
  ) {}

  /** The version that the label names, for agent_version in the data of events. */
  get version(): number | undefined {
    return this.agent?.version;
  }

  get instructions(): string | undefined {
    return this.agent?.snapshot.instructions ?? this.fallback;
  }

  /** There are instructions, and the agent should work. */
  get usable(): boolean {
    return this.state === "fallback" || this.agent?.status === "active";
  }

  /** attributes are those of OpenTelemetry for spans of the agent. */
  attributes(): Record<string, string> {
    if (!this.agent) return {};
    return {
      "gen_ai.agent.id": this.agent.agent_id,
      "gen_ai.prompt.name": this.agent.name,
      "gen_ai.prompt.version": String(this.agent.version),
    };
  }
}

/** What is known of all agents that have a label. */
export interface ResolutionAll {
  readonly state: "current" | "refused" | "down" | "kept" | "stale";
  /** The last known list. */
  readonly agents: readonly ResolvedAgent[];
  readonly error: OrgdError | undefined;
  readonly fileError: unknown;
}

/** What resolvers share. */
export interface Source {
  transport: Transport;
  directory: Directory | undefined;
  hook: Hook;
  warn: Warn;
  maxAge: number;
  maxStale: number | undefined;
  timeout: number;
  /** Ends requests when the client is closed. Not at the edge, where none of it may be used by two requests. */
  end: AbortSignal | undefined;
}

/** The error of what is from the file. */
const notAsked = new OrgdError("the service was not asked yet");

/** A request that takes too long has so many seconds to say so itself. */
const grace = 0.05;

/** pause returns how many seconds pass between a request and the next one, by what came of it. */
export function pause(maxAge: number, down: boolean, first: boolean, retryAfter: number, random?: () => number): number {
  let seconds = maxAge * jitter(0.8, 1.2, random);
  if (down) seconds *= 4 / 3;
  if (first) seconds *= jitter(0, 1, random);
  return Math.max(seconds, retryAfter * jitter(1, 1.2, random));
}

/** Asks for one thing, one request at a time and not before a pause is over. */
abstract class Resolver<R extends { state: string; error: OrgdError | undefined }, K extends object> {
  running: Promise<R> | undefined;
  protected kept: K | undefined;
  protected abstract readonly file: KeptFile<K>;
  private loaded: Promise<void> | undefined;
  private last: R | undefined;
  private answeredAt: number | undefined; // by the service, in milliseconds since 1970; undefined if nothing is known
  private asked = -1; // when the last request began
  private askingUntil = 0;
  private notBefore = 0;
  private retryAt = 0;

  constructor(protected readonly source: Source) {}

  /** now returns what is known at once, and has it asked for if the pause is over. It waits only if nothing is known. */
  protected async now(): Promise<R> {
    const { timeout } = this.source;
    await (this.loaded ??= this.load());
    const asked = this.get();
    if (this.last && this.answeredAt !== undefined) return this.last;
    return (await within(timeout + grace, asked)) ?? this.result("down", new ConnectionFailed(`no answer in ${timeout} seconds`));
  }

  /** isStale says whether what is known is too old. */
  protected isStale(): boolean {
    const { maxStale } = this.source;
    return maxStale !== undefined && this.answeredAt !== undefined && Date.now() - this.answeredAt > maxStale * 1000;
  }

  /** get waits for an answer if the pause is over or there is none since then, but not before a Retry-After. Else it returns the last one. */
  async get(since = 0): Promise<R> {
    if (since > 0) await this.running;
    if (this.running) return await this.running;
    const now = performance.now();
    if (this.last && now < (since > 0 && since >= this.asked ? this.retryAt : this.notBefore)) return this.last;
    if (isEdge) {
      // Each request asks itself, as no other one may wait for it. They do not if something is known.
      this.notBefore = this.askingUntil = now + this.source.timeout * 1000;
      const answer = await this.round();
      this.askingUntil = 0;
      return answer;
    }
    this.running = this.round();
    try {
      return await this.running;
    } finally {
      this.running = undefined;
    }
  }

  /** isAsking says whether there is a request that may still be answered, at the edge. */
  isAsking(): boolean {
    return performance.now() < this.askingUntil;
  }

  /** due returns in how many seconds get asks again. */
  due(): number {
    return (this.notBefore - performance.now()) / 1000;
  }

  private async round(): Promise<R> {
    await (this.loaded ??= this.load());
    const first = this.asked < 0;
    this.asked = performance.now();
    const now = await this.ask();
    const retryAfter = now.error?.retryAfter ?? 0;
    const over = performance.now();
    this.notBefore = over + 1000 * pause(this.source.maxAge, now.state === "down", first, retryAfter);
    this.retryAt = over + 1000 * retryAfter;
    if (now.state !== "refused" && now.state !== "down") this.answeredAt = Date.now();
    this.last = now;
    return now;
  }

  private async load(): Promise<void> {
    const found = await this.file.read();
    if (!found) return;
    this.kept = found.kept;
    this.answeredAt = found.at;
    this.last = this.result("kept", notAsked);
  }

  /** ask sends a request. It does not throw. */
  protected abstract ask(): Promise<R>;

  /** result returns what is kept with a state. */
  protected abstract result(state: "kept" | "down", error: OrgdError | undefined, fileError?: unknown): R;

  protected async send(operation: string, path: string, etag: string | undefined): Promise<Answer> {
    const headers: Record<string, string> = etag ? { "If-None-Match": etag } : {};
    const { transport, timeout, end } = this.source;
    return await transport.send({ operation, method: "GET", path, headers, timeout, signal: end });
  }
}

/** An answer as it is kept in a file. */
interface Kept {
  etag: string;
  answer: ResolvedAgent;
}

/** Resolves one label of one agent. */
export class AgentResolver extends Resolver<Resolution, Kept> {
  protected readonly file: KeptFile<Kept>;
  private outcome: Outcome | undefined;

  constructor(
    source: Source,
    readonly agent: string,
    readonly label: string,
  ) {
    super(source);
    this.file = new KeptFile(source, "resolved", { server: source.transport.server, agent, label }, (k) =>
      isResolved(k.answer, agent, label) ? { ...k, etag: "" } : undefined,
    );
  }

  /** resolve returns what is known, and the fallback if that is nothing and the service cannot be asked. */
  async resolve(fallback: string | undefined): Promise<Resolution> {
    const now = await this.now();
    const isOut = now.state === "down" || now.state === "refused";
    let state: State | undefined;
    if (now.agent && now.state !== "refused" && this.isStale()) state = "stale";
    if (!now.agent && isOut && fallback !== undefined) state = "fallback";
    return state ? (new Known(now.asked, state, now.agent, now.error, now.fileError, fallback) as Resolution) : now;
  }

  protected result(state: State, error: OrgdError | undefined, fileError?: unknown): Resolution {
    return new Known(this.agent, state, this.kept?.answer, error, fileError) as Resolution;
  }

  protected async ask(): Promise<Resolution> {
    const before = this.outcome;
    let state: Outcome;
    let error: OrgdError | undefined;
    try {
      this.kept = await this.fetch();
      state = this.kept.answer.status === "active" ? "active" : "inactive";
    } catch (thrown) {
      error = asOrgdError(thrown);
      state = stateOf(error);
      if (state === "no_agent") this.kept = undefined; // it must not work again after a restart
    }
    const fileError = state === "no_agent" ? await this.file.remove() : await this.file.save(this.kept, !error);
    if (state !== before && !this.source.end?.aborted) {
      this.outcome = state;
      if (state !== "active") this.source.warn(`${this.agent}, ${this.label}: ${state}: ${String(error ?? this.kept?.answer.status)}`);
      this.source.hook("state", { agent: this.agent, label: this.label, state, before });
    }
    return this.result(state, error, fileError);
  }

  private async fetch(): Promise<Kept> {
    const path = `/agents/${encodeURIComponent(this.agent)}/labels/${encodeURIComponent(this.label)}`;
    const { status, etag, envelope } = await this.send("resolve", path, this.kept?.etag);
    if (status === 304 && this.kept) return this.kept;
    const answer = envelope?.data;
    if (!isResolved(answer, this.agent, this.label)) {
      throw new ConnectionFailed(`GET ${path}: the answer is not about this agent and label`, { status });
    }
    return { etag, answer };
  }
}

/** stateOf returns what an error means for a label. */
export function stateOf(e: OrgdError): Outcome {
  if (e.code === 3000) return "no_agent";
  if (e.code === 3001) return "no_label";
  return isRefusal(e) ? "refused" : "down";
}

/** isRefusal says whether it stays so until somebody does something. */
function isRefusal(e: OrgdError): boolean {
  if (isTokenRefused(e)) return true;
  return e.code !== 0 && e.status >= 400 && e.status < 500 && e.status !== 429;
}

function asOrgdError(thrown: unknown): OrgdError {
  return thrown instanceof OrgdError ? thrown : new ConnectionFailed(String(thrown), {}, { cause: thrown });
}

/** isResolved says whether an answer is about an agent, by its id or name, and a label. */
function isResolved(value: unknown, agent: string, label: string): value is ResolvedAgent {
  if (!isAgent(value) || value.label !== label) return false;
  return value.agent_id === agent.trim().toLowerCase() || fold(value.name) === fold(agent);
}

function isAgent(value: unknown): value is ResolvedAgent {
  const a = value as Partial<ResolvedAgent> | null | undefined;
  const isNamed = typeof a?.agent_id === "string" && typeof a.name === "string" && typeof a.status === "string";
  return isNamed && typeof a.version === "number" && typeof a.snapshot?.instructions === "string";
}

/** fold returns what names have in common that the service takes for the same. */
export function fold(name: string): string {
  return name.trim().replace(/[\u200c\u200d]/g, "").toUpperCase().toLowerCase().normalize("NFC");
}

/** A page of a list as it is kept in a file; "" is the first cursor and the end. */
interface Page {
  cursor: string;
  etag: string;
  next: string;
  agents: ResolvedAgent[];
}

/** Resolves a label of all agents that have it. */
export class ListResolver extends Resolver<ResolutionAll, { pages: Page[] }> {
  protected readonly file: KeptFile<{ pages: Page[] }>;

  constructor(
    source: Source,
    readonly label: string,
  ) {
    super(source);
    this.file = new KeptFile(source, "labeled", { server: source.transport.server, label }, (k) =>
      k.pages.every((p) => p.agents.every(isAgent)) ? { pages: k.pages.map((p) => ({ ...p, etag: "" })) } : undefined,
    );
  }

  /** resolve returns what is known. */
  async resolve(): Promise<ResolutionAll> {
    const r = await this.now();
    return r.state !== "refused" && this.isStale() ? { ...r, state: "stale" } : r;
  }

  protected result(state: ResolutionAll["state"], error: OrgdError | undefined, fileError?: unknown): ResolutionAll {
    return { state, agents: this.kept?.pages.flatMap((p) => p.agents) ?? [], error, fileError };
  }

  protected async ask(): Promise<ResolutionAll> {
    let state: ResolutionAll["state"] = "current";
    let error: OrgdError | undefined;
    try {
      this.kept = await this.fetchAnew();
    } catch (thrown) {
      error = asOrgdError(thrown);
      state = isRefusal(error) ? "refused" : "down";
      if (!this.source.end?.aborted) this.source.warn(`all agents, ${this.label}: ${state}: ${String(error)}`);
    }
    return this.result(state, error, await this.file.save(this.kept, !error));
  }

  /** fetchAnew returns all pages, read without what is kept if the key of its cursors is gone. */
  private async fetchAnew(): Promise<{ pages: Page[] }> {
    try {
      return await this.fetch(this.kept);
    } catch (thrown) {
      if (!this.kept || asOrgdError(thrown).code !== 2001) throw thrown;
      return await this.fetch(undefined);
    }
  }

  /** fetch returns all pages, the same object if none has changed. */
  private async fetch(before: { pages: Page[] } | undefined): Promise<{ pages: Page[] }> {
    const pages: Page[] = [];
    let cursor = "";
    do {
      const page = await this.page(
        cursor,
        before?.pages.find((p) => (p.cursor || "") === cursor), // Python writes null
      );
      pages.push(page);
      cursor = page.next || "";
    } while (cursor !== "");
    const same = before?.pages.length === pages.length && pages.every((p, i) => p === before.pages[i]);
    return same ? before : { pages };
  }

  private async page(cursor: string, known: Page | undefined): Promise<Page> {
    const query = new URLSearchParams(cursor === "" ? { limit: "200" } : { limit: "200", cursor });
    const path = `/labels/${encodeURIComponent(this.label)}/agents?${query}`;
    const { status, etag, envelope } = await this.send("resolve_all", path, known?.etag);
    if (status === 304 && known) return known;
    const agents = envelope?.data;
    if (!Array.isArray(agents) || !agents.every((a): a is ResolvedAgent => isAgent(a) && a.label === this.label)) {
      throw new ConnectionFailed(`GET ${path}: the answer is not about this label`, { status });
    }
    return { cursor, etag, next: envelope?.pagination?.next_cursor ?? "", agents };
  }
}

/** The file in which an answer is kept, with what was asked. */
class KeptFile<T extends object> {
  private saved: T | undefined;

  constructor(
    private readonly source: Source,
    private readonly kind: string,
    private readonly asked: Record<string, string>,
    /** Returns what a file has without its tags, as anybody may have written it; undefined if it is about something else. */
    private readonly untagged: (kept: T) => T | undefined,
  ) {}

  private async name(): Promise<string> {
    return `${this.kind}-${(await sha256(Object.values(this.asked).join("\n"))).slice(0, 32)}.json`;
  }

  /** read returns what is kept and when the service has said it, undefined if there is nothing that can be used. */
  async read(): Promise<{ kept: T; at: number } | undefined> {
    const { directory } = this.source;
    if (!directory) return undefined;
    const file = await this.name();
    try {
      const at = await directory.modified(file); // first, as another process may write a newer answer
      const found = JSON.parse(await directory.read(file)) as T & Record<string, unknown>;
      const isAsked = Object.entries(this.asked).every(([key, value]) => found[key] === value);
      const kept = isAsked ? this.untagged(found) : undefined;
      if (!kept) throw new Error("the file is about something else");
      this.saved = kept;
      return { kept, at };
    } catch (error) {
      if (!isMissing(error)) this.source.hook("file", { file: directory.path(file), error });
      return undefined;
    }
  }

  /** save keeps an answer. If the file has it and the service has confirmed it, only its time is new. It returns why it did not. */
  async save(kept: T | undefined, isConfirmed: boolean): Promise<unknown> {
    if (kept === undefined) return undefined;
    if (kept === this.saved) {
      // A failure only has the file look older.
      if (isConfirmed) await this.source.directory?.touch(await this.name()).catch(() => undefined);
      return undefined;
    }
    return await this.change(async (directory, file) => {
      const own = `.${file}.${Math.random().toString(36).slice(2)}.tmp`;
      await directory.replace(file, JSON.stringify({ ...this.asked, ...kept }), own);
      this.saved = kept;
    });
  }

  /** remove deletes the file. It returns why it did not. */
  async remove(): Promise<unknown> {
    this.saved = undefined;
    return await this.change(async (directory, file) => {
      await directory.remove(file);
    });
  }

  private async change(work: (directory: Directory, file: string) => Promise<void>): Promise<unknown> {
    const { directory } = this.source;
    if (!directory) return undefined;
    const file = await this.name();
    try {
      await work(directory, file);
      return undefined;
    } catch (error) {
      this.source.hook("file", { file: directory.path(file), error });
      return error;
    }
  }
}
