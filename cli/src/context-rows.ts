// Rows about contexts: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

const at = ["--at <seq>", "as it was at this record; the last when absent"] as const;

export const contextRows: readonly CommandRow[] = [
  {
    usage: "ctx show <pid>",
    summary: "Show what an agent shows its model: each message, its tokens, what was taken out.",
    description:
      "The context is what the last request until a record showed. A fork at that record begins with it.",
    options: [at],
    examples: ["aos ctx show @last", "aos ctx show @last --at 40 -o json"],
    names: "blocks.id",
    startsDaemon: true,
    load: () => import("./commands/ctx-show.ts"),
  },
  {
    usage: "ctx export <pid>",
    summary: "Print an agent's context as JSON: the messages, as its model got them.",
    options: [at],
    examples: ["aos ctx export @last > messages.json"],
    startsDaemon: true,
    load: () => import("./commands/ctx-export.ts"),
  },
  {
    usage: "ctx compact <pid>",
    summary: "Tell an agent to put a summary in the place of its old messages.",
    description:
      "It is sent SIGCTX, and does so after its next answer. What is taken out stays in /ctx/archive.",
    examples: ["aos ctx compact @last"],
    startsDaemon: true,
    load: () => import("./commands/ctx-compact.ts"),
  },
];
