// What is told late, twice or out of order: the store still has what is being taken here, or is being
// read while something newer is told directly.

import type { KernelOptions } from "@aos/kernel";
import type { JournalRecord, Sys } from "@aos/protocol";
import { expect, onTestFinished, test } from "vitest";
import { assemble, openVault, systemPlatform } from "@aos/kernel/parts";
import { openStore } from "@aos/kernel/store";
import { until } from "../../helpers/kernel.ts";

const EVENT = { type: "event", label: { integrity: "trusted", secrecy: "public" } } as const;

async function assembleForTest({ unloadAfterMs = 10_000 } = {}) {
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
  const machine = assemble(store, options, await openVault(store, {}, systemPlatform));
  await machine.leases.begin();
  onTestFinished(async () => {
    machine.leases.close();
    machine.dormancy.close();
    for (const process of machine.table.all()) machine.reaper.drop(process);
    await machine.journal.durable();
    await machine.store.close();
  });
  const pid = await machine.spawner.spawn({ agent: "listener" });
  const process = machine.table.byPid(pid)!;
  await until(() => process.waitingOn === "message" || process.program === null, "waiting");
  return { machine, process, row: process.row };
}

test("a signal that the store still has is not delivered a second time", async () => {
  const { machine, row } = await assembleForTest();
  const { writes, after } = await machine.router.signalTo(row, "SIGUSR2", "operator");
  machine.journal.write(...writes);
  await machine.journal.durable();

  after();
  await machine.router.onNotified([row.key]);

  await machine.journal.durable();
  const records = await machine.store.records(row.key);
  const kinds = records.map(({ text }) => (JSON.parse(text) as JournalRecord).kind);
  expect(kinds).toEqual(["start", "signal"]);
});

test("a message that the store still has is not received a second time", async () => {
  const { machine, row } = await assembleForTest();
  const sending = machine.router.sendFromOperator(row, "once", EVENT);
  await sending;
  await machine.router.onNotified([row.key]);
  await machine.router.onNotified([row.key]);

  await machine.router.sendFromOperator(row, "end", EVENT);
  await until(async () => (await machine.store.processByKey(row.key))!.endedAt !== null, "the end");

  expect((await machine.store.processByKey(row.key))!.output).toEqual(["once", "end"]);
});

test("a signal that is told while older ones are being read does not overtake them", async () => {
  const { machine, row } = await assembleForTest({ unloadAfterMs: 0 });
  await until(() => machine.table.size === 0, "sleep");
  const stop = await machine.router.signalTo(row, "SIGSTOP", "operator");
  const go = await machine.router.signalTo(row, "SIGCONT", "operator");
  machine.journal.write(...stop.writes, ...go.writes);
  await machine.journal.durable();

  stop.after();
  // The store in memory answers within this turn: the signals are read a few steps after this.
  for (let step = 0; step < 1000 && machine.table.get(row.key) === undefined; step++)
    await Promise.resolve();
  go.after();

  const signals = async () =>
    (await machine.store.records(row.key))
      .map(({ text }) => JSON.parse(text) as JournalRecord)
      .flatMap((record) => (record.kind === "signal" ? [record.did] : []));
  await until(async () => (await signals()).length === 2, "both signals");
  expect(await signals()).toEqual(["stopped", "continued"]);
});
