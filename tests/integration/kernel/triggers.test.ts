// Triggers: events that start runs of schedules, on a clock that the test moves.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listFolder } from "@aos/drivers";
import type { Kernel, KernelOptions } from "@aos/kernel";
import { newPlatform } from "@aos/kernel/parts";
import { describe, expect, onTestFinished, test } from "vitest";
import { bootForTest, TOOLS, until } from "../../helpers/kernel.ts";

const by = "tester";

const schedule = (on: unknown, more: Record<string, unknown> = {}) => ({
  apiVersion: "aos/v1",
  kind: "Schedule",
  name: "starts",
  on,
  agent: "work",
  ...more,
});

type Programs = NonNullable<Parameters<typeof bootForTest>[0]>["programs"];

const programs = {
  work: async (_sys: unknown, input: unknown) => input,
  fail: async () => {
    throw new Error("no");
  },
  hold: async (sys: { exec(tool: string, args: unknown): Promise<unknown> }, input: unknown) => {
    await sys.exec("look", { hold: true });
    return input;
  },
  announce: async (sys: { publish(topic: string, body: unknown): Promise<unknown> }) =>
    sys.publish("news", "again"),
} as Programs;

const booted = (more: Partial<KernelOptions> = {}) =>
  bootForTest({ programs, scheduleLookMs: 5, ...more } as Parameters<typeof bootForTest>[0]);

const ticksOf = async (kernel: Kernel, name = "starts") =>
  (await kernel.scheduleTicks(name)).toReversed();

const ended = async (kernel: Kernel, count: number, name = "starts") => {
  const isOver = async () =>
    (await ticksOf(kernel, name)).filter(({ endedAt }) => endedAt !== null).length >= count;
  await until(isOver, `${count} runs that ended`);
  return ticksOf(kernel, name);
};

const outputs = async (kernel: Kernel, count: number) =>
  Promise.all(
    (await ended(kernel, count)).map(async ({ pid }) => (await kernel.show(pid!)).output as never),
  );

const fire = (kernel: Kernel, id: string, event: unknown = { body: id }) =>
  kernel.fireSchedule("starts", { id, event: event as never });

const HOOK = { webhook: { secret: "HOOK" } };

describe("a schedule with a webhook", () => {
  test("starts one run of a delivery, however often it comes, with what its input makes of it", async () => {
    const { kernel } = await booted();
    const input = { title: "on {event.body.ref}" };
    await kernel.createSchedule({ schedule: schedule(HOOK, { input }), by });

    const one = await fire(kernel, "d1", { body: { ref: "main" } });
    const two = await fire(kernel, "d1", { body: { ref: "main" } });

    expect(one).toMatchObject({ id: "webhook:d1", outcome: "started" });
    expect(two.pid).toBe(one.pid);
    expect(await outputs(kernel, 1)).toEqual([{ title: "on main" }]);
    const { labels } = await kernel.show(one.pid!);
    expect(labels).toMatchObject({ integrity: "untrusted" });
  });

  test("keeps what waits over a crash, starts it once, and refuses more than may wait", async () => {
    const { kernel, runs, crash } = await booted();
    const more = { agent: "hold", capabilities: TOOLS, queue: 2 };
    await kernel.createSchedule({ schedule: schedule(HOOK, more), by });

    for (const id of ["1", "2", "3"]) await fire(kernel, id);
    await expect(fire(kernel, "4")).rejects.toMatchObject({ code: "EAGAIN", retryAfter: 1000 });
    expect((await ticksOf(kernel)).map(({ outcome }) => outcome)).toEqual([
      "started",
      "queued",
      "queued",
    ]);
    await until(() => runs.length === 1);
    const { kernel: next } = await crash();
    const known = await fire(next, "2");
    for (let count = 2; count <= 4; count++) {
      await until(() => runs.length >= count);
      for (const run of runs) run.release();
    }

    expect(known.outcome).toBe("queued");
    expect(await outputs(next, 3)).toEqual([{ body: "1" }, { body: "2" }, { body: "3" }]);
  });

  test("starts no more within an hour than it may, and says when it takes more", async () => {
    const { kernel } = await booted();
    await kernel.createSchedule({ schedule: schedule(HOOK, { perHour: 2 }), by });

    await fire(kernel, "1");
    await fire(kernel, "2");

    await expect(fire(kernel, "3")).rejects.toMatchObject({ code: "EAGAIN", retryAfter: 60_000 });
    expect((await fire(kernel, "2")).outcome).not.toBe("skipped");
    await ended(kernel, 2);
  });

  test("has a record of each delivery while it is paused, and fails where its input finds nothing", async () => {
    const { kernel } = await booted();
    await kernel.createSchedule({ schedule: schedule(HOOK, { input: "{event.body.ref}" }), by });

    const failed = await fire(kernel, "1");
    await kernel.pauseSchedule("starts", { by });
    const skipped = await fire(kernel, "2");

    expect(failed).toMatchObject({ outcome: "failed", reason: "input: the event has no body.ref" });
    expect(skipped).toMatchObject({ outcome: "skipped", reason: "paused", pid: null });
  });

  test("takes nothing that is brought to another trigger", async () => {
    const { kernel } = await booted();
    await kernel.createSchedule({ schedule: schedule({ topic: "news" }), by });

    await expect(fire(kernel, "1")).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("a schedule with a topic", () => {
  test("starts one run of each message, also of those that came while nobody was there", async () => {
    const { kernel, crash } = await booted();
    await kernel.createSchedule({ schedule: schedule({ topic: "news.*" }), by });

    await kernel.publish("news.a", "one", {
      label: { integrity: "untrusted", secrecy: "internal" },
    });
    await kernel.publish("other", "no");
    await ended(kernel, 1);
    const { kernel: next } = await crash();
    await next.publish("news.b", "two");

    const made = await outputs(next, 2);
    expect(made.map(({ topic, body }) => [topic, body])).toEqual([
      ["news.a", "one"],
      ["news.b", "two"],
    ]);
    const [first] = await ticksOf(next);
    expect((await next.show(first!.pid!)).labels).toMatchObject({
      integrity: "untrusted",
      secrecy: "internal",
    });
    expect((await next.topics()).find(({ topic }) => topic === "news.*")?.waiting).toBe(0);
  });

  test("leaves in the backlog what its queue has no place for", async () => {
    const { kernel, runs } = await booted();
    const more = { agent: "hold", capabilities: TOOLS, queue: 1 };
    await kernel.createSchedule({ schedule: schedule({ topic: "news" }, more), by });

    for (const body of ["1", "2", "3", "4"]) await kernel.publish("news", body);
    await until(() => runs.length === 1);
    await until(async () => (await ticksOf(kernel)).length === 2);
    expect((await kernel.topics())[0]).toMatchObject({ waiting: 2 });
    for (let count = 1; count <= 4; count++) {
      await until(() => runs.length >= count);
      runs[count - 1]!.release();
    }

    const made = await outputs(kernel, 4);
    expect(made.map(({ body }) => body)).toEqual(["1", "2", "3", "4"]);
  });

  test("ends a chain of starts that lead to one another", async () => {
    const { kernel } = await booted();
    const more = { agent: "announce", capabilities: ["message:news:publish"] };
    await kernel.createSchedule({ schedule: schedule({ topic: "news" }, more), by });

    await kernel.publish("news", "begin");

    await until(async () => (await ticksOf(kernel)).length === 7);
    const all = await ended(kernel, 6);
    expect(all.map(({ outcome }) => outcome)).toEqual([...Array(6).fill("started"), "skipped"]);
    expect(all.at(-1)!.reason).toContain("chain: 6 starts");
  });

  test("drops its subscription when it is removed, or has another topic", async () => {
    const { kernel } = await booted();
    await kernel.createSchedule({ schedule: schedule({ topic: "news" }, { paused: true }), by });

    await kernel.editSchedule("starts", { schedule: schedule({ topic: "other" }), by });
    expect((await kernel.topics()).map(({ topic }) => topic)).toEqual(["other"]);
    await kernel.removeSchedule("starts", { by });

    expect(await kernel.topics()).toEqual([]);
    expect(await kernel.publish("news", "x")).toEqual({ reached: 0 });
  });
});

describe("a schedule that waits for runs", () => {
  test("starts once for each that ends in such a state, and not for what had ended before", async () => {
    const { kernel, crash } = await booted();
    const before = await kernel.spawn({ agent: "fail" });
    await kernel.wait(before);
    const on = { run: { agent: "fail", states: ["failed"] } };
    await kernel.createSchedule({ schedule: schedule(on), by });

    const pid = await kernel.spawn({ agent: "fail" });
    await kernel.wait(await kernel.spawn({ agent: "work" }));
    await ended(kernel, 1);
    const { kernel: next } = await crash();
    const later = await next.spawn({ agent: "fail" });

    const made = await outputs(next, 2);
    expect(made.map(({ pid: of, state, exitCode }) => [of, state, exitCode])).toEqual([
      [pid, "failed", 1],
      [later, "failed", 1],
    ]);
  });

  test("cannot start itself for ever", async () => {
    const { kernel } = await booted();
    await kernel.createSchedule({ schedule: schedule({ run: { agent: "work" } }), by });

    await kernel.spawn({ agent: "work", input: "begin" });

    await until(async () => (await ticksOf(kernel)).at(-1)?.outcome === "skipped");
    expect(await ticksOf(kernel)).toHaveLength(7);
    await ended(kernel, 6);
  });
});

describe("a schedule that watches a folder", () => {
  function folderOf() {
    const folder = mkdtempSync(join(tmpdir(), "aos-watched-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  async function watching() {
    const folder = folderOf();
    const clock = { at: Date.parse("2026-05-04T12:00:01Z") };
    const real = newPlatform();
    const platform = {
      ...real,
      now: () => clock.at,
      wall: () => clock.at,
      random: () => real.random(),
      bytes: (count: number) => real.bytes(count),
      notBefore: () => {},
    };
    const looks = { count: 0 };
    const list: typeof listFolder = async (...of) => {
      const found = await listFolder(...of);
      looks.count += 1;
      return found;
    };
    /** What the folder has now was looked at to its end. */
    const looked = async () => {
      const enough = looks.count + 3;
      await until(() => (clock.at++, looks.count >= enough), "a look");
    };
    writeFileSync(join(folder, "old.txt"), "old");
    const found = await booted({ platform, listFolder: list } as never);
    const on = { files: { folder, settle: "10s", endings: [".txt"] } };
    await found.kernel.createSchedule({ schedule: schedule(on), by });
    await looked();
    return { ...found, folder, clock, looked };
  }

  test("starts one run of what changed once that is still, and nothing of what was there", async () => {
    const { kernel, crash, folder, clock, looked } = await watching();

    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "sub", "new.txt"), "new");
    writeFileSync(join(folder, "other.log"), "x");
    symlinkSync("/etc/passwd", join(folder, "link.txt"));
    symlinkSync("/etc", join(folder, "etc"));
    await looked();
    expect(await ticksOf(kernel)).toEqual([]);
    clock.at += 10_000;

    const [made] = await outputs(kernel, 1);
    expect(made).toEqual({
      folder,
      changes: [{ path: "sub/new.txt", change: "added", bytes: 3 }],
      more: 0,
    });
    rmSync(join(folder, "old.txt"));
    const { kernel: next } = await crash();
    await looked();
    clock.at += 10_000;
    expect((await outputs(next, 2))[1]).toMatchObject({
      changes: [{ path: "old.txt", change: "removed" }],
    });
  });

  test("waits for a folder that changes all the time no longer than ten times its rest", async () => {
    const { kernel, folder, clock, looked } = await watching();

    for (let nth = 0; nth < 11; nth++) {
      expect(await ticksOf(kernel)).toEqual([]);
      writeFileSync(join(folder, `${nth}.txt`), "x");
      await looked();
      clock.at += 9500;
    }

    await ended(kernel, 1);
  });

  test("is refused to a tenant, and where its folder is no path", async () => {
    const { kernel } = await booted({ tenants: { a: {} } });
    const on = { files: { folder: "/srv/in" } };

    await expect(
      kernel.createSchedule({ schedule: schedule(on), by, tenant: "a" }),
    ).rejects.toMatchObject({ code: "EACCES" });
    await expect(
      kernel.createSchedule({ schedule: schedule({ files: { folder: "in" } }), by }),
    ).rejects.toMatchObject({ code: "EINVAL" });
  });
});

test("a trigger is one of the four, and stands in the place of a clock", async () => {
  const { kernel } = await booted();
  const refused = async (on: unknown, more: Record<string, unknown> = {}) => {
    const asked = kernel.createSchedule({ schedule: schedule(on, more), by });
    return asked.then(
      () => "taken",
      (error: Error) => error.message,
    );
  };

  expect(await refused({})).toContain("exactly one of webhook, topic, files, run");
  expect(await refused({ ...HOOK, topic: "x" })).toContain("exactly one of webhook");
  expect(await refused(HOOK, { cron: "* * * * *" })).toContain("exactly one of cron, every and on");
  expect(await refused(HOOK, { catchUp: "all" })).toContain("catchUp: is for a clock");
  expect(await refused({ webhook: { secret: "lower" } })).toContain("the name of a secret");
  expect(await refused({ topic: "a.x*" })).toContain("topic");
  expect(await refused({ webhook: { secret: "X", tolerance: "2d" } })).toContain("from 1s to 1h");
});
