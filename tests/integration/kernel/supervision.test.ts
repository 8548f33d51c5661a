import type { Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import {
  bootForTest,
  callsOf,
  codeOf,
  kindsOf,
  manifest,
  mortal,
  TOOLS,
  until,
} from "../../helpers/kernel.ts";

const count = (kinds: string[], kind: string) => kinds.filter((one) => one === kind).length;

const work = async (sys: Sys) => {
  const before = await sys.random();
  await sys.exec("pay", { n: 1 });
  await sys.write("/mem/working/a", before);
  await sys.exec("pay", { n: 2 });
  return before === (await sys.read("/mem/working/a")) ? "done" : "different";
};

const foreign = { command: ["x"], capabilities: [...TOOLS, "memory:/mem/**:*"] };
const withoutProgram = (more: Record<string, unknown>) => {
  const { program: _, ...rest } = manifest("worker", more) as Record<string, unknown>;
  return rest as never;
};

test.each([0, 1, 2, 3, 4])(
  "a program that crashes after %i answers goes on where its journal ends, and repeats nothing",
  async (told) => {
    const { kernel, runs } = await bootForTest({ foreign: mortal(work, [told, told]) });

    const pid = await kernel.spawn({
      manifest: withoutProgram({
        ...foreign,
        restart: { on: ["crash"], max: 3, within: "1m", backoff: "1ms" },
      }),
    });

    expect(await kernel.wait(pid)).toMatchObject({ state: "completed", output: "done" });
    expect(runs.map(({ args }) => args)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await kernel.questions()).toEqual([]);
  },
);

test("a tool that runs while its program crashes is waited for, not run again", async () => {
  const { kernel, runs } = await bootForTest({
    foreign: mortal(
      async (sys) => {
        const paying = sys.exec("pay", { ms: 100, give: "paid" });
        await sys.now();
        return paying;
      },
      [1],
    ),
  });

  const pid = await kernel.spawn({ manifest: withoutProgram(foreign) });

  expect((await kernel.wait(pid)).output).toBe("paid");
  expect(runs.length).toBe(1);
});

test("more crashes than allowed in the time end the process", async () => {
  const { kernel } = await bootForTest({ foreign: mortal(work, [1, 1, 1, 1, 1, 1]) });

  const pid = await kernel.spawn({
    manifest: withoutProgram({
      ...foreign,
      restart: { on: ["crash"], max: 2, within: "1m", backoff: "1ms" },
    }),
  });

  const { state, exitCode, error } = await kernel.wait(pid);
  expect({ state, exitCode }).toEqual({ state: "failed", exitCode: 1 });
  expect(error?.message).toContain("killed by the test");
  expect(count(kindsOf(await kernel.journal(pid)), "crash")).toBe(2);
});

test("crashes that lie further apart than the time do not add up", async () => {
  const { kernel } = await bootForTest({ foreign: mortal(work, [1, 1, 1, 1, 1]) });

  const pid = await kernel.spawn({
    manifest: withoutProgram({
      ...foreign,
      restart: { on: ["crash"], max: 2, within: "30ms", backoff: "40ms" },
    }),
  });

  expect((await kernel.wait(pid)).state).toBe("completed");
  expect(count(kindsOf(await kernel.journal(pid)), "crash")).toBe(5);
});

const failing = async (sys: Sys) => {
  const tries = (await sys.list("/mem/shared")).length;
  await sys.write(`/mem/shared/${tries}`, 1);
  if (tries < 3) throw new Error(`try ${tries}`);
  return tries;
};

const shared = { capabilities: ["memory:/mem/**:*"] };

test("an error is answered by a fresh start, as often as the manifest says", async () => {
  const { kernel } = await bootForTest({ programs: { failing } });
  const restart = (max: number) => ({ on: ["error"], max, within: "1m", backoff: "1ms" });

  const gaveUp = await kernel.spawn({
    manifest: manifest("failing", { ...shared, restart: restart(2) }),
  });
  const first = await kernel.wait(gaveUp);
  const wentOn = await kernel.spawn({
    manifest: manifest("failing", { ...shared, restart: restart(2) }),
  });

  expect(first).toMatchObject({ state: "failed", error: { message: "try 2" } });
  expect(count(kindsOf(await kernel.journal(gaveUp)), "restart")).toBe(2);
  expect((await kernel.wait(wentOn)).output).toBe(3);
});

test("without a word in the manifest an error is the end", async () => {
  const { kernel } = await bootForTest({ programs: { failing } });

  const pid = await kernel.spawn({ agent: "failing", ...shared });

  expect(await kernel.wait(pid)).toMatchObject({ state: "failed", exitCode: 1 });
  expect(kindsOf(await kernel.journal(pid))).not.toContain("restart");
});

test("starts are counted over a restart of the kernel and over checkpoints", async () => {
  let booted = await bootForTest({
    programs: {
      failing: async (sys, _input, state) => {
        if (state === undefined) await sys.checkpoint("begun");
        await sys.receive();
        throw new Error("again");
      },
    },
  });
  const pid = await booted.kernel.spawn({
    manifest: manifest("failing", {
      restart: { on: ["error"], max: 2, within: "10m", backoff: "1ms" },
    }),
  });

  for (let n = 0; n < 2; n++) {
    await booted.kernel.send(pid, n);
    await until(
      async () => count(callsOf(await booted.kernel.journal(pid)), "receive ok") === n + 1,
      "the message",
    );
    await until(
      async () => (await booted.kernel.show(pid)).waitingOn === "message",
      "the fresh start",
    );
    booted = await booted.again();
  }
  await booted.kernel.send(pid, "last");

  expect(await booted.kernel.wait(pid, { timeoutMs: 120_000 })).toMatchObject({ state: "failed" });
});

test("a checkpoint does not begin the count of starts anew", async () => {
  const { kernel } = await bootForTest({
    programs: {
      failing: async (sys, _input, state) => {
        await sys.checkpoint(((state ?? 0) as number) + 1);
        throw new Error("again");
      },
    },
  });

  const pid = await kernel.spawn({
    manifest: manifest("failing", {
      restart: { on: ["error"], max: 2, within: "10m", backoff: "1ms" },
    }),
  });

  expect((await kernel.wait(pid, { timeoutMs: 120_000 })).state).toBe("failed");
  expect(count(kindsOf(await kernel.journal(pid)), "restart")).toBe(2);
});

test("a fresh start begins from the last checkpoint, and counts its calls on", async () => {
  const starts: unknown[] = [];
  const { kernel } = await bootForTest({
    programs: {
      failing: async (sys, _input, state) => {
        starts.push(state ?? null);
        if (state === undefined) {
          await sys.now();
          await sys.checkpoint({ at: "middle" });
          throw new Error("after the checkpoint");
        }
        return sys.random();
      },
    },
  });

  const pid = await kernel.spawn({
    manifest: manifest("failing", { restart: { on: ["error"], backoff: "1ms" } }),
  });

  expect((await kernel.wait(pid)).state).toBe("completed");
  expect(starts).toEqual([null, { at: "middle" }]);
  const calls = (await kernel.journal(pid)).filter((record) => record.kind === "call");
  expect(calls.map(({ n, call }) => `${n} ${call}`)).toEqual(["1 now", "2 checkpoint", "3 random"]);
});

test("work that was under way at an error does not go on behind the fresh start's back", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      failing: async (sys) => {
        const isFirst = (await codeOf(sys.write("/mem/episodic/been", 1))) === "ok";
        if (!isFirst) return "second";
        await Promise.all([
          sys.exec("look", { hang: true }),
          sys.exec("look", { ms: 20 }).then(() => {
            throw new Error("one of two");
          }),
        ]);
        return "first";
      },
    },
  });

  const pid = await kernel.spawn({
    manifest: manifest("failing", {
      capabilities: [...TOOLS, "memory:/mem/**:*"],
      restart: { on: ["error"], backoff: "1ms" },
    }),
  });

  expect((await kernel.wait(pid)).output).toBe("second");
  expect(runs[0]!.signal.aborted).toBe(true);
});

test.each([0, 10_000])(
  "a child that fails for good becomes its parent's error (unloaded after %i ms)",
  async (unloadAfterMs) => {
    const { kernel } = await bootForTest({
      unloadAfterMs,
      agents: (name) =>
        name === "child"
          ? {
              manifest: manifest("child", {
                restart: { on: ["error"], max: 1, within: "1m", backoff: "1ms" },
              }),
            }
          : undefined,
      programs: {
        child: async (sys) => {
          await sys.sleep((await sys.now()) + 50);
          throw new Error("for good");
        },
        parent: async (sys) => {
          await sys.spawn("child", null);
          await sys.receive();
        },
      },
    });

    const pid = await kernel.spawn({ agent: "parent", capabilities: ["agent:child:spawn"] });

    const { state, error } = await kernel.wait(pid);
    expect(state).toBe("failed");
    expect(error?.message).toContain("for good");
    const [child] = await kernel.list({ parent: pid });
    expect(error?.message).toContain(child!.pid);
  },
);

test("a program that breaks the protocol is not started again", async () => {
  let starts = 0;
  const { kernel } = await bootForTest({
    foreign: {
      start: (_what, listener) => {
        starts += 1;
        setImmediate(() => listener.ended({ kind: "misbehaved", reason: "it babbles" }));
        return { deliver: () => {}, stop: async () => {} };
      },
    },
  });

  const pid = await kernel.spawn({
    manifest: withoutProgram({ command: ["x"], restart: { on: ["crash", "error"] } }),
  });

  expect(await kernel.wait(pid)).toMatchObject({ state: "failed", error: { code: "EINVAL" } });
  expect(starts).toBe(1);
});
