// What the types accept and refuse. It is compiled, and does nothing.
import type { ActivityEntry, Client, ReportedEvent } from "../dist/index.js";

const entry: ActivityEntry = { agent: "Ada", event_type: "task_started", data: { task_id: "t1" } };

export const events: readonly ReportedEvent[] = [
  entry,
  { agent: "Ada", event_type: "task_started", data: { task_id: "t1" } },
  { agent: "Ada", event_type: "task_completed", data: { task_id: "t1", success: true, agent_version: 3, mood: "good" }, timestamp: new Date() },
  { agent: "Ada", event_type: "cost_incurred", data: { amount: 0.1 }, id: "11111111-1111-4111-8111-111111111111" },
  { agent: "Ada", event_type: "tool_used", data: { tool: "search", success: true }, description: "a search", related_ids: { run: "7" } },
  { agent: "Ada", event_type: "delegation_sent", data: { task_id: "t1", counterpart: "Bob" } },
  { agent: "Ada", event_type: "delegation_received", data: { task_id: "t1" }, timestamp: "2026-01-01T00:00:00Z" },
  // @ts-expect-error a key is missing
  { agent: "Ada", event_type: "task_started", data: {} },
  // @ts-expect-error a key is misspelled
  { agent: "Ada", event_type: "tool_used", data: { tool: "search", succes: true } },
  // @ts-expect-error a value is wrong
  { agent: "Ada", event_type: "cost_incurred", data: { amount: "0.1" } },
  // @ts-expect-error agent_version is a number
  { agent: "Ada", event_type: "task_started", data: { task_id: "t1", agent_version: "3" } },
  // @ts-expect-error the type is not known
  { agent: "Ada", event_type: "task_begun", data: { task_id: "t1" } },
  // @ts-expect-error there is no agent
  { event_type: "task_started", data: { task_id: "t1" } },
  // @ts-expect-error events have no such member
  { agent: "Ada", event_type: "task_started", data: { task_id: "t1" }, at: new Date() },
];

export async function use(client: Client): Promise<string> {
  await client.report({ agent: "Ada", event_type: "tool_used", data: { tool: "search", success: true, seconds: 2 } });
  await client.report(events);
  // @ts-expect-error success is missing
  await client.report({ agent: "Ada", event_type: "tool_used", data: { tool: "search" } });
  const prompt = await client.resolve("Ada");
  // @ts-expect-error it may be not usable
  const unsure: string = prompt.instructions;
  return prompt.usable ? prompt.instructions : unsure;
}
