import { expect, test } from "vitest";
import { bootForTest } from "../../helpers/kernel.ts";

test("a fork between a question to another process and its answer asks for itself", async () => {
  const { kernel } = await bootForTest({
    programs: {
      oracle: async (sys) => {
        for (;;) {
          const { from, replyTo } = await sys.receive({ type: "request" });
          await sys.send(from, 42, { type: "response", replyTo: replyTo! });
        }
      },
      asker: async (sys, oracle) => sys.request(oracle as string, "what?"),
    },
  });
  const oracle = await kernel.spawn({ agent: "oracle", capabilities: ["message:*:send"] });
  const origin = await kernel.spawn({
    agent: "asker",
    input: oracle,
    capabilities: ["message:*:send"],
  });
  await kernel.wait(origin);
  const intent = (await kernel.journal(origin)).find((record) => record.kind === "intent")!;

  const fork = await kernel.fork(origin, { at: intent.seq });

  expect((await kernel.wait(fork, { timeoutMs: 120_000 })).output).toBe(42);
  await kernel.signal(oracle, "SIGKILL");
});

test("a time limit on what takes no time is refused when it is given", async () => {
  const { kernel } = await bootForTest({ programs: { idle: async () => null } });

  const spawning = kernel.spawn({
    agent: "idle",
    capabilities: ["memory:/mem/**:read{timeout:1s}"],
  });

  await expect(spawning).rejects.toMatchObject({
    code: "EINVAL",
    message: expect.stringContaining("memory"),
  });
});
