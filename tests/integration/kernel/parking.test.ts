// What a changed program, or another release, does to a run that is under way: nothing that cannot be undone.

import type { Json, Program, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, callsOf, TOOLS, until, type Booted } from "../../helpers/kernel.ts";

const capabilities = [...TOOLS, "memory:/mem/**:*"];

const first = async (sys: Sys): Promise<Json> => {
  await sys.exec("pay", { to: "once" });
  await sys.write("/mem/working/old", 1);
  const message = (await sys.receive()) as unknown as { body: Json };
  return { by: "first", message: message.body };
};

const second = async (sys: Sys): Promise<Json> => {
  await sys.exec("pay", { to: "once" });
  await sys.write("/mem/working/new", 1);
  const message = (await sys.receive()) as unknown as { body: Json };
  return { by: "second", message: message.body };
};

/** A run that was begun by `first` and waits, as `second` finds it. */
async function parked() {
  const before = await bootForTest({ programs: { worker: first } });
  const pid = await before.kernel.spawn({ agent: "worker", capabilities });
  await until(async () => (await before.kernel.journal(pid)).length === 4, "the wait");
  const head = (await before.kernel.show(pid)).head;
  const booted = await before.again({ programs: { worker: second } });
  await isParked(booted, pid);
  return { booted, pid, head };
}

const isParked = ({ kernel }: Booted, pid: string) =>
  until(async () => {
    const { state, error } = await kernel.show(pid);
    return state === "paused" && error?.code === "REPLAY_DIVERGED";
  }, "it is parked");

test("a parked run has its journal as it was, says both ways out, and passes the audit", async () => {
  const { booted, pid, head } = await parked();

  const { kernel } = booted;
  const shown = await kernel.show(pid);
  expect(shown).toMatchObject({ state: "paused", head, exitCode: null, endedAt: null }); // PARKING-1
  for (const way of [`aos resume ${pid}`, `aos retry ${pid}`, `aos fork ${pid} --at`])
    expect(shown.error?.hint).toContain(way);
  expect((await kernel.list({ states: ["paused"] })).map((one) => one.pid)).toEqual([pid]);
  expect(await kernel.verify()).toMatchObject({ findings: [] });
});

test("with its own program back it goes on by itself, and nothing was done twice", async () => {
  const { booted, pid } = await parked();

  const { kernel, runs } = await booted.again({ programs: { worker: first } });

  await kernel.send(pid, "hello");
  expect(await kernel.wait(pid)).toMatchObject({
    state: "completed",
    output: { by: "first", message: "hello" },
    error: null,
  });
  expect(runs.length).toBe(1);
  expect(await kernel.replay(pid)).toMatchObject({ identical: true });
});

test("what arrives while it is parked waits, and does not try it again", async () => {
  const { booted, pid } = await parked();
  const troubles: string[] = [];
  const watched = await booted.again({ onTrouble: (what) => troubles.push(what) });
  const { kernel } = watched;
  await until(async () => troubles.length === 1, "the boot's try"); // PARKING-2

  await kernel.send(pid, "kept");
  await kernel.send(pid, "too");
  await kernel.signal(pid, "SIGUSR2");

  expect((await kernel.show(pid)).state).toBe("paused");
  expect(troubles).toEqual([`${pid} is parked`]);
  await kernel.signal(pid, "SIGCONT");
  await until(async () => troubles.length === 2, "the try that was asked for");
  const last = await watched.again({ programs: { worker: first } });
  expect((await last.kernel.wait(pid)).output).toEqual({ by: "first", message: "kept" });
});

test("retry goes on with the program that is there, before the record at which it diverged", async () => {
  const { booted, pid } = await parked();
  const { kernel, runs } = booted;

  const retried = await kernel.retry(pid);
  await kernel.send(retried, "on");

  expect((await kernel.wait(retried)).output).toEqual({ by: "second", message: "on" });
  expect(callsOf(await kernel.journal(retried))).toEqual(["write ok", "receive ok"]);
  expect(runs.length).toBe(1); // what lies before is not done again
  expect(await kernel.replay(retried)).toMatchObject({ identical: true });
  await isParked(booted, pid);
});

test("fork takes any record", async () => {
  const { booted, pid } = await parked();
  const { kernel } = booted;

  const forked = await kernel.fork(pid, { at: 0 });
  await kernel.send(forked, "anew");

  expect((await kernel.wait(forked)).output).toEqual({ by: "second", message: "anew" });
});

test.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)("%s ends a parked run", async (signal) => {
  const { booted, pid } = await parked();

  await booted.kernel.signal(pid, signal); // PARKING-3

  expect((await booted.kernel.wait(pid)).state).toBe("killed");
  await booted.again({ programs: { worker: first } }); // where its replay is identical
});

test("one that was paused by a person is paused again when it is no longer parked", async () => {
  const before = await bootForTest({ programs: { worker: first } });
  const pid = await before.kernel.spawn({ agent: "worker", capabilities });
  await until(async () => (await before.kernel.journal(pid)).length === 4, "the wait");
  await before.kernel.signal(pid, "SIGSTOP");
  await before.kernel.signal(pid, "SIGUSR1"); // a signal has it loaded at the next boot
  const changed = await before.again({ programs: { worker: second } });
  await isParked(changed, pid);

  const { kernel } = await changed.again({ programs: { worker: first } });

  await until(async () => (await kernel.show(pid)).error === null, "it is tried again");
  expect((await kernel.show(pid)).state).toBe("paused");
  await kernel.send(pid, "later");
  await kernel.signal(pid, "SIGCONT");
  expect((await kernel.wait(pid)).output).toEqual({ by: "first", message: "later" });
});

const versioned = (version: string, run: Program, earlier: Record<string, Program>) =>
  ({ version, run, earlier }) as never;

test("what began under a version goes on and is replayed under it", async () => {
  const before = await bootForTest({ programs: { worker: versioned("1", first, {}) } });
  const pid = await before.kernel.spawn({ agent: "worker", capabilities });
  await until(async () => (await before.kernel.journal(pid)).length === 4, "the wait");

  const { kernel } = await before.again({
    programs: { worker: versioned("2", second, { "1": first }) },
  });
  const other = await kernel.spawn({ agent: "worker", capabilities });
  for (const one of [pid, other]) await kernel.send(one, "x");

  expect((await kernel.wait(pid)).output).toEqual({ by: "first", message: "x" });
  expect((await kernel.wait(other)).output).toEqual({ by: "second", message: "x" });
  for (const one of [pid, other])
    expect(await kernel.replay(one)).toMatchObject({ identical: true });
});

test("a version that is not here parks the run, also where nothing of it would differ yet", async () => {
  const before = await bootForTest({ programs: { worker: versioned("7", first, {}) } });
  const pid = await before.kernel.spawn({ agent: "worker", capabilities });
  await until(async () => (await before.kernel.journal(pid)).length === 4, "the wait");
  const older = await before.again({ programs: { worker: versioned("2", first, { "1": first }) } });

  await isParked(older, pid);

  expect((await older.kernel.show(pid)).error?.message).toMatch(/version 7 .* has 1, 2/);
  const { kernel } = await older.again({ programs: { worker: versioned("7", first, {}) } });
  await kernel.send(pid, "back");
  expect((await kernel.wait(pid)).output).toEqual({ by: "first", message: "back" });
});
