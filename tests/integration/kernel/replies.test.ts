// Replies and requests (handlers/replies.ts REPLIES-1, REPLIES-2; bus/mailbox.ts MAILBOX-4; process/dead-letters.ts DEAD-LETTERS-1).

import type { Json, Sys } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { bootForTest, codeOf, until } from "../../helpers/kernel.ts";

const TALK = ["message:*:send", "agent:*:spawn"];

/** Takes a request, waits to be told, and answers it: too late. */
const late = async (sys: Sys) => {
  for (;;) {
    const { from, replyTo } = await sys.receive({ type: "request" });
    await sys.receive({ type: "go" });
    await sys.send(from, "late", { replyTo: replyTo! });
  }
};

const failure = (call: Promise<unknown>): Promise<string> =>
  call.then(
    (value) => `ok ${JSON.stringify(value)}`,
    (error: { code?: string; message: string }) => `${error.code} ${error.message}`,
  );

describe("replies", () => {
  test.each([0, 3_600_000])(
    "late ones are dead letters and fill no mailbox (unloaded after %d ms)",
    async (unloadAfterMs) => {
      const { kernel } = await bootForTest({
        unloadAfterMs,
        limits: { mailboxDepth: 3 },
        programs: {
          late,
          asker: async (sys, server) => {
            const codes: string[] = [];
            for (let n = 0; n < 6; n++) {
              codes.push(await codeOf(sys.request(server as string, n, { until: 1 })));
              await sys.send(server as string, null, { type: "go" });
              await sys.receive({ type: "next" });
            }
            return [codes, (await sys.receive()).body];
          },
        },
      });
      const server = await kernel.spawn({ agent: "late", capabilities: TALK });
      const asker = await kernel.spawn({ agent: "asker", input: server, capabilities: TALK });

      for (let n = 1; n <= 6; n++) {
        await until(async () => (await kernel.deadLetters()).length === n, `dead letter ${n}`);
        await kernel.send(asker, null, { type: "next" });
      }
      await kernel.send(asker, "still heard");

      expect((await kernel.wait(asker)).output).toEqual([
        Array.from({ length: 6 }, () => "ETIMEDOUT"),
        "still heard",
      ]);
      const [letter] = await kernel.deadLetters({ pid: asker, limit: 1 });
      expect(letter).toMatchObject({ to: asker, from: server, body: "late", type: "response" });
      expect(await kernel.deadLetters({ tenant: "nobody" })).toEqual([]);
    },
  );

  test.each([0, 3_600_000])(
    "a stranger who knows the id of a request neither answers nor closes it (unloaded after %d ms)",
    async (unloadAfterMs) => {
      let id = "";
      const { kernel } = await bootForTest({
        unloadAfterMs,
        programs: {
          server: async (sys) => {
            const { from, replyTo } = await sys.receive({ type: "request" });
            id = replyTo!;
            await sys.receive({ type: "go" });
            return sys.send(from, "true", { replyTo: replyTo! });
          },
          asker: async (sys, server) => sys.request(server as string, null),
          stranger: async (sys, to) =>
            sys.send(to as string, "false", { type: "response", replyTo: id }),
        },
      });
      const server = await kernel.spawn({ agent: "server", capabilities: TALK });
      const asker = await kernel.spawn({ agent: "asker", input: server, capabilities: TALK });
      await until(() => id !== "", "the request");
      if (unloadAfterMs === 0)
        await until(async () => (await kernel.status()).loaded === 0, "they leave memory");

      const stranger = await kernel.spawn({ agent: "stranger", input: asker, capabilities: TALK });
      await kernel.wait(stranger);
      await kernel.send(server, null, { type: "go" });

      expect((await kernel.wait(asker)).output).toBe("true");
      expect(await kernel.deadLetters({ pid: asker })).toMatchObject([
        { from: stranger, body: "false" },
      ]);
    },
  );

  test.each([0, 3_600_000])(
    "a stranger cannot fill a mailbox with them (unloaded after %d ms)",
    async (unloadAfterMs) => {
      const { kernel } = await bootForTest({
        unloadAfterMs,
        limits: { mailboxDepth: 3 },
        programs: {
          victim: async (sys) => (await sys.receive()).body,
          stranger: async (sys, to) => {
            const victim = to as string;
            for (let n = 0; n < 10; n++) {
              await sys.send(victim, n, { type: "response" });
              await sys.send(victim, n, { type: "response", replyTo: `${victim}.1` });
              await sys.send(victim, n, { replyTo: "made up" });
              await sys.send(victim, n, { type: "other", replyTo: `${victim}.7` });
            }
            return "sent";
          },
        },
      });
      const victim = await kernel.spawn({ agent: "victim" });
      await until(async () => (await kernel.show(victim)).state === "waiting", "the wait");
      const stranger = await kernel.spawn({
        agent: "stranger",
        input: victim,
        capabilities: TALK,
      });

      expect((await kernel.wait(stranger)).output).toBe("sent");
      await until(async () => (await kernel.deadLetters()).length === 40, "the dead letters");
      await kernel.send(victim, "fine");
      expect((await kernel.wait(victim)).output).toBe("fine");
    },
  );

  test.each([0, 3_600_000])(
    "only who was asked can answer, and only once (unloaded after %d ms)",
    async (unloadAfterMs) => {
      const { kernel } = await bootForTest({
        unloadAfterMs,
        programs: {
          server: async (sys) => {
            const { from, replyTo, body } = await sys.receive({ type: "request" });
            const lie = { capabilities: ["message:*:send"] };
            await sys.wait(await sys.spawn("liar", [from, replyTo!], lie));
            await sys.send(from, `one ${body as string}`, { replyTo: replyTo!, type: "anything" });
            await sys.send(from, "two", { replyTo: replyTo! });
            return "done";
          },
          liar: async (sys, input) => {
            const [to, replyTo] = input as [string, string];
            await sys.send(to, "a lie", { replyTo });
            return null;
          },
          asker: async (sys, to) => sys.request(to as string, "?"),
        },
      });
      const server = await kernel.spawn({ agent: "server", capabilities: TALK });
      const asker = await kernel.spawn({ agent: "asker", input: server, capabilities: TALK });

      expect((await kernel.wait(asker)).output).toBe("one ?");
      expect((await kernel.wait(server)).state).toBe("completed");
      await until(async () => (await kernel.deadLetters()).length >= 1, "the dead letters");
      expect((await kernel.deadLetters()).map(({ body }) => body)).toContain("a lie");
    },
  );

  test("an operator's message is none", async () => {
    const { kernel } = await bootForTest({
      programs: { idle: async (sys) => (await sys.receive()).body },
    });
    const pid = await kernel.spawn({ agent: "idle" });

    await expect(kernel.send(pid, 1, { type: "response" })).rejects.toMatchObject({
      code: "EINVAL",
    });
    await kernel.send(pid, 2);
    expect((await kernel.wait(pid)).output).toBe(2);
  });
});

describe("a request to one that ends without an answer fails with how it ended", () => {
  const programs = {
    /** Takes the request, and ends in its own way. */
    quitter: async (sys: Sys, how: Json) => {
      await sys.receive({ type: "request" });
      await sys.receive({ type: "go" });
      if (how === "throws") throw new Error("no answer today");
      return "gone";
    },
    deaf: async (sys: Sys) => (await sys.receive({ type: "never" })).body,
    asker: async (sys: Sys, to: Json) => failure(sys.request(to as string, "?")),
  };
  const boot = (unloadAfterMs: number) => bootForTest({ unloadAfterMs, programs });

  test.each([
    [0, "returns"],
    [0, "throws"],
    [3_600_000, "returns"],
    [3_600_000, "throws"],
  ])("unloaded after %d ms, and the target %s", async (unloadAfterMs, how) => {
    const { kernel } = await boot(unloadAfterMs);
    const target = await kernel.spawn({ agent: "quitter", input: how });
    const asker = await kernel.spawn({ agent: "asker", input: target, capabilities: TALK });
    await until(async () => (await kernel.journal(target)).length > 1, "the request to be taken");

    await kernel.send(target, null, { type: "go" });

    const said = (await kernel.wait(asker)).output as string;
    expect(said).toMatch(/^EUPSTREAM agt_\w+ ended without an answer/);
    expect(said).toContain(how === "throws" ? "no answer today" : "completed with exit code 0");
  });

  test.each([0, 3_600_000])(
    "killed while it waits (unloaded after %d ms)",
    async (unloadAfterMs) => {
      const { kernel } = await boot(unloadAfterMs);
      const target = await kernel.spawn({ agent: "deaf" });
      const asker = await kernel.spawn({ agent: "asker", input: target, capabilities: TALK });
      await until(async () => (await kernel.journal(asker)).length > 1, "the request");
      if (unloadAfterMs === 0)
        await until(async () => (await kernel.status()).loaded === 0, "both to leave");

      await kernel.signal(target, "SIGKILL");

      expect((await kernel.wait(asker)).output).toMatch(/EUPSTREAM .*killed with exit code/);
    },
  );

  test("before it was asked", async () => {
    const { kernel } = await boot(3_600_000);
    const target = await kernel.spawn({ agent: "deaf" });
    await kernel.signal(target, "SIGKILL");
    const asker = await kernel.spawn({ agent: "asker", input: target, capabilities: TALK });

    expect((await kernel.wait(asker)).output).toMatch(/^ENOENT agt_\w+ has ended \(killed/);
  });

  test("before a restart of the kernel, of which the asker was not told", async () => {
    const first = await boot(0);
    const target = await first.kernel.spawn({ agent: "deaf" });
    const asker = await first.kernel.spawn({ agent: "asker", input: target, capabilities: TALK });
    await until(async () => {
      const { loaded, states } = await first.kernel.status();
      return loaded === 0 && states.waiting === 2;
    }, "both to leave");

    // The end is durable before anybody is told: the crash is right after it.
    await first.kernel.signal(target, "SIGKILL");
    const { kernel } = await first.crash();

    expect((await kernel.wait(asker)).output).toMatch(/EUPSTREAM .*killed with exit code/);
  });

  test("the one who asked can go on", async () => {
    const { kernel } = await bootForTest({
      programs: {
        ...programs,
        patient: async (sys, targets) => {
          const said: string[] = [];
          for (const to of targets as string[]) said.push(await codeOf(sys.request(to, "?")));
          return said;
        },
        kind: async (sys) => {
          const { from, replyTo } = await sys.receive({ type: "request" });
          await sys.send(from, "yes", { replyTo: replyTo! });
        },
      },
    });
    const deaf = await kernel.spawn({ agent: "deaf" });
    const kind = await kernel.spawn({ agent: "kind", capabilities: TALK });
    const asker = await kernel.spawn({
      agent: "patient",
      input: [deaf, kind],
      capabilities: TALK,
    });
    await until(async () => (await kernel.journal(asker)).length > 1, "the request");

    await kernel.signal(deaf, "SIGTERM");

    expect((await kernel.wait(asker)).output).toEqual(["EUPSTREAM", "ok"]);
  });
});
