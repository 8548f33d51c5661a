// Rows about project folders that are trusted: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const trustRows: readonly CommandRow[] = [
  {
    usage: "trust [dir]",
    summary: "Show what a project folder would be allowed, and trust it as it is now.",
    description:
      "Until a folder is trusted nothing of its .agents starts, no agent of it has a name, and its AGENTS.md and skills are left out. The trust holds for these bytes: any change asks again and says what changed. DIR is the project of this folder unless said. Without a terminal nothing is trusted, unless --yes says so; the exit code is 1 then.",
    options: [
      ["--yes", "trust it without asking"],
      ["--tenant <name>", "for processes of this tenant; the default one unless said"],
      ["--revoke", "trust it no longer"],
    ],
    examples: ["aos trust", "aos trust ../other-project", "aos trust . --yes -o json"],
    startsDaemon: true,
    load: () => import("./commands/trust.ts"),
  },
  {
    usage: "trust ls",
    summary: "List the project folders that are trusted, and whether they have changed.",
    examples: ["aos trust ls", "aos trust ls -o json"],
    names: "folder",
    startsDaemon: true,
    load: () => import("./commands/trust-ls.ts"),
  },
  {
    usage: "trust rm <dir>",
    summary: "Trust a project folder no longer, and stop its servers.",
    options: [["--tenant <name>", "for processes of this tenant; the default one unless said"]],
    examples: ["aos trust rm ."],
    startsDaemon: true,
    load: () => import("./commands/trust-rm.ts"),
  },
];
