// Experience on a real kernel: an agent that failed yesterday does it differently today, and what it keeps of its tasks.
// Each run is replayed to the byte by the kernel for tests.

import { createScriptedModels, type ScriptText } from "@aos/drivers";
import {
  type JournalRecord,
  type Json,
  type ManifestText,
  type ModelDriver,
  SysError,
  type Tool,
} from "@aos/protocol";
import { programs } from "@aos/userland";
import { expect, test } from "vitest";
import { bootForTest, manifest } from "../../helpers/kernel.ts";

const agent = programs["agent"]!.run;
const EPISODIC = "memory:/mem/episodic/**:search,write";

const deploy: Tool = {
  name: "deploy",
  version: "1",
  description: "deploys the shop",
  input: {},
  effect: "idempotent",
  label: { integrity: "trusted", secrecy: "public" },
  touches: () => [],
  run: async (args) => {
    if ((args as { to: string }).to === "blue") return "deployed";
    throw new SysError("EUPSTREAM", "the green cluster is full until it is resized");
  },
};

/** Its results are untrusted. */
const page: Tool = { ...deploy, name: "page", run: async () => "words of others" };
delete (page as { label?: unknown }).label;

/** It deploys to green, unless it is told that green is full. */
const script: ScriptText = {
  turns: [
    {
      when: { last: "user", contains: ["<experience>", "the green cluster is full"] },
      call: [{ tool: "deploy", args: { to: "blue" } }],
    },
    { when: { last: "user" }, call: [{ tool: "deploy", args: { to: "green" } }] },
    { when: { tool: "deploy", contains: "EUPSTREAM" }, say: "I could not deploy it." },
    { when: { last: "tool" }, say: "Done." },
  ],
};

async function boot(scripts: Readonly<Record<string, ScriptText>> = { it: script }) {
  const model = createScriptedModels({ folders: [], scripts });
  const asked: string[] = [];
  const noting: ModelDriver = {
    ...model,
    infer: (request, context) => {
      asked.push(JSON.stringify(request.messages));
      return model.infer(request, context);
    },
  };
  const booted = await bootForTest({
    programs: { agent },
    models: [noting],
    tools: [deploy, page],
  });
  return { ...booted, asked };
}

type Kernel = Awaited<ReturnType<typeof boot>>["kernel"];

async function run(kernel: Kernel, input: Json, more: Partial<ManifestText> = {}) {
  const it = manifest("it", {
    program: "agent",
    model: "scripted/it",
    tools: ["deploy", "page"],
    ...more,
    capabilities: ["model:*:infer", "tool:*:call", ...(more.capabilities ?? [EPISODIC])],
  });
  const pid = await kernel.spawn({ manifest: it, input });
  const ending = await kernel.wait(pid);
  return { pid, ending, records: await kernel.journal(pid) };
}

const callsIn = (records: readonly JournalRecord[], name: string) =>
  records.flatMap((record) => (record.kind === "call" && record.call === name ? [record] : []));

const argsIn = (records: readonly JournalRecord[], name: string) =>
  callsIn(records, name).map(({ args }) => args as { path?: string; data?: Json; tool?: string });

const deployedTo = (records: readonly JournalRecord[]) =>
  records.flatMap((record) =>
    (record.kind === "call" || record.kind === "intent") && record.call === "exec"
      ? [(record.args as { args: { to: string } }).args.to]
      : [],
  );

const episodeOf = async (kernel: Kernel, pid: string) => {
  const { file } = await kernel.memory(pid, `/mem/episodic/tasks/${pid}`);
  return file!;
};

test("what failed yesterday is done differently today", async () => {
  const { kernel, again } = await boot();

  const yesterday = await run(kernel, "Deploy the new version of the shop");
  const booted = await again();
  const today = await run(booted.kernel, "Deploy the shop again, please");

  expect(yesterday.ending.output).toBe("I could not deploy it.");
  expect(deployedTo(yesterday.records)).toEqual(["green"]);
  expect((await episodeOf(booted.kernel, yesterday.pid)).data).toEqual({
    kind: "episode",
    goal: "Deploy the new version of the shop",
    action: 'deploy {"to":"green"} (failed)',
    result: "I could not deploy it.",
    outcome: "bad",
    reflection:
      'deploy {"to":"green"} failed: EUPSTREAM: the green cluster is full until it is resized.',
  });
  expect(today.ending.output).toBe("Done.");
  expect(deployedTo(today.records)).toEqual(["blue"]);
  expect((await episodeOf(booted.kernel, today.pid)).data).toMatchObject({ outcome: "good" });
});

test("without the memory it fails the same way again", async () => {
  const { kernel } = await boot();

  for (const more of [{ capabilities: [] }, { memory: { episodes: false } }])
    for (let day = 1; day <= 2; day++) {
      const { records } = await run(kernel, "Deploy the shop", more);
      expect(deployedTo(records)).toEqual(["green"]);
      expect([...argsIn(records, "search"), ...argsIn(records, "write")]).toEqual([]);
      expect(callsIn(records, "self")).toEqual([]);
    }
});

test("a goal that is not similar is told nothing", async () => {
  const { kernel, asked } = await boot();

  await run(kernel, "Deploy the new version of the shop");
  await run(kernel, "Translate the new letter into French");
  await run(kernel, "Deploy the shop");

  const isTold = asked.map((text) => text.includes("<experience>"));
  expect(isTold).toEqual([false, false, false, false, true, true]); // two requests each
});

test("a task that fails as a whole is kept with its failure, one that goes round in circles too", async () => {
  const loop: ScriptText = {
    turns: [{ when: {}, call: [{ tool: "deploy", args: { to: "blue" } }] }],
  };
  const { kernel } = await boot({ it: loop, none: { turns: [{ say: "…", finish: "filter" }] } });

  const looped = await run(kernel, "Deploy the shop");
  const failed = await run(kernel, "Write a poem", { model: "scripted/none" });

  expect(looped.ending.error).toMatchObject({ code: "EINTR" }); // by SIGLOOP
  expect((await episodeOf(kernel, looped.pid)).data).toMatchObject({
    outcome: "bad",
    result: expect.stringContaining("the model repeats itself") as string,
  });
  expect(failed.ending.state).toBe("failed");
  expect((await episodeOf(kernel, failed.pid)).data).toMatchObject({
    outcome: "bad",
    action: "answered without tools",
    result: expect.stringMatching(/^EUPSTREAM: /) as string,
  });
});

test("experience is as trusted as the run that left it, and makes its reader so; or it is left out", async () => {
  const { kernel, asked } = await boot({
    it: {
      turns: [
        { when: { last: "user" }, call: [{ tool: "page", args: {} }] },
        { when: { tool: "page" }, call: [{ tool: "deploy", args: { to: "green" } }] },
        { when: { tool: "deploy" }, say: "I could not deploy it." },
      ],
    },
    reader: { turns: [{ when: {}, say: "Read." }] },
  });
  const reader = { model: "scripted/reader" };

  const red = await run(kernel, "Deploy the shop");
  const told = await run(kernel, "Deploy the shop", reader);
  const wary = await run(kernel, "Deploy the shop", {
    ...reader,
    memory: { episodes: "trusted" },
  });

  expect((await episodeOf(kernel, red.pid)).label).toBe("untrusted/public");
  expect(asked.slice(-2).map((text) => text.includes("<experience>"))).toEqual([true, false]);
  expect((await episodeOf(kernel, told.pid)).label).toBe("untrusted/public");
  expect((await episodeOf(kernel, wary.pid)).label).toBe("trusted/public");
});

test("EXPERIENCE-2: a refused search or write does not fail the task", async () => {
  const { kernel } = await boot();

  const { ending, records } = await run(kernel, "Deploy the shop", {
    memory: { episodes: true },
    capabilities: ["memory:/mem/working/**:*"],
  });

  expect(ending.output).toBe("I could not deploy it.");
  const refusals = [...callsIn(records, "search"), ...callsIn(records, "write")];
  expect(refusals.map(({ err }) => err?.code)).toEqual(["EACCES", "EACCES"]);
});

test("a persistent agent is told before each message, and keeps what failed", async () => {
  const { kernel } = await boot({
    it: {
      turns: [
        { when: { contains: "<experience>" }, say: "I know." },
        { when: { contains: "fail" }, say: "…", finish: "filter" },
        { when: {}, say: "Hello." },
      ],
    },
  });
  const it = manifest("it", {
    program: "agent",
    model: "scripted/it",
    persistent: true,
    capabilities: ["model:*:infer", EPISODIC],
  });
  const pid = await kernel.spawn({ manifest: it });

  const hello = await kernel.invoke(pid, { input: "Hello there" });
  await expect(kernel.invoke(pid, { input: "Deploy the shop and fail" })).rejects.toThrow();
  const known = await kernel.invoke(pid, { input: "Deploy the shop" });

  expect([hello.output, known.output]).toEqual(["Hello.", "I know."]);
  const { files } = await kernel.memory(pid, `/mem/episodic/tasks/${pid}`);
  expect(files).toHaveLength(1);
  await kernel.signal(pid, "SIGKILL");
});
