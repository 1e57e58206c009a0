// What the suite of all clients cannot have: pauses with a random source of our own, parts of a
// stream, and how a program ends.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

import { pause } from "../dist/resolve.js";
import { blocks } from "../dist/watch.js";

/** seeded returns a source of the same numbers in every run. */
function seeded(seed) {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
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

test("settings that cannot work are refused", async () => {
  const { Client } = await import("../dist/index.js");
  for (const wrong of [{ every: 0 }, { every: NaN }, { timeout: -1 }]) assert.throws(() => new Client({ server: "http://orgd.test", ...wrong }), TypeError);
  await assert.rejects(new Client({ server: "http://orgd.test" }).resolve(undefined), TypeError);
});

test("what is no event is refused at once", async () => {
  const { Client } = await import("../dist/index.js");
  const client = new Client({ server: "http://orgd.test", token: "t", fetch: () => assert.fail("it was sent") });
  const event = { agent: "Ada", event_type: "task_started", data: { task_id: "1" } };
  for (const wrong of [{ agent: "" }, { event_type: undefined }, { data: [] }, { data: { n: NaN } }, { data: { f() {} } }, { data: { n: 1n } }]) {
    await assert.rejects(client.report([event, { ...event, ...wrong }]), TypeError);
  }
  assert.equal(await client.flush(0), 0);
  await client.close();
});
