// What the suite of all clients cannot have: pauses with a random source of our own, parts of a
// stream, how a program ends, answers at a certain moment, and mistakes of the program.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { Client, Unauthenticated } from "../dist/index.js";
import { pause } from "../dist/resolve.js";
import { blocks } from "../dist/watch.js";

/** seeded returns a source of the same numbers in every run. */
function seeded(seed) {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

const started = { agent: "Ada", event_type: "task_started", data: { task_id: "1" } };

/** ada returns an answer about an agent. */
function ada(version) {
  return { agent_id: "ada-1", name: "Ada", status: "active", label: "production", version, snapshot: { instructions: `version ${version}` } };
}

/** temporary returns a directory that is removed after a test. */
async function temporary(t) {
  const directory = await mkdtemp(join(tmpdir(), "orgd-"));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

/** slowly returns a fetch that takes so many seconds longer. */
function slowly(fetch, seconds) {
  return async (...args) => {
    await sleep(seconds * 1000);
    return await fetch(...args);
  };
}

/** until waits until something is so. */
async function until(isSo) {
  const end = performance.now() + 10_000;
  while (!(await isSo())) {
    assert.ok(performance.now() < end, `it is not so: ${isSo}`);
    await sleep(5);
  }
}

test("a thousand resolvers ask a service that is down 25 times a second", () => {
  const random = seeded(1);
  const seconds = new Array(600).fill(0);
  for (let i = 0; i < 1000; i++) {
    for (let at = pause(30, true, true, 0, random); at < seconds.length; at += pause(30, true, false, 0, random)) {
      seconds[Math.floor(at)]++;
    }
  }
  const later = seconds.slice(60);
  assert.ok(Math.max(...later) <= 60, `${Math.max(...later)} in one second`);
  const mean = later.reduce((a, b) => a + b) / later.length;
  assert.ok(mean > 22 && mean < 28, `${mean} a second`);
});

test("a pause is bounded", () => {
  const random = seeded(2);
  for (let i = 0; i < 1000; i++) {
    const up = pause(30, false, false, 0, random);
    assert.ok(up >= 24 && up <= 36, `${up}`);
    const down = pause(30, true, false, 0, random);
    assert.ok(down >= 32 && down <= 48, `${down}`);
    const asked = pause(30, true, true, 100, random);
    assert.ok(asked >= 100 && asked <= 120, `${asked}`);
  }
});

test("a stream comes in pieces", async () => {
  const text = 'retry: 2000\nid: é1\n\n: heartbeat\nid: 2\n\nevent: resync\ndata: {"a":\ndata: 1}\n\ndata: not complete\n';
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream({
    start(controller) {
      for (let i = 0; i < bytes.length; i += 3) controller.enqueue(bytes.slice(i, i + 3));
      controller.close();
    },
  });
  const all = [];
  for await (const block of blocks(body.getReader(), () => assert.fail("silent"))) all.push(block);
  assert.deepEqual(all, [
    { id: "é1", event: "", data: "", retry: 2 },
    { id: "2", event: "", data: "", retry: 0 },
    { id: "", event: "resync", data: '{"a":\n1}', retry: 0 },
  ]);
});

test("a program that ends reports what is left, and ends", async () => {
  const program = `
    import { Client } from ${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)};
    let sent = 0;
    const fetch = async (url, { body }) => {
      if (sent++ === 0) throw new Error("no network");
      console.log(url, JSON.parse(body).events.length);
      return Response.json({ data: { accepted: 2, duplicates: 0, warnings: [] } }, { status: 201 });
    };
    const timestamp = new Date();
    const event = { agent: "Ada", event_type: "task_started", data: { task_id: "1" }, timestamp };
    await new Client({ server: "http://orgd.test/", token: "t", fetch }).report([event, event]);
  `;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { timeout: 20_000 });
  assert.equal(stderr, "orgd: events are pending: ConnectionFailed: POST http://orgd.test/api/v1/activities: Error: no network\n");
  assert.equal(stdout, "http://orgd.test/api/v1/activities 2\n");
});

/** index is the package. */
const index = JSON.stringify(new URL("../dist/index.js", import.meta.url).href);

/** edge has a program run as in Workers of Cloudflare. */
const edge = 'Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Cloudflare-Workers" } });';

/** runs returns what a program says. */
async function runs(program) {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { timeout: 20_000 });
  return stdout;
}

test("a client that is only made does nothing", async (t) => {
  const directory = JSON.stringify(await temporary(t));
  for (const [before, forbidden] of [
    ["", '[globalThis, "setTimeout"], [globalThis, "fetch"], [crypto, "getRandomValues"], [Math, "random"]'],
    [edge, '[globalThis, "setTimeout"], [globalThis, "fetch"], [crypto, "getRandomValues"], [Math, "random"], [globalThis, "AbortController"]'],
  ]) {
    const said = await runs(`
      import { createHook } from "node:async_hooks";
      ${before}
      const { Client } = await import(${index});
      const forbidden = [];
      for (const [of, name] of [${forbidden}]) {
        const own = of[name];
        of[name] = function () { throw new Error(name + " is used"); };
        forbidden.push(() => (of[name] = own));
      }
      let begun = 0;
      const hook = createHook({ init: () => begun++ }).enable();
      const client = new Client({ server: "http://orgd.test", token: "t", directory: ${directory} });
      hook.disable();
      console.log(begun);
      for (const allow of forbidden) allow();
      globalThis.fetch = async (_, { cache }) => Response.json({ data: cache ?? "no field cache" });
      console.log(await client.request("GET", "/company"));
      await client.close();
    `);
    assert.equal(said, "0\nno field cache\n");
  }
});

test("at the edge a flush sends, also what a request before has left", async () => {
  const said = await runs(`
    ${edge}
    const { Client } = await import(${index});
    let hangs = false;
    let version = 0;
    const fetch = async (url, { method, body }) => {
      if (hangs) return new Promise(() => {});
      if (method === "GET") return Response.json({ data: { ...${JSON.stringify(ada(1))}, version: ++version } });
      return Response.json({ data: { accepted: JSON.parse(body).events.length, duplicates: 0, warnings: [] } }, { status: 201 });
    };
    const onEvent = (name, fields) => name === "reported" && console.log("accepted", fields.accepted);
    const client = new Client({ server: "http://orgd.test", token: "t", directory: "none", timeout: 0.5, maxAge: 0.01, fetch, onEvent });
    const event = { agent: "Ada", event_type: "task_started", data: { task_id: "1" }, timestamp: new Date() };
    const look = async () => { await new Promise((over) => setTimeout(over, 50)); const { state, version } = await client.resolve("Ada"); console.log(state, version); };
    const flush = async (seconds) => {
      const began = performance.now();
      const pending = await client.flush(seconds);
      console.log(pending, "pending", performance.now() - began < 1000 * seconds + 400);
    };
    await look();
    await client.report([event, event]);
    await flush(5);
    await look(); // what is known, and it is asked for
    await flush(5);
    await look();
    await flush(5);
    hangs = true;
    await look();
    await client.report(event);
    await flush(1);
    hangs = false; // the request has ended: nothing of it goes on
    await client.report(event);
    await flush(5);
    process.exit();
  `);
  const lines = ["active 1", "accepted 2", "0 pending true", "active 1", "0 pending true", "active 2", "0 pending true", "active 3"];
  assert.deepEqual(said.trim().split("\n"), [...lines, "1 pending true", "accepted 2", "0 pending true"]);
});

test("watches share a stream, which ends with the last one", async () => {
  let streams = 0;
  let version = 1;
  let say;
  const ended = [];
  const fetch = async (url, { signal }) => {
    if (!url.includes("/stream")) return Response.json({ data: ada(version) });
    streams++;
    assert.ok(url.endsWith("/changes/stream?action=agent"), url);
    signal.addEventListener("abort", () => ended.push(streams));
    const body = new ReadableStream({
      start(controller) {
        say = (text) => controller.enqueue(new TextEncoder().encode(text));
      },
      cancel: () => ended.push(streams),
    });
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  };
  const client = new Client({ server: "http://orgd.test", token: "t", maxAge: 3, fetch });
  const watches = [client.watch("Ada"), client.watch(["Ada"])];
  for (const watch of watches) assert.equal((await watch.next()).value.version, 1);
  await until(() => say);
  await sleep(200); // all are asked
  version = 2;
  say('id: 1\ndata: {"resource":{"type":"agent","id":"ada-1","name":"Ada"}}\n\n');
  const began = performance.now();
  for (const watch of watches) {
    while ((await watch.next()).value.version !== 2); // the same in another answer is news, too
  }
  assert.ok(performance.now() - began < 1500, "it was not asked at once");
  await watches[0].return();
  await sleep(20);
  assert.deepEqual([streams, ended], [1, []]);
  await watches[1].return();
  await until(() => ended.length > 0);
  const again = client.watch("Ada");
  await again.next();
  await until(() => streams === 2);
  await client.close();
});

test("only the files of the dead are taken over", async (t) => {
  const directory = await temporary(t);
  const reports = join(directory, "reports");
  await mkdir(reports, { mode: 0o700 });
  const { pid: dead } = await new Promise((resolve) => {
    const child = execFile(process.execPath, ["-e", "0"], () => resolve(child));
  });
  const owners = {
    alive: ["a".repeat(16), `${hostname()} ${process.pid}\n`, 60],
    elsewhere: ["b".repeat(16), `${hostname()}2 ${dead}\n`, 60],
    ended: ["c".repeat(16), `${hostname()} ${dead}\n`, 60],
    late: ["d".repeat(16), `${hostname()}2 ${process.pid}\n`, -1],
    unleased: ["e".repeat(16)],
  };
  const put = async (name, task_id) => {
    const event = { ...started, id: crypto.randomUUID(), timestamp: new Date().toISOString(), data: { task_id } };
    await writeFile(join(reports, name), JSON.stringify({ events: [{ event, stamped: true }] }));
  };
  for (const [name, [owner, text, seconds]] of Object.entries(owners)) {
    await put(`1700000000000-000000-${owner}.json`, name);
    await writeFile(join(reports, `.1700000000000-000001-${owner}.json.tmp`), "");
    if (!text) continue;
    const file = join(reports, `${owner}.alive`);
    await writeFile(file, text);
    const until = Date.now() / 1000 + seconds;
    await utimes(file, until, until);
  }
  await put("older.json", "older");

  let isUp = false;
  const sent = [];
  const fetch = async (url, { method, body }) => {
    if (!isUp || method === "GET") return Response.json({}, { status: 503 });
    const { events } = JSON.parse(body);
    sent.push(...events.map((e) => e.data.task_id));
    return Response.json({ data: { accepted: events.length, duplicates: 0, warnings: [] } }, { status: 201 });
  };
  const client = new Client({ server: "http://orgd.test", token: "t", directory, maxAge: 0.1, fetch, onEvent() {} });
  await client.report({ ...started, data: { task_id: "own" } });
  assert.equal(await client.flush(0), 5);
  const own = (await readdir(reports)).filter((name) => !/[ab]{16}/.test(name));
  assert.equal(own.length, 6, `${own}`);
  const owner = own.find((name) => name.endsWith(".alive")).slice(0, -6);
  const file = new RegExp(`^\\d{13}-\\d{6}-${owner}\\.json$`);
  assert.equal(own.filter((name) => file.test(name)).length, 1, `${own}`);
  const alive = join(reports, `${owner}.alive`);
  assert.equal(await readFile(alive, "utf8"), `${hostname()} ${process.pid}\n`);
  const lease = async () => (await stat(alive)).mtimeMs - Date.now();
  assert.ok((await lease()) > 0 && (await lease()) <= 300);
  await sleep(500);
  assert.ok((await lease()) > 0, "it is not renewed");

  isUp = true;
  assert.equal(await client.flush(5), 0);
  await client.close();
  assert.deepEqual(sent.sort(), ["ended", "late", "older", "own", "unleased"]);
  const left = (await readdir(reports)).sort();
  assert.equal(left.length, 6, `${left}`);
  assert.ok(left.every((name) => /[ab]{16}/.test(name)), `${left}`);
});

test("what cannot work is a TypeError of the constructor", async (t) => {
  const directory = await temporary(t);
  const empty = join(directory, "empty");
  const file = join(directory, "token");
  await writeFile(empty, " \n");
  await writeFile(file, "t\n");
  delete process.env.ORGD_TOKEN;
  delete process.env.ORGD_TOKEN_FILE;
  const good = { server: "http://orgd.test", token: "t" };
  for (const wrong of [
    { maxAge: 0 },
    { maxAge: NaN },
    { maxStale: 0 },
    { timeout: -1 },
    { server: "orgd.test" },
    { server: "ftp://orgd.test" },
    { server: "/api/v1" },
    { token: undefined },
    { token: "" },
    { token: " \n" },
    ...(process.getBuiltinModule ? [empty, join(directory, "missing")] : []).map((tokenFile) => ({ token: undefined, tokenFile })),
  ]) {
    assert.throws(() => new Client({ ...good, ...wrong }), { name: "TypeError", message: /^orgd: / }, JSON.stringify(wrong));
  }
  for (const right of [{}, { token: undefined, tokenFile: file }, { token: () => "" }, { token: undefined, fetch: () => {} }]) {
    await new Client({ ...good, ...right }).close();
  }
  const client = new Client(good);
  for (const wrong of [undefined, "", 7]) {
    await assert.rejects(client.resolve(wrong), TypeError);
    await assert.rejects(client.task("Ada", wrong, () => assert.fail("it works")), TypeError);
  }
  await client.close();
});

test("a server may be written with the path of the API", async () => {
  for (const server of ["http://orgd.test", "http://orgd.test/", "http://orgd.test/api/v1", "http://orgd.test/api/v1/"]) {
    const client = new Client({ server, token: "t", fetch: async (url) => Response.json({ data: url }) });
    assert.equal(await client.request("GET", "/company"), "http://orgd.test/api/v1/company");
    await client.close();
  }
});

test("without a token nothing is sent, and somebody has to do something", async (t) => {
  const directory = await temporary(t);
  const tokenFile = join(directory, "token");
  let token = () => Promise.reject(new Error("no vault"));
  for (const [own, lose, find, why] of [
    [{ token: () => token() }, () => {}, () => (token = () => "t"), /no vault/],
    [{ tokenFile }, () => rm(tokenFile), () => writeFile(tokenFile, "t"), /ENOENT/],
    [{ tokenFile }, () => writeFile(tokenFile, "\n"), () => writeFile(tokenFile, "t"), /is empty/],
  ]) {
    await writeFile(tokenFile, "t");
    const said = [];
    let sent = 0;
    const fetch = async (url, { method, headers }) => {
      assert.equal(headers.get("Authorization"), "Bearer t");
      if (method === "GET") return Response.json({ data: ada(1) });
      sent += 1;
      return Response.json({ data: { accepted: 1, duplicates: 0, warnings: [] } }, { status: 201 });
    };
    const onEvent = (name, { detail }) => said.push([name, detail]);
    const client = new Client({ server: "http://orgd.test", maxAge: 0.01, ...own, fetch, onEvent });
    await lose();
    const { state, error } = await client.resolve("Ada");
    assert.equal(state, "refused");
    assert.ok(error instanceof Unauthenticated && error.status === 0);
    assert.match(error.message, why);
    await assert.rejects(client.request("POST", "/agents"), Unauthenticated);
    await client.report(started);
    assert.equal(await client.flush(0.1), 1);
    assert.match(said.find(([name]) => name === "refused")[1], why);
    await find();
    assert.equal(await client.flush(5), 0);
    assert.equal(sent, 1);
    await until(async () => (await client.resolve("Ada")).state === "active");
    await client.close();
  }
});

test("what is known is there at once, and is asked for once", async () => {
  const answers = [];
  const fetch = () => new Promise((resolve) => answers.push((version) => resolve(Response.json({ data: ada(version) }))));
  const client = new Client({ server: "http://orgd.test", token: "t", maxAge: 0.01, fetch });
  const first = [client.resolve("Ada"), client.resolve("Ada")];
  await until(() => answers.length > 0);
  answers[0](1);
  for (const { version } of await Promise.all(first)) assert.equal(version, 1);
  await sleep(20);
  for (let i = 0; i < 5; i++) assert.equal((await client.resolve("Ada")).version, 1);
  await until(() => answers.length > 1);
  await client.resolve("Ada");
  assert.equal(answers.length, 2);
  const closed = client.close(); // it waits for the answer
  answers[1](2);
  await closed;
  const { state, version } = await client.resolve("Ada");
  assert.deepEqual([state, version], ["active", 2]);
});

test("when nothing is known a call waits, but not longer than the timeout", async () => {
  const fetch = (url, { signal }) => {
    if (!url.includes("cursor")) return Response.json({ data: [ada(1)], pagination: { next_cursor: "more" } });
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const client = new Client({ server: "http://orgd.test", token: "t", timeout: 0.5, maxAge: 6000, fetch: slowly(fetch, 0.3), onEvent() {} });
  const all = await client.resolveAll();
  assert.deepEqual([all.state, all.agents, all.error.message], ["down", [], "no answer in 0.5 seconds"]);
  await until(async () => (await client.resolveAll()).error.message !== all.error.message);
  const began = performance.now();
  assert.equal((await client.resolveAll()).state, "down"); // in the pause at once
  assert.ok(performance.now() - began < 400);
  await client.close();
});

test("what is kept has an age", async (t) => {
  const directory = await temporary(t);
  let answer = () => Response.json({ data: ada(1) }, { headers: { ETag: '"1"' } });
  const fetch = async (url, { headers }) => answer(url, headers);
  const states = [];
  const onEvent = (name, fields) => name === "state" && states.push([fields.before, fields.state]);
  const open = (more) => new Client({ server: "http://orgd.test", token: "t", directory, fetch, onEvent, ...more });
  const client = open({ maxAge: 0.01 });
  assert.equal((await client.resolve("Ada")).state, "active");
  const [file] = (await readdir(directory)).map((name) => join(directory, name));
  const age = async () => (Date.now() - (await stat(file)).mtimeMs) / 1000;
  const old = new Date(Date.now() - 3_600_000);

  const { ino } = await stat(file);
  await utimes(file, old, old);
  answer = (_, headers) => new Response(null, { status: headers.get("If-None-Match") === '"1"' ? 304 : 500 });
  await until(async () => (await client.resolve("Ada")).state === "active" && (await age()) < 60);
  assert.equal((await stat(file)).ino, ino); // it is not written again
  await client.close();

  await utimes(file, old, old);
  states.length = 0;
  answer = () => Response.json({}, { status: 503 });
  const kept = open();
  const first = await kept.resolve("Ada");
  assert.deepEqual([first.state, first.version, first.usable], ["kept", 1, true]);
  assert.match(first.error.message, /not asked yet/);
  await until(async () => (await kept.resolve("Ada")).state === "down");
  await kept.close();
  assert.deepEqual(states, [[undefined, "down"]]);
  assert.ok((await age()) > 3000, "a failure makes the file young");

  const stale = open({ maxStale: 60, maxAge: 0.01 });
  for (let i = 0; i < 3; i++) {
    const { state, version, usable } = await stale.resolve("Ada", "production", { fallback: "be kind" });
    assert.deepEqual([state, version, usable], ["stale", 1, true]);
    await sleep(20);
  }
  answer = () => Response.json({}, { status: 403 });
  await until(async () => (await stale.resolve("Ada")).state === "refused");
  answer = () => Response.json({ data: ada(1) });
  await until(async () => (await stale.resolve("Ada")).state === "active");
  await stale.close();
  assert.ok((await age()) < 60);
});

test("a list is stale, too", async () => {
  let down = false;
  const fetch = async () => (down ? Response.json({}, { status: 503 }) : Response.json({ data: [ada(1)], pagination: { next_cursor: null } }));
  const client = new Client({ server: "http://orgd.test", token: "t", maxAge: 0.01, maxStale: 0.2, fetch, onEvent() {} });
  assert.equal((await client.resolveAll()).state, "current");
  down = true;
  await until(async () => (await client.resolveAll()).state === "down");
  await until(async () => (await client.resolveAll()).state === "stale");
  const { agents, error } = await client.resolveAll();
  assert.deepEqual([agents.length, error.status], [1, 503]);
  await client.close();
});

test("a fallback is for an agent that is not known", async () => {
  const problem = (status, error_code) => Response.json({ error_detail: { error_code, detail: "no" } }, { status });
  for (const [answer, state] of [
    [() => problem(503, 8001), "fallback"],
    [() => problem(401, 1000), "fallback"],
    [() => problem(404, 3000), "no_agent"],
    [() => problem(404, 3001), "no_label"],
    [() => Response.json({ data: ada(1) }), "active"],
  ]) {
    const states = [];
    const onEvent = (name, fields) => name === "state" && states.push(fields.state);
    const client = new Client({ server: "http://orgd.test", token: "t", fetch: async () => answer(), onEvent });
    const r = await client.resolve("Ada", "production", { fallback: "be kind" });
    assert.equal(r.state, state);
    if (state === "fallback") {
      assert.deepEqual([r.usable, r.instructions, r.agent, r.version, r.attributes()], [true, "be kind", undefined, undefined, {}]);
      assert.ok(r.error);
    } else {
      assert.notEqual(r.instructions, "be kind");
    }
    assert.ok(!states.includes("fallback"));
    const { state: without, usable } = await client.resolve("Ada");
    assert.deepEqual([without, usable], [states[0], state === "active"]);
    await client.close();
  }
});

test("a warning is said once", async () => {
  let n = 0;
  const fetch = async () => {
    const warnings = n === 0 ? ["a", "b", "a"] : ["b", `w${n}`];
    n++;
    return Response.json({ data: { accepted: 1, duplicates: 0, warnings } }, { status: 201 });
  };
  const said = [];
  const onEvent = (name, { detail }) => name === "warning" && said.push(detail);
  const client = new Client({ server: "http://orgd.test", token: "t", fetch, onEvent });
  for (let i = 0; i < 3; i++) {
    await client.report({ ...started, timestamp: new Date() });
    assert.equal(await client.flush(5), 0);
  }
  await until(() => said.length >= 4);
  await client.close();
  assert.deepEqual(said, ["a", "b", "w1", "w2"]);
});

test("a task is reported, whatever becomes of it", async (t) => {
  const sent = [];
  const fetch = async (url, { method, body }) => {
    if (method === "GET") return Response.json({ data: ada(3) });
    sent.push(...JSON.parse(body).events);
    return Response.json({ data: { accepted: 1, duplicates: 0, warnings: [] } }, { status: 201 });
  };
  const client = new Client({ server: "http://orgd.test", token: "t", fetch });
  const result = await client.task("Ada", "t1", async (task) => {
    assert.deepEqual([task.id, task.prompt.version], ["t1", 3]);
    for (let i = 0; i < 3; i++) task.spend({ cost: 0.1, tokens: 7 });
    task.spend({ cost: 1e-10 });
    task.quality = 8.5;
    await sleep(30);
    return "done";
  });
  assert.equal(result, "done");
  await client.task("Ada", "t2", (task) => task.fail());
  const raised = new Error("no");
  await assert.rejects(client.task("Ada", "t3", () => Promise.reject(raised)), raised);
  await client.task("Ada", "t4", (task) => task.spend({ cost: 0 }));
  assert.equal(await client.flush(5), 0);
  await client.close();

  const seconds = sent[1].data.duration_seconds;
  assert.ok(seconds >= 0.025 && seconds < 5 && Number.isInteger(Math.round(seconds * 1e6) / 1000), `${seconds}`);
  for (const { data } of sent) delete data.duration_seconds;
  const task = (task_id) => ({ task_id, agent_version: 3 });
  assert.deepEqual(
    sent.map(({ agent, event_type, data }) => [agent, event_type, data]),
    [
      ["Ada", "task_started", task("t1")],
      ["Ada", "task_completed", { ...task("t1"), success: true, cost: 0.3, tokens: 21, quality_score: 8.5 }],
      ["Ada", "task_started", task("t2")],
      ["Ada", "task_completed", { ...task("t2"), success: false }],
      ["Ada", "task_started", task("t3")],
      ["Ada", "task_completed", { ...task("t3"), success: false }],
      ["Ada", "task_started", task("t4")],
      ["Ada", "task_completed", { ...task("t4"), success: true, cost: 0 }],
    ],
  );

  const logged = t.mock.method(console, "error", () => {});
  await assert.rejects(client.task("Ada", "t5", () => Promise.reject(raised)), raised); // nothing is reported after close
  assert.equal(logged.mock.callCount(), 2);
});

test("what is no event is refused at once", async () => {
  const client = new Client({ server: "http://orgd.test", token: "t", fetch: () => assert.fail("it was sent") });
  for (const wrong of [{ agent: "" }, { event_type: undefined }, { data: [] }, { data: { n: NaN } }, { data: { f() {} } }, { data: { n: 1n } }]) {
    await assert.rejects(client.report([started, { ...started, ...wrong }]), TypeError);
  }
  assert.equal(await client.flush(0), 0);
  await client.close();
});
