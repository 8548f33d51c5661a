// How operations about models, money, contexts, queues and tests are answered (answers.ts).

import { type Json } from "@aos/protocol";
import { present } from "../present.ts";
import type { Answers } from "./answers.ts";
import { costAnswers } from "./cost-answers.ts";
import { findProcess } from "./find-process.ts";
import { providerAnswers } from "./provider-answers.ts";
import { queueAnswers } from "./queue-answers.ts";
import { testAnswers } from "./test-answers.ts";
import { untilClosing } from "./until-closing.ts";

export const modelAnswers: Pick<
  Answers,
  | "models"
  | "testModel"
  | "addProvider"
  | "cost"
  | "estimateSpawn"
  | "estimateFork"
  | "estimateReplay"
  | "context"
  | "exportContext"
  | "compactContext"
  | "nice"
  | "queue"
  | "invoke"
  | "attach"
  | "runTests"
  | "recordTest"
> = {
  ...providerAnswers,
  ...costAnswers,
  async context({ kernel }, { pid, ...rest }) {
    return kernel.context(await findProcess(kernel, pid), present(rest));
  },
  async exportContext({ kernel }, { pid, ...rest }) {
    return (await kernel.exportContext(
      await findProcess(kernel, pid),
      present(rest),
    )) as unknown as Json;
  },
  async compactContext({ kernel }, { pid }) {
    const found = await findProcess(kernel, pid);
    await kernel.compactContext(found);
    return { pid: found };
  },
  ...queueAnswers,
  async attach({ kernel, closing }, { pid, after }, { signal }) {
    const { pid: found } = await kernel.show(await findProcess(kernel, pid));
    return untilClosing(kernel.attach(found, { signal, ...present({ after }) }), closing, found);
  },
  ...testAnswers,
};
