// Handlers of operations about what is kept: the store, the records and what people did.

import type { storeOperations } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import type { HandlersOf } from "./handler.ts";

export const storeHandlers: HandlersOf<typeof storeOperations> = {
  storeReport: ({ kernel }) => kernel.storeReport(),
  acceptStore: ({ kernel }, { pids }, { caller }) =>
    kernel.acceptStore({ by: caller.name, ...omitUndefined({ pids }) }),
  verify: ({ kernel }, _, { onProgress }) => kernel.verify({ onProgress }),
  collect: ({ kernel }, args) => kernel.collect(omitUndefined(args)),
  ledger: ({ kernel }, args) => kernel.ledger(omitUndefined(args)),
};
