// The file tree of a process: what is its own without a grant, and nothing of others.

import type { Json, Sys } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { bootForTest } from "../../helpers/kernel.ts";

type Body = (sys: Sys, input: Json) => Promise<Json>;

const run = async (body: Body, capabilities: string[] = [], more: object = {}) => {
  const booted = await bootForTest({
    programs: { body, child: async (sys) => void (await sys.receive()) },
  });
  const manifest = {
    apiVersion: "aos/v1" as const,
    kind: "Agent" as const,
    name: "reader",
    program: "body",
    capabilities,
    ...more,
  };
  const pid = await booted.kernel.spawn({ manifest });
  return { ...booted, pid, ending: await booted.kernel.wait(pid) };
};

const code = (calling: Promise<unknown>): Promise<string> =>
  calling.then(
    () => "ok",
    (error: { code: string }) => error.code,
  );

describe("without a grant a process", () => {
  test("lists the root and the folders of mounts", async () => {
    const { ending } = await run(async (sys) => ({
      root: await sys.list("/"),
      state: await sys.list("/state"),
    }));

    expect(ending.output).toEqual({
      root: [
        "/ctx",
        "/ipc",
        "/mem",
        "/mnt",
        "/policy",
        "/proc",
        "/self",
        "/skills",
        "/state",
        "/tools",
        "/work",
      ],
      state: ["/state/checkpoints"],
    });
  });

  test("reads and lists no memory, and writes nothing anywhere", async () => {
    const { ending } = await run(async (sys) => [
      await code(sys.list("/mem/shared")),
      await code(sys.read("/mem/working/a")),
      await code(sys.search("/mem/semantic", "a")),
      await code(sys.write("/policy/rules", "none")),
      await code(sys.remove("/proc/self/status")),
      await code(sys.read("/etc/passwd")),
    ]);

    expect(ending.output).toEqual(Array(6).fill("EACCES"));
  });
});

test("with every grant, what is read-only still is", async () => {
  const { ending } = await run(
    async (sys) => [
      await code(sys.write("/policy/rules", "none")),
      await code(sys.write("/tools/echo", "none")),
      await code(sys.remove("/ctx/a")),
      await code(sys.read("/")),
      await code(sys.search("/policy", "a")),
      await code(sys.read("/other")),
    ],
    ["memory:/**:read,write,list,remove,search"],
  );

  expect(ending.output).toEqual(["EINVAL", "EINVAL", "EINVAL", "EINVAL", "EINVAL", "ENOENT"]);
});

test("/policy has the grants, the rules and a summary in words", async () => {
  const { ending } = await run(
    async (sys) => ({
      files: await sys.list("/policy"),
      grants: await sys.read("/policy/grants"),
      rules: await sys.read("/policy/rules"),
      summary: await sys.read("/policy/summary"),
    }),
    ["memory:/mem/working/**:read"],
  );

  const { files, grants, rules, summary } = ending.output as Record<string, Json>;
  expect(files).toEqual(["/policy/grants", "/policy/rules", "/policy/summary"]);
  expect(grants).toMatchObject([
    { handle: "birth", capabilities: ["memory:/mem/working/**:read"] },
  ]);
  expect((rules as { name: string }[]).length).toBeGreaterThan(0);
  expect(summary).toContain("memory:/mem/working/**:read");
});

test("/proc has the process, its parent and its descendants, and nobody else", async () => {
  const { kernel, pid, ending } = await run(
    async (sys) => {
      const child = await sys.spawn("child", null);
      const files = await sys.list("/proc");
      const own = (await sys.read("/proc/self/status")) as { state: string; parent: null };
      const status = (await sys.read(`/proc/${child}/status`)) as { parent: string };
      await sys.send(child, "done");
      return { child, files, own, status };
    },
    ["agent:child:spawn"],
  );
  const stranger = await kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "stranger",
      program: "body",
      capabilities: ["agent:child:spawn"],
    },
  });
  const theirs = (await kernel.wait(stranger)).output as { child: string };
  const { child, files, own, status } = ending.output as Record<string, Json>;

  expect(files).toEqual(["/proc/self/status", `/proc/${child as string}/status`]);
  expect(own).toMatchObject({ pid, state: "running", parent: null });
  expect(status).toMatchObject({ pid: child, agent: "child", parent: pid });
  for (const other of [stranger, theirs.child])
    await expect(
      kernel.files(pid, { call: "read", path: `/proc/${other}/status` }),
    ).rejects.toMatchObject({ code: "ENOENT" });
});

test("/ipc shows messages without taking them, and brings their label (VIRTUAL-FILES-2)", async () => {
  const { kernel } = await bootForTest({
    programs: {
      async body(sys) {
        await sys.sleep((await sys.now()) + 1);
        let waiting: string[] = [];
        while (waiting.length === 0) waiting = await sys.list("/ipc/inbox");
        const seen = (await sys.read(waiting[0]!)) as { body: Json };
        const label = (await sys.self()).label;
        const taken = await sys.receive();
        return { seen: seen.body, label, taken: taken.body };
      },
    },
  });
  const pid = await kernel.spawn({ agent: "body" });
  await kernel.send(pid, "hello", { label: { integrity: "untrusted", secrecy: "internal" } });

  const { output } = await kernel.wait(pid);

  expect(output).toEqual({ seen: "hello", label: "untrusted/internal", taken: "hello" });
});

test("/state/checkpoints has the last state, and /tools what may be called", async () => {
  const { ending } = await run(
    async (sys) => {
      const before = await sys.list("/state/checkpoints");
      await sys.checkpoint({ step: 1 });
      const [file = ""] = await sys.list("/state/checkpoints");
      return {
        before,
        state: await sys.read(file),
        tools: await sys.list("/tools"),
        tool: ((await sys.read("/tools/look")) as { name: string }).name,
        other: await code(sys.read("/tools/secret")),
      };
    },
    [],
    { tools: ["look"] },
  );

  expect(ending.output).toEqual({
    before: [],
    state: { step: 1 },
    tools: ["/tools/look"],
    tool: "look",
    other: "ENOENT",
  });
});

test("a list of memory comes in pages, and no page is taken twice", async () => {
  const { ending } = await run(
    async (sys) => {
      for (const name of ["a", "b", "c"]) await sys.write(`/mem/working/${name}`, name);
      const first = (await sys.list("/mem/working", { limit: 2 })) as unknown as {
        next: string;
      };
      const second = await sys.list("/mem/working", { limit: 2, cursor: first.next });
      return { first: first as unknown as Json, second: second as unknown as Json };
    },
    ["memory:/mem/working/**:read,write,list"],
  );

  expect(ending.output).toEqual({
    first: { paths: ["/mem/working/a", "/mem/working/b"], next: "/mem/working/b" },
    second: { paths: ["/mem/working/c"], next: null },
  });
});
