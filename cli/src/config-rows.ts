// Rows about the daemon's configuration: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const configRows: readonly CommandRow[] = [
  {
    usage: "config show [prefix]",
    summary: "Print every setting, what it is, and who says so.",
    description:
      "Of the daemon that is up; where none is, as one would be started now. FROM is a flag, a variable of the environment, file and line, or default: the first of these that says anything wins. PREFIX is the beginning of a name.",
    options: [["--changed", "only what is not as it is by default"]],
    examples: ["aos config show", "aos config show http", "aos config show --changed -o json"],
    names: "settings.name",
    startsDaemon: false,
    load: () => import("./commands/config-show.ts"),
  },
  {
    usage: "config check [file]",
    summary: "Say whether a config.yaml is as it should be: the daemon's own unless said.",
    description: "Nothing is changed, and no daemon is needed. Exit code 2 when it is not.",
    examples: ["aos config check", "aos config check new-config.yaml"],
    startsDaemon: false,
    load: () => import("./commands/config-check.ts"),
  },
];
