import { setTimeout as delay } from "node:timers/promises";
import { SysError } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { type RunForTest, runForTest } from "../../../tests/helpers/drivers/tool-run.ts";
import { ToolHost } from "./tool-host.ts";
import { WarmHost } from "./warm-host.ts";

const NEVER = new AbortController().signal;

function warm({ idleMs = 60_000, fails = 0, wait = async () => {} } = {}) {
  const runs: RunForTest[] = [];
  const waits: number[] = [];
  let left = fails;
  const start = async () => {
    if (left-- > 0) throw new SysError("EUPSTREAM", "it does not start");
    const run = runForTest();
    runs.push(run);
    return new ToolHost(run, { loadMs: 1000, graceMs: 1000 });
  };
  // Time stands still.
  const pace = { now: () => 0, wait: (ms: number) => (waits.push(ms), wait()) };
  const host = new WarmHost(start, idleMs, pace);
  const use = () => host.use(NEVER, async (one) => one);
  return { host, runs, waits, use };
}

const untilGone = async (run: RunForTest) => {
  while (!run.isKilled()) await delay(1);
};

test("the first use starts it, and the others find it", async () => {
  const { runs, use } = warm();

  const [a, b] = await Promise.all([use(), use()]);

  expect(a).toBe(b);
  expect(await use()).toBe(a);
  expect(runs.length).toBe(1);
});

test("nobody uses it for a while: it ends, and the next use starts another at once", async () => {
  const { runs, use } = warm({ idleMs: 5 });
  await use();
  await untilGone(runs[0]!);

  await use();

  expect(runs.length).toBe(2);
});

test("who uses it keeps it", async () => {
  const { host, runs, use } = warm({ idleMs: 20 });
  await use();

  const isKilled = await host.use(NEVER, async () => {
    await delay(60);
    return runs[0]!.isKilled();
  });

  expect(isKilled).toBe(false);
});

test("one that is being ended is not lent: another is", async () => {
  const { host, runs } = warm();
  await host.use(NEVER, async (one) => one.end("it misbehaves"));

  const next = await host.use(NEVER, async (one) => one.isOver);

  expect(next).toBe(false);
  expect(runs.length).toBe(2);
});

describe("WARM-HOST-1: after a crash", () => {
  test("another is started after a wait, the same after each use that went well", async () => {
    const { runs, waits, use } = warm();
    for (let i = 0; i < 3; i++) {
      const host = await use();
      runs[i]!.ends({ code: 1 });
      await host.gone;
      await delay(0);
    }
    await use();

    expect(runs.length).toBe(4);
    expect(waits).toEqual([100, 100, 100]);
  });

  test("of the start, too; the failure is told, and the wait grows, up to a limit", async () => {
    const { waits, use } = warm({ fails: 12 });

    for (let i = 0; i < 12; i++) await expect(use()).rejects.toThrow("it does not start");
    await use();

    expect(waits.slice(0, 4)).toEqual([100, 200, 400, 800]);
    expect(waits.at(-1)).toBe(30_000);
  });

  test("a caller that stops waiting leaves at once, and the others wait on", async () => {
    const over = Promise.withResolvers<void>();
    const { host, use } = warm({ fails: 1, wait: () => over.promise });
    await expect(use()).rejects.toThrow();
    const stop = new AbortController();
    const waiting = host.use(stop.signal, async () => "used");
    const other = use();

    stop.abort(new SysError("EINTR", "killed"));
    await expect(waiting).rejects.toMatchObject({ code: "EINTR", message: "killed" });
    over.resolve();

    await expect(other).resolves.toBeInstanceOf(ToolHost);
  });
});

describe("WARM-HOST-2: one that is retired", () => {
  test("takes no new call", async () => {
    const { host, use } = warm();
    await use();
    host.retire();

    await expect(use()).rejects.toMatchObject({ code: "ESTATE" });
  });

  test("ends at once when it has no call, and otherwise with the last", async () => {
    const idle = warm();
    await idle.use();
    const busy = warm();
    const done = Promise.withResolvers<void>();
    const call = busy.host.use(NEVER, () => done.promise);
    await delay(0);

    idle.host.retire();
    busy.host.retire();
    await untilGone(idle.runs[0]!);
    expect(busy.runs[0]!.isKilled()).toBe(false);

    done.resolve();
    await call;
    await untilGone(busy.runs[0]!);
  });
});

test("ending it resolves when it is gone", async () => {
  const { host, runs, use } = warm();
  const inside = await use();

  await host.end("the daemon stops");

  expect(runs[0]!.isKilled()).toBe(true);
  expect(await inside.gone).toBe("the daemon stops");
});
