// Rows about project folders that are trusted: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const trustRows: readonly CommandRow[] = [
  {
    usage: "trust [dir]",
    summary: "Review what a project folder would be allowed, and trust it in its present state.",
    description:
      "Until a folder is trusted, nothing in its .agents starts, its agents cannot be started by name, and its AGENTS.md and skills are ignored. Trust holds for the present content: a change must be reviewed again. DIR defaults to the project of this folder. Without a terminal, --yes is needed; otherwise the exit code is 1.",
    options: [
      ["--yes", "trust it without asking"],
      ["--tenant <name>", "for processes of this tenant (default: `default`)"],
      ["--revoke", "revoke the trust"],
    ],
    examples: ["aos trust", "aos trust ../other-project", "aos trust . --yes -o json"],
    startsDaemon: true,
    load: () => import("./commands/trust.ts"),
  },
  {
    usage: "trust ls",
    summary: operationHelp.trustedFolders.summary,
    examples: ["aos trust ls", "aos trust ls -o json"],
    names: "folder",
    startsDaemon: true,
    load: () => import("./commands/trust-ls.ts"),
  },
  {
    usage: "trust rm <dir>",
    summary: operationHelp.distrustFolder.summary,
    options: [["--tenant <name>", "for processes of this tenant (default: `default`)"]],
    examples: ["aos trust rm ."],
    startsDaemon: true,
    load: () => import("./commands/trust-rm.ts"),
  },
];
