// The words of a grant carry the label of who wrote them, to whoever is told them.

import { expect, test } from "vitest";
import type { Label, Sys } from "@aos/protocol";
import { bootForTest, codeOf, until, type Booted } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";

const SECRET: Label = { integrity: "untrusted", secrecy: "secret" };
const RED: Label = { integrity: "untrusted", secrecy: "public" };
const ALL = ["tool:*:call", "agent:*:*", "message:*:*", "http:*/**:get"];
/** What a giver that has read a secret can write. */
const WORDS = "http:the-plan-is-to-sell.example/**:get";

/** What the holder does once it was given something; the label that its next call tells. */
const holding =
  (act: (sys: Sys) => Promise<unknown>) =>
  async (sys: Sys): Promise<unknown> => {
    await sys.receive();
    return act(sys);
  };

const holders: Record<string, (sys: Sys) => Promise<unknown>> = {
  idle: async () => "nothing",
  asks: async (sys) => (await sys.self()).grants.length,
  refused: async (sys) => codeOf(sys.exec("fetch", { host: "the-plan" })),
  checks: async (sys) => sys.check("exec", { tool: "fetch", args: { host: "the-plan" } }),
};

const fetchTool = {
  name: "fetch",
  version: "1",
  description: "fetches",
  input: {},
  effect: "read" as const,
  label: { integrity: "trusted", secrecy: "public" } as const,
  touches: (args: unknown) => [
    { kind: "http", resource: `${(args as { host: string }).host}:443/`, verb: "get" },
  ],
  run: async () => "done",
};

async function given(holder: string): Promise<{ booted: Booted; pid: string }> {
  const booted = await bootForTest({
    tools: [fetchTool],
    programs: {
      ...Object.fromEntries(Object.entries(holders).map(([name, act]) => [name, holding(act)])),
      giver: async (sys, input) => sys.grant(input as string, [WORDS]),
    },
  });
  const { kernel } = booted;
  const pid = await kernel.spawn({ agent: holder, capabilities: ["tool:*:call"] });
  await until(async () => (await kernel.show(pid)).waitingOn === "message", "the wait");
  const giver = await kernel.spawn({
    agent: "giver",
    input: pid,
    capabilities: ALL,
    label: SECRET,
  });
  expect((await kernel.wait(giver)).error).toBeNull();
  return { booted, pid };
}

test.each(["asks", "refused", "checks"])(
  "who is told what a grant says has read what its giver had (%s)",
  async (holder) => {
    const { booted, pid } = await given(holder);
    await booted.kernel.send(pid, "go");
    await booted.kernel.wait(pid);

    expect((await booted.kernel.show(pid)).labels).toMatchObject(SECRET);
    expect((await booted.kernel.replay(pid)).identical).toBe(true);
  },
);

test("who is not told has not read it; the operator sees whose words they are", async () => {
  const { booted, pid } = await given("idle");
  await booted.kernel.send(pid, "go");
  await booted.kernel.wait(pid);

  expect((await booted.kernel.show(pid)).labels).toMatchObject({ secrecy: "public" });
  const { holdings } = await booted.kernel.power({ pid });
  expect(holdings.map(({ label }) => label)).toEqual(["trusted/public", "untrusted/secret"]);
});

test("the label is recorded, and is there after a crash", async () => {
  const { booted, pid } = await given("asks");
  const { kernel } = await booted.crash();
  await kernel.send(pid, "go");
  await kernel.wait(pid);

  const record = (await kernel.journal(pid)).find(({ kind }) => kind === "grant");
  expect(record).toMatchObject({ words: "untrusted/secret" });
  expect((await kernel.show(pid)).labels).toMatchObject(SECRET);
});

test("a grant that is handed on carries the words of all who wrote in it", async () => {
  const { kernel } = await bootForTest({
    programs: {
      giver: async (sys, input) => sys.grant(input as string, [WORDS, "message:*:*"]),
      // Has read nothing, and hands on what it was given under words of its own.
      middle: async (sys, input) => {
        await sys.receive();
        await sys.grant(input as string, ["http:*.example/**:get"]);
      },
      last: holding(async (sys) => sys.self()),
    },
  });
  const last = await kernel.spawn({ agent: "last", capabilities: [] });
  const middle = await kernel.spawn({
    agent: "middle",
    input: last,
    capabilities: ["message:*:*"],
  });
  for (const pid of [last, middle])
    await until(async () => (await kernel.show(pid)).waitingOn === "message", "the wait");
  const more = { capabilities: ALL, label: SECRET, input: middle };
  await kernel.wait(await kernel.spawn({ agent: "giver", ...more }));
  await kernel.send(middle, "go");
  expect((await kernel.wait(middle)).error).toBeNull();
  await kernel.send(last, "go");
  await kernel.wait(last);

  expect((await kernel.show(middle)).labels).toMatchObject({ secrecy: "public" });
  expect((await kernel.show(last)).labels).toMatchObject(SECRET);
});

test("what a person's always gives to later processes carries the label of the one that asked", async () => {
  const { kernel } = await bootForTest({
    tools: [fetchTool],
    policy: allowBut({ id: "look-first", ask: "tool:fetch" }),
    programs: {
      worker: async (sys, input) =>
        input === "self" ? sys.self() : sys.exec("fetch", { host: "the-plan-is-to-sell.example" }),
    },
  });
  const first = await kernel.spawn({ agent: "worker", capabilities: ALL, label: RED });
  await until(async () => (await kernel.questions()).length === 1, "the question");
  const [question] = await kernel.questions();
  await kernel.answer(question!.id, { choice: "approve", by: "alice", always: true });
  await kernel.wait(first);

  const later = await kernel.spawn({ agent: "worker", input: "self", capabilities: ALL });
  await kernel.wait(later);

  expect((await kernel.show(later)).labels.integrity).toBe("untrusted");
});
