// Rows about money: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const costRows: readonly CommandRow[] = [
  {
    usage: "cost [pid]",
    summary: "Show spending by agent, model or tool, and what is left of the budgets.",
    description:
      "With PID, shows only the process tree of that process. The rules of counting are below the table. Hours are UTC; --since is rounded down to the hour.",
    options: [
      ["--by <group>", "agent (default), tree, model, tool, tenant or day"],
      ["--since <duration>", "only this period, e.g. 7d (default: 30d)"],
      ["--tenant <name>", "only this tenant"],
    ],
    examples: ["aos cost", "aos cost --by model --since 7d", "aos cost @last --by tool -o json"],
    watches: true,
    names: "rows.key",
    startsDaemon: true,
    load: () => import("./commands/cost.ts"),
  },
];

export const estimateOption = ["--estimate", "only estimate the cost; start nothing"] as const;
