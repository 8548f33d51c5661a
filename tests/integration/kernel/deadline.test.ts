// What ends by itself: deadlines that end, and requests to a model that says nothing.

import { isEnded, type ModelDriver } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf, manifest, until } from "../../helpers/kernel.ts";

const programs = {
  idle: async (sys) => (await sys.receive()).body,
  parent: async (sys) => (await sys.wait(await sys.spawn("idle", null))).output,
  talker: async (sys) =>
    codeOf(sys.infer({ model: "mute/one", messages: [{ role: "user", content: "?" }] })),
} satisfies NonNullable<Parameters<typeof bootForTest>[0]>["programs"];

/** A server that takes the request and never answers. */
const mute: ModelDriver = {
  provider: "mute",
  egress: false,
  worstCase: () => ({ usd: 0, tokens: 10 }),
  infer: (_request, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    }),
};

test.each([0, 3_600_000])(
  "a deadline ends what misses it, and its tree, where the manifest says so (unloaded after %d ms)",
  async (unloadAfterMs) => {
    const { kernel } = await bootForTest({ unloadAfterMs, programs });
    const ends = { deadline: "400ms", onDeadline: "end", capabilities: ["agent:idle:spawn"] };
    const pid = await kernel.spawn({ manifest: manifest("parent", ends) });
    const other = await kernel.spawn({ manifest: manifest("idle", { deadline: "400ms" }) });

    expect(await kernel.wait(pid)).toMatchObject({
      state: "killed",
      exitCode: 66,
      error: { code: "ETIMEDOUT", message: "its deadline has passed" },
    });
    await until(
      async () => (await kernel.list({ parent: pid })).every(({ state }) => isEnded(state)),
      "the end of its child",
    );
    expect((await kernel.show(other)).state).toBe("waiting");
  },
);

test("a deadline that passed while the kernel was away ends it at the next start", async () => {
  const first = await bootForTest({ unloadAfterMs: 0, programs });
  const pid = await first.kernel.spawn({
    manifest: manifest("idle", { deadline: "300ms", onDeadline: "end" }),
  });

  const { kernel } = await first.crash();

  expect(await kernel.wait(pid)).toMatchObject({ state: "killed", exitCode: 66 });
});

test("a request to a model that never answers is given up after the manifest's time", async () => {
  const { kernel } = await bootForTest({ models: [mute], programs });
  const timeouts = { model: "200ms" };
  const pid = await kernel.spawn({
    manifest: manifest("talker", { timeouts, capabilities: ["model:mute/*:infer"] }),
  });

  expect((await kernel.wait(pid)).output).toBe("ETIMEDOUT");
});
