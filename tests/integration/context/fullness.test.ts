// What a kernel does with a model's window: CONTEXT-OVERFLOW-1 to CONTEXT-OVERFLOW-3 of kernel/src/handlers/infer.ts.

import type { InferReply, Json, JournalRecord, Message, Sys } from "@aos/protocol";
import { programs } from "@aos/userland";
import { expect, test } from "vitest";
import { bootForTest, codeOf, manifest } from "../../helpers/kernel.ts";
import { windowModel } from "./window-model.ts";

const user = (length: number): Message => ({ role: "user", content: "x".repeat(length * 4) });
const ask = (sys: Sys, ...lengths: number[]) =>
  sys.infer({ model: "small/it", messages: lengths.map(user) });

async function ran(
  program: (sys: Sys) => Promise<unknown>,
  { window = 1000, context = {} }: { window?: number | null; context?: object } = {},
) {
  const small = windowModel({ window, answer: () => ({ text: "ok" }) });
  const { kernel } = await bootForTest({
    programs: { it: async (sys) => (await program(sys)) as Json },
    models: [small.model],
  });
  const given = manifest("it", { program: "it", capabilities: ["model:*:infer"], context });
  const pid = await kernel.spawn({ manifest: given });
  const { output, error } = await kernel.wait(pid);
  expect(error).toBeNull();
  return { output, small, records: await kernel.journal(pid), kernel, pid };
}

/** Counts what it is told; `until` waits for so many. */
async function listen(sys: Sys): Promise<{ until: (times: number) => Promise<void> }> {
  const told: string[] = [];
  await sys.handle("SIGCTX", (signal) => void told.push(signal));
  return {
    until: async (times) => {
      while (told.length < times) await sys.sleep((await sys.now()) + 5);
    },
  };
}

const timesTold = (records: readonly JournalRecord[]): number =>
  records.filter((record) => record.kind === "signal" && record.signal === "SIGCTX").length;

test("CONTEXT-OVERFLOW-1: what is more than the model takes in is refused, is not sent, and is recorded", async () => {
  const { output, small, kernel, pid } = await ran(async (sys) => {
    const error = await ask(sys, 600, 500).catch((failure: unknown) => failure);
    const { code, detail } = error as { code: string; detail: Json };
    return { code, detail };
  });

  expect(output).toEqual({ code: "ECONTEXT", detail: { tokens: 1110, window: 1000 } });
  expect(small.shown).toEqual([]);
  expect((await kernel.context(pid)).blocks).toHaveLength(2);
});

test("CONTEXT-OVERFLOW-2: a reply says how full the context is, by the provider's count", async () => {
  const { output } = await ran(async (sys) => {
    const reply = await ask(sys, 100);
    return { context: reply.context, usage: reply.usage } as unknown as Json;
  });

  const { context, usage } = output as unknown as InferReply;
  expect(context).toEqual({ tokens: usage.inputTokens + usage.outputTokens, window: 1000 });
});

test.each<[string, { window?: number | null; context?: object }, number | undefined]>([
  ["the manifest may use less of it", { context: { window: 400 } }, 400],
  ["and not more", { context: { window: 4000 } }, 1000],
  ["it is the window where the model tells none", { window: null, context: { window: 400 } }, 400],
  ["without either there is none", { window: null }, undefined],
])("CONTEXT-OVERFLOW-2: %s", async (_what, options, window) => {
  const { output } = await ran(
    async (sys) => (await ask(sys, 10)).context?.window ?? null,
    options,
  );

  expect(output).toBe(window ?? null);
});

test("CONTEXT-OVERFLOW-2: the manifest's window is used for a model that cannot count", async () => {
  const { model } = windowModel({ counts: false, answer: () => ({ text: "ok" }) });
  const { kernel } = await bootForTest({
    programs: { it: async (sys) => (await ask(sys, 10)).context ?? null },
    models: [model],
  });
  const capabilities = ["model:*:infer"];
  const given = manifest("it", { program: "it", capabilities, context: { window: 400 } });

  const { output } = await kernel.wait(await kernel.spawn({ manifest: given }));

  expect(output).toEqual({ tokens: expect.any(Number), window: 400 });
});

test("CONTEXT-OVERFLOW-3: it is told once, and again when it was shorter since", async () => {
  const { records } = await ran(async (sys) => {
    const { until } = await listen(sys);
    await ask(sys, 600);
    await ask(sys, 720);
    await until(1);
    await ask(sys, 730);
    await ask(sys, 740);
    await sys.sleep((await sys.now()) + 20);
    await ask(sys, 100);
    await ask(sys, 750);
    await until(2);
  });

  expect(timesTold(records)).toBe(2);
});

test("CONTEXT-OVERFLOW-3: at the part of the window that its manifest says", async () => {
  const late = await ran(async (sys) => {
    await ask(sys, 500);
    await sys.sleep((await sys.now()) + 20);
  });
  const early = await ran(
    async (sys) => {
      const { until } = await listen(sys);
      await ask(sys, 500);
      await until(1);
    },
    { context: { compactAt: 0.4 } },
  );

  expect(timesTold(late.records)).toBe(0);
  expect(timesTold(early.records)).toBe(1);
});

test("CONTEXT-OVERFLOW-3: a request for a summary is full of old messages, and is no reason to be told", async () => {
  const { records } = await ran(async (sys) => {
    const asked = "You write the summary that takes the place of a part";
    await sys.infer({
      model: "small/it",
      messages: [{ role: "system", content: asked }, user(800)],
    });
    await sys.sleep((await sys.now()) + 20);
  });

  expect(timesTold(records)).toBe(0);
});

test("an agent makes its context shorter when a person says so", async () => {
  let turn = 0;
  const small = windowModel({
    answer: () => {
      turn += 1;
      const give = `result ${turn}`;
      return turn > 12
        ? { text: "done" }
        : { toolCalls: [{ id: "c", tool: turn === 10 ? "tell" : "look", args: { give } }] };
    },
  });
  const spawned = Promise.withResolvers<string>();
  const { kernel } = await bootForTest({
    programs: { agent: programs["agent"]!.run },
    models: [small.model],
    tools: [
      {
        name: "tell",
        version: "1",
        description: "a person says so",
        effect: "read",
        input: {},
        touches: () => [],
        run: async () => {
          await kernel.compactContext(await spawned.promise);
          return "told";
        },
      },
    ],
  });
  const given = manifest("it", {
    program: "agent",
    model: "small/it",
    tools: ["look", "tell"],
    capabilities: ["model:*:infer", "tool:*:call"],
  });
  const pid = await kernel.spawn({ manifest: given, input: "go" });
  spawned.resolve(pid);

  expect((await kernel.wait(pid)).output).toBe("done");
  expect(small.summaries).toHaveLength(1);
  expect(small.flaws).toEqual([]);
  expect((await kernel.context(pid)).compactions).toBe(1);
  expect(await codeOf(kernel.compactContext(pid))).toBe("ESTATE");
});

test("an agent whose tool returns more than the window reads it in the archive", async () => {
  const give = `${"x".repeat(9000)} the code is 4711 ${"y".repeat(9000)}`;
  const small = windowModel({
    answer: ({ messages, tools = [] }) => {
      const last = messages.at(-1)!.content;
      if (last === "go") return { toolCalls: [{ id: "c", tool: "look", args: { give } }] };
      if (last.startsWith("[Messages")) {
        expect(tools.map(({ name }) => name)).toContain("context.search");
        const args = { query: "code is" };
        return { toolCalls: [{ id: "c", tool: "context.search", args }] };
      }
      return { text: /the code is (\d+)/.exec(last)?.[1] ?? "lost" };
    },
  });
  const { kernel } = await bootForTest({
    programs: { agent: programs["agent"]!.run },
    models: [small.model],
  });
  const given = manifest("it", {
    program: "agent",
    model: "small/it",
    tools: ["look"],
    capabilities: ["model:*:infer", "tool:*:call"],
  });

  const pid = await kernel.spawn({ manifest: given, input: "go" });

  expect((await kernel.wait(pid)).output).toBe("4711");
  expect(small.flaws).toEqual([]);
});
