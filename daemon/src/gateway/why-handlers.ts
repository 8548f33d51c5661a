// Answers about why something came about.

import { omitUndefined } from "../omit-undefined.ts";
import type { OperationHandlers } from "./handlers.ts";
import { findProcess } from "./find-process.ts";
import { nextSteps } from "./next-steps.ts";

export const whyHandlers: Pick<OperationHandlers, "causes" | "moment"> = {
  async causes({ kernel }, { pid, seq }) {
    const causes = await kernel.causes(await findProcess(kernel, pid), seq);
    return { ...causes, next: nextSteps(causes, omitUndefined({ asked: seq })) };
  },
  async moment({ kernel }, { pid, seq }) {
    return kernel.moment(await findProcess(kernel, pid), seq);
  },
};
