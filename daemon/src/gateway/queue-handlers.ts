// Answers about what waits its turn, and about agents that are asked.

import { omitUndefined } from "../omit-undefined.ts";
import type { OperationHandlers } from "./handlers.ts";
import { findProcess } from "./find-process.ts";
import { labelOf } from "./label-of.ts";
import { refuseIfClosing } from "./until-closing.ts";

export const queueHandlers: Pick<OperationHandlers, "nice" | "queue" | "invoke"> = {
  async nice({ kernel }, { pid, lane }, { caller }) {
    const found = await findProcess(kernel, pid);
    await kernel.nice(found, lane, caller.name);
    return { pid: found, lane };
  },
  queue: ({ kernel }) => kernel.queue(),
  async invoke({ kernel, closing }, { pid, label, ...rest }, { signal }) {
    const found = await findProcess(kernel, pid);
    const request = { signal, ...omitUndefined({ ...rest, label: labelOf(label) }) };
    try {
      return await kernel.invoke(found, request);
    } catch (error) {
      refuseIfClosing(closing, found);
      throw error;
    }
  },
};
