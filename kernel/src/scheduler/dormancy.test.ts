import { expect, test } from "vitest";
import type { Process } from "../process/process.ts";
import { Dormancy } from "./dormancy.ts";

test("one that is woken before it has left, and waits anew, leaves for what it waits for now", () => {
  const committed: (() => void)[] = [];
  const left: Process[] = [];
  const dormancy = new Dormancy({
    unloadAfterMs: 0,
    platform: { now: () => 1000 },
    journal: {
      amend: () => {},
      afterCommit: (callback: () => void) => void committed.push(callback),
    },
    forget: () => {},
    table: { remove: (process: Process) => void left.push(process) },
  } as never);
  const process = {
    naps: 0,
    asleep: false,
    isDormant: true,
    wakeAt: null,
    program: null,
    row: { root: 1, spec: {} },
    reset: () => {},
  };
  dormancy.waiting(process as never);
  process.asleep = false; // a message came, and it went on
  Object.assign(process, { wakeAt: 5000 }); // and waits for a time
  dormancy.waiting(process as never);

  committed[0]!();
  expect(left).toEqual([]); // with the first it would have left without an alarm
  committed[1]!();

  expect(left).toEqual([process]);
  dormancy.close();
});
