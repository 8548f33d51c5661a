// Rows about money: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const costRows: readonly CommandRow[] = [
  {
    usage: "cost [pid]",
    summary: operationHelp.cost.summary,
    description:
      "With PID, shows only the process tree of that process. The rules of counting are below the table. Hours are UTC; --since is rounded down to the hour.",
    options: [
      ["--by <group>", operationHelp.cost.args.by],
      ["--since <duration>", "only this period, e.g. 7d (default: 30d)"],
      ["--tenant <name>", operationHelp.cost.args.tenant],
    ],
    examples: ["aos cost", "aos cost --by model --since 7d", "aos cost @last --by tool -o json"],
    watches: true,
    names: "rows.key",
    startsDaemon: true,
    load: () => import("./commands/cost.ts"),
  },
];

export const estimateOption = ["--estimate", "only estimate the cost; start nothing"] as const;
