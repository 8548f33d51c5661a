// Handlers of operations about money: what was spent, and what something may cost.

import type { costOperations } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import type { HandlersOf } from "./handler.ts";
import { readSpawn } from "../read-spawn.ts";

export const costHandlers: HandlersOf<typeof costOperations> = {
  async cost({ kernel }, { by, sinceMs, tenant, pid }) {
    return kernel.cost(
      omitUndefined({
        by,
        tenant,
        sinceMs: sinceMs === undefined ? undefined : Math.max(0, Date.now() - sinceMs),
        pid,
      }),
    );
  },
  estimateSpawn: (gateway, args) => gateway.kernel.estimateSpawn(readSpawn(gateway, args)),
  async estimateFork({ kernel }, { pid, at }) {
    return kernel.estimateFork(pid, omitUndefined({ at }));
  },
  async estimateReplay({ kernel }, { pid }) {
    return kernel.estimateReplay(pid);
  },
};
