// Handlers of operations about why something came about.

import type { whyOperations } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import type { HandlersOf } from "./handler.ts";
import { nextSteps } from "../next-steps.ts";

export const whyHandlers: HandlersOf<typeof whyOperations> = {
  async causes({ kernel }, { pid, seq }) {
    const causes = await kernel.causes(pid, seq);
    return { ...causes, next: nextSteps(causes, omitUndefined({ asked: seq })) };
  },
  async moment({ kernel }, { pid, seq }) {
    return kernel.moment(pid, seq);
  },
};
