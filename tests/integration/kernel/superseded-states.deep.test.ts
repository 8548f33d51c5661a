// The states of checkpoints that others have superseded are dropped while a process lives, and what started
// from one goes on from an older one (state-retention.ts STATE-RETENTION-1, STATE-RETENTION-2; state-drop.ts STATE-DROP-1).

import { DatabaseSync } from "node:sqlite";
import type { Json, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { STATE_SPAN } from "@aos/kernel/parts";
import { bootForTest, until, type Booted } from "../../helpers/kernel.ts";

const COUNT = 3 * STATE_SPAN;

/** Large enough to be stored in parts; each has a number in the middle of it, the last that of an early one. */
const stateOf = (n: number) => ({
  n,
  before: Array.from({ length: 100 }, (_, at) => ({ at, text: "x".repeat(50) })),
  count: { n: n === COUNT ? 7 : n },
  after: Array.from({ length: 100 }, (_, at) => ({ at, text: "y".repeat(50) })),
});

const programs = {
  counter: async (sys: Sys, _input: Json, state?: Json) => {
    let { n } = (state ?? { n: 0 }) as { n: number };
    while (n < COUNT) {
      n += 1;
      await sys.checkpoint(stateOf(n));
    }
    await sys.receive();
    return n;
  },
};

async function counted(): Promise<{ booted: Booted; pid: string }> {
  const booted = await bootForTest({ programs });
  const pid = await booted.kernel.spawn({ agent: "counter", capabilities: ["message:*:receive"] });
  await until(async () => (await booted.kernel.show(pid)).waitingOn === "message");
  return { booted, pid };
}

const blobsIn = ({ file }: Booted): number => {
  using database = new DatabaseSync(file, { readOnly: true });
  return Number(database.prepare("select count(*) as n from blob").get()!["n"]);
};

const finish = async ({ kernel }: Booted, pid: string): Promise<Json> => {
  await until(async () => (await kernel.show(pid)).waitingOn === "message");
  await kernel.send(pid, "end");
  return (await kernel.wait(pid)).output;
};

test("STATE-RETENTION-1: old states go, the audit finds nothing, and the process goes on after a crash", async () => {
  const { booted, pid } = await counted();
  const next = await booted.crash();

  const blobs = blobsIn(booted); // it is closed, and has dropped what it was about to
  // Each state has two parts or more of its own. Those of two spans stay, and the first of each other.
  expect(blobs).toBeLessThan(5 * 2 * STATE_SPAN);
  expect(blobs).toBeGreaterThan(2 * STATE_SPAN);
  expect((await next.kernel.verify()).findings).toEqual([]);
  expect(await finish(next, pid)).toBe(COUNT);
});

test("STATE-RETENTION-2: a fork at a checkpoint without its state goes on from an older one, and so does its fork", async () => {
  const { booted, pid } = await counted();
  const at = STATE_SPAN - 50;
  const isDropped = async () =>
    JSON.stringify((await booted.kernel.pastRun(pid)).records[at]).includes("$blob");
  await until(isDropped); // otherwise the state itself is there

  const fork = await booted.kernel.fork(pid, { at });
  const forkOfFork = await booted.kernel.fork(fork, { at: at - 20 });

  expect(await finish(booted, fork)).toBe(COUNT);
  expect(await finish(booted, forkOfFork)).toBe(COUNT);
  expect(await finish(booted, pid)).toBe(COUNT);
});
