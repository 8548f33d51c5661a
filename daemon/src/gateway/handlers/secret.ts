// Handlers of operations about secrets.

import type { Json, secretOperations } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import type { HandlersOf } from "./handler.ts";

export const secretHandlers: HandlersOf<typeof secretOperations> = {
  secrets: ({ kernel }) => kernel.secrets(),
  async setSecret({ kernel }, { name, value, bindings, tenant }, { caller }) {
    await kernel.setSecret(
      { name, value, bindings: bindings as Json[], ...omitUndefined({ tenant }) },
      caller.name,
    );
    return { name };
  },
  async removeSecret({ kernel }, { name, tenant }, { caller }) {
    await kernel.removeSecret(name, { by: caller.name, ...omitUndefined({ tenant }) });
    return { name };
  },
};
