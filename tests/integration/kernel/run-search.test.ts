// What was said in runs, found again: from every kind of record, for whoever may see it, across restarts and removals.

import { bootKernel, type Kernel } from "@aos/kernel";
import type { Json, Sys } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { bootForTest } from "../../helpers/kernel.ts";

const programs = {
  silent: async () => null,
  talker: async (sys: Sys, input: Json) => {
    const { model } = input as { model?: string };
    if (model !== undefined)
      await sys.infer({ model, messages: [{ role: "user", content: "hello" }] });
    return { decision: "we use port 9443 for the gateway" };
  },
  listener: async (sys: Sys) => {
    const message = await sys.receive();
    return `heard ${JSON.stringify(message.body)}`;
  },
  holder: async (sys: Sys) => {
    await sys.receive();
    await sys.receive();
    return null;
  },
  recall: async () => "asked which harbour",
  failing: async () => {
    throw new Error("the turbine overheated");
  },
};
const power = ["message:*:*", "model:*:infer"];

async function ended(kernel: Kernel, agent: string, more: object = {}): Promise<string> {
  const pid = await kernel.spawn({ agent, capabilities: power, ...more });
  await kernel.wait(pid);
  return pid;
}

const texts = async (kernel: Kernel, query: string, more: object = {}): Promise<string[]> =>
  (await kernel.searchRuns({ query, ...more })).found.map(({ text }) => text);

test("a request, an answer, a message and a failure are found, each with its run and record", async () => {
  const { kernel } = await bootForTest({ programs });
  const asked = await ended(kernel, "talker", { input: { goal: "inspect the lighthouse" } });
  const listener = await kernel.spawn({ agent: "listener", capabilities: power });
  await kernel.send(listener, "the ferry leaves at nine");
  await kernel.wait(listener);
  const failed = await ended(kernel, "failing");

  const places = async (query: string) => {
    const { found } = await kernel.searchRuns({ query, limit: 1 });
    return found.map(({ pid, speaker, text }) => [pid, speaker, text]);
  };

  expect(await places("lighthouse")).toEqual([[asked, "operator", "goal: inspect the lighthouse"]]);
  expect(await places("which port did we decide on")).toEqual([
    [asked, "talker", "decision: we use port 9443 for the gateway"],
  ]);
  expect((await places("turbine"))[0]).toEqual([failed, "failing", "the turbine overheated"]);
  const ferry = (await kernel.searchRuns({ query: "ferry nine" })).found;
  expect(ferry.map(({ pid }) => pid)).toContain(listener);
  const [record] = await kernel.journal(listener, { after: ferry[0]!.seq - 1, limit: 1 });
  expect(JSON.stringify(record)).toContain("ferry");
  expect(ferry[0]!.why.length).toBeGreaterThan(0);
});

test("RUN-INDEX-2: what was said after the first search is found by the next, and after a restart", async () => {
  const booted = await bootForTest({ programs });
  await ended(booted.kernel, "silent", { input: "the anchor" });
  const first = await texts(booted.kernel, "anchor compass");
  await ended(booted.kernel, "silent", { input: "the compass" });
  const second = await texts(booted.kernel, "anchor compass");
  const { kernel } = await booted.crash();
  const third = await texts(kernel, "anchor compass");

  expect(first).toEqual(["the anchor"]);
  expect(second.toSorted()).toEqual(["the anchor", "the compass"]);
  expect(third.toSorted()).toEqual(["the anchor", "the compass"]);
});

test("RUN-INDEX-1: another tenant's runs are not there, and change no score", async () => {
  const alone = await bootForTest({ programs });
  const both = await bootForTest({ programs });
  for (const { kernel } of [alone, both]) {
    for (const name of ["mine", "other"]) await kernel.addTenant(name, {}, "op");
    await ended(kernel, "silent", { input: "a red boat", tenant: "mine" });
    await ended(kernel, "silent", { input: "a red house", tenant: "mine" });
  }
  for (let at = 0; at < 5; at++)
    await ended(both.kernel, "silent", { input: "red boat boat", tenant: "other" });

  const seen = async (kernel: Kernel) =>
    (await kernel.searchRuns({ query: "red boat", tenant: "mine" })).found.map(
      ({ text, score, why }) => ({ text, score, why }),
    );

  expect(await seen(both.kernel)).toEqual(await seen(alone.kernel));
  expect(await seen(both.kernel)).toHaveLength(2);
});

test("RUN-SEARCH-2: a run whose history retention has removed is not found any more", async () => {
  const kernel = await bootKernel({ programs, retention: { maxRuns: 1 } });
  await ended(kernel, "silent", { input: "an old harbour" });
  await ended(kernel, "silent", { input: "a new harbour" });
  const before = await texts(kernel, "harbour");

  await kernel.collect();
  const after = await texts(kernel, "harbour");

  await kernel.close();
  expect(before.toSorted()).toEqual(["a new harbour", "an old harbour"]);
  expect(after).toEqual(["a new harbour"]);
});

test("what a run says twice is found once, and the limit counts what is found", async () => {
  const { kernel } = await bootForTest({ programs });
  const said = { decision: "we use port 9443 for the gateway" };
  for (let run = 0; run < 3; run++) await ended(kernel, "talker", { input: said });

  const { found } = await kernel.searchRuns({ query: "port gateway", limit: 2 });

  expect(found).toHaveLength(2);
  expect(new Set(found.map(({ pid }) => pid)).size).toBe(2);
});

test("RUN-INDEX-5: earlier searches are no answers", async () => {
  const { kernel } = await bootForTest({ programs });
  await ended(kernel, "recall", { input: "which harbour" });

  expect(await texts(kernel, "harbour")).toEqual([]);
});

describe("a search is limited", () => {
  test.each<[string, object, readonly string[]]>([
    ["to an agent", { agent: "listener" }, []],
    ["to what is trusted", { label: "trusted" }, ["a trusted boat"]],
    ["by a time before all", { untilMs: 1 }, []],
    ["by a time after all", { sinceMs: 8_000_000_000_000 }, []],
  ])("%s", async (_how, filter, expected) => {
    const { kernel } = await bootForTest({ programs });
    const label = { integrity: "untrusted", secrecy: "public" } as const;
    await ended(kernel, "silent", { input: "a trusted boat" });
    await ended(kernel, "silent", { input: "an untrusted boat", label });

    expect(await texts(kernel, "boat", filter)).toEqual(expected);
  });

  test("to a run", async () => {
    const { kernel } = await bootForTest({ programs });
    await ended(kernel, "silent", { input: "one boat" });
    const pid = await ended(kernel, "silent", { input: "two boats" });

    expect(await texts(kernel, "boat", { pid })).toEqual(["two boats"]);
  });
});

test("what a run that goes on has read by now is its label, for what was found before, too", async () => {
  const { kernel } = await bootForTest({ programs });
  const pid = await kernel.spawn({ agent: "holder", input: "the cargo", capabilities: power });
  await kernel.send(pid, "a crate", { label: { integrity: "untrusted", secrecy: "public" } });
  for (let seen = 0; seen < 2;) seen = (await kernel.journal(pid)).length;

  const { found } = await kernel.searchRuns({ query: "crate cargo" });

  expect(found.map(({ label }) => label)).toEqual(["untrusted/public", "untrusted/public"]);
  await kernel.signal(pid, "SIGKILL");
  await kernel.wait(pid);
});
