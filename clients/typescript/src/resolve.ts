import { ConnectionFailed, isTokenRefused, OrgdError } from "./errors.js";
import { type Directory, isMissing, sha256 } from "./files.js";
import type { Hook, Warn } from "./hook.js";
import type { Answer, Transport } from "./transport.js";
import type { ResolvedAgent } from "./types.js";
import { jitter } from "./wait.js";

/** What the service has said of an agent and its label. docs/runtime.md says what to do. */
export type State = "active" | "inactive" | "no_label" | "no_agent" | "refused" | "down";

/** What is known of an agent's label. If it is usable, it has an agent. */
export type Resolution = Known &
  (
    | { readonly usable: true; readonly agent: ResolvedAgent; readonly version: number; readonly instructions: string }
    | { readonly usable: false }
  );

class Known {
  constructor(
    /** The agent's id or name, as it was asked for. */
    readonly asked: string,
    readonly state: State,
    /** The last known answer, in every state but no_agent. */
    readonly agent: ResolvedAgent | undefined,
    /** Why the agent is not from the service now. */
    readonly error: OrgdError | undefined,
    /** Why the file does not have the agent. It is tried again in the next round. */
    readonly fileError: unknown,
  ) {}

  /** The version that the label names, for agent_version in the data of events. */
  get version(): number | undefined {
    return this.agent?.version;
  }

  get instructions(): string | undefined {
    return this.agent?.snapshot.instructions;
  }

  /** There is an agent, and it should work. */
  get usable(): boolean {
    return this.agent?.status === "active";
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
  readonly state: "current" | "refused" | "down";
  /** The last known list. */
  readonly agents: readonly ResolvedAgent[];
  readonly error: OrgdError | undefined;
  readonly fileError: unknown;
}

/** What resolvers share. */
export interface Source {
  transport: Transport;
  directory: Promise<Directory | undefined>;
  hook: Hook;
  warn: Warn;
  every: number;
  timeout: number;
}

/** pause returns how many seconds pass between a request and the next one, by what came of it. */
export function pause(every: number, down: boolean, first: boolean, retryAfter: number, random?: () => number): number {
  let seconds = every * jitter(0.8, 1.2, random);
  if (down) seconds *= 4 / 3;
  if (first) seconds *= jitter(0, 1, random);
  return Math.max(seconds, retryAfter * jitter(1, 1.2, random));
}

/** Asks for one thing, one request at a time and not before a pause is over. */
abstract class Resolver<R extends { state: string; error: OrgdError | undefined }> {
  last: R | undefined;
  private running: Promise<R> | undefined;
  private notBefore = 0;
  private retryAt = 0;

  constructor(protected readonly source: Source) {}

  /** get returns what is known, and asks if the pause is over or, with force, at any time but before a Retry-After. */
  async get(force = false): Promise<R> {
    if (force) await this.running;
    if (this.running) return await this.running;
    if (this.last && performance.now() < (force ? this.retryAt : this.notBefore)) return this.last;
    this.running = this.round();
    try {
      return await this.running;
    } finally {
      this.running = undefined;
    }
  }

  /** due returns in how many seconds get asks again. */
  due(): number {
    return (this.notBefore - performance.now()) / 1000;
  }

  private async round(): Promise<R> {
    const first = this.last === undefined;
    const now = await this.ask();
    const retryAfter = now.error?.retryAfter ?? 0;
    const over = performance.now();
    this.notBefore = over + 1000 * pause(this.source.every, now.state === "down", first, retryAfter);
    this.retryAt = over + 1000 * retryAfter;
    this.last = now;
    return now;
  }

  /** ask sends a request. It does not throw. */
  protected abstract ask(): Promise<R>;

  protected async send(operation: string, path: string, etag: string | undefined): Promise<Answer> {
    const headers: Record<string, string> = etag ? { "If-None-Match": etag } : {};
    return await this.source.transport.send({ operation, method: "GET", path, headers, timeout: this.source.timeout });
  }
}

/** An answer as it is kept in a file. */
interface Kept {
  etag: string;
  answer: ResolvedAgent;
}

/** Resolves one label of one agent. */
export class AgentResolver extends Resolver<Resolution> {
  private kept: Kept | undefined;
  private readonly file: KeptFile<Kept>;

  constructor(
    source: Source,
    readonly agent: string,
    readonly label: string,
  ) {
    super(source);
    this.file = new KeptFile(source, "resolved", { server: source.transport.server, agent, label }, (k) =>
      isResolved(k.answer, agent, label),
    );
  }

  protected async ask(): Promise<Resolution> {
    if (!this.last) {
      const kept = await this.file.read();
      this.kept = kept && { ...kept, etag: "" }; // the first answer is compared with the file, whoever has written that
    }
    const before = this.last?.state;
    let state: State;
    let error: OrgdError | undefined;
    try {
      this.kept = await this.fetch();
      state = this.kept.answer.status === "active" ? "active" : "inactive";
    } catch (thrown) {
      error = asOrgdError(thrown);
      state = stateOf(error);
      if (state === "no_agent") this.kept = undefined; // it must not work again after a restart
    }
    const fileError = state === "no_agent" ? await this.file.remove() : await this.file.save(this.kept);
    if (state !== before && state !== "active") this.source.warn(`${this.agent}, ${this.label}: ${state}: ${String(error ?? this.kept?.answer.status)}`);
    if (state !== before) this.source.hook("state", { agent: this.agent, label: this.label, state, before });
    return new Known(this.agent, state, this.kept?.answer, error, fileError) as Resolution;
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
export function stateOf(e: OrgdError): State {
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
export class ListResolver extends Resolver<ResolutionAll> {
  private kept: { pages: Page[] } | undefined;
  private readonly file: KeptFile<{ pages: Page[] }>;

  constructor(
    source: Source,
    readonly label: string,
  ) {
    super(source);
    this.file = new KeptFile(source, "labeled", { server: source.transport.server, label }, (k) =>
      k.pages.every((p) => p.agents.every(isAgent)),
    );
  }

  protected async ask(): Promise<ResolutionAll> {
    if (!this.last) {
      const kept = await this.file.read();
      this.kept = kept && { ...kept, pages: kept.pages.map((p) => ({ ...p, etag: "" })) }; // as of one agent
    }
    let state: ResolutionAll["state"] = "current";
    let error: OrgdError | undefined;
    try {
      this.kept = await this.fetchAnew();
    } catch (thrown) {
      error = asOrgdError(thrown);
      state = isRefusal(error) ? "refused" : "down";
      this.source.warn(`all agents, ${this.label}: ${state}: ${String(error)}`);
    }
    const fileError = await this.file.save(this.kept);
    return { state, agents: this.kept?.pages.flatMap((p) => p.agents) ?? [], error, fileError };
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
    private readonly isValid: (kept: T) => boolean,
  ) {}

  private async name(): Promise<string> {
    return `${this.kind}-${(await sha256(Object.values(this.asked).join("\n"))).slice(0, 32)}.json`;
  }

  /** read returns what is kept, undefined if there is nothing that can be used. */
  async read(): Promise<T | undefined> {
    const directory = await this.source.directory;
    if (!directory) return undefined;
    const file = await this.name();
    try {
      const kept = JSON.parse(await directory.read(file)) as T & Record<string, unknown>;
      if (Object.entries(this.asked).some(([key, value]) => kept[key] !== value) || !this.isValid(kept)) {
        throw new Error("the file is about something else");
      }
      this.saved = kept;
    } catch (error) {
      if (!isMissing(error)) this.source.hook("file", { file: directory.path(file), error });
    }
    return this.saved;
  }

  /** save keeps an answer unless the file has it. It returns why it did not. */
  async save(kept: T | undefined): Promise<unknown> {
    if (kept === undefined || kept === this.saved) return undefined;
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
    const directory = await this.source.directory;
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
