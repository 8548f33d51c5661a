// Rows about the daemon's configuration: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const configRows: readonly CommandRow[] = [
  {
    usage: "config show [prefix]",
    summary: operationHelp.config.summary,
    description:
      "Shows the settings of the running daemon, or those of the next start if no daemon is running. FROM is the source: a flag, an environment variable, a file and line, or the default; the first source that sets a value wins. PREFIX filters by the beginning of the name.",
    options: [["--changed", "only settings that differ from the default"]],
    examples: ["aos config show", "aos config show http", "aos config show --changed -o json"],
    names: "settings.name",
    startsDaemon: false,
    load: () => import("./commands/config-show.ts"),
  },
  {
    usage: "config check [file]",
    summary: "Check a config.yaml (default: the daemon's own).",
    description: "Changes nothing and needs no daemon. The exit code is 2 if the file has errors.",
    examples: ["aos config check", "aos config check new-config.yaml"],
    startsDaemon: false,
    load: () => import("./commands/config-check.ts"),
  },
];
