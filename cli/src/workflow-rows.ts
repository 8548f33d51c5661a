// Rows about workflows: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const workflowRows: readonly CommandRow[] = [
  {
    usage: "workflow ls",
    summary: operationHelp.workflows.summary,
    options: [["-n, --limit <count>", operationHelp.workflows.args.limit]],
    examples: ["aos workflow ls", "aos workflow ls -o json"],
    watches: true,
    startsDaemon: true,
    load: () => import("./commands/workflow-ls.ts"),
  },
  {
    usage: "workflow show <pid>",
    summary: operationHelp.workflow.summary,
    examples: ["aos workflow show @last", "aos workflow show @last --watch"],
    watches: true,
    startsDaemon: true,
    load: () => import("./commands/workflow-show.ts"),
  },
  {
    usage: "workflow signal <pid> <signal> [body]",
    summary: operationHelp.signalWorkflow.summary,
    description:
      "BODY may be @FILE, or - for standard input. A message that the workflow does not declare, or that does not fit its schema, is refused.",
    options: [
      ["--json", "the body is JSON"],
      ["--label <label>", "the label of the body, e.g. untrusted/confidential"],
    ],
    examples: [
      "aos workflow signal @last approved yes",
      "aos workflow signal agt_01kx paid '{\"amount\": 12}' --json",
    ],
    startsDaemon: true,
    load: () => import("./commands/workflow-signal.ts"),
  },
  {
    usage: "workflow query <pid> <query>",
    summary: operationHelp.queryWorkflow.summary,
    examples: ["aos workflow query @last progress", "aos workflow query @last progress -o json"],
    watches: true,
    startsDaemon: true,
    load: () => import("./commands/workflow-query.ts"),
  },
];
