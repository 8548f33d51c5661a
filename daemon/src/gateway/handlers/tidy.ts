// Handlers of operations about tidying memory.

import type { tidyOperations } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import type { HandlersOf } from "./handler.ts";
import { spaceOf } from "./memory-record.ts";

export const tidyHandlers: HandlersOf<typeof tidyOperations> = {
  async tidyMemory({ kernel }, { agent, ...request }, { caller }) {
    const path = agent === undefined ? undefined : await spaceOf(kernel, agent, request.tenant);
    const space = path?.split("/")[3];
    return kernel.tidyMemory(omitUndefined({ ...request, space, by: caller.name }) as never);
  },
  untidyMemory: ({ kernel }, { id, tenant }, { caller }) =>
    kernel.untidyMemory({ id, ...omitUndefined({ tenant }), by: caller.name }),
};
