// Rows about money: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const costRows: readonly CommandRow[] = [
  {
    usage: "cost [pid]",
    summary: "Show what was spent, by whom and on what, and what is left of budgets.",
    description:
      "With PID, only of the tree that it is in. How it is counted is said below the table. Hours are of UTC; --since is taken back to the beginning of its hour.",
    options: [
      ["--by <group>", "agent (default), tree, model, tool, tenant or day"],
      ["--since <duration>", "only the last so long, e.g. 7d (default: 30d)"],
      ["--tenant <name>", "only of this tenant"],
    ],
    examples: ["aos cost", "aos cost --by model --since 7d", "aos cost @last --by tool -o json"],
    watches: true,
    names: "rows.key",
    startsDaemon: true,
    load: () => import("./commands/cost.ts"),
  },
];

export const estimateOption = [
  "--estimate",
  "only say what it may cost; nothing is started",
] as const;
