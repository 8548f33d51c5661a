import { expect, test } from "vitest";
import { ProcessTable } from "../process/process-table.ts";
import { ProcessEndings, type ProcessEnd } from "../scheduler/endings.ts";
import { processOf, testProcessRow } from "../../../tests/helpers/kernel/process.ts";
import { waitForProcessEnd } from "./watch.ts";

function world() {
  const table = new ProcessTable();
  const process = processOf({});
  table.add(process);
  const durable: (() => void)[] = [];
  const journal = {
    failure: undefined,
    append: () => {},
    whenDurable: (callback: () => void) => void durable.push(callback),
  };
  const endings = new ProcessEndings({ journal, platform: { now: () => 1 }, table } as never);
  const reads: number[] = [];
  const row = testProcessRow({ state: "running" });
  const store = {
    processByKey: async (key: number) => {
      reads.push(key);
      return row;
    },
  };
  const wait = () =>
    waitForProcessEnd({ store, journal, endings, table } as never, process.key, { signals: [] });
  return { table, process, endings, reads, wait, sync: () => durable.forEach((call) => call()) };
}

const end: ProcessEnd = { state: "completed", code: 0, output: { a: [1] } };

test("ENDINGS-4: who waits is told the end without a question to the store, each a value of their own", async () => {
  const { process, endings, reads, wait, sync } = world();
  const waiting = [wait(), wait()];
  endings.finish(process, end);
  sync();

  const [one, other] = await Promise.all(waiting);

  expect(one).toEqual({
    pid: process.pid,
    state: "completed",
    exitCode: 0,
    output: { a: [1] },
    error: null,
  });
  expect(other).toEqual(one);
  expect(other!.output).not.toBe(one!.output);
  expect(reads).toEqual([]);
});

test("ENDINGS-4: an end that another node's lease has refused is none: the row says how it is", async () => {
  const { table, process, endings, reads, wait, sync } = world();
  const waiting = wait();
  endings.finish(process, end);
  table.remove(process); // what the kernel does with a process that was taken over, before it tells of the commit
  sync();

  const { state, output } = await waiting;

  expect({ state, output }).toEqual({ state: "running", output: null });
  expect(reads).toEqual([process.key]);
});

test("ENDINGS-2: nobody is told before it is durable", async () => {
  const { process, endings, wait, sync } = world();
  let isTold = false;
  const waiting = wait().then(() => (isTold = true));
  endings.finish(process, end);
  await new Promise((resolve) => setImmediate(resolve));

  expect(isTold).toBe(false);
  sync();
  await waiting;
});
