// What is told late, twice or out of order: the store still has what is being taken here, or is being
// read while something newer is told directly.

import type { KernelOptions } from "@aos/kernel";
import type { JournalRecord, Sys } from "@aos/protocol";
import { expect, onTestFinished, test } from "vitest";
import { composeKernel, openVault, systemPlatform } from "@aos/kernel/parts";
import { openStore } from "@aos/kernel/store";
import { until } from "../../helpers/kernel.ts";

const EVENT = { type: "event", label: { integrity: "trusted", secrecy: "public" } } as const;

async function composedForTest({ unloadAfterMs = 10_000 } = {}) {
  const store = await openStore("memory");
  const options = {
    unloadAfterMs,
    programs: {
      listener: async (sys: Sys) => {
        const heard: string[] = [];
        await sys.handle("SIGUSR2", (signal) => void heard.push(signal));
        for (let body: unknown = null; body !== "end"; heard.push(String(body)))
          ({ body } = await sys.receive());
        return heard;
      },
    },
  } satisfies KernelOptions;
  const parts = composeKernel(store, options, await openVault(store, {}, systemPlatform));
  await parts.leases.begin();
  onTestFinished(async () => {
    parts.leases.close();
    parts.dormancy.close();
    for (const process of parts.table.all()) parts.reaper.drop(process);
    await parts.journal.durable();
    await parts.store.close();
  });
  const pid = await parts.spawner.spawn({ agent: "listener" });
  const process = parts.table.byPid(pid)!;
  await until(() => process.waitingOn === "message" || process.program === null, "waiting");
  return { parts, process, row: process.row };
}

test("a signal that the store still has is not delivered a second time", async () => {
  const { parts, row } = await composedForTest();
  const { writes, after } = await parts.router.signalTo(row, "SIGUSR2", "operator");
  parts.journal.write(...writes);
  await parts.journal.durable();

  after();
  await parts.router.onNotified([row.key]);

  await parts.journal.durable();
  const records = await parts.store.records(row.key);
  const kinds = records.map(({ text }) => (JSON.parse(text) as JournalRecord).kind);
  expect(kinds).toEqual(["start", "signal"]);
});

test("a message that the store still has is not received a second time", async () => {
  const { parts, row } = await composedForTest();
  const sending = parts.router.sendFromOperator(row, "once", EVENT);
  await sending;
  await parts.router.onNotified([row.key]);
  await parts.router.onNotified([row.key]);

  await parts.router.sendFromOperator(row, "end", EVENT);
  await until(async () => (await parts.store.processByKey(row.key))!.endedAt !== null, "the end");

  expect((await parts.store.processByKey(row.key))!.output).toEqual(["once", "end"]);
});

test("a signal that is told while older ones are being read does not overtake them", async () => {
  const { parts, row } = await composedForTest({ unloadAfterMs: 0 });
  await until(() => parts.table.size === 0, "sleep");
  const stop = await parts.router.signalTo(row, "SIGSTOP", "operator");
  const go = await parts.router.signalTo(row, "SIGCONT", "operator");
  parts.journal.write(...stop.writes, ...go.writes);
  await parts.journal.durable();

  stop.after();
  // The store in memory answers within this turn: the signals are read a few steps after this.
  for (let step = 0; step < 1000 && parts.table.get(row.key) === undefined; step++)
    await Promise.resolve();
  go.after();

  const signals = async () =>
    (await parts.store.records(row.key))
      .map(({ text }) => JSON.parse(text) as JournalRecord)
      .flatMap((record) => (record.kind === "signal" ? [record.did] : []));
  await until(async () => (await signals()).length === 2, "both signals");
  expect(await signals()).toEqual(["stopped", "continued"]);
});
