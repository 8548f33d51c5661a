// Pipes that stream: a stage works while the one before it still gives items, and the kernel checks each of them.

import { programs as shipped } from "@aos/userland";
import type { Json, Manifest, ManifestText, PipeRead, Sys } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { bootForTest, codeOf, until, type Booted } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";

const number = { type: "integer" };

const take = async (sys: Sys) => (await sys.read("/ipc/pipes/in")) as unknown as PipeRead;
const give = (sys: Sys, item: Json) => sys.write("/ipc/pipes/out", item);

/** Every item until the end. */
async function* items(sys: Sys): AsyncGenerator<Json> {
  for (let read = await take(sys); "item" in read; read = await take(sys)) yield read.item;
}

const programs = {
  pipe: shipped["pipe"]!.run,
  counts: async (sys: Sys, input: Json) => {
    for (let n = 1; n <= (input as number); n += 1) await give(sys, n);
  },
  doubles: async (sys: Sys) => {
    for await (const item of items(sys)) await give(sys, (item as number) * 2);
  },
  sums: async (sys: Sys) => {
    let sum = 0;
    for await (const item of items(sys)) sum += item as number;
    return sum;
  },
  words: async (sys: Sys) => {
    await give(sys, 1);
    return codeOf(give(sys, "a word"));
  },
};

/** The stage of an agent, once it is there. */
async function stageOf({ kernel }: Pick<Booted, "kernel">, name: string): Promise<string> {
  const find = async () => (await kernel.list()).find(({ agent }) => agent === name)?.pid;
  await until(async () => (await find()) !== undefined, name);
  return (await find())!;
}

const capabilities = ["agent:*:spawn"];
type Stages = NonNullable<ManifestText["stages"]>;
const then = (agent: string) => ({ agent, stream: true as const });
const pipeOf = (stages: Stages, more: Partial<ManifestText> = {}) =>
  ({ apiVersion: "aos/v1", kind: "Pipe", name: "p", capabilities, stages, ...more }) as Manifest;

async function runPipe(
  stages: Stages,
  options: Parameters<typeof bootForTest>[0] = {},
  input: Json = 4,
) {
  const booted = await bootForTest({ ...options, programs: { ...programs, ...options.programs } });
  const { kernel } = booted;
  const pid = await kernel.spawn({ manifest: pipeOf(stages), input });
  const ending = await kernel.wait(pid);
  return { ...booted, pid, ending };
}

describe("a pipe that streams", () => {
  test("gives each stage the items of the one before, to the end", async () => {
    const { ending } = await runPipe([{ agent: "counts" }, then("doubles"), then("sums")]);

    expect(ending).toMatchObject({ state: "completed", output: 20 });
  });

  test("lets a stage work while the one before still gives", async () => {
    const rights = ["message:seen:publish,subscribe"];
    const listens = async (sys: Sys, input: Json) => {
      await sys.subscribe("seen");
      await give(sys, input);
      return (await sys.receive({ topic: "seen" })).body; // its item has to have been read by now
    };
    const answers = async (sys: Sys) => {
      for await (const item of items(sys)) await sys.publish("seen", item);
    };
    const { kernel } = await bootForTest({ programs: { ...programs, listens, answers } });
    const stages = [{ agent: "listens" }, then("answers")];
    const manifest = pipeOf(
      stages.map((stage) => ({ ...stage, capabilities: rights })),
      { capabilities: [...capabilities, ...rights] },
    );

    const pid = await kernel.spawn({ manifest, input: 7 });

    expect(await kernel.wait(pid)).toMatchObject({ state: "completed" });
  });

  test("refuses an item that does not fit at the stage that gives it; the next never sees it (PIPES-1)", async () => {
    const stages = [{ agent: "words" }, { check: { schema: number } }, then("sums")];
    const { kernel, ending } = await runPipe(stages);

    const words = (await kernel.list()).find(({ agent }) => agent === "words")!;
    expect(ending.output).toBe(1);
    expect((await kernel.wait(words.pid)).output).toBe("EINVAL");
  });

  test("ends with the exit code of the first stage that fails (PIPE-2)", async () => {
    const fails = async (sys: Sys) => {
      await give(sys, 1);
      return sys.exit(7, null, "no luck");
    };
    const { ending } = await runPipe([{ agent: "fails" }, then("sums")], { programs: { fails } });

    expect(ending).toMatchObject({ state: "failed", exitCode: 7 });
    expect(ending.error!.message).toMatch(/^stage fails /);
  });

  test("waits while the next stage has as many items as it may have", async () => {
    const { ending } = await runPipe(
      [{ agent: "counts" }, then("sums")],
      { limits: { mailboxDepth: 3 } },
      40,
    );

    expect(ending).toMatchObject({ state: "completed", output: 820 });
  });

  test("tells the end again to whoever reads on, and how the stage before ended", async () => {
    const reads = async (sys: Sys) => {
      for await (const item of items(sys)) void item;
      return [await take(sys), await take(sys)] as unknown as Json;
    };
    const { ending } = await runPipe([{ agent: "counts" }, then("reads")], { programs: { reads } });

    const end = { end: { state: "completed", exitCode: 0 } };
    expect(ending.output).toEqual([end, end]);
  });

  test("loses no item and repeats none when its host is killed at any of them (PIPES-2)", async () => {
    const slow = async (sys: Sys) => {
      const seen: Json[] = [];
      for await (const item of items(sys)) {
        seen.push(item);
        if ((item as number) % 5 === 0) await sys.receive({ type: "go" });
      }
      return seen;
    };
    const booted = await bootForTest({ programs: { ...programs, slow } });
    const manifest = pipeOf([{ agent: "counts" }, then("doubles"), then("slow")]);
    const pid = await booted.kernel.spawn({ manifest, input: 20 });
    let { kernel, crash } = booted;
    for (let kill = 0; kill < 4; kill += 1) {
      const stage = await stageOf({ kernel }, "slow");
      await until(async () => (await kernel.show(stage)).waitingOn === "message", "a stop");
      ({ kernel, crash } = await crash());
      await kernel.send(stage, null, { type: "go" });
    }

    const { output } = await kernel.wait(pid);

    expect(output).toEqual(Array.from({ length: 20 }, (_, n) => (n + 1) * 2));
  });
});

describe("the edge of a pipe that streams", () => {
  test("holds back an item that carries more than its label", async () => {
    const reads = async (sys: Sys) => {
      await sys.receive();
      return [await codeOf(give(sys, 1))];
    };
    const { kernel } = await bootForTest({ programs: { ...programs, reads } });
    const stages = [{ agent: "reads" }, { check: { label: "trusted/public" } }, then("sums")];
    const pid = await kernel.spawn({ manifest: pipeOf(stages) });
    const stage = await stageOf({ kernel }, "reads");
    await kernel.send(stage, "x", { label: { integrity: "untrusted", secrecy: "public" } });

    expect(await kernel.wait(pid)).toMatchObject({ state: "failed", error: { code: "EPOLICY" } });
    expect((await kernel.wait(stage)).output).toEqual(["EPOLICY"]);
  });

  test("endorses the items of a stage without power, and tells its end with no words", async () => {
    const untrusted = { integrity: "untrusted", secrecy: "public" } as const;
    const { kernel } = await bootForTest({ programs });
    const stages = [
      { agent: "counts", capabilities: [] },
      { check: { schema: number, endorse: true } },
      then("sums"),
    ];

    const pid = await kernel.spawn({ manifest: pipeOf(stages), input: 3, label: untrusted });

    expect(await kernel.wait(pid)).toMatchObject({ state: "completed", output: 6 });
  });

  test("endorses no item of a stage that holds more than models", async () => {
    const { kernel } = await bootForTest({ programs });
    const check = { check: { schema: number, endorse: true } };
    const stages = [{ agent: "counts", capabilities: ["memory:/mem/working/**:write"] }, check];
    const more = { capabilities: [...capabilities, "memory:/mem/working/**:write"] };

    const pid = await kernel.spawn({ manifest: pipeOf([...stages, then("sums")], more), input: 1 });

    await kernel.wait(pid);
    const stage = await stageOf({ kernel }, "counts");
    expect(await kernel.wait(stage)).toMatchObject({ error: { code: "EACCES" } });
  });

  test("is given by nobody but the kernel: no message is taken for an item (PIPE-END-1)", async () => {
    const forges = async (sys: Sys, to: Json) => [
      await codeOf(sys.send(to as string, 99, { stream: { id: "pipe:in" } })),
      await codeOf(sys.send(to as string, {}, { stream: { id: "pipe:in", end: true } })),
    ];
    const { kernel } = await bootForTest({ programs: { ...programs, forges } });
    const pid = await kernel.spawn({
      manifest: pipeOf([{ agent: "counts" }, then("sums")]),
      input: 2,
    });
    const target = await stageOf({ kernel }, "sums");
    const forger = await kernel.spawn({
      agent: "forges",
      input: target,
      capabilities: ["message:*:send"],
    });

    expect((await kernel.wait(forger)).output).toEqual(["EINVAL", "EINVAL"]);
    expect((await kernel.wait(pid)).output).toBe(3);
  });

  test("leads only from one child to another of the same process (PIPE-PLACE-1)", async () => {
    const parent = async (sys: Sys, other: Json) => {
      const plain = await sys.spawn("sums", null, { pipe: { in: true } });
      const place = (to: string) => sys.spawn("counts", 1, { pipe: { out: { to } } });
      const open = { type: "object" };
      const out = { to: plain, schema: open, endorse: true as const };
      return [
        await codeOf(place(other as string)),
        await codeOf(place((await sys.self()).pid)),
        await codeOf(sys.spawn("counts", 1, { from: other as string })),
        await codeOf(sys.spawn("counts", 1, { pipe: { out } })),
        await codeOf(sys.spawn("counts", 1, { pipe: { out: { to: plain, label: "purple" } } })),
        await codeOf(sys.read("/ipc/pipes/in")),
        await codeOf(sys.write("/ipc/pipes/out", 1)),
      ];
    };
    const { kernel } = await bootForTest({ programs: { ...programs, parent } });
    const other = await kernel.spawn({ agent: "sums", capabilities });

    const pid = await kernel.spawn({ agent: "parent", input: other, capabilities });

    expect((await kernel.wait(pid)).output).toEqual([
      ...Array(5).fill("EINVAL"),
      "ENOENT",
      "EACCES",
    ]);
  });
});

describe("a rule about an edge", () => {
  const values = {
    one: async () => 1,
    adds: async (_sys: Sys, input: Json) => (input as number) + 1,
  };
  const streams = [{ agent: "counts" }, then("sums")];
  const whole = [{ agent: "one" }, { agent: "adds" }];

  test.each([
    ["of a stream", streams, { deny: "pipe:p/counts/*" }],
    ["of a whole value", whole, { deny: "pipe:p/one/adds" }],
    ["by a condition", whole, { deny: "spawn", when: 'edge == "p/one/adds"' }],
  ])("denies what would pass %s", async (_what, stages, rule) => {
    const policy = allowBut({ id: "no", ...rule });
    const { ending } = await runPipe(stages, { policy, programs: values });

    expect(ending).toMatchObject({ state: "failed", exitCode: 96 });
    expect(JSON.stringify(ending.error)).toContain("EPOLICY");
  });

  test.each([
    ["another edge", { deny: "pipe:p/sums/*" }],
    ["another pipe", { deny: "pipe:q/*" }],
  ])("about %s changes nothing", async (_what, rule) => {
    const policy = allowBut({ id: "no", ...rule });
    const { ending } = await runPipe(streams, { policy });

    expect(ending).toMatchObject({ state: "completed", output: 10 });
  });

  test("asks a person, who sees the item, and lets it pass with the yes", async () => {
    const policy = allowBut({ id: "ask", ask: "pipe:p/*" });
    const { kernel } = await bootForTest({ policy, programs });
    const pid = await kernel.spawn({ manifest: pipeOf(streams), input: 1 });

    await until(async () => (await kernel.questions()).length > 0, "a question");
    const [question] = await kernel.questions();
    await kernel.answer(question!.id, { choice: "approve", by: "ann" });

    expect(JSON.stringify(question)).toContain("/ipc/pipes/out");
    expect((await kernel.wait(pid)).output).toBe(1);
  });
});
