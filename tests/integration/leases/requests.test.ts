// Requests between processes of two nodes on one PostgreSQL, and what one node lists of the other's.

import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import type { Program } from "@aos/protocol";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { tryPostgres } from "../../helpers/postgres.ts";

const server = await tryPostgres();
afterAll(async () => {
  if ("stop" in server) await server.stop();
});

const TALK = ["message:*:send"];

/** It stays until both answers are sent: one to a process that has ended would fail at its sender. */
const asker: Program = async (sys, to) => {
  try {
    const answer = await sys.request(to as string, "?");
    await sys.receive({ type: "done" });
    return answer;
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message };
  }
};
const kind: Program = async (sys) => {
  const { from, replyTo } = await sys.receive({ type: "request" });
  await sys.send(from, "yes", { replyTo: replyTo! });
  await sys.send(from, "again", { replyTo: replyTo! });
  await sys.send(from, null, { type: "done" });
  return "answered";
};
const deaf: Program = async (sys) => (await sys.receive({ type: "never" })).body;

async function boot(url: string, node: string, more: KernelOptions): Promise<Kernel> {
  const programs = { asker, kind, deaf };
  const kernel = await bootKernel({ store: { url }, node, programs, ...more });
  onTestFinished(() => kernel.close());
  return kernel;
}

describe.skipIf("missing" in server)("requests between two nodes", () => {
  test.each([0, 60_000])(
    "are answered once, or fail with how the other ended (unloaded after %i ms)",
    async (unloadAfterMs) => {
      if ("missing" in server) throw new Error(server.missing);
      const { url } = await server.createDatabase();
      const [a, b] = [
        await boot(url, "a", { unloadAfterMs }),
        await boot(url, "b", { unloadAfterMs }),
      ];
      const answering = await b.spawn({ agent: "kind", capabilities: TALK });
      const silent = await b.spawn({ agent: "deaf" });
      const answered = await a.spawn({ agent: "asker", input: answering, capabilities: TALK });
      const waiting = await a.spawn({ agent: "asker", input: silent, capabilities: TALK });
      const seen = async () =>
        (await b.list({ states: ["waiting"] })).map(({ pid }) => pid).includes(waiting);
      await expect.poll(seen, { timeout: 60_000 }).toBe(true);

      await a.signal(silent, "SIGKILL");

      expect((await b.wait(answered, { timeoutMs: 60_000 })).output).toBe("yes");
      expect((await b.wait(waiting, { timeoutMs: 60_000 })).output).toMatchObject({
        code: "EUPSTREAM",
      });
      await expect
        .poll(async () => (await a.deadLetters()).map(({ body }) => body).toSorted(), {
          timeout: 60_000,
        })
        .toEqual(["?", "again"]); // what the silent one has not received, and the second answer
    },
  );
});
