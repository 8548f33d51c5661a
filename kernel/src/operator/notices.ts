// Notices: signals of the kernel to a process: a part of its budget is used, or its context is nearly full.

import { noticeCause } from "../process/budget-notice.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { ModelServices } from "../handlers/services.ts";
import type { GateServices } from "../syscall/gate-services.ts";
import type { MessageRouter } from "./message-router.ts";

export const noticesOf = (
  router: MessageRouter,
  table: ProcessTable,
): Pick<GateServices, "tellBudget"> & Pick<ModelServices, "tellFull"> => ({
  tellBudget: ({ tenant }, { key, part, unit }) =>
    router.signalLater(
      { key, tenant, pid: table.get(key)?.pid ?? "a process above" },
      "SIGBUDGET",
      noticeCause(part, unit),
    ),
  tellFull: ({ row }) => router.signalLater(row, "SIGCTX", "the context"),
});
