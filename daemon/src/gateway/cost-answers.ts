// Answers about money: what was spent, and what something may cost.

import { present } from "../present.ts";
import type { Answers } from "./answers.ts";
import { findProcess } from "./find-process.ts";
import { readSpawn } from "./read-spawn.ts";

export const costAnswers: Pick<
  Answers,
  "cost" | "estimateSpawn" | "estimateFork" | "estimateReplay"
> = {
  async cost({ kernel }, { by, sinceMs, tenant, pid }) {
    return kernel.cost(
      present({
        by,
        tenant,
        sinceMs: sinceMs === undefined ? undefined : Math.max(0, Date.now() - sinceMs),
        pid: pid === undefined ? undefined : await findProcess(kernel, pid),
      }),
    );
  },
  estimateSpawn: (desk, args) => desk.kernel.estimateSpawn(readSpawn(desk, args)),
  async estimateFork({ kernel }, { pid, at }) {
    return kernel.estimateFork(await findProcess(kernel, pid), present({ at }));
  },
  async estimateReplay({ kernel }, { pid }) {
    return kernel.estimateReplay(await findProcess(kernel, pid));
  },
};
