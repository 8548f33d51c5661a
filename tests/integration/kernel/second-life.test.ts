import type { JournalRecord, Json, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, type Booted } from "../../helpers/kernel.ts";

/** Resolves when it has made so many checkpoints and left memory. */
async function unloadedAfter(kernel: Booted["kernel"], pid: string, checkpoints: number) {
  const isCheckpoint = (record: JournalRecord) => "call" in record && record.call === "checkpoint";
  await expect
    .poll(async () => [
      (await kernel.journal(pid)).filter(isCheckpoint).length,
      (await kernel.status()).loaded,
    ])
    .toEqual([checkpoints, 0]);
}

/** Adds up what it is sent. It asks who it is whenever it is started, which a second life does again. */
const counter =
  (afterCheckpoint: (sys: Sys) => Promise<unknown>) =>
  async (sys: Sys, _input: Json, state?: Json) => {
    await sys.self();
    let sum = (state as { sum: number } | undefined)?.sum ?? 0;
    for (;;) {
      const { body } = await sys.receive();
      if (body === "stop") return sum;
      sum += body as number;
      await sys.checkpoint({ sum });
      await afterCheckpoint(sys);
    }
  };

async function countTo10({ kernel }: Booted) {
  const pid = await kernel.spawn({ agent: "counter" });
  for (const number of [1, 2, 3, 4]) {
    await kernel.send(pid, number);
    await unloadedAfter(kernel, pid, number);
  }
  await kernel.send(pid, "stop");
  return { pid, ending: await kernel.wait(pid, { timeoutMs: 120_000 }) };
}

test("a program started from its checkpoint may begin otherwise than it went on, and its journal says so", async () => {
  const booted = await bootForTest({
    unloadAfterMs: 0,
    programs: { counter: counter(async () => {}) },
  });

  const { pid, ending } = await countTo10(booted);

  expect(ending.output).toBe(10);
  const restarts = (await booted.kernel.journal(pid)).filter((record) => record.kind === "restart");
  expect(restarts.map((record) => record.why)).toEqual(Array(4).fill("checkpoint"));
  expect((await booted.kernel.replay(pid)).identical).toBe(true);
});

test("where the first life had gone on after the checkpoint, it is lived through to its end", async () => {
  const booted = await bootForTest({
    unloadAfterMs: 0,
    programs: { counter: counter((sys) => sys.now()) },
  });

  const { pid, ending } = await countTo10(booted);

  expect(ending.output).toBe(10);
  expect((await booted.kernel.journal(pid)).some((record) => record.kind === "restart")).toBe(
    false,
  );
  expect((await booted.kernel.replay(pid)).identical).toBe(true);
});

test("a start from a checkpoint is no failure: it does not count as a restart", async () => {
  const booted = await bootForTest({
    unloadAfterMs: 0,
    programs: { counter: counter(async () => {}) },
  });
  const manifest = {
    apiVersion: "aos/v1" as const,
    kind: "Agent" as const,
    name: "counter",
    program: "counter",
    restart: { on: ["error" as const], max: 1, within: "1m" },
  };
  const pid = await booted.kernel.spawn({ manifest });
  for (const number of [1, 2, 3]) {
    await booted.kernel.send(pid, number);
    await unloadedAfter(booted.kernel, pid, number);
  }

  await booted.kernel.send(pid, "stop");

  expect((await booted.kernel.wait(pid, { timeoutMs: 120_000 })).output).toBe(6);
});
