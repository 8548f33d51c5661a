// Rows about contexts: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

const at = ["--at <seq>", "the state at this record (default: the last)"] as const;

export const contextRows: readonly CommandRow[] = [
  {
    usage: "ctx show <pid>",
    summary: operationHelp.context.summary,
    description:
      "The context is that of the last model request before a record. A fork at that record starts with it.",
    options: [at],
    examples: ["aos ctx show @last", "aos ctx show @last --at 40 -o json"],
    names: "blocks.id",
    startsDaemon: true,
    load: () => import("./commands/ctx-show.ts"),
  },
  {
    usage: "ctx export <pid>",
    summary: operationHelp.exportContext.summary,
    options: [at],
    examples: ["aos ctx export @last > messages.json"],
    startsDaemon: true,
    load: () => import("./commands/ctx-export.ts"),
  },
  {
    usage: "ctx compact <pid>",
    summary: operationHelp.compactContext.summary,
    description:
      "Sends SIGCTX; the agent compacts after its next answer. The removed messages stay in /ctx/archive.",
    examples: ["aos ctx compact @last"],
    startsDaemon: true,
    load: () => import("./commands/ctx-compact.ts"),
  },
];
