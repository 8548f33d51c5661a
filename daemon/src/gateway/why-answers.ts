// Answers about why something came about.

import { present } from "../present.ts";
import type { Answers } from "./answers.ts";
import { findProcess } from "./find-process.ts";
import { nextSteps } from "./next-steps.ts";

export const whyAnswers: Pick<Answers, "causes" | "moment"> = {
  async causes({ kernel }, { pid, seq }) {
    const causes = await kernel.causes(await findProcess(kernel, pid), seq);
    return { ...causes, next: nextSteps(causes, present({ asked: seq })) };
  },
  async moment({ kernel }, { pid, seq }) {
    return kernel.moment(await findProcess(kernel, pid), seq);
  },
};
