import { expect, test } from "vitest";
import { bootForTest, codeOf, until } from "../../helpers/kernel.ts";

test("a parent learns how its child ended, also when it waits late", async () => {
  const { kernel } = await bootForTest({
    programs: {
      good: async (_sys, input) => ({ input }),
      bad: async () => {
        throw Object.assign(new Error("no"), { code: "EACCES" });
      },
      parent: async (sys) => {
        const [good, bad] = [await sys.spawn("good", 1), await sys.spawn("bad", 2)];
        await sys.sleep((await sys.now()) + 30);
        return [await sys.wait(good), await sys.wait(bad)];
      },
    },
  });

  const pid = await kernel.spawn({ agent: "parent", capabilities: ["agent:*:spawn"] });

  expect((await kernel.wait(pid)).output).toMatchObject([
    { state: "completed", exitCode: 0, output: { input: 1 } },
    { state: "failed", exitCode: 96, error: { code: "EACCES", message: "no" } },
  ]);
});

test("waiting for a child ends at its time", async () => {
  const { kernel } = await bootForTest({
    programs: {
      idle: async (sys) => sys.receive(),
      parent: async (sys) => {
        const child = await sys.spawn("idle", null);
        return codeOf(sys.wait(child, { until: (await sys.now()) + 30 }));
      },
    },
  });

  const pid = await kernel.spawn({ agent: "parent", capabilities: ["agent:*:spawn"] });

  expect((await kernel.wait(pid)).output).toBe("ETIMEDOUT");
});

test("processes are five deep and no deeper", async () => {
  const { kernel } = await bootForTest({
    programs: {
      mole: async (sys, depth) => {
        const digging = sys.spawn("mole", (depth as number) + 1, {
          capabilities: ["agent:mole:spawn"],
        });
        const below = await digging.catch(({ code }: { code: string }) => code);
        return below.startsWith("agt_") ? (await sys.wait(below)).output : [depth, below];
      },
    },
  });

  const pid = await kernel.spawn({ agent: "mole", input: 0, capabilities: ["agent:mole:spawn"] });

  expect((await kernel.wait(pid)).output).toEqual([5, "EACCES"]);
});

test("a tree never has more processes than its limit, however many spawns come at once", async () => {
  const { kernel } = await bootForTest({
    limits: { treeProcesses: 10 },
    programs: {
      idle: async (sys) => sys.receive(),
      crowd: async (sys) => {
        const codes = Array.from({ length: 30 }, () => codeOf(sys.spawn("idle", null)));
        return (await Promise.all(codes)).sort();
      },
    },
  });

  const pid = await kernel.spawn({ agent: "crowd", capabilities: ["agent:*:spawn"] });

  const codes = (await kernel.wait(pid)).output as string[];
  expect(codes.filter((code) => code === "ok").length).toBe(9);
  expect(codes.filter((code) => code === "EAGAIN").length).toBe(21);
  expect((await kernel.list({ parent: pid })).length).toBe(9);
});

test.each(["again", "crash", "unload"] as const)(
  "places are counted over: %s; a child that ended and a spawn that failed give theirs back",
  async (how) => {
    const booted = await bootForTest({
      unloadAfterMs: how === "unload" ? 0 : 10_000,
      limits: { treeProcesses: 4 },
      programs: {
        idle: async (sys) => sys.receive(),
        parent: async (sys) => {
          const failed = [];
          for (let i = 0; i < 5; i++) failed.push(await codeOf(sys.spawn("nobody", null)));
          const first = await sys.spawn("idle", null);
          await sys.spawn("idle", null);
          await sys.receive();
          const one = await codeOf(sys.spawn("idle", null));
          const full = await codeOf(sys.spawn("idle", null));
          await sys.send(first, "end");
          await sys.wait(first);
          return [failed[4], one, full, await codeOf(sys.spawn("idle", null))];
        },
      },
    });
    const pid = await booted.kernel.spawn({ agent: "parent", capabilities: ["agent:*:spawn"] });
    await until(async () => (await booted.kernel.show(pid)).waitingOn === "message", "waiting");

    const { kernel } = how === "unload" ? booted : await booted[how]();

    await kernel.send(pid, "go on");
    expect((await kernel.wait(pid)).output).toEqual(["ENOENT", "ok", "EAGAIN", "ok"]);
  },
);

test.each([0, 10_000])(
  "children end with their parent, and theirs with them (unloaded after %i ms)",
  async (unloadAfterMs) => {
    const { kernel } = await bootForTest({
      unloadAfterMs,
      programs: {
        leaf: async (sys) => sys.receive(),
        branch: async (sys) => {
          await sys.spawn("leaf", null);
          await sys.receive();
        },
        root: async (sys) => {
          for (let i = 0; i < 3; i++)
            await sys.spawn("branch", null, { capabilities: ["agent:leaf:spawn"] });
          await sys.receive();
          return "done";
        },
      },
    });
    const pid = await kernel.spawn({ agent: "root", capabilities: ["agent:*:spawn"] });
    await until(async () => (await kernel.list()).length === 7, "the tree");

    await kernel.send(pid, "end");

    await until(
      async () => (await kernel.list()).every(({ endedAt }) => endedAt !== null),
      "the end",
    );
    const below = (await kernel.list()).filter((process) => process.pid !== pid);
    expect(below.map(({ state, exitCode }) => `${state} ${exitCode}`)).toEqual(
      Array.from({ length: 6 }, () => "killed 137"),
    );
  },
);

test("a crash between a parent's end and its children's leaves no orphans", async () => {
  const booted = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      leaf: async (sys) => sys.receive(),
      root: async (sys) => {
        await sys.spawn("leaf", null);
        await sys.receive();
      },
    },
  });
  const root = await booted.kernel.spawn({ agent: "root", capabilities: ["agent:*:spawn"] });
  await until(async () => (await booted.kernel.list({ parent: root })).length === 1, "the child");
  await booted.kernel.send(root, "end");
  await booted.kernel.wait(root);

  const { kernel } = await booted.crash();

  const [leaf] = await kernel.list({ parent: root });
  expect(await kernel.wait(leaf!.pid, { timeoutMs: 120_000 })).toMatchObject({ state: "killed" });
});
