import { ConnectionFailed, errorOf, OrgdError, Unauthenticated } from "./errors.js";
import { isNode, isPage, readText } from "./files.js";
import type { Hook } from "./hook.js";

/** A token, or what returns it for each request. */
export type Token = string | (() => string | Promise<string>);

/** A request to be sent once. */
export interface Call {
  /** What the hook calls it. */
  operation: string;
  method: string;
  /** Below /api/v1, with the query. */
  path: string;
  headers?: ConstructorParameters<typeof Headers>[0]; // it has no name in the types of Node.js
  body?: string;
  /** Seconds for all of it. */
  timeout: number;
  signal?: AbortSignal | undefined;
}

/** What a success has: an envelope of the API, undefined for 204 and 304. */
export interface Answer {
  status: number;
  etag: string;
  envelope: Envelope | undefined;
}

export interface Envelope {
  data: unknown;
  pagination?: { next_cursor: string | null };
}

/** A difference of clocks below so many seconds is no change of it: the service's are whole seconds. */
const sameOffset = 2;

/** Sends requests with the token, and measures how far the service's clock is ahead. */
export class Transport {
  /** Seconds that the service's clock is ahead, undefined before the first answer. */
  offset: number | undefined;
  /** The token of the last request. */
  lastToken: string;

  constructor(
    readonly server: string,
    private readonly token: Token | undefined,
    private readonly tokenFile: string | undefined,
    private readonly fetch: typeof globalThis.fetch,
    private readonly hook: Hook,
  ) {
    this.lastToken = typeof token === "string" ? token : "";
  }

  /** send sends a request once and reads the answer. Whatever is no success or 304 is thrown as an OrgdError. */
  async send(call: Call): Promise<Answer> {
    return await this.observe(call, async (response) => {
      const text = await response.text();
      const what = `${call.method} ${call.path}`;
      if (!response.ok && response.status !== 304) throw errorOf(what, response.status, response.headers, text);
      const empty = response.status === 204 || response.status === 304;
      return {
        status: response.status,
        etag: response.headers.get("ETag") ?? "",
        envelope: empty ? undefined : isText(call, response) ? { data: text } : envelopeOf(what, text),
      };
    });
  }

  /** stream opens a stream of events. The timeout is for its head; the signal ends it. */
  async stream(call: Call): Promise<ReadableStream<Uint8Array>> {
    return await this.observe(call, async (response) => {
      const what = `${call.method} ${call.path}`;
      if (!response.ok) throw errorOf(what, response.status, response.headers, await response.text());
      if (!response.body || !response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
        await response.body?.cancel();
        throw new ConnectionFailed(`${what}: the answer is no stream`, { status: response.status });
      }
      return response.body;
    });
  }

  /** request returns what fetch is called with. */
  request(call: Call, token: string): [string, RequestInit] {
    const headers = new Headers(call.headers);
    if (!headers.has("Accept")) headers.set("Accept", "application/json");
    if (token !== "") headers.set("Authorization", `Bearer ${token}`);
    if (isNode) headers.set("User-Agent", "orgd-typescript"); // browsers have their own
    if (call.body !== undefined && !headers.has("Content-Type")) headers.set("Content-Type", "application/json");
    const init: RequestInit = { method: call.method, headers, redirect: "manual" };
    if (isPage) init.cache = "no-store"; // Workers may not know the field
    if (call.body !== undefined) init.body = call.body;
    return [`${this.server}/api/v1${call.path}`, init];
  }

  /** observe sends a request, has its answer read in time, and gives the hook what came of it. */
  private async observe<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> {
    const began = performance.now();
    let status = 0;
    try {
      return await bounded(call, async (signal) => {
        this.lastToken = await this.currentToken();
        const [url, init] = this.request(call, this.lastToken);
        const response = await this.fetch(url, { ...init, signal });
        status = response.status;
        this.measure(response.headers.get("Date"));
        return await read(response);
      });
    } catch (error) {
      if (error instanceof OrgdError) throw error;
      const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error; // fetch says nothing itself
      throw new ConnectionFailed(`${call.method} ${this.server}/api/v1${call.path}: ${String(reason)}`, {}, { cause: error });
    } finally {
      this.hook("request", { operation: call.operation, status, seconds: (performance.now() - began) / 1000 });
    }
  }

  private async currentToken(): Promise<string> {
    try {
      if (typeof this.token === "function") return await this.token();
      if (this.token !== undefined || this.tokenFile === undefined) return this.token ?? "";
      const token = (await readText(this.tokenFile)).trim();
      if (token === "") throw new Error(`the file ${this.tokenFile} is empty`);
      return token;
    } catch (error) {
      throw new Unauthenticated(`there is no token: ${String(error)}`, {}, { cause: error });
    }
  }

  private measure(date: string | null): void {
    const offset = (Date.parse(date ?? "") - Date.now()) / 1000;
    if (Number.isNaN(offset)) {
      this.offset ??= 0;
    } else if (this.offset === undefined || Math.abs(offset - this.offset) > sameOffset) {
      this.offset = offset;
    }
  }
}

/** bounded gives work the time and the signal of a call. */
async function bounded<T>(call: Call, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const stop = (): void => {
    end.abort(call.signal?.reason);
  };
  const timer = setTimeout(() => {
    end.abort(new Error(`no answer in ${call.timeout} seconds`));
  }, call.timeout * 1000);
  const ended = new Promise<never>((_, reject) => {
    end.signal.addEventListener("abort", () => {
      reject(end.signal.reason as Error);
    });
  });
  if (call.signal?.aborted) stop();
  call.signal?.addEventListener("abort", stop);
  try {
    return await Promise.race([work(end.signal), ended]);
  } finally {
    clearTimeout(timer);
    call.signal?.removeEventListener("abort", stop);
  }
}

/** isText says whether an answer is another text than JSON, which was asked for. */
function isText(call: Call, response: Response): boolean {
  return new Headers(call.headers).has("Accept") && !response.headers.get("Content-Type")?.includes("json");
}

function envelopeOf(what: string, text: string): Envelope {
  try {
    const envelope: unknown = JSON.parse(text);
    if (typeof envelope === "object" && envelope !== null && "data" in envelope) return envelope;
  } catch {
    // the same as another document
  }
  throw new ConnectionFailed(`${what}: this is not how orgd answers: ${JSON.stringify(text.slice(0, 120))}`);
}
