// Answers about what waits its turn, and about agents that are asked.

import { present } from "../present.ts";
import type { Answers } from "./answers.ts";
import { findProcess } from "./find-process.ts";
import { labelOf } from "./label-of.ts";
import { refuseIfClosing } from "./until-closing.ts";

export const queueAnswers: Pick<Answers, "nice" | "queue" | "invoke"> = {
  async nice({ kernel }, { pid, lane }, { caller }) {
    const found = await findProcess(kernel, pid);
    await kernel.nice(found, lane, caller.name);
    return { pid: found, lane };
  },
  queue: ({ kernel }) => kernel.queue(),
  async invoke({ kernel, closing }, { pid, label, ...rest }, { signal }) {
    const found = await findProcess(kernel, pid);
    const request = { signal, ...present({ ...rest, label: labelOf(label) }) };
    try {
      return await kernel.invoke(found, request);
    } catch (error) {
      refuseIfClosing(closing, found);
      throw error;
    }
  },
};
