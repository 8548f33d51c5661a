// Answers about money: what was spent, and what something may cost.

import { omitUndefined } from "../omit-undefined.ts";
import type { OperationHandlers } from "./handlers.ts";
import { findProcess } from "./find-process.ts";
import { readSpawn } from "./read-spawn.ts";

export const costHandlers: Pick<
  OperationHandlers,
  "cost" | "estimateSpawn" | "estimateFork" | "estimateReplay"
> = {
  async cost({ kernel }, { by, sinceMs, tenant, pid }) {
    return kernel.cost(
      omitUndefined({
        by,
        tenant,
        sinceMs: sinceMs === undefined ? undefined : Math.max(0, Date.now() - sinceMs),
        pid: pid === undefined ? undefined : await findProcess(kernel, pid),
      }),
    );
  },
  estimateSpawn: (gateway, args) => gateway.kernel.estimateSpawn(readSpawn(gateway, args)),
  async estimateFork({ kernel }, { pid, at }) {
    return kernel.estimateFork(await findProcess(kernel, pid), omitUndefined({ at }));
  },
  async estimateReplay({ kernel }, { pid }) {
    return kernel.estimateReplay(await findProcess(kernel, pid));
  },
};
