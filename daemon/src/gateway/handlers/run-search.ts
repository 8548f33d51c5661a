// Handlers of operations about what was said in runs.

import type { runSearchOperations } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import type { HandlersOf } from "./handler.ts";

export const runSearchHandlers: HandlersOf<typeof runSearchOperations> = {
  async searchRuns({ kernel }, { query, since, until, pid, tenant, ...rest }) {
    const whose = pid === undefined ? tenant : (await kernel.show(pid)).tenant;
    const more = omitUndefined({
      ...rest,
      pid,
      tenant: whose,
      sinceMs: since === undefined ? undefined : Date.parse(since),
      untilMs: until === undefined ? undefined : Date.parse(until),
    });
    return kernel.searchRuns({ query, ...more });
  },
};
