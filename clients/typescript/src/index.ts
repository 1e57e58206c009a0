/** What a runtime of agents needs of orgd: prompts by label, and reports of what agents do. */
export { Client, type ClientConfig, type RequestOptions } from "./client.js";
export {
  Conflict,
  ConnectionFailed,
  type ErrorFields,
  Forbidden,
  NotFound,
  OrgdError,
  RateLimited,
  Unauthenticated,
  Unavailable,
  VersionConflict,
} from "./errors.js";
export type { Events, OnEvent } from "./hook.js";
export type { ReportedEvent } from "./report.js";
export type { Outcome, Resolution, ResolutionAll, State } from "./resolve.js";
export type { Task, TaskOptions, Work } from "./task.js";
export type { Token } from "./transport.js";
export type * from "./types.js";
