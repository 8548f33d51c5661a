// Schedules: runs that nobody asks for by hand, on a clock that the test moves.

import { DatabaseSync } from "node:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kernel, KernelOptions } from "@aos/kernel";
import { newPlatform, type Platform } from "@aos/kernel/parts";
import { describe, expect, onTestFinished, test } from "vitest";
import { bootForTest, TOOLS, until } from "../../helpers/kernel.ts";

const START = Date.parse("2026-05-04T12:00:01Z");
const MINUTE = 60_000;
const by = "tester";

/** Stands still unless it is moved. */
function handClock(start = START): Platform & { move(ms: number): void } {
  let at = start;
  const real = newPlatform();
  return {
    now: () => at,
    wall: () => at,
    notBefore: (ms) => void (at = Math.max(at, ms)),
    random: () => real.random(),
    bytes: (count) => real.bytes(count),
    move: (ms) => void (at += ms),
  };
}

const minutely = (more: Record<string, unknown> = {}) => ({
  apiVersion: "aos/v1",
  kind: "Schedule",
  name: "minutely",
  cron: "* * * * *",
  agent: "work",
  input: "hello",
  ...more,
});

const programs = {
  work: async (_sys: unknown, input: unknown) => `did ${JSON.stringify(input)}`,
  fail: async () => {
    throw new Error("no");
  },
  hold: async (sys: { exec(tool: string, args: unknown): Promise<unknown> }) =>
    sys.exec("look", { hold: true }),
} as NonNullable<Parameters<typeof bootForTest>[0]>["programs"];

async function booted(more: Partial<KernelOptions> = {}) {
  const clock = handClock();
  const found = await bootForTest({
    programs,
    platform: clock,
    scheduleLookMs: 5,
    ...more,
  } as Parameters<typeof bootForTest>[0]);
  return { ...found, clock };
}

const ticksOf = async (kernel: Kernel, name = "minutely") =>
  (await kernel.scheduleTicks(name)).toReversed();

/** The ticks once there are so many, the oldest first. */
async function ticks(kernel: Kernel, count: number, name = "minutely") {
  await until(async () => (await ticksOf(kernel, name)).length >= count, `${count} ticks`);
  return ticksOf(kernel, name);
}

const outcomes = async (kernel: Kernel, count: number, name?: string) =>
  (await ticks(kernel, count, name)).map(({ outcome, reason }) =>
    reason === null ? outcome : `${outcome} ${reason.split(":")[0]}`,
  );

const ended = (kernel: Kernel, count: number, name = "minutely") =>
  until(
    async () =>
      (await ticksOf(kernel, name)).filter(({ endedAt }) => endedAt !== null).length >= count,
    `${count} runs that ended`,
  );

describe("a schedule", () => {
  test("starts a run at each of its times, with its input, and says what came of it", async () => {
    const { kernel, clock } = await booted();
    const created = await kernel.createSchedule({ schedule: minutely(), by });

    clock.move(MINUTE);
    await ended(kernel, 1);
    clock.move(MINUTE);
    await ended(kernel, 2);

    expect(created).toMatchObject({ state: "active", nextAt: "2026-05-04T12:01:00.000Z" });
    const [first, second] = await ticksOf(kernel);
    expect(first).toMatchObject({
      id: "2026-05-04T12:01:00Z",
      outcome: "started",
      state: "completed",
    });
    expect(second).toMatchObject({ id: "2026-05-04T12:02:00Z", outcome: "started" });
    expect((await kernel.show(first!.pid!)).output).toBe('did "hello"');
    expect(await kernel.schedule("minutely")).toMatchObject({
      nextAt: "2026-05-04T12:03:00.000Z",
      running: [],
      last: { id: second!.id },
    });
  });

  test("starts nothing before its time, and nothing again when the clock is set back", async () => {
    const { kernel, clock } = await booted();
    await kernel.createSchedule({ schedule: minutely(), by });

    clock.move(MINUTE);
    await ended(kernel, 1);
    clock.move(-MINUTE);
    clock.move(MINUTE);
    await kernel.pauseSchedule("minutely", { by });

    expect(await ticksOf(kernel)).toHaveLength(1);
  });

  test("skips, queues, replaces or allows what overlaps, as its rule says", async () => {
    const { kernel, clock, runs } = await booted();
    const hold = (name: string, overlap: string) =>
      kernel.createSchedule({
        schedule: minutely({ name, overlap, agent: "hold", capabilities: TOOLS }),
        by,
      });
    for (const rule of ["skip", "queue", "replace", "allow"]) await hold(rule, rule);

    clock.move(MINUTE);
    await until(() => runs.length === 4, "four runs");
    clock.move(MINUTE);

    expect(await outcomes(kernel, 2, "skip")).toEqual(["started", "skipped overlap"]);
    expect(await outcomes(kernel, 2, "queue")).toEqual(["started", "queued overlap"]);
    expect(await outcomes(kernel, 2, "allow")).toEqual(["started", "started"]);
    await until(async () => (await outcomes(kernel, 2, "replace"))[1] === "started");
    const [replaced] = await ticks(kernel, 2, "replace");
    expect((await kernel.show(replaced!.pid!)).state).toBe("killed");
    expect((await kernel.schedule("replace")).failures).toBe(0);
    for (const run of runs) run.release();
    await until(async () => (await outcomes(kernel, 2, "queue"))[1] === "started");
    await until(() => runs.length === 7);
    for (const run of runs) run.release();
    await ended(kernel, 2, "queue");
  });

  test("makes up for a downtime by its rule, and has a row for everything that it missed", async () => {
    const { kernel, clock, again } = await booted();
    for (const catchUp of ["latest", "none", "all"])
      await kernel.createSchedule({
        schedule: minutely({ name: catchUp, catchUp, overlap: "allow" }),
        by,
      });

    await kernel.close();
    clock.move(5 * MINUTE + 9000); // 12:05:10: 10 s after a tick
    const { kernel: next } = await again();

    const count = async (name: string) =>
      (await outcomes(next, 5, name)).filter((outcome) => outcome === "started").length;
    expect(await outcomes(next, 5, "latest")).toEqual([
      ...Array<string>(4).fill("skipped missed"),
      "started",
    ]);
    expect([await count("none"), await count("all")]).toEqual([0, 5]);
    await until(async () => (await next.list({ states: ["running"] })).length === 0);
  });

  test("is paused with a record for each tick, and resumed without making up for them", async () => {
    const { kernel, clock } = await booted();
    await kernel.createSchedule({ schedule: minutely(), by });
    await kernel.pauseSchedule("minutely", { by, reason: "holidays" });

    clock.move(MINUTE);
    expect(await outcomes(kernel, 1)).toEqual(["skipped paused"]);
    expect(await kernel.schedule("minutely")).toMatchObject({
      state: "paused",
      reason: "by tester: holidays",
      nextAt: null,
    });
    await kernel.resumeSchedule("minutely", { by });
    clock.move(MINUTE);
    await ended(kernel, 1);

    expect(await outcomes(kernel, 2)).toEqual(["skipped paused", "started"]);
  });

  test("is paused by the kernel after so many failures in a row, and counts again when resumed", async () => {
    const troubles: string[] = [];
    const { kernel, clock } = await booted({ onTrouble: (what) => void troubles.push(what) });
    const schedule = minutely({ agent: "fail", pauseAfter: 2 });
    await kernel.createSchedule({ schedule, by });

    clock.move(MINUTE);
    await ended(kernel, 1);
    clock.move(MINUTE);
    await until(async () => (await kernel.schedule("minutely")).state === "paused");

    expect(await kernel.schedule("minutely")).toMatchObject({ failures: 2 });
    expect((await kernel.schedule("minutely")).reason).toContain("2 failures in a row");
    expect(troubles).toContain("the schedule minutely is paused");
    expect((await kernel.ledger()).at(-1)).toMatchObject({ what: "schedule.set", by: "kernel" });
    expect(await kernel.resumeSchedule("minutely", { by })).toMatchObject({ failures: 0 });
  });

  test("starts no run that its month has no money for: what one may use is reserved", async () => {
    const { kernel, clock, runs } = await booted();
    const schedule = minutely({
      agent: "hold",
      capabilities: TOOLS,
      overlap: "allow",
      budget: { usd: 1 },
      monthly: { usd: 2.5 },
    });
    await kernel.createSchedule({ schedule, by });

    for (let nth = 1; nth <= 3; nth++) {
      clock.move(MINUTE);
      await ticks(kernel, nth);
    }

    expect(await outcomes(kernel, 3)).toEqual(["started", "started", "skipped budget"]);
    await until(() => runs.length === 2);
    for (const run of runs) run.release();
    await ended(kernel, 2);
    clock.move(MINUTE); // nothing was spent: what was reserved is free again
    expect((await outcomes(kernel, 4))[3]).toBe("started");
    await until(() => runs.length === 3);
    runs[2]!.release();
    await ended(kernel, 3);
  });

  test("runs by hand with a key once, also while it is paused", async () => {
    const { kernel } = await booted();
    await kernel.createSchedule({ schedule: minutely({ paused: true }), by });

    const one = await kernel.runSchedule("minutely", { by, key: "k" });
    const two = await kernel.runSchedule("minutely", { by, key: "k" });

    expect(one).toMatchObject({ id: "manual:k", outcome: "started" });
    expect(two.pid).toBe(one.pid);
    await ended(kernel, 1);
  });

  test("that was edited does not start the same tick again", async () => {
    const { kernel, clock } = await booted();
    await kernel.createSchedule({ schedule: minutely(), by });
    clock.move(MINUTE);
    await ended(kernel, 1);

    await kernel.editSchedule("minutely", { schedule: minutely({ input: "new" }), by });
    clock.move(MINUTE);
    await ended(kernel, 2);

    const all = await ticksOf(kernel);
    expect(all.map(({ id }) => id)).toEqual(["2026-05-04T12:01:00Z", "2026-05-04T12:02:00Z"]);
    expect((await kernel.show(all[1]!.pid!)).output).toBe('did "new"');
  });

  test("that is edited while too much is made up for has a row for what it leaves out", async () => {
    const { kernel, clock, again } = await booted();
    const more = { catchUp: "all", overlap: "allow" };
    await kernel.createSchedule({ schedule: minutely(more), by });
    await kernel.close();
    clock.move(30 * MINUTE);

    const { kernel: next } = await again({ scheduleLookMs: 60_000 });
    await next.editSchedule("minutely", { schedule: minutely({ ...more, input: "new" }), by });
    await ended(next, 20);

    const all = await ticksOf(next);
    expect(all.map(({ outcome }) => outcome)).toEqual([...Array(20).fill("started"), "skipped"]);
    expect(all.at(-1)!.reason).toBe(
      "edited: every tick from 2026-05-04T12:21:00Z to before 2026-05-04T12:31:00Z",
    );
  });

  test("survives a crash: what was started is not started again, and what ended meanwhile is settled", async () => {
    const { kernel, clock, crash, runs } = await booted();
    const schedule = minutely({ agent: "hold", capabilities: TOOLS });
    await kernel.createSchedule({ schedule, by });
    clock.move(MINUTE);
    await until(() => runs.length === 1);

    const { kernel: next } = await crash();
    await until(() => runs.length === 2, "the run goes on");
    clock.move(MINUTE);
    expect(await outcomes(next, 2)).toEqual(["started", "skipped overlap"]);
    for (const run of runs) run.release();
    await ended(next, 1);
    clock.move(MINUTE);
    await until(() => runs.length === 3);
    runs[2]!.release();
    await ended(next, 2);

    expect((await next.list({ limit: 10 })).length).toBe(2);
  });

  test("refuses what can never happen, in words", async () => {
    const { kernel } = await booted();
    const refused = async (more: Record<string, unknown>) => {
      const asked = kernel.createSchedule({ schedule: minutely(more), by });
      return asked.then(
        () => "taken",
        (error: Error) => error.message,
      );
    };

    expect(await refused({ cron: "0 0 30 2 *" })).toContain("never happens");
    expect(await refused({ cron: "every day" })).toContain('cron "every day"');
    expect(await refused({ timeZone: "Mars/Olympus" })).toContain("unknown time zone");
    expect(await refused({ every: "1m" })).toContain("exactly one of cron, every and on");
    expect(await refused({ agent: "nobody" })).toContain("unknown agent nobody");
    expect(await refused({ monthly: { usd: 5 } })).toContain("needs `budget.usd`");
    expect(await refused({ jitters: "1m" })).toContain("jitters: no such field");
    expect(await refused({})).toBe("taken");
    expect(await refused({})).toContain("already exists");
  });

  test("is removed with its history; its runs stay", async () => {
    const { kernel, clock } = await booted();
    await kernel.createSchedule({ schedule: minutely(), by });
    clock.move(MINUTE);
    await ended(kernel, 1);

    await kernel.removeSchedule("minutely", { by });

    await expect(kernel.schedule("minutely")).rejects.toMatchObject({ code: "ENOENT" });
    expect(await kernel.schedules()).toEqual([]);
    expect(await kernel.list()).toHaveLength(1);
  });
});

describe("the power of a schedule", () => {
  const agentOf = (capabilities: readonly string[]) => ({
    apiVersion: "aos/v1" as const,
    kind: "Agent" as const,
    name: "payer",
    program: "pay",
    capabilities: [...capabilities],
  });
  const pay = async (sys: { exec(tool: string, args: unknown): Promise<unknown> }) =>
    sys.exec("set", {}).then(
      () => "set",
      (error: { code: string }) => error.code,
    );

  test("is what its agent had when it was written, and not what the agent was given since", async () => {
    let capabilities: readonly string[] = [];
    const { kernel, clock } = await booted({
      agents: (name) => (name === "payer" ? { manifest: agentOf(capabilities) } : undefined),
      programs: { pay } as never,
    });
    await kernel.createSchedule({ schedule: minutely({ agent: "payer" }), by });
    clock.move(1);
    capabilities = TOOLS;
    await kernel.grant({ agent: "payer" }, { capabilities: TOOLS, by });

    clock.move(MINUTE);
    await ended(kernel, 1);
    await kernel.editSchedule("minutely", { schedule: minutely({ agent: "payer" }), by });
    clock.move(MINUTE);
    await ended(kernel, 2);

    const [before, after] = await ticksOf(kernel);
    expect((await kernel.show(before!.pid!)).output).toBe("EACCES");
    expect((await kernel.show(after!.pid!)).output).toBe("set");
  });

  test("is nothing where its row was not written by a person, and the audit says so", async () => {
    const folder = mkdtempSync(join(tmpdir(), "aos-log-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const signed = { auditFolder: folder, keyFile: join(folder, "key") };
    const troubles: string[] = [];
    const clock = handClock();
    const first = await bootForTest({ programs: programs!, platform: clock, ...signed });
    await first.kernel.createSchedule({ schedule: minutely({ paused: true }), by });
    await first.kernel.close();
    const forged = new DatabaseSync(first.file);
    forged.exec(
      "update schedule set paused = null, grants = replace(grants, '[]', '[\"tool:*:call\"]')",
    );
    forged.close();

    const { kernel } = await first.again({
      scheduleLookMs: 5,
      onTrouble: (what) => void troubles.push(what),
    });
    clock.move(5 * MINUTE);

    expect(await kernel.schedule("minutely")).toMatchObject({ state: "held" });
    await expect(kernel.runSchedule("minutely", { by })).rejects.toMatchObject({ code: "EPOLICY" });
    expect(troubles).toContain("the schedule minutely starts nothing");
    const { findings } = await kernel.verify();
    expect(findings.map(({ message }) => message).join()).toContain(
      "schedule minutely is not used",
    );
    await kernel.editSchedule("minutely", { schedule: minutely({ paused: true }), by });
    expect((await kernel.verify()).ok).toBe(true);
  });
});
