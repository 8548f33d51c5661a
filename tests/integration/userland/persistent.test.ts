// An agent that lives on, on a real kernel: it is asked, answers, is unloaded and killed in between, and
// remembers. Every life that ends here is replayed to the byte by the kernel for tests.

import { DatabaseSync } from "node:sqlite";
import { createScriptedModels, type ScriptText } from "@aos/drivers";
import type { Json, JournalRecord, ManifestText, Sys } from "@aos/protocol";
import { programs } from "@aos/userland";
import { expect, test } from "vitest";
import { bootForTest, manifest, TOOLS, until, type Booted } from "../../helpers/kernel.ts";
import { providerOf } from "../skills/skill-provider.ts";

const agent = programs["agent"]!.run;

/** Says how many messages it was shown, and the last. */
const counting: ScriptText = {
  turns: [
    { when: { contains: "break" }, call: [{ tool: "look", args: { give: "x" } }] },
    { when: { contains: "cut" }, say: "half", finish: "length" },
    { when: { turn: 1 }, say: "first: {{last}}" },
    { when: { turn: 2 }, say: "second: {{last}}" },
    { when: { turn: 3 }, say: "third: {{last}}" },
  ],
  otherwise: { say: "later: {{last}}" },
};

const persistent = (more: Partial<ManifestText> = {}) =>
  manifest("helper", {
    program: "agent",
    model: "scripted/it",
    persistent: true,
    system: "Be brief.",
    tools: ["look"],
    capabilities: [...TOOLS, "model:*:infer"],
    ...more,
  });

const boot = (more: Parameters<typeof bootForTest>[0] = {}, script = counting) =>
  bootForTest({
    ...more,
    programs: { agent, ...more.programs },
    models: [createScriptedModels({ folders: [], scripts: { it: script } })],
  });

const ask = async ({ kernel }: Pick<Booted, "kernel">, pid: string, input: Json) =>
  (await kernel.invoke(pid, { input, timeoutMs: 120_000 })).output;

const end = async ({ kernel }: Pick<Booted, "kernel">, pid: string) => {
  await kernel.signal(pid, "SIGTERM");
  return kernel.wait(pid);
};

const requests = (records: readonly JournalRecord[]) =>
  records.filter((record) => record.kind === "call" && record.call === "infer");

test.each([0, 10_000])(
  "AGENT-SESSION-1: it answers message after message, remembers, and ends when it is told to (unloaded after %i ms)",
  async (unloadAfterMs) => {
    const booted = await boot({ unloadAfterMs });
    const pid = await booted.kernel.spawn({ manifest: persistent(), input: "born" });

    const answers = [await ask(booted, pid, "one"), await ask(booted, pid, "two")];

    expect(answers).toEqual(["second: one", "third: two"]);
    expect(await end(booted, pid)).toMatchObject({ exitCode: 130 });
  },
);

test("AGENT-SESSION-1: a daemon that dies in between finds it again, with what was said", async () => {
  const first = await boot();
  const pid = await first.kernel.spawn({ manifest: persistent() });
  expect(await ask(first, pid, "one")).toBe("first: one");

  const second = await first.crash();
  expect(await ask(second, pid, "two")).toBe("second: two");
  const third = await second.again();
  expect(await ask(third, pid, "three")).toBe("third: three");

  await end(third, pid);
  const records = await third.kernel.journal(pid);
  expect(requests(records)).toHaveLength(3);
  expect(records.filter((record) => record.kind === "restart").length).toBeGreaterThan(0);
});

test("AGENT-SESSION-1: it goes on in the middle of a message", async () => {
  const slow: ScriptText = {
    turns: [
      { say: "hello" },
      { when: { turn: 2 }, call: [{ tool: "look", args: { give: "seen" } }] },
      { when: { tool: "look" }, delayMs: 60_000, say: "never" },
    ],
  };
  const first = await boot({}, slow);
  const pid = await first.kernel.spawn({ manifest: persistent(), input: "hi" });
  const asked = first.kernel.invoke(pid, { input: "look", key: "k" }).catch(() => {});
  await until(async () =>
    (await first.kernel.journal(pid)).some((record) => "call" in record && record.call === "exec"),
  );

  const quick = { turns: [...slow.turns.slice(0, 2), { when: { tool: "look" }, say: "{{last}}" }] };
  const models = [createScriptedModels({ folders: [], scripts: { it: quick } })];
  const second = await first.crash({ models });
  await asked;

  const { output } = await second.kernel.invoke(pid, { input: "look", key: "k" });
  expect(output).toBe("seen");
  expect(second.runs).toHaveLength(1);
  await end(second, pid);
});

test("a request of another process is answered, an event is read and answered to nobody", async () => {
  const parent = async (sys: Sys): Promise<Json> => {
    const child = await sys.spawn("helper", null);
    await sys.send(child, "news");
    const answer = await sys.request(child, "well?");
    await sys.signal(child, "SIGTERM");
    return [answer, (await sys.wait(child)).exitCode];
  };
  const booted = await boot({
    programs: { parent },
    agents: (name) => (name === "helper" ? { manifest: persistent() } : undefined),
  });
  const pid = await booted.kernel.spawn({
    manifest: manifest("parent", {
      capabilities: ["agent:helper:spawn", ...TOOLS, "model:*:infer"],
    }),
  });

  const { output } = await booted.kernel.wait(pid);

  expect(output).toEqual([`second: [request from ${pid}]\nwell?`, 130]);
});

test("AGENT-SESSION-2: a message that comes to nothing is answered with why, and is forgotten", async () => {
  const booted = await boot();
  const { kernel } = booted;
  const pid = await kernel.spawn({ manifest: persistent() });

  await expect(ask(booted, pid, "cut")).rejects.toMatchObject({ code: "EUPSTREAM" });
  expect(await ask(booted, pid, "one")).toBe("first: one");
  expect(JSON.stringify(await kernel.exportContext(pid))).not.toContain("cut");
  await end(booted, pid);
});

test("a context takes the place of what was said; its own system prompt stays", async () => {
  const booted = await boot();
  const { kernel } = booted;
  const pid = await kernel.spawn({ manifest: persistent(), input: "born" });
  const context = [
    { role: "user" as const, content: "before" },
    { role: "assistant" as const, content: "yes" },
  ];

  const { output } = await kernel.invoke(pid, { input: "now", context });
  const asked = await kernel.invoke(pid, { context: [context[0]!] });

  expect(output).toBe("second: now");
  expect(asked.output).toBe("first: before");
  const shown = await kernel.exportContext(pid);
  expect(shown.map(({ content }) => content).slice(0, 2)).toEqual(["Be brief.", "before"]);
  await end(booted, pid);
});

test("what it remembers word for word is limited", async () => {
  const booted = await boot();
  const { kernel } = booted;
  const pid = await kernel.spawn({ manifest: persistent({ history: { messages: 4 } }) });

  for (const text of ["one", "two", "three", "four", "five"]) await ask(booted, pid, text);

  const shown = await kernel.exportContext(pid);
  expect(shown[0]!.content).toBe("Be brief.");
  expect(JSON.stringify(shown)).not.toContain('"one"');
  expect(JSON.stringify(shown)).toContain("five");
  expect(shown.length).toBeLessThan(8);
  await end(booted, pid);
});

test("a skill that leaves it no tools leaves it its life", async () => {
  const script: ScriptText = {
    turns: [{ call: [{ tool: "skill.read", args: { name: "strict" } }] }],
    otherwise: { say: "still here" },
  };
  const booted = await boot({ skills: providerOf({ strict: { allowedTools: [] } }) }, script);
  const strict = persistent({ skills: ["*"], tools: ["look", "memory.read"] });
  const pid = await booted.kernel.spawn({ manifest: strict });

  expect([await ask(booted, pid, "one"), await ask(booted, pid, "two")]).toEqual([
    "still here",
    "still here",
  ]);
  const offered = requests(await booted.kernel.journal(pid)).map((record) =>
    ((record as { args: { tools?: { name: string }[] } }).args.tools ?? []).map(({ name }) => name),
  );
  expect(offered[0]).toEqual(["look", "memory.read", "result.read", "skill.read"]);
  expect(offered.at(-1)).toEqual(["result.read", "skill.read"]);
  await end(booted, pid);
});

test("it does not climb down from one message to the next", async () => {
  const cut = { turns: [{ when: {}, say: "x", finish: "length" as const }] };
  const booted = await bootForTest({
    programs: { agent },
    models: [createScriptedModels({ folders: [], scripts: { low: cut, high: counting } })],
  });
  const ladder = { model: ["scripted/low", "scripted/high"], escalate_on: ["cutoff" as const] };
  const pid = await booted.kernel.spawn({ manifest: persistent(ladder) });

  await ask(booted, pid, "one");
  await ask(booted, pid, "two");

  const models = requests(await booted.kernel.journal(pid)).map(
    (record) => ("args" in record ? (record.args as { model: string }) : undefined)?.model,
  );
  expect(models).toEqual(["scripted/low", "scripted/high", "scripted/high"]);
  await end(booted, pid);
});

test("a long conversation is stored once, not once for every answer, and is the same after a crash", async () => {
  const first = await boot();
  const pid = await first.kernel.spawn({ manifest: persistent() });
  for (let turn = 0; turn < 12; turn++) await ask(first, pid, `${turn} ${"x".repeat(2_000)}`);
  const next = await first.crash();

  expect(await ask(next, pid, "and now")).toBe("later: and now");

  // Twelve questions and answers are 50 KB: as a state, and as the messages of the requests.
  using database = new DatabaseSync(first.file, { readOnly: true });
  const { bytes } = database.prepare("select sum(length(body)) as bytes from blob").get()!;
  expect(bytes).toBeLessThan(200_000);
  await end(next, pid);
});
