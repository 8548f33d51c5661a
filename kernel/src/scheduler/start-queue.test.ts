import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { StartQueue } from "./start-queue.ts";

function queue() {
  const troubles: unknown[] = [];
  const started: number[] = [];
  const starts = new StartQueue((_, error) => troubles.push(error));
  const enter = (n: number) => starts.enter(() => started.push(n));
  return { starts, enter, started, troubles };
}

test("one that comes alone is started at once (START-QUEUE-1)", async () => {
  const { enter, started } = queue();
  enter(1);
  expect(started).toEqual([1]);

  await turn();
  await turn();
  enter(2);
  expect(started).toEqual([1, 2]);
});

test("of many, a few are started in each turn, in the order in which they came (START-QUEUE-1)", async () => {
  const { enter, started } = queue();
  const all = Array.from({ length: 100 }, (_, n) => n);
  for (const n of all) enter(n);
  const atOnce = started.length;
  expect(atOnce).toBeLessThan(20);

  await turn();
  expect(started.length).toBeLessThanOrEqual(2 * atOnce);
  enter(100); // behind those that wait
  while (started.length < 101) await turn();

  expect(started).toEqual([...all, 100]);
});

test("one that fails to start keeps nobody else from it (START-QUEUE-2)", async () => {
  const { starts, enter, started, troubles } = queue();
  for (let n = 0; n < 20; n++) enter(n);
  starts.enter(() => {
    throw new Error("no program");
  });
  enter(21);

  while (!started.includes(21)) await turn();
  expect(troubles).toEqual([new Error("no program")]);
});
