// Notices: what the kernel tells a process by a signal: that a part of its budget is spent, or that its
// context is nearly full.

import { noticeCause } from "../budget/notice.ts";
import type { Table } from "../process/table.ts";
import type { World } from "../syscall/answer.ts";
import type { Courier } from "./courier.ts";

export const noticesOf = (
  courier: Courier,
  table: Table,
): Pick<World, "tellBudget" | "tellFull"> => ({
  tellBudget: ({ tenant }, { key, part, unit }) =>
    courier.signalLater(
      { key, tenant, pid: table.get(key)?.pid ?? "a process above" },
      "SIGBUDGET",
      noticeCause(part, unit),
    ),
  tellFull: ({ row }) => courier.signalLater(row, "SIGCTX", "the context"),
});
