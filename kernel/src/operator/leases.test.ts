import { expect, test } from "vitest";
import type { Process } from "../process/process.ts";
import { Leases } from "./leases.ts";

/** A node on a store that others use too; what it asks the store about a process is kept. */
function node() {
  let now = 1000;
  const asked: Process[] = [];
  const leases = new Leases({
    store: {
      kind: "postgres",
      renewNode: async () => {},
      otherNodes: async () => [],
      claim: async () => [],
      dropNode: async () => {},
    },
    journal: { amend: (process: Process) => void asked.push(process), durable: async () => {} },
    platform: { now: () => now },
    dormancy: { lookAtTimers: async () => {}, wake: async () => {} },
    router: { lookForEnds: async () => {} },
    admission: { look: async () => {}, open: () => {} },
    keys: { discard: () => {} },
    node: "a",
    leaseMs: 1000,
    isCounting: false,
    refresh: async () => {},
    trouble: () => {},
  } as never);
  return { leases, asked, pass: (ms: number) => (now += ms) };
}

const process = () => ({ ended: false }) as Process;

test("LEASES-1: after a pause each process is asked about, though the lease was renewed meanwhile", async () => {
  const { leases, asked, pass } = node();
  const [one, two] = [process(), process()];
  await leases.begin();
  for (const each of [one, two]) await leases.confirm(each);
  asked.length = 0;

  pass(5000);
  await leases.confirm(one);
  await leases.confirm(two);
  leases.close();

  expect(asked).toEqual([one, two]);
});

test("while the lease holds nothing is asked again", async () => {
  const { leases, asked, pass } = node();
  const one = process();
  await leases.begin();
  await leases.confirm(one);
  asked.length = 0;

  pass(500);
  await leases.confirm(one);
  leases.close();

  expect(asked).toEqual([]);
});
