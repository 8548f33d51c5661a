// replay/PID: another process is told what PID was told, from its journal.

import { createKernel } from "@aos/daemon";
import type { Kernel } from "@aos/kernel";
import type { Json, Program } from "@aos/protocol";
import { expect, onTestFinished, test } from "vitest";
import { createReplayModels } from "@aos/daemon/parts";
import { talkative, say } from "./talk.ts";

/** Asks `times` times, one after another, or all at once. */
const asker: Program = async (sys, input) => {
  const { model, times, bad, atOnce = false } = input as unknown as Wish;
  const ask = async (at: number): Promise<Json> => {
    try {
      const messages = [{ role: "user" as const, content: `${at}` }];
      const { text } = await sys.infer({
        model,
        messages,
        ...(at === bad ? { maxTokens: -1 } : {}),
      });
      return text;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  if (atOnce) return Promise.all(Array.from({ length: times }, (_, at) => ask(at)));
  const told: Json[] = [];
  for (let at = 0; at < times; at += 1) told.push(await ask(at));
  return told;
};

const listener: Program = async (sys) => {
  const messages = [{ role: "user" as const, content: "hi" }];
  await sys.infer({ model: "talk/a", messages });
  await sys.receive();
  await sys.infer({ model: "talk/a", messages });
};

interface Wish {
  readonly model: string;
  readonly times: number;
  readonly atOnce?: boolean;
  /** The request that says nonsense. */
  readonly bad?: number;
}

async function boot() {
  const model = talkative();
  const kernel: Kernel = await createKernel({
    tenants: { other: {} },
    programs: { asker, listener },
    models: [model, createReplayModels(() => kernel)],
  });
  onTestFinished(() => kernel.close());
  const run = async (wish: Wish, more: object = {}) => {
    const pid = await kernel.spawn({ ...agentOf(["model:*:infer"]), input: { ...wish }, ...more });
    const { output } = await kernel.wait(pid);
    return { pid, output };
  };
  return { kernel, run, model };
}

const agentOf = (capabilities: string[], program = "asker") => ({
  manifest: {
    apiVersion: "aos/v1" as const,
    kind: "Agent" as const,
    name: "asker",
    program,
    capabilities,
  },
});

test("REPLAY-MODEL-1: the k-th request is told what the k-th was told, with no model asked and nothing to pay", async () => {
  const { kernel, run, model } = await boot();
  const long = "x".repeat(5000);
  model.says(say("one"), say(long), say("three"));
  const first = await run({ model: "talk/a", times: 3 });
  const asked = model.asked.length;

  const again = await run({ model: `replay/${first.pid}`, times: 3 });

  expect(again.output).toEqual(["one", long, "three"]);
  expect(model.asked).toHaveLength(asked);
  expect((await kernel.show(first.pid)).costUsd).toBeGreaterThan(0);
  expect((await kernel.show(again.pid)).costUsd).toBe(0);
});

test("REPLAY-MODEL-1: concurrent requests are answered in their order", async () => {
  const { run, model } = await boot();
  model.says(say("one"), say("two"), say("three"));
  const first = await run({ model: "talk/a", times: 3 });

  const again = await run({ model: `replay/${first.pid}`, times: 3, atOnce: true });

  expect(again.output).toEqual(["one", "two", "three"]);
});

test("REPLAY-MODEL-1: what failed then fails, and after the last there is nothing", async () => {
  const { run, model } = await boot();
  model.says(say("one"), { fails: true }, say("three"));
  const first = await run({ model: "talk/a", times: 3 });

  const again = await run({ model: `replay/${first.pid}`, times: 4 });

  expect(first.output).toEqual(["one", "EUPSTREAM", "three"]);
  expect(again.output).toEqual(["one", "EUPSTREAM", "three", "ENOENT"]);
});

test("REPLAY-MODEL-1: a request that the gate refused has had its turn", async () => {
  const { run, model } = await boot();
  model.says(say("one"), say("two"), say("three"));
  const { pid } = await run({ model: "talk/a", times: 3 });

  const again = await run({ model: `replay/${pid}`, times: 3, bad: 1 });

  expect(again.output).toEqual(["one", "EINVAL", "three"]);
});

test("REPLAY-MODEL-2: a process of another tenant is not there, and neither is one that never was", async () => {
  const { run, model } = await boot();
  model.says(say("one"));
  const { pid } = await run({ model: "talk/a", times: 1 });

  const stranger = await run({ model: `replay/${pid}`, times: 1 }, { tenant: "other" });
  const nobody = await run({ model: "replay/agt_nobody", times: 1 });

  expect(stranger.output).toEqual(["ENOENT"]);
  expect(nobody.output).toEqual(["ENOENT"]);
});

test("REPLAY-MODEL-3: whoever is told what it was told has read what it had read", async () => {
  const { kernel, run, model } = await boot();
  model.says(say("one"));
  const label = { integrity: "untrusted", secrecy: "confidential" } as const;
  const { pid } = await run({ model: "talk/a", times: 1 }, { label });

  const again = await run({ model: `replay/${pid}`, times: 1 });

  expect((await kernel.show(again.pid)).labels).toEqual(label);
});

test("REPLAY-MODEL-3: what it read later is in the label of no earlier answer", async () => {
  const { kernel, run, model } = await boot();
  model.says(say("before"), say("after"));
  const pid = await kernel.spawn({ ...agentOf(["model:*:infer"], "listener") });
  await expect.poll(async () => (await kernel.show(pid)).waitingOn).toBe("message");
  await kernel.send(pid, "psst", { label: { integrity: "untrusted", secrecy: "public" } });
  await kernel.wait(pid);

  const first = await run({ model: `replay/${pid}`, times: 1 });
  const both = await run({ model: `replay/${pid}`, times: 2 });

  expect((await kernel.show(first.pid)).labels.integrity).toBe("trusted");
  expect((await kernel.show(both.pid)).labels.integrity).toBe("untrusted");
});

test("how full the context was is told again", async () => {
  const { kernel, run, model } = await boot();
  model.says({ ...say("one"), window: 20 });
  const { pid } = await run({ model: "talk/a", times: 1 });

  const again = await run({ model: `replay/${pid}`, times: 1 });

  const [told] = await kernel.inferences(again.pid);
  expect(told?.reply?.context).toEqual({ tokens: 11, window: 20 });
});

test("REPLAY-MODEL-4: a budget of tokens covers what is counted, however much it was then", async () => {
  const { kernel, run, model } = await boot();
  model.says({ ...say("one"), tokens: 1_000_000 });
  const { pid } = await run({ model: "talk/a", times: 1 });

  const again = await run({ model: `replay/${pid}`, times: 1 }, { budget: { tokens: 50_000 } });

  expect(again.output).toEqual(["one"]);
  expect((await kernel.show(again.pid)).budget.spent.tokens).toBeLessThan(50_000);
});
