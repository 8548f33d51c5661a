// Rows about explaining and debugging: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const whyRows: readonly CommandRow[] = [
  {
    usage: "why <pid> [seq]",
    summary: operationHelp.causes.summary,
    description:
      "Follows the causes of a record across processes: refusals with their rule or missing grant, approvals, the read that made the process RED, and the cost of each call. SEQ is the number of a record in `aos logs`. The output ends with the next commands to run.",
    examples: ["aos why @last", "aos why @last 7", "aos why agt_01kx -o json"],
    startsDaemon: true,
    load: () => import("./commands/why.ts"),
  },
  {
    usage: "debug <pid>",
    summary: "Step through a journal; edit a result and continue in a fork.",
    description:
      "On a terminal: n and p step, g goes to a record, / searches, e edits the result of a call in $EDITOR and continues in a fork, f forks, r checks the replay, q quits. Elsewhere it prints the core dump of an abnormal end.",
    options: [
      ["--core", "print the core dump, even on a terminal"],
      ["--at <seq>", "print the state at this record: record, context, label, budget"],
      ["--edit <seq>", "with --result: continue in a fork with another result for this call"],
      ["--result <json>", "with --edit: the new result; @FILE, or - for standard input"],
    ],
    examples: [
      "aos debug @last",
      "aos debug agt_01kx --core -o json",
      "aos debug agt_01kx --at 7",
      `aos debug agt_01kx --edit 7 --result '{"ok": true}'`,
    ],
    startsDaemon: true,
    load: () => import("./commands/debug.ts"),
  },
];
