// Time to live and deadlines: `TIME-LIMITS-2` is one of kernel/src/operator/time-limits.ts, `SCHEDULING-TERMS-1` and `SCHEDULING-TERMS-2` of
// kernel/src/process/scheduling-terms.ts.

import { expect, test } from "vitest";
import { bootForTest, kindsOf, manifest, until } from "../../helpers/kernel.ts";

const ENDED = { state: "killed", exitCode: 66, error: { code: "ETIMEDOUT" } };
const SPAWN = ["agent:*:spawn"];
/** A slow machine must have come to where the test wants it before it is over. */
const TTL_MS = 2500;

const idle = async (sys: { receive: () => Promise<{ body: unknown }> }) =>
  (await sys.receive()).body;

test.each([0, 86_400_000])(
  "a tree whose time is over ends with 66, all of it (unloaded after %s ms)",
  async (unloadAfterMs) => {
    const { kernel } = await bootForTest({
      unloadAfterMs,
      programs: {
        idle,
        parent: async (sys) => sys.wait(await sys.spawn("idle", null)),
      },
    });

    const pid = await kernel.spawn({
      agent: "parent",
      capabilities: SPAWN,
      ttl: { wallMs: TTL_MS },
    });

    expect(await kernel.wait(pid)).toMatchObject(ENDED);
    await until(async () => (await kernel.list()).every(({ endedAt }) => endedAt !== null));
    const end = (await kernel.journal(pid)).at(-1)!;
    expect(end).toMatchObject({ kind: "end", cause: "the time to live" });
  },
);

test.each(["again", "crash"] as const)("its time goes on over: %s", async (how) => {
  const booted = await bootForTest({ programs: { idle } });
  const pid = await booted.kernel.spawn({ agent: "idle", ttl: { wallMs: TTL_MS } });

  const { kernel } = await booted[how]();

  expect(await kernel.wait(pid)).toMatchObject(ENDED);
});

test.each(["now", "again"] as const)("one that is paused ends too (%s)", async (how) => {
  const booted = await bootForTest({ programs: { idle }, unloadAfterMs: 50 });
  const pid = await booted.kernel.spawn({ agent: "idle", ttl: { wallMs: TTL_MS } });
  await until(async () => (await booted.kernel.show(pid)).state === "waiting");
  await booted.kernel.signal(pid, "SIGSTOP");
  await until(async () => (await booted.kernel.show(pid)).state === "paused");

  const { kernel } = how === "now" ? booted : await booted.again();

  expect(await kernel.wait(pid)).toMatchObject(ENDED);
});

test.each(["now", "crash"] as const)(
  "one that waits for its turn ends without having begun (%s)",
  async (how) => {
    const booted = await bootForTest({
      programs: { idle },
      admission: { running: 1 },
      unloadAfterMs: 86_400_000, // its place never becomes free
    });
    const runs = await booted.kernel.spawn({ agent: "idle" });
    const pid = await booted.kernel.spawn({ agent: "idle", ttl: { wallMs: TTL_MS } });

    const { kernel } = how === "now" ? booted : await booted.crash();

    expect(await kernel.wait(pid)).toMatchObject(ENDED);
    expect(kindsOf(await kernel.journal(pid))).toEqual(["start", "end"]);
    expect((await kernel.queue()).queued.normal).toBe(0);
    await kernel.send(runs, "end");
    await kernel.wait(runs);
  },
);

test.each([
  [{ hops: 0 }, 0],
  [{ hops: 2 }, 2],
])(
  "with %j a task goes %s spawns deep, and the next is refused (SCHEDULING-TERMS-2)",
  async (ttl, deep) => {
    const { kernel } = await bootForTest({
      programs: {
        mole: async (sys, depth) => {
          const digging = sys.spawn("mole", (depth as number) + 1, { capabilities: SPAWN });
          const below = await digging.catch(({ message }: Error) => message);
          return below.startsWith("agt_") ? (await sys.wait(below)).output : [depth, below];
        },
      },
    });

    const pid = await kernel.spawn({ agent: "mole", input: 0, capabilities: SPAWN, ttl });

    const said = expect.stringContaining("hops of its task's ttl are used up") as string;
    expect((await kernel.wait(pid)).output).toEqual([deep, said]);
  },
);

test("a child is held to its parent's terms, and may only have stricter ones (SCHEDULING-TERMS-1)", async () => {
  const terms = { lane: "critical", deadline: "1h", ttl: { hops: 9, wall: "1h" } };
  const { kernel } = await bootForTest({
    programs: {
      idle,
      parent: async (sys) => {
        await sys.spawn("hasty", null);
        await sys.spawn("idle", null);
        await sys.receive();
      },
    },
    agents: (name) =>
      name === "hasty" ? { manifest: manifest(name, { program: "idle", ...terms }) } : undefined,
  });
  const pid = await kernel.spawn({
    agent: "parent",
    capabilities: SPAWN,
    lane: "low",
    deadlineMs: 60_000,
    ttl: { hops: 3, wallMs: 60_000 },
  });
  await until(async () => (await kernel.list()).length === 3);

  const shown = await Promise.all((await kernel.list()).map((one) => kernel.show(one.pid)));
  const parent = shown.find((one) => one.pid === pid)!;

  expect(parent).toMatchObject({ lane: "low", ttl: { hops: 3 } });
  for (const child of shown.filter((one) => one.pid !== pid)) {
    expect(child).toMatchObject({ lane: "low", deadline: parent.deadline, ttl: { hops: 2 } });
    expect(child.ttl.expiresAt).toBe(parent.ttl.expiresAt);
  }
  await kernel.signal(pid, "SIGKILL");
  await kernel.wait(pid);
});

test("a fork of one whose time is over has that time anew", async () => {
  const { kernel } = await bootForTest({ programs: { idle } });
  const pid = await kernel.spawn({ agent: "idle", ttl: { wallMs: TTL_MS } });
  await kernel.wait(pid);

  const fork = await kernel.fork(pid);
  await kernel.send(fork, "done");

  expect(await kernel.wait(fork)).toMatchObject({ state: "completed", output: "done" });
});
