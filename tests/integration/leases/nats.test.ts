// Two nodes on one PostgreSQL whose hints NATS carries: a lost NATS loses nothing, and a lying one gives nobody power.

import { natsHints } from "@aos/drivers";
import { bootKernel, type Kernel } from "@aos/kernel";
import type { HintBroker, Json, Program } from "@aos/protocol";
import { Client } from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../helpers/kernel.ts";
import { tryNats } from "../../helpers/nats.ts";
import { tryPostgres } from "../../helpers/postgres.ts";

const server = await tryPostgres();
const nats = await tryNats();
afterAll(async () => {
  await nats?.kill();
  if ("stop" in server) await server.stop();
});

const SUBJECT = "aos.wake.test";

/** Notes what it receives, until it is told to stop. */
const listener: Program = async (sys) => {
  const bodies: Json[] = [];
  for (;;) {
    const { body } = await sys.receive();
    if (body === "stop") return bodies;
    bodies.push(body);
  }
};

async function boot(url: string, node: string, hints: HintBroker) {
  const troubles: string[] = [];
  const kernel = await bootKernel({
    store: { url, hints },
    node,
    programs: { listener },
    onTrouble: (what) => void troubles.push(what),
  });
  onTestFinished(() => kernel.close());
  return { kernel, troubles };
}

async function newDatabase(): Promise<string> {
  if ("missing" in server) throw new Error(server.missing);
  return (await server.createDatabase()).url;
}

const waitsForMessage = (kernel: Kernel, pid: string) =>
  until(async () => (await kernel.show(pid)).waitingOn === "message", "a wait");

async function twoNodes(hints = () => natsHints(nats!.url, SUBJECT)) {
  const url = await newDatabase();
  const brokers = [hints(), hints()] as const;
  const a = await boot(url, "a", brokers[0]);
  const b = await boot(url, "b", brokers[1]);
  await until(() => brokers.every(({ isConnected }) => isConnected), "NATS");
  const pid = await a.kernel.spawn({ agent: "listener" });
  await waitsForMessage(b.kernel, pid);
  return { a, b, pid, url, brokers };
}

describe.skipIf("missing" in server || nats === undefined)("hints by NATS", () => {
  test("wake a process on another node, and the database is not asked to tell", async () => {
    const { b, pid, url } = await twoNodes();
    const told: string[] = [];
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    client.on("notification", ({ payload = "" }) => void told.push(payload));
    await client.query("listen aos_wake");

    await b.kernel.send(pid, 1);
    await b.kernel.send(pid, "stop");

    expect(await b.kernel.wait(pid, { timeoutMs: 60_000 })).toMatchObject({ output: [1] });
    await client.query("select 1");
    expect(told.map((text) => (JSON.parse(text) as { keys: Json }).keys)).toEqual([]);
  });

  test("that are lost with NATS in the middle lose no message, and none comes twice", async () => {
    const { a, b, pid, brokers } = await twoNodes();
    const sent = Array.from({ length: 60 }, (_, n) => n);

    for (const n of sent) {
      if (n === 20) await nats!.kill();
      if (n === 40) await nats!.start();
      await b.kernel.send(pid, n);
    }
    await until(() => brokers.every(({ isConnected }) => isConnected), "NATS again");
    await b.kernel.send(pid, "stop");

    expect((await b.kernel.wait(pid, { timeoutMs: 120_000 })).output).toEqual(sent);
    expect([...a.troubles, ...b.troubles]).toEqual([]);
  });

  test("that are made up make nobody do anything (WAKE-CHANNEL-2)", async () => {
    const { a, b, pid } = await twoNodes();
    const liar = natsHints(nats!.url, SUBJECT);
    onTestFinished(() => liar.close());
    liar.listen(
      () => {},
      () => {},
    );
    await until(() => liar.isConnected, "the liar");
    const before = (await a.kernel.journal(pid)).length;

    const many = Array.from({ length: 6000 }, (_, n) => n + 1);
    for (const text of [
      "",
      "no JSON",
      "null",
      JSON.stringify({ from: "x", keys: [-1, 1.5, "1"] }),
      JSON.stringify({ from: "x", keys: { length: 3 } }),
      JSON.stringify({ from: "x", keys: [1, 2, 3, 999_999_999] }),
      JSON.stringify({ from: "x", keys: many }),
      JSON.stringify({ from: "x", keys: [] }),
      "x".repeat(100_000),
    ])
      for (let n = 0; n < 20; n += 1) liar.tell(text);

    await b.kernel.send(pid, "after");
    await b.kernel.send(pid, "stop");
    expect((await b.kernel.wait(pid, { timeoutMs: 60_000 })).output).toEqual(["after"]);
    expect(before).toBeLessThan((await a.kernel.journal(pid)).length);
    expect([...a.troubles, ...b.troubles]).toEqual([]);
    expect((await a.kernel.verify()).findings).toEqual([]);
  });

  test("that a NATS swallows are found in the database (WAKE-CHANNEL-1)", async () => {
    const swallows = (): HintBroker => ({
      isConnected: true,
      tell: () => {},
      listen: () => {},
      close: async () => {},
    });
    const { b, pid } = await twoNodes(swallows);

    await b.kernel.send(pid, 1);
    await b.kernel.send(pid, "stop");

    expect(await b.kernel.wait(pid, { timeoutMs: 60_000 })).toMatchObject({ output: [1] });
  });

  test("need the server's password where it has one", async () => {
    const guarded = (await tryNats(["--user", "aos", "--pass", "a b"]))!;
    onTestFinished(() => guarded.kill());
    const { host } = new URL(guarded.url);
    const [right, wrong] = [`nats://aos:a%20b@${host}`, `nats://aos:no@${host}`].map((url) =>
      natsHints(url, SUBJECT),
    );
    onTestFinished(async () => {
      await Promise.all([right!.close(), wrong!.close()]);
    });
    const heard: string[] = [];

    for (const one of [right!, wrong!])
      one.listen(
        (text) => void heard.push(text),
        () => {},
      );
    await until(() => right!.isConnected, "the one with the password");
    wrong!.tell("forged");
    right!.tell("told");
    await until(() => heard.length > 0, "a hint");

    expect(heard).toEqual(["told"]);
    expect(wrong!.isConnected).toBe(false);
  });
});
