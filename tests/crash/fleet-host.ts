// A kernel with a fleet for crash tests: the same in the process that is killed and in the test that looks at what is
// left.

import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { bootKernel, type Kernel } from "@aos/kernel";

const NAME = "workers";
const by = "tester";
export const GOOD = ["i0", "i1", "i2", "n0", "n1", "n2"];

const textOf = (more: object = {}) => ({
  apiVersion: "aos/v1",
  kind: "Fleet",
  name: NAME,
  manifest: { apiVersion: "aos/v1", kind: "Agent", name: "worker", program: "work" },
  replicas: 2,
  restart: { attempts: 3, backoff: "1ms", maxBackoff: "1ms" },
  roll: { first: 2, sample: 2, baseline: 0 },
  ...more,
});

export const bootFleetHost = (folder: string): Promise<Kernel> =>
  bootKernel({
    store: { file: join(folder, "aos.db") },
    auditFolder: join(folder, "audit"),
    programs: {
      work: async (sys, input) => {
        await sys.now();
        if (input === "poison") throw new Error("poison");
        return `did ${JSON.stringify(input)}`;
      },
    },
    scheduleLookMs: 5,
  });

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (const since = Date.now(); !(await isSo()); await delay(5))
    if (Date.now() - since > 120_000) throw new Error(`${what} did not come about`);
}

/** All of it, or what is missing of it. */
export async function carryFleet(kernel: Kernel): Promise<void> {
  const fleets = await kernel.fleets();
  if (fleets.length === 0) await kernel.applyFleet({ fleet: textOf(), by });
  const send = (key: string, input: string) => kernel.sendFleetItem(NAME, { input, key, by });
  for (const key of ["i0", "i1", "i2"]) await send(key, key);
  await send("bad", "poison");
  const isOver = async (key: string) => {
    const { state } = await kernel.fleetItem(NAME, { item: key });
    return state === "done" || state === "dead";
  };
  for (const key of ["i0", "i1", "i2", "bad"]) await until(() => isOver(key), `the end of ${key}`);
  const { versions, roll } = await kernel.fleet(NAME);
  if (roll === null && versions[0]!.version === 1)
    await kernel.rollFleet(NAME, { fleet: textOf({ capabilities: ["tool:x:call"] }), by });
  for (const key of ["n0", "n1", "n2"]) await send(key, key);
  for (const key of ["n0", "n1", "n2"]) await until(() => isOver(key), `the end of ${key}`);
  await until(async () => (await kernel.fleet(NAME)).roll === null, "the end of the roll");
}
