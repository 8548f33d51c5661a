// The commands that look after the store.

import type { CommandRow } from "./command.ts";

export const storeRows: readonly CommandRow[] = [
  {
    usage: "store",
    summary: "Say whether the store has all that was written to it.",
    description:
      "At every start the store is compared with the signed heads and the external effects that are noted apart from it. A store that has lost commits (a damaged or removed write-ahead log, an older copy) is told from that: what it has lost records of is held, and runs no more until a backup is restored or the loss is accepted. The exit code is 1 when something is lost or damaged.",
    examples: ["aos store", "aos store -o json"],
    names: "lost.pid",
    startsDaemon: true,
    load: () => import("./commands/store.ts"),
  },
  {
    usage: "store accept [pid...]",
    summary: "Accept that what the store has lost is lost, and let what is held go on.",
    description:
      "Without pids all that is held goes on; with pids their trees. External effects that may have been begun before the loss are asked about before they are run again (`aos approvals`). Restore a backup instead where there is a newer one.",
    options: [["--yes", "do not ask first"]],
    examples: ["aos store accept --yes", "aos store accept agt_01kx --yes"],
    startsDaemon: true,
    load: () => import("./commands/store-accept.ts"),
  },
];
