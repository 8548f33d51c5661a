// Versions of files: what journals say was written to a file of memory. `FILE-VERSIONS-1` and the like are the
// invariants of kernel/src/inspection/file-versions.ts.

import { bootKernel, type Kernel } from "@aos/kernel";
import type { Json, Program, Sys } from "@aos/protocol";
import { expect, onTestFinished, test } from "vitest";
import { bootForTest } from "../../helpers/kernel.ts";

const MEMORY = ["memory:/mem/**:*"];
const NOTE = "/mem/shared/note";

/** Makes the calls of its input, one after the other. */
const scribe = async (sys: Sys, input: Json) => {
  for (const [call, ...args] of input as unknown as [keyof Sys, ...Json[]][])
    await (sys[call] as (...given: Json[]) => Promise<Json>)(...args);
};

const programs = { scribe };

async function ran(kernel: Kernel, calls: Json, more: object = {}): Promise<string> {
  const pid = await kernel.spawn({ agent: "scribe", input: calls, capabilities: MEMORY, ...more });
  expect((await kernel.wait(pid)).state).toBe("completed");
  return pid;
}

const changesOf = async (kernel: Kernel, path = NOTE, of: { pid?: string; tenant?: string } = {}) =>
  (await kernel.fileVersions(of, path)).versions.map(({ version, change }) => [version, change]);

test("FILE-VERSIONS-1: every write and removal is a version, whoever made it, also after a restart", async () => {
  const booted = await bootForTest({ programs });
  const long = "x".repeat(10_000); // not in the record itself
  const first = await ran(booted.kernel, [
    ["write", NOTE, { n: 1 }],
    ["read", NOTE],
    ["write", `${NOTE}2`, "another"],
  ]);
  const second = await ran(booted.kernel, [
    ["write", NOTE, long],
    ["remove", NOTE],
  ]);

  const { kernel } = await booted.again();

  expect(await changesOf(kernel)).toEqual([
    [`${second}#2`, "remove"],
    [`${second}#1`, "write"],
    [`${first}#1`, "write"],
  ]);
  const read = async (version: string) => (await kernel.fileVersion({}, NOTE, version)).data;
  expect(await read(`${first}#1`)).toEqual({ n: 1 });
  expect(await read(`${second}#1`)).toBe(long);
  expect(await read(`${second}#2`)).toBeNull();
  await expect(read(`${first}#2`)).rejects.toMatchObject({ code: "ENOENT" });
});

test("a refused write is no version, and a text that only speaks of one is none", async () => {
  const { kernel } = await bootForTest({
    programs: {
      ...programs,
      refused: async (sys: Sys) => sys.write(NOTE, "no").catch(() => null),
    },
  });
  await kernel.wait(await kernel.spawn({ agent: "refused", capabilities: [] }));
  await ran(kernel, [["write", "/mem/shared/other", { call: "write", args: { path: NOTE } }]]);

  expect(await changesOf(kernel)).toEqual([]);
});

test("what was added to a stream is read with what it was added to", async () => {
  const { kernel } = await bootForTest({
    programs: {
      ...programs,
      adder: async (sys: Sys) => {
        const fd = await sys.open(NOTE, "append");
        await sys.write(fd, "b");
        await sys.write(fd, "c");
      },
    },
  });
  const whole = await ran(kernel, [["write", NOTE, "a"]]);
  const pid = await kernel.spawn({ agent: "adder", capabilities: MEMORY });
  await kernel.wait(pid);

  expect(await changesOf(kernel)).toEqual([
    [`${pid}#3`, "append"],
    [`${pid}#2`, "append"],
    [`${whole}#1`, "write"],
  ]);
  expect(await kernel.fileVersion({}, NOTE, `${pid}#2`)).toMatchObject({ data: "ab" });
  expect(await kernel.fileVersion({}, NOTE, `${pid}#3`)).toMatchObject({
    data: "abc",
    isCurrent: true,
  });
});

test("working memory is a process's own; pages go on where the last one ended", async () => {
  const { kernel } = await bootForTest({ programs });
  const path = "/mem/working/plan";
  const pid = await ran(
    kernel,
    [1, 2, 3].map((n) => ["write", path, n]),
  );
  const other = await ran(kernel, [["write", path, 9]]);
  await ran(
    kernel,
    [1, 2, 3].map((n) => ["write", NOTE, n]),
  );

  for (const [file, of] of [
    [path, { pid }],
    [NOTE, {}],
  ] as const) {
    const first = await kernel.fileVersions(of, file, { limit: 2 });
    const rest = await kernel.fileVersions(of, file, { limit: 2, after: first.next! });
    expect([first.versions.length, rest.versions.length, rest.next]).toEqual([2, 1, null]);
    const seqs = [...first.versions, ...rest.versions].map(({ version }) => version.split("#")[1]);
    expect(seqs).toEqual(["3", "2", "1"]);
    expect(rest.versions[0]!.isCurrent).toBe(false);
  }
  expect(await changesOf(kernel, path, { pid: other })).toEqual([[`${other}#1`, "write"]]);
  await expect(kernel.fileVersions({}, path)).rejects.toMatchObject({ code: "EINVAL" });
});

test("FILE-VERSIONS-2: a version has the label that it was written with", async () => {
  const { kernel } = await bootForTest({ programs });
  const label = { integrity: "trusted", secrecy: "internal" } as const;
  await ran(kernel, [["write", NOTE, "clean"]]);
  await ran(kernel, [["write", NOTE, "internal"]], { label });

  const { versions } = await kernel.fileVersions({}, NOTE);

  expect(versions.map((one) => one.label)).toEqual(["trusted/internal", "trusted/public"]);
});

test("FILE-VERSIONS-3: what retention removed is not shown, and that is said", async () => {
  const kernel = await bootKernel({
    programs: { scribe: scribe as unknown as Program },
    retention: { maxRuns: 1 },
  });
  onTestFinished(() => kernel.close());
  const old = await ran(kernel, [["write", NOTE, 1]]);
  const young = await ran(kernel, [["write", NOTE, 2]]);
  expect(await kernel.fileVersions({}, NOTE)).toMatchObject({ isComplete: true });

  await kernel.collect();

  expect(await kernel.fileVersions({}, NOTE)).toMatchObject({
    isComplete: false,
    versions: [{ version: `${young}#1` }],
  });
  await expect(kernel.fileVersion({}, NOTE, `${old}#1`)).rejects.toMatchObject({ code: "ENOENT" });
});

test("the memory of an agent has versions of its own, by whatever name they were written", async () => {
  const { kernel } = await bootForTest({
    programs: { ...programs, other: scribe },
  });
  const path = "/mem/semantic/port";
  const stored = "/mem/agents/scribe/semantic/port";
  const own = await ran(kernel, [["write", path, 1]]);
  const foreign = await ran(
    kernel,
    [
      ["write", path, 2],
      ["write", stored, 3],
    ],
    {
      agent: "other",
      capabilities: [...MEMORY, "memory:/mem/agents/scribe/**:*"],
    },
  );

  const versions = [
    [`${foreign}#2`, "write"],
    [`${own}#1`, "write"],
  ];
  expect(await changesOf(kernel, stored)).toEqual(versions);
  expect(await changesOf(kernel, path, { pid: own })).toEqual(versions);
  expect(await changesOf(kernel, path, { pid: foreign })).toEqual([[`${foreign}#1`, "write"]]);
});

test("another tenant's file of the same path has other versions", async () => {
  const { kernel } = await bootForTest({ programs });
  await kernel.addTenant("acme", {}, "operator");
  const ours = await ran(kernel, [["write", NOTE, 1]]);
  const theirs = await ran(kernel, [["write", NOTE, 2]], { tenant: "acme" });

  expect(await changesOf(kernel)).toEqual([[`${ours}#1`, "write"]]);
  expect(await changesOf(kernel, NOTE, { tenant: "acme" })).toEqual([[`${theirs}#1`, "write"]]);
  await expect(kernel.fileVersion({}, NOTE, `${theirs}#1`)).rejects.toMatchObject({
    code: "ENOENT",
  });
  await expect(kernel.fileVersions({ tenant: "none" }, NOTE)).rejects.toMatchObject({
    code: "ENOENT",
  });
});
