// Rows about the service that keeps the daemon up. A part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const serviceRows: readonly CommandRow[] = [
  {
    usage: "service install",
    summary: "Run the daemon of this home as a service: it starts with the machine or the login.",
    description:
      "Writes a systemd unit, or a launchd property list on macOS, enables and starts it. For root it is a service of the machine, for others one of their session. `aos up` and `aos down` then start and stop the service. A daemon that is up is stopped first; its processes continue in the service.",
    options: [
      ["--user", "a service of this user's session (default unless root)"],
      ["--system", "a service of the machine (default for root)"],
      ["--as <user>", "the user that a service of the machine runs as (default: this user)"],
      ["--no-start", "write and enable it, and start nothing"],
      ["--print", "print the file, and change nothing"],
    ],
    examples: ["aos service install", "sudo aos service install --as ada"],
    startsDaemon: false,
    load: () => import("./commands/service-install.ts"),
  },
  {
    usage: "service uninstall",
    summary: "Stop the service of this home and remove it; the home and its processes are kept.",
    examples: ["aos service uninstall"],
    startsDaemon: false,
    load: () => import("./commands/service-uninstall.ts"),
  },
  {
    usage: "service status",
    summary: "Say whether this home has a service, and in which state it is.",
    description: "The exit code is 1 unless the service is active.",
    examples: ["aos service status", "aos service status -o json"],
    startsDaemon: false,
    load: () => import("./commands/service-status.ts"),
  },
];
