import type { Mistake } from "./types.js";

/** What an error of the service says. */
export interface ErrorFields {
  /** The HTTP status, 0 if there is no answer. */
  status: number;
  /** The code of the API, 0 if something else than orgd has answered. */
  code: number;
  category: string;
  detail: string;
  /** The id of the request; the service's log has it. */
  instance: string;
  /** The same request may succeed later. */
  retryable: boolean;
  /** How many seconds the service asks to wait, 0 if it does not say. */
  retryAfter: number;
  /** What is wrong with the parts of a document or a report, one by one. */
  mistakes: readonly Mistake[];
}

/** An answer that is no success. Its subclasses are for codes at which programs branch. */
export class OrgdError extends Error implements ErrorFields {
  readonly status: number;
  readonly code: number;
  readonly category: string;
  readonly detail: string;
  readonly instance: string;
  readonly retryable: boolean;
  readonly retryAfter: number;
  readonly mistakes: readonly Mistake[];

  constructor(message: string, fields: Partial<ErrorFields> = {}, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.status = fields.status ?? 0;
    this.code = fields.code ?? 0;
    this.category = fields.category ?? "";
    this.detail = fields.detail ?? message;
    this.instance = fields.instance ?? "";
    this.retryable = fields.retryable ?? false;
    this.retryAfter = fields.retryAfter ?? 0;
    this.mistakes = fields.mistakes ?? [];
  }
}

/** There is no answer, or one that cannot be used. The cause says why. */
export class ConnectionFailed extends OrgdError {}
/** 1000 and 1002: the token is missing, expired, revoked or not valid. The status is 0 if this program has none. */
export class Unauthenticated extends OrgdError {}
/** 1001: the token's role does not suffice. */
export class Forbidden extends OrgdError {}
/** 3000, 3001 and 3002: what is addressed does not exist. */
export class NotFound extends OrgdError {}
/** 4000, 4001 and 4002: not possible in the current state. */
export class Conflict extends OrgdError {}
/** 4002: what was to be changed has changed meanwhile. */
export class VersionConflict extends Conflict {}
/** 5000, 5001 and 5002: too many requests. */
export class RateLimited extends OrgdError {}
/** 8001: something that the service needs is down, or it is stopping. */
export class Unavailable extends OrgdError {}

/** isTokenRefused says whether the token is missing, not valid, or may not do it. */
export function isTokenRefused(e: OrgdError): boolean {
  return e.status === 401 || e.status === 403 || e instanceof Unauthenticated; // also by a gateway
}

const classes = new Map<number, typeof OrgdError>([
  [1000, Unauthenticated],
  [1001, Forbidden],
  [1002, Unauthenticated],
  [3000, NotFound],
  [3001, NotFound],
  [3002, NotFound],
  [4000, Conflict],
  [4001, Conflict],
  [4002, VersionConflict],
  [5000, RateLimited],
  [5001, RateLimited],
  [5002, RateLimited],
  [8001, Unavailable],
]);

/** The longest wait in seconds that the service can ask for. */
const longestWait = 300;

/** errorOf reads an answer that is no success. what names the request. */
export function errorOf(what: string, status: number, headers: Headers, text: string): OrgdError {
  const header = seconds(headers.get("Retry-After"));
  const said = problemIn(text);
  if (said === undefined) {
    const detail = `this is not how orgd answers: ${JSON.stringify(text.slice(0, 120))}`;
    return new OrgdError(`${what}: ${status}: ${detail}`, { status, detail, retryAfter: header });
  }
  const named = classes.get(said.error_code) ?? OrgdError;
  return new named(`${what}: ${status}/${said.error_code}: ${said.detail}`, {
    status,
    code: said.error_code,
    category: said.error_category,
    detail: said.detail,
    instance: said.instance,
    retryable: said.retryable,
    retryAfter: seconds(said.retry_after) || header,
    mistakes: Array.isArray(said.errors) ? said.errors : [],
  });
}

/** An error as it goes over the wire. */
interface Problem extends Pick<ErrorFields, "detail" | "instance" | "retryable"> {
  error_code: number;
  error_category: string;
  retry_after: number | null;
  errors?: Mistake[];
}

function problemIn(text: string): Problem | undefined {
  try {
    const said = (JSON.parse(text) as { error_detail?: Problem } | null)?.error_detail;
    return typeof said?.error_code === "number" && said.error_code > 0 ? said : undefined;
  } catch {
    return undefined;
  }
}

function seconds(value: string | number | null): number {
  const n = Number(value ?? 0);
  return n > 0 ? Math.min(n, longestWait) : 0;
}
