// Rows about the store: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const storeRows: readonly CommandRow[] = [
  {
    usage: "store",
    summary: operationHelp.storeReport.summary,
    description:
      "At every start the daemon compares the store with the signed heads and the log of external effects. If the store has lost commits (a damaged or deleted write-ahead log, an older copy), the affected processes are blocked until a backup is restored or the loss is accepted. The exit code is 1 when something is lost or damaged.",
    examples: ["aos store", "aos store -o json"],
    names: "lost.pid",
    startsDaemon: true,
    load: () => import("./commands/store.ts"),
  },
  {
    usage: "store accept [pid...]",
    summary: operationHelp.acceptStore.summary,
    description:
      "Without pids all blocked processes resume, with pids only their trees. Before an external effect that may have happened is repeated, a person is asked (`aos approvals`). If you have a newer backup, restore it instead.",
    options: [["--yes", "do not ask for confirmation"]],
    examples: ["aos store accept --yes", "aos store accept agt_01kx --yes"],
    startsDaemon: true,
    load: () => import("./commands/store-accept.ts"),
  },
];
