// Handlers of operations about contexts.

import type { contextOperations, Json } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import type { HandlersOf } from "./handler.ts";

export const contextHandlers: HandlersOf<typeof contextOperations> = {
  async context({ kernel }, { pid, ...rest }) {
    return kernel.context(pid, omitUndefined(rest));
  },
  async exportContext({ kernel }, { pid, ...rest }) {
    return (await kernel.exportContext(pid, omitUndefined(rest))) as unknown as Json;
  },
  async compactContext({ kernel }, { pid }) {
    await kernel.compactContext(pid);
    return { pid };
  },
};
