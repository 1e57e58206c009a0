// Does with the TypeScript client what it reads on standard input, one JSON object a line.
import { createInterface } from "node:readline";

const { Client, OrgdError } = await import(process.env.ORGD_TEST_TYPESCRIPT);

let client;
let seen = [];
const said = { counts: {}, states: [], reported: { accepted: 0, duplicates: 0 }, rejected: [], dropped: 0, warnings: [] };

function onEvent(name, fields) {
  said.counts[name] = (said.counts[name] ?? 0) + 1;
  if (name === "state") said.states.push(fields.state);
  if (name === "rejected") said.rejected.push(fields.event.id);
  if (name === "warning") said.warnings.push(fields.detail);
  if (name === "dropped") said.dropped += fields.count;
  if (name === "reported") {
    said.reported.accepted += fields.accepted;
    said.reported.duplicates += fields.duplicates;
  }
}

// collect notes what a watch of agents has.
async function collect({ agents, label }) {
  for await (const r of client.watch(agents, label)) {
    seen.push({ agent: r.asked, state: r.state, version: r.version ?? null });
  }
}

// timed returns what a call returns, and whether it took a second or longer.
async function timed(call) {
  const began = performance.now();
  return [await call, performance.now() - began >= 2000];
}

const does = {
  async open({ server, token_file: tokenFile, max_events: maxEvents, directory, max_age: maxAge, max_stale: maxStale, timeout }) {
    const given = Object.entries({ server, tokenFile, maxEvents, directory, maxAge, maxStale, timeout }).filter(([, v]) => v !== undefined);
    client = new Client({ ...Object.fromEntries(given), onEvent });
    return {};
  },
  async resolve({ agent, label, fallback }) {
    const [r, waited] = await timed(client.resolve(agent, label, { fallback }));
    return {
      state: r.state,
      version: r.version ?? null,
      instructions: r.instructions ?? null,
      agent_id: r.agent?.agent_id ?? null,
      usable: r.usable,
      attributes: r.attributes(),
      file_error: r.fileError !== undefined,
      waited,
    };
  },
  async resolve_all({ label }) {
    const [{ state, agents, fileError }, waited] = await timed(client.resolveAll(label));
    return { state, agents: agents.map(({ name, version }) => ({ name, version })), file_error: fileError !== undefined, waited };
  },
  async watch(asked) {
    collect(asked).catch((error) => console.error(error));
    return {};
  },
  async watched() {
    return { seen };
  },
  async task({ agent, id, label, fallback, cost, tokens, quality, fail, raise }) {
    const raised = new Error("raised in the task");
    let prompt;
    const work = (task) => {
      prompt = task.prompt;
      task.spend({ cost, tokens });
      task.quality = quality;
      if (fail) task.fail();
      if (raise) throw raised;
    };
    try {
      await client.task(agent, id, work, { label, fallback });
      if (raise) throw new Error("the task has hidden what was raised in it");
    } catch (error) {
      if (error !== raised) throw error;
    }
    return { state: prompt.state, version: prompt.version ?? null, instructions: prompt.instructions ?? null };
  },
  async report({ events }) {
    return { taken: await client.report(events) };
  },
  async flush({ timeout }) {
    return { pending: await client.flush(timeout) };
  },
  async events() {
    return said;
  },
  async request({ method, path, body }) {
    try {
      return { data: (await client.request(method, path, { body })) ?? null };
    } catch (error) {
      if (!(error instanceof OrgdError)) throw error;
      return { error: { status: error.status, code: error.code } };
    }
  },
  async close() {
    await client?.close();
    client = undefined;
    return {};
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  let answer;
  try {
    answer = await does[command.do](command);
  } catch (error) {
    answer = { failed: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await client?.close();
