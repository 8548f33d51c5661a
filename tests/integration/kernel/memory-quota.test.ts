// How much memory outlives processes (kernel/src/vfs/memory-quota.ts).

import { expect, test } from "vitest";
import type { Json, Sys } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import { bootForTest, codeOf } from "../../helpers/kernel.ts";

const ALL = ["memory:/mem/**:*", "memory:/mem/agents/**:*"];
const KIB = "x".repeat(1000);

type Deeds = (sys: Sys, input: Json) => Promise<unknown>;

const run = async (kernel: Kernel, agent: string, tenant = "default"): Promise<Json> => {
  const pid = await kernel.spawn({ agent, capabilities: ALL, tenant });
  const { output, error } = await kernel.wait(pid);
  expect(error).toBeNull();
  return output;
};

const boot = (limits: object, programs: Readonly<Record<string, Deeds>>) =>
  bootForTest({ limits, programs, tenants: { acme: {} } });

/** How many of these writes are done. */
const fits = async (writes: readonly Promise<unknown>[]): Promise<number> =>
  (await Promise.all(writes.map(codeOf))).filter((code) => code === "ok").length;

test("a space takes so many files and no more, also at once, and a removed one makes room (MEMORY-QUOTA-1, MEMORY-QUOTA-2)", async () => {
  const { kernel } = await boot(
    { spaceFiles: 3 },
    {
      scribe: async (sys) => {
        const names = ["a", "b", "c", "d", "e"];
        const first = await fits(names.map((name) => sys.write(`/mem/semantic/${name}`, 1)));
        const more = await codeOf(sys.write("/mem/episodic/f", 1));
        const [one] = await sys.list("/mem/semantic");
        await sys.write(one!, "the same file, longer");
        await sys.remove(one!);
        return [
          first,
          more,
          await fits([sys.write("/mem/episodic/f", 1), sys.write("/mem/semantic/g", 1)]),
        ];
      },
    },
  );

  expect(await run(kernel, "scribe")).toEqual([3, "ESTATE", 1]);
});

test("bytes are those of the file as it is: overwriting and appending count by the difference (MEMORY-QUOTA-1)", async () => {
  const { kernel } = await boot(
    { spaceBytes: 2500 },
    {
      scribe: async (sys) => {
        for (let n = 0; n < 5; n++) await sys.write("/mem/semantic/a", KIB);
        const log = await sys.open("/mem/semantic/log", "append");
        await sys.write(log, KIB);
        const over = await codeOf(sys.write(log, KIB));
        const longer = await codeOf(sys.write("/mem/semantic/a", KIB + KIB));
        await sys.write("/mem/semantic/a", "short");
        return [over, longer, await codeOf(sys.write(log, "x".repeat(500)))];
      },
    },
  );

  expect(await run(kernel, "scribe")).toEqual(["ESTATE", "ESTATE", "ok"]);
});

test("one agent's flood takes nothing of another's space, and the tenant's limit holds for all of it", async () => {
  const flood: Deeds = async (sys) => {
    const paths = Array.from({ length: 8 }, (_, n) => `/mem/semantic/${n}`);
    return fits(paths.map((path) => sys.write(path, 1)));
  };
  const shared: Deeds = async (sys) =>
    fits(["a", "b", "c"].map((name) => sys.write(`/mem/shared/${name}`, 1)));
  const { kernel } = await boot(
    { spaceFiles: 4, memoryFiles: 9 },
    { one: flood, two: flood, shared },
  );

  expect(await run(kernel, "one")).toBe(4);
  expect(await run(kernel, "two")).toBe(4);
  expect(await run(kernel, "shared")).toBe(1);
  expect(await run(kernel, "shared", "acme")).toBe(3);
});

test("what is written is counted after a restart as before (MEMORY-QUOTA-3)", async () => {
  const writes: Deeds = async (sys) => {
    const names = (await sys.list("/mem/semantic")).length === 0 ? ["a", "b"] : ["c", "d"];
    return fits(names.map((name) => sys.write(`/mem/semantic/${name}`, 1)));
  };
  const limits = { spaceFiles: 3 };
  const { kernel, crash } = await boot(limits, { writes });
  expect(await run(kernel, "writes")).toBe(2);

  const { kernel: next } = await crash({ limits, programs: { writes }, tenants: { acme: {} } });

  expect(await run(next, "writes")).toBe(1);
});

test("a manifest narrows the quota of its own space, and widens none (MEMORY-QUOTA-4)", async () => {
  const scribe: Deeds = async (sys) =>
    fits(["a", "b", "c", "d"].map((name) => sys.write(`/mem/semantic/${name}`, 1)));
  const { kernel } = await boot({ spaceFiles: 3 }, { scribe });
  const spawn = (maxFiles: number, folder: string) =>
    kernel.spawn({
      manifest: {
        apiVersion: "aos/v1",
        kind: "Agent",
        name: "scribe",
        program: "scribe",
        capabilities: ALL,
        memory: { maxFiles },
      },
      folder,
    });

  expect((await kernel.wait(await spawn(2, "/one"))).output).toBe(2);
  expect((await kernel.wait(await spawn(10, "/two"))).output).toBe(3);
});

test("the refusal says what is used, the limit, and how to make room", async () => {
  const { kernel } = await boot(
    { spaceFiles: 1 },
    {
      scribe: async (sys) => {
        await sys.write("/mem/semantic/a", 1);
        return sys
          .write("/mem/semantic/b", 1)
          .catch((error: Error & { hint?: string }) => [error.message, error.hint]);
      },
    },
  );

  const [message, hint] = (await run(kernel, "scribe")) as string[];

  expect(message).toMatch(/^the memory \/mem\/agents\/scribe is full: it has 1 of 1 files, \d+ of/);
  expect(hint).toContain("limits.spaceFiles");
});
