// How operations about models, money, contexts, queues and tests are answered (handlers.ts).

import { type Json } from "@aos/protocol";
import { omitUndefined } from "../omit-undefined.ts";
import type { OperationHandlers } from "./handlers.ts";
import { costHandlers } from "./cost-handlers.ts";
import { findProcess } from "./find-process.ts";
import { providerHandlers } from "./provider-handlers.ts";
import { queueHandlers } from "./queue-handlers.ts";
import { testHandlers } from "./test-handlers.ts";
import { untilClosing } from "./until-closing.ts";

export const modelHandlers: Pick<
  OperationHandlers,
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
  ...providerHandlers,
  ...costHandlers,
  async context({ kernel }, { pid, ...rest }) {
    return kernel.context(await findProcess(kernel, pid), omitUndefined(rest));
  },
  async exportContext({ kernel }, { pid, ...rest }) {
    return (await kernel.exportContext(
      await findProcess(kernel, pid),
      omitUndefined(rest),
    )) as unknown as Json;
  },
  async compactContext({ kernel }, { pid }) {
    const found = await findProcess(kernel, pid);
    await kernel.compactContext(found);
    return { pid: found };
  },
  ...queueHandlers,
  async attach({ kernel, closing }, { pid, after }, { signal }) {
    const { pid: found } = await kernel.show(await findProcess(kernel, pid));
    return untilClosing(
      kernel.attach(found, { signal, ...omitUndefined({ after }) }),
      closing,
      found,
    );
  },
  ...testHandlers,
};
